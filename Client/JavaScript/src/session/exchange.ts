import { bytesOf, hexOf } from "../bytes/binary.ts";
import { sha256 } from "../bytes/sha256.ts";
import { MalformedMessage, Reader } from "../bytes/protobuf.ts";
import { noSlots, type Slots } from "../merge/slots.ts";
import { Schema } from "../model/schema.ts";
import { RoostError, ServerRefusal } from "../protocol/errors.ts";
import { decodePage, decodePushReply, decodeRecoverReply, encodeRecover, type Page } from "../protocol/messages.ts";
import { invalid, type Reply, type Transport } from "../protocol/transport.ts";
import type { ReplicaCore } from "../replica/core.ts";
import { recordKey } from "../replica/model.ts";
import type { Operation, SealedPush } from "../replica/operations.ts";
import { replyFault, seal, settleReply, startResync } from "../replica/pushing.ts";
import { Settlement } from "../replica/settlement.ts";
import { confirmToken, currentToken } from "./identity.ts";

const protobuf = "application/x-protobuf";
/** Pages in a row that change nothing, after which a pull ends as failed (protocol.md §7.2). */
const idlePagesMax = 2000;
const recoverRecordsMax = 1000;
const recoverBytesMax = 3 << 20;
/** Full resynchronisations until a digest matches. */
const resyncsMax = 3;

/** The state at the start of a pull, which is compared with the state once its page is there. */
interface PullStart {
  readonly replica: string;
  readonly since: string;
  readonly isResync: boolean;
  /** Pushes sent before it. */
  readonly pushes: number;
  /** Whether a push had no reply when it was sent. */
  readonly isDoubtful: boolean;
}

/** The requests of a session: pushes, pulls and what the server lost. Failures are thrown. */
export class Exchange {
  readonly #core: ReplicaCore;
  readonly #transport: Transport;
  readonly #signal: AbortSignal;
  readonly #pullBytesMax: number;
  #pushes = 0;
  /** Bytes of the pages of the pull under way. */
  #pulledBytes = 0;
  /** Whether a push was sent and nothing is known of it. */
  #isDoubtful = false;

  constructor(core: ReplicaCore, transport: Transport, signal: AbortSignal, pullBytesMax: number) {
    this.#core = core;
    this.#pullBytesMax = pullBytesMax;
    this.#transport = transport;
    this.#signal = signal;
  }

  get #model() {
    return this.#core.model;
  }

  async #send(request: Parameters<Transport["send"]>[0]): Promise<Reply> {
    const token = currentToken(this.#model.control);
    const reply = await this.#transport.send({ token, signal: this.#signal, ...request });
    if (this.#model.control.proposedToken === token) await confirmToken(this.#core);
    return reply;
  }

  // Push

  /** Sends the next push, and settles its reply. Returns `false` if there is nothing to push. */
  async push(): Promise<boolean> {
    if (this.#model.sealed === undefined && this.#model.outbox.length === 0) return false;
    const push = this.#model.sealed ?? await this.#core.commit(() => {
      const sealed = this.#model.sealed ?? seal(this.#model);
      const isNew = sealed !== undefined && sealed !== this.#model.sealed;
      return { operations: isNew ? [{ kind: "sealed", push: sealed }] : [], result: sealed };
    }, "local");
    if (push === undefined) return false;
    this.#pushes++;
    this.#isDoubtful = true;
    try {
      const { bytes } = await this.#send({
        method: "POST",
        path: "/v1/push",
        accept: protobuf,
        body: push.body,
        headers: { "Roost-Time": String(Math.trunc(this.#core.environment.now())) },
        timeoutSeconds: 60,
      });
      await this.#settle(push, bytes);
    } catch (error) {
      // A push that is refused whole was not stored.
      if (error instanceof ServerRefusal && error.status < 500) this.#isDoubtful = false;
      throw error;
    }
    return true;
  }

  async #settle(push: SealedPush, bytes: Uint8Array): Promise<void> {
    const reply = decoded(() => decodePushReply(bytes));
    const fault = replyFault(push, reply);
    if (fault !== undefined) throw invalid(fault);
    await this.#core.commit(() => {
      // Another tab has settled it, or the outbox was stamped again meanwhile.
      if (this.#model.sealed?.number !== push.number || !isSameBody(this.#model.sealed, push)) {
        return { operations: [], result: undefined };
      }
      return { operations: settleReply(this.#model, push, reply, this.#core.environment.now()), result: undefined };
    }, "remote");
    this.#isDoubtful = false;
  }

  /**
   * Asks for the reply to the sealed push, after something on the way has refused its body (protocol.md §6.3).
   *
   * @returns Whether the push had been stored.
   */
  async askForReply(): Promise<boolean> {
    const push = this.#model.sealed;
    if (push === undefined) return true;
    const path = `/v1/push?number=${push.number}&hash=${hexOf(sha256(push.body))}`;
    const reply = await this.#send({ method: "GET", path, accept: protobuf });
    if (reply.status === 204) {
      this.#isDoubtful = false;
      return false;
    }
    await this.#settle(push, reply.bytes);
    return true;
  }

  // Pull

  #start(): PullStart {
    const { control, sealed } = this.#model;
    return {
      replica: control.replica,
      since: control.resync?.checkpoint ?? control.checkpoint,
      isResync: control.resync !== undefined,
      pushes: this.#pushes,
      isDoubtful: sealed !== undefined && this.#isDoubtful,
    };
  }

  async #request(since: string, more: string, timeoutSeconds: number, signal?: AbortSignal): Promise<Page> {
    const path = `/v1/pull?since=${hexOf(bytesOf(since))}&identifiers=1${more}`;
    const request = { method: "GET", path, accept: protobuf, timeoutSeconds } as const;
    const { bytes } = await this.#send(signal === undefined ? request : { ...request, signal });
    this.#pulledBytes += bytes.length;
    return decoded(() => decodePage(new Reader(bytes)));
  }

  /** Pulls everything that the server has, page by page. The next page travels while one is applied. */
  async pull(): Promise<void> {
    let ahead: { since: string; page: Promise<Page> } | undefined, idle = 0;
    this.#pulledBytes = 0;
    for (let attempts = 0;;) {
      const start = this.#start();
      const page = ahead?.since === start.since ? await ahead.page : await this.#request(start.since, "", 60);
      const next = String.fromCharCode(...page.checkpoint);
      ahead = page.hasMore ? { since: next, page: this.#request(next, "&ahead=1", 60) } : undefined;
      // A failure is reported by the loop that waits for the page.
      ahead?.page.catch(() => undefined);
      const outcome = await this.apply(page, start);
      if (outcome === "superseded") {
        if (++attempts > 10) throw invalid("its pages do not follow one another");
        continue;
      }
      idle = outcome === "unchanged" ? idle + 1 : 0;
      if (!page.hasMore && this.#model.control.resync === undefined) return;
      const isLarge = this.#pulledBytes > this.#pullBytesMax;
      if (!isLarge && idle <= idlePagesMax) continue;
      const excess = isLarge
        ? `it is more than ${this.#pullBytesMax >> 20} MiB`
        : `${idle} pages in a row change nothing and announce more`;
      throw new RoostError(
        "pull_too_large",
        `Cannot pull everything: ${excess}. The pages so far are kept.`,
        isLarge ? "Look at the server, or raise pullBytesMax." : "Look at the server.",
      );
    }
  }

  /** Waits for a page. It is applied by `apply`, with the start that is returned. */
  poll(seconds: number, signal: AbortSignal): { start: PullStart; page: Promise<Page> } {
    const start = this.#start();
    return { start, page: this.#request(start.since, `&wait=${seconds}`, seconds + 10, signal) };
  }

  /** Applies a page in one commit, if it follows the state of the replica. */
  async apply(page: Page, start: PullStart): Promise<"applied" | "unchanged" | "superseded"> {
    const isEmpty = page.records.length === 0 && page.purged.length === 0;
    if (page.hasMore && isEmpty && String.fromCharCode(...page.checkpoint) === start.since) {
      throw invalid("an empty page announces more");
    }
    if (page.schemaVersion > this.#model.control.schemaVersion) await this.fetchSchema();
    return this.#core.commit(() => {
      const now = this.#start();
      const isOverlapped = now.pushes !== start.pushes || start.isDoubtful || now.isDoubtful;
      const isStale = now.replica !== start.replica || now.since !== start.since || now.isResync !== start.isResync;
      if (isStale || (page.purged.length > 0 && isOverlapped)) return { operations: [], result: "superseded" };
      const settlement = new Settlement(this.#model, this.#core.environment.now());
      settlement.applyPage(page);
      const isCompared = page.digest !== undefined && !isOverlapped;
      const differs = isCompared && settlement.digest !== page.digest;
      if (isCompared && !differs && this.#model.control.resyncs !== undefined) settlement.set({ resyncs: undefined });
      let operations: Operation[] = settlement.finish();
      if (differs) {
        // The resynchronisation that this page ended is over before another one begins.
        operations = [...operations, ...this.#resyncAfterDifference()];
      }
      return { operations, result: isEmpty ? "unchanged" : "applied" };
    }, "remote");
  }

  #resyncAfterDifference(): Operation[] {
    if ((this.#model.control.resyncs ?? 0) < resyncsMax) return startResync(this.#model, "digest");
    throw new RoostError(
      "digest_differs",
      "Cannot synchronise: the replica was pulled three times and still differs from the server.",
      "Ask the operator to look at the server; it is tried again later.",
    );
  }

  /** Shows the server the checkpoint without applying the answer: it learns so that it was restored. */
  async showCheckpoint(): Promise<void> {
    await this.#request(this.#model.control.checkpoint, "&limit=1", 60);
  }

  async fetchSchema(): Promise<void> {
    const token = currentToken(this.#model.control);
    const reply = await this.#transport.json({ method: "GET", path: "/v1/schema", token, signal: this.#signal });
    if (typeof reply.schema !== "string" || typeof reply.version !== "number") throw invalid("there is no schema");
    // A schema that this client cannot use must not get into the log.
    Schema.parse(reply.schema);
    await this.#core.commit(() => ({
      operations: [{ kind: "control", values: { schema: reply.schema, schemaVersion: reply.version } }],
      result: undefined,
    }), "remote");
  }

  async fetchRole(): Promise<string> {
    const token = currentToken(this.#model.control);
    const reply = await this.#transport.json({ method: "GET", path: "/v1/me", token, signal: this.#signal });
    const role = String(reply.role);
    if (role !== this.#model.control.role) {
      await this.#core.commit(() => ({
        operations: [{ kind: "control", values: { role } }],
        result: undefined,
      }), "remote");
    }
    return role;
  }

  // Lost records

  /** Brings back what a restored server has lost (protocol.md §7.7), in ascending order of stamps. */
  async recover(): Promise<void> {
    while (this.#model.lost.size > 0) {
      const batch = this.#nextLost();
      const records = batch.map(({ entity, id, slots }) => ({ entity, id, slots }));
      const { bytes } = await this.#send({
        method: "POST",
        path: "/v1/recover",
        accept: protobuf,
        body: encodeRecover(records),
        timeoutSeconds: 60,
      });
      const reply = decoded(() => decodeRecoverReply(bytes));
      const passedOver = new Set(reply.purged.map(({ entity, id }) => recordKey(entity, id)));
      await this.#core.commit(() => {
        const settlement = new Settlement(this.#model, this.#core.environment.now());
        for (const { entity, id, slots } of batch) {
          const isPurged = passedOver.has(recordKey(entity, id));
          settlement.operations.push({ kind: "found", name: { entity, id } });
          if (!isPurged) settlement.mergeConfirmed({ entity, id, slots });
          else this.#settlePassedOver(settlement, entity, id, slots);
        }
        return { operations: settlement.finish(), result: undefined };
      }, "remote");
    }
  }

  /** Keeps what follows from a lost record that the server has purged. */
  #settlePassedOver(settlement: Settlement, entity: number, id: string, slots: Slots): void {
    const { put, del } = slots;
    const server = settlement.confirmed(entity, id);
    const isBeaten = put !== undefined && ((del ?? "") > put.stamp || (server.put?.stamp ?? "") > put.stamp);
    if (put !== undefined && !isBeaten) {
      const message = "The server has purged this record.";
      settlement.journal("lost", { entity, id, stamp: put.stamp, base: put.base, put: put.bytes }, { message });
    }
    // A delete after the put may be later than the purge, and would let what was made again since show without it.
    if (put !== undefined && del !== undefined && del > put.stamp) {
      settlement.operations.push({ kind: "lost", record: { entity, id, slots: { ...noSlots, del } } });
    }
  }

  #nextLost(): { entity: number; id: string; slots: Slots }[] {
    const greatest = ({ put, del }: Slots) => (put?.stamp ?? "") > (del ?? "") ? put!.stamp : del!;
    const all = [...this.#model.lost].map(([{ entity, id }, slots]) => ({ entity, id, slots, at: greatest(slots) }));
    all.sort((left, right) => left.at < right.at ? -1 : 1);
    let bytes = 0;
    const batch = all.slice(0, recoverRecordsMax);
    const end = batch.findIndex(({ slots }) => (bytes += 100 + (slots.put?.bytes.length ?? 0)) > recoverBytesMax);
    return batch.slice(0, end < 0 ? batch.length : Math.max(end, 1));
  }

  /** Records what the server does not accept in the journal, so that its user can restore it. */
  giveUpLost(reason: ServerRefusal): Promise<void> {
    return this.#core.commit(() => {
      const settlement = new Settlement(this.#model, this.#core.environment.now());
      settlement.giveUpLost(`The server has lost this record and does not accept it again (${reason.code}).`);
      return { operations: settlement.finish(), result: undefined };
    }, "remote");
  }
}

function isSameBody(left: SealedPush, right: SealedPush): boolean {
  return left === right || (left.body.length === right.body.length && left.body.every((b, i) => b === right.body[i]));
}

/** Decodes a reply. Bytes that are no message are an invalid reply, which is asked for again. */
function decoded<Message>(decode: () => Message): Message {
  try {
    return decode();
  } catch (error) {
    if (error instanceof MalformedMessage) throw invalid(error.message);
    throw error;
  }
}
