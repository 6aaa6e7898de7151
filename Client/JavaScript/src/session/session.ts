import { RoostError, ServerRefusal } from "../protocol/errors.ts";
import { InvalidReply, type Transport } from "../protocol/transport.ts";
import type { ReplicaCore } from "../replica/core.ts";
import { divide, restamp, setAside, startResync } from "../replica/pushing.ts";
import type { ResyncReason } from "../replica/operations.ts";
import { Exchange } from "./exchange.ts";
import { currentToken, dropProposal, recallIdentity, renewIdentity } from "./identity.ts";
import { Wake } from "./wake.ts";

export type SessionState = "stopped" | "synchronising" | "upToDate" | "waiting" | "blocked";

/** The state of a session. */
export interface SessionStatus {
  readonly state: SessionState;
  /** Why it waits, or needs a user's action. */
  readonly error: RoostError | undefined;
  /** Why local changes are not pushed although everything is pulled. */
  readonly pushError: RoostError | undefined;
  /** When everything was last pushed and pulled, in milliseconds since 1970. */
  readonly synchronised: number | undefined;
}

const minute = 60_000;
const pollSeconds = 50;
/** The most bytes of pages that one pull may bring where the program sets no other limit. */
const defaultPullBytesMax = 512 << 20;
/** Codes after which a user's action is required, with the minutes until the next attempt. */
const blocked: Record<string, number> = { unauthorized: 5, revoked: 15 };
/** Codes by which the server refuses a push for what is in it. */
const contentCodes = ["bad_request", "malformed_put", "too_large", "gone"];
const forkCodes = ["replica_forked", "foreign_stamp", "stamps_not_increasing"];
const recoverRefusals = [
  "not_recovering",
  "bad_request",
  "malformed_put",
  "too_large",
  "quota_exceeded",
  "not_found",
  "forbidden",
];
const retried = ["unreachable", "invalid_reply", "too_many_requests", "storage_unavailable", "stopping"];

/** The reaction to a failure: the milliseconds to wait, and whether a user's action is required. */
interface Plan {
  readonly wait: number;
  readonly isBlocked: boolean;
}

/** Synchronises a replica: pushes its outbox, pulls, and waits for more. */
export class Session {
  readonly #core: ReplicaCore;
  readonly #transport: Transport;
  readonly #exchange: Exchange;
  readonly #signal: AbortSignal;
  readonly #onStatus: (status: SessionStatus) => void;
  readonly #wake = new Wake();
  #status: SessionStatus = { state: "stopped", error: undefined, pushError: undefined, synchronised: undefined };
  #failures = 0;
  #faults = 0;
  #renewals = 0;
  #pushBlockedUntil = 0;
  #pushError: RoostError | undefined;
  /** A push of one transaction that was refused whole. It is set aside once a page was applied. */
  #doubt: ServerRefusal | undefined;
  #resyncWanted: ResyncReason | undefined;
  #recalled = -Infinity;
  #roleAsked = -Infinity;
  #isIdle = false;

  constructor(
    core: ReplicaCore,
    transport: Transport,
    signal: AbortSignal,
    onStatus: (status: SessionStatus) => void = () => undefined,
    pullBytesMax: number = defaultPullBytesMax,
  ) {
    this.#core = core;
    this.#transport = transport;
    this.#signal = signal;
    this.#exchange = new Exchange(core, transport, signal, pullBytesMax);
    this.#onStatus = onStatus;
  }

  /** Whether the session only waits for changes, so that a local write may seal its own push. */
  get isIdle(): boolean {
    return this.#isIdle && this.#core.environment.now() >= this.#pushBlockedUntil;
  }

  get status(): SessionStatus {
    return this.#status;
  }

  #report(state: SessionState, error?: RoostError): void {
    const synchronised = state === "upToDate" ? this.#core.environment.now() : this.#status.synchronised;
    this.#status = { state, error, pushError: this.#pushError, synchronised };
    this.#onStatus(this.#status);
  }

  /** Continues now: there is a local change, the network is back, or a user has removed the cause of a block. */
  wake(isUserAction = false): void {
    if (isUserAction) this.#pushBlockedUntil = 0;
    this.#wake.signal();
  }

  /** Pushes and pulls everything once. Throws the failure that remains after `attempts`. */
  async once(attempts = 5): Promise<void> {
    for (let attempt = 1;; attempt++) {
      try {
        await this.#synchronise();
        if (this.#pushError !== undefined) throw this.#pushError;
        return;
      } catch (error) {
        if (this.#signal.aborted || error === this.#pushError) throw asRoostError(error);
        const plan = await this.#plan(error);
        if (plan.isBlocked || (plan.wait > 0 && attempt >= attempts)) {
          this.#report(plan.isBlocked ? "blocked" : "waiting", asRoostError(error));
          throw asRoostError(error);
        }
        if (attempt > 50) throw asRoostError(error);
        if (plan.wait > 0) await this.#wake.wait(plan.wait, this.#signal, true);
      }
    }
  }

  /** Synchronises until the signal aborts. No answer of a server ends it. */
  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        await this.#synchronise();
        await this.#live();
      } catch (error) {
        if (this.#signal.aborted || this.#core.isClosed) break;
        await this.#recover(error);
      }
    }
    this.#report("stopped");
  }

  async #recover(error: unknown): Promise<void> {
    let plan: Plan;
    let cause = error;
    try {
      plan = await this.#plan(error);
    } catch (second) {
      if (this.#signal.aborted || this.#core.isClosed) return;
      cause = second;
      plan = this.#retry(second);
    }
    if (plan.wait === 0) return;
    this.#report(plan.isBlocked ? "blocked" : "waiting", asRoostError(cause));
    await this.#wake.wait(plan.wait, this.#signal, !plan.isBlocked);
  }

  // One exchange

  async #synchronise(): Promise<void> {
    if (this.#status.state !== "upToDate") this.#report("synchronising");
    await this.#pushAll();
    if (this.#resyncWanted !== undefined) await this.#startResync(this.#resyncWanted);
    // What is set aside needs a page before it, which shows the server to be well: each further one needs another page.
    do {
      await this.#exchange.pull();
      await this.#recoverLost();
      if (this.#doubt !== undefined) await this.#setAside(this.#doubt);
      await this.#askRole();
      // Changes that came to the outbox while pages were pulled are pushed before the wait.
      await this.#pushAll();
    } while (this.#doubt !== undefined);
    this.#failures = 0;
    this.#report("upToDate");
  }

  async #pushAll(): Promise<void> {
    const { control } = this.#core.model;
    if (control.renewal !== undefined) await this.#renew(control.renewal.reason, control.renewal.resync);
    if (this.#doubt !== undefined || this.#core.environment.now() < this.#pushBlockedUntil) return;
    try {
      while (await this.#exchange.push()) {
        this.#faults = this.#renewals = 0;
        this.#setPushError(undefined);
      }
    } catch (error) {
      if (!(error instanceof ServerRefusal) || !(await this.#isPushOnly(error))) throw error;
      await this.#pushAll();
    }
  }

  /** Handles a refusal that concerns pushes alone, so that pulling goes on. */
  async #isPushOnly(error: ServerRefusal): Promise<boolean> {
    const isFault = error.status === 500 && ++this.#faults >= 3;
    if (contentCodes.includes(error.code) || isFault) {
      this.#faults = 0;
      const count = this.#core.model.sealed?.transactions.length ?? 0;
      if (count > 1) await this.#commit(() => divide(this.#core.model));
      else this.#doubt = error;
      return true;
    }
    const isAhead = error.code === "clock_ahead" && error.retryAfter === undefined;
    if (isAhead && (this.#core.model.control.restamps ?? 0) < 2 && error.serverTime !== undefined) {
      const time = error.serverTime;
      await this.#commit(() => restamp(this.#core.model, time, this.#core.environment.now()));
      return true;
    }
    if (!isAhead && error.code !== "forbidden" && error.code !== "quota_exceeded") return false;
    this.#pushBlockedUntil = this.#core.environment.now() + 15 * minute;
    this.#setPushError(error);
    return true;
  }

  #setPushError(error: RoostError | undefined): void {
    if (error === this.#pushError) return;
    this.#pushError = error;
    this.#report(this.#status.state, this.#status.error);
  }

  #commit(operations: () => ReturnType<typeof divide>): Promise<void> {
    return this.#core.commit(() => ({ operations: operations(), result: undefined }), "remote");
  }

  async #setAside(refusal: ServerRefusal): Promise<void> {
    this.#doubt = undefined;
    await this.#commit(() => setAside(this.#core.model, refusal.code, refusal.message, this.#core.environment.now()));
    await this.#pushAll();
  }

  async #startResync(reason: ResyncReason): Promise<void> {
    this.#resyncWanted = undefined;
    await this.#commit(() => startResync(this.#core.model, reason));
  }

  async #recoverLost(): Promise<void> {
    if (this.#core.model.lost.size === 0) return;
    try {
      await this.#exchange.recover();
    } catch (error) {
      if (!(error instanceof ServerRefusal) || !recoverRefusals.includes(error.code)) throw error;
      await this.#exchange.giveUpLost(error);
    }
    await this.#exchange.pull();
  }

  /** No page says that a role was changed: it is asked for while it keeps changes from being pushed. */
  async #askRole(): Promise<void> {
    const isAsked = this.#core.model.control.role === "viewer" || this.#pushError?.code === "forbidden";
    const now = this.#core.environment.now();
    if (!isAsked || now - this.#roleAsked < minute) return;
    this.#roleAsked = now;
    const role = await this.#exchange.fetchRole();
    if (role !== "viewer" && this.#pushError?.code === "forbidden") {
      this.#pushBlockedUntil = 0;
      this.#setPushError(undefined);
    }
  }

  async #renew(reason: string, resync: ResyncReason | undefined): Promise<void> {
    const recent = (this.#core.model.control.renewals ?? []).filter((time) =>
      time > this.#core.environment.now() - 24 * 60 * minute
    );
    if (++this.#renewals > 3 || recent.length >= 10) {
      this.#renewals = 0;
      throw new RoostError(
        "replica_forked",
        "Cannot push: this replica was given a new identity several times in a row.",
        "Close other copies of it; it is tried again later.",
      );
    }
    await renewIdentity(this.#core, this.#transport, currentToken(this.#core.model.control), reason, resync);
  }

  // Waiting for changes

  /** Waits for changes of either side, and returns when a whole exchange is due. */
  async #live(): Promise<void> {
    const abort = new AbortController();
    const stop = () => abort.abort();
    this.#signal.addEventListener("abort", stop);
    try {
      for (;;) {
        const { start, page } = this.#exchange.poll(pollSeconds, abort.signal);
        const began = this.#core.environment.now();
        const answer = page.then((page) => ({ page }), (error: unknown) => ({ error }));
        for (;;) {
          this.#isIdle = true;
          const event = await Promise.race([answer, this.#wake.promise.then(() => undefined)]);
          this.#isIdle = false;
          if (this.#signal.aborted) return;
          if (event !== undefined) {
            if ("error" in event) throw event.error;
            if (await this.#exchange.apply(event.page, start) === "superseded") return;
            if (event.page.hasMore || this.#core.model.control.resync !== undefined) return;
            await this.#avoidHaste(event.page, began);
            break;
          }
          this.#wake.consume();
          await this.#pushAll();
          if (this.#doubt !== undefined || this.#resyncWanted !== undefined) return;
        }
        this.#report("upToDate");
      }
    } finally {
      this.#signal.removeEventListener("abort", stop);
      abort.abort();
    }
  }

  /** Waits a second where an empty page came early, for a server that does not hold its answers. */
  async #avoidHaste(page: { records: unknown[]; purged: unknown[] }, began: number): Promise<void> {
    const isEmpty = page.records.length === 0 && page.purged.length === 0;
    if (isEmpty && this.#core.environment.now() - began < 5000) await this.#wake.wait(1000, this.#signal);
  }

  // Failures

  #retry(error: unknown): Plan {
    const refused = error instanceof ServerRefusal ? (error.retryAfter ?? 0) * 1000 : 0;
    const most = Math.min(60_000, 1000 * 2 ** Math.min(this.#failures++, 10));
    const byte = this.#core.environment.random(2);
    const jitter = 500 + (most - 500) * ((byte[0] * 256 + byte[1]) / 65_535);
    return { wait: Math.max(jitter, refused), isBlocked: false };
  }

  /** Decides what to do about a failure, and does what needs no wait. */
  async #plan(error: unknown): Promise<Plan> {
    if (error instanceof InvalidReply && error.status === 413) return this.#sendLess(error);
    if (!(error instanceof RoostError)) throw error;
    const { code } = error;
    if (retried.includes(code) || (error instanceof ServerRefusal && error.status >= 500)) return this.#retry(error);
    if (code === "clock_ahead" && error instanceof ServerRefusal && error.retryAfter) return this.#retry(error);
    if (forkCodes.includes(code) && error instanceof ServerRefusal) return this.#wantIdentity(code, "identity");
    if (code === "server_rolled_back") return this.#showThatItWasRestored();
    if (code === "history_changed" || code === "resync_required") return this.#wantResync(code);
    if (code === "unauthorized") return this.#recall();
    if (code === "storage_full" || code === "storage_failed") return { wait: 30_000, isBlocked: false };
    return { wait: (blocked[code] ?? 15) * minute, isBlocked: true };
  }

  async #wantIdentity(reason: string, resync: ResyncReason): Promise<Plan> {
    await this.#core.commit(() => ({
      operations: [{ kind: "control", values: { renewal: { reason, resync } } }],
      result: undefined,
    }), "local");
    return { wait: 0, isBlocked: false };
  }

  async #wantResync(reason: ResyncReason): Promise<Plan> {
    if ((this.#core.model.control.resyncs ?? 0) >= 4) return { wait: 15 * minute, isBlocked: true };
    this.#resyncWanted = reason;
    return { wait: 0, isBlocked: false };
  }

  /** The server lacks a push that it has acknowledged. It learns from the checkpoint that it was restored (§11.5). */
  async #showThatItWasRestored(): Promise<Plan> {
    let reason: ResyncReason = "history_changed";
    try {
      if (this.#core.model.control.checkpoint !== "") await this.#exchange.showCheckpoint();
    } catch (error) {
      if (!(error instanceof ServerRefusal)) throw error;
      if (error.code === "resync_required") reason = "resync_required";
      else if (error.code !== "history_changed") throw error;
    }
    return this.#wantIdentity("server_rolled_back", reason);
  }

  async #recall(): Promise<Plan> {
    const { control } = this.#core.model;
    if (control.proposedToken !== undefined) {
      await dropProposal(this.#core);
      return { wait: 0, isBlocked: false };
    }
    const now = this.#core.environment.now();
    if (now - this.#recalled > 150_000) {
      this.#recalled = now;
      if (await recallIdentity(this.#core, this.#transport)) return { wait: 0, isBlocked: false };
    }
    return { wait: blocked.unauthorized * minute, isBlocked: true };
  }

  /** Something on the way takes no body of this size. An earlier attempt may have been stored all the same. */
  async #sendLess(error: InvalidReply): Promise<Plan> {
    if (await this.#exchange.askForReply()) return { wait: 0, isBlocked: false };
    const { sealed, outbox } = this.#core.model;
    const changes = sealed === undefined ? 0 : outbox.filter((each) => sealed.transactions.includes(each.id)).reduce(
      (sum, each) => sum + each.changes.length,
      0,
    );
    if (changes <= 1) {
      this.#pushBlockedUntil = this.#core.environment.now() + 15 * minute;
      this.#setPushError(error);
      return { wait: 0, isBlocked: false };
    }
    await this.#commit(() => divide(this.#core.model));
    return { wait: 0, isBlocked: false };
  }
}

function asRoostError(error: unknown): RoostError {
  if (error instanceof RoostError) return error;
  return new RoostError("storage_failed", `Cannot synchronise: ${String(error)}.`, "Report this defect.", error);
}
