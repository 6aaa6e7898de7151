import { type Binary, bytesOf } from "../bytes/binary.ts";
import { binary } from "../bytes/binary.ts";
import { HybridClock, reading, replicaOf } from "../merge/clock.ts";
import type { StoredRecord } from "../merge/graph.ts";
import { type Change, merge, noSlots, ownState, ScopeDigest, type Slots, slotsOf } from "../merge/slots.ts";
import { hiddenBecause } from "../merge/visible.ts";
import type { Page, RecordName, WireRecord } from "../protocol/messages.ts";
import { type Model, recordKey } from "./model.ts";
import type { Control, JournalKind, Operation, ResyncReason, StoredJournalEntry } from "./operations.ts";

const noBinary: Binary = "";
/** Days for which the journal keeps an entry (protocol.md §11.6). */
const journalDays = 365;

/**
 * Collects the operations of one commit.
 *
 * It works on the state before the commit, which stays as it is until the operations are durable and applied.
 */
export class Settlement {
  readonly operations: Operation[] = [];
  readonly #model: Model;
  readonly #wall: number;
  readonly #digest = new ScopeDigest();
  readonly #freshDigest = new ScopeDigest();
  readonly #confirmed = new Map<string, Slots>();
  readonly #freshSlots = new Map<string, Slots>();
  readonly #journalled = new Set<string>();
  readonly #values: Partial<Control> = {};
  #nextJournal: number;
  /** The greatest stamp that was received. */
  #latest: Binary = "";
  #isFreshDone = false;

  constructor(model: Model, wall: number) {
    this.#model = model;
    this.#wall = wall;
    this.#digest.text = model.control.digest;
    if (model.control.resync !== undefined) this.#freshDigest.text = model.control.resync.digest;
    this.#nextJournal = model.control.nextJournal;
    for (const entry of model.journal.values()) this.#journalled.add(`${entry.kind}:${entry.stamp}`);
  }

  /** Whether a full resynchronisation is under way after this commit. */
  get isResyncing(): boolean {
    return this.#model.control.resync !== undefined && !this.#isFreshDone;
  }

  get digest(): string {
    return this.isResyncing ? this.#freshDigest.text : this.#digest.text;
  }

  set(values: Partial<Control>): void {
    Object.assign(this.#values, values);
  }

  /** Ends the settlement: the operations with the control values that follow from them. */
  finish(): Operation[] {
    const { control } = this.#model;
    if (this.#digest.text !== control.digest) this.#values.digest = this.#digest.text;
    if (this.#nextJournal !== control.nextJournal) this.#values.nextJournal = this.#nextJournal;
    const clock = new HybridClock(this.#model.clock.last);
    if (this.#latest !== "") clock.receive(reading(this.#latest));
    if (clock.last !== this.#model.clock.last) this.#values.clock = String(clock.last);
    const resync = this.#values.resync ?? control.resync;
    if (this.isResyncing && resync !== undefined && this.#freshDigest.text !== resync.digest) {
      this.#values.resync = { ...resync, digest: this.#freshDigest.text };
    }
    if (Object.keys(this.#values).length > 0) this.operations.push({ kind: "control", values: this.#values });
    return this.operations;
  }

  // Slots

  confirmed(entity: number, id: Binary): Slots {
    return this.#confirmed.get(recordKey(entity, id)) ?? this.#model.graph.record(entity, id)?.confirmed ?? noSlots;
  }

  #fresh(entity: number, id: Binary): Slots {
    const key = recordKey(entity, id);
    return this.#freshSlots.get(key) ?? this.#model.fresh?.get(key)?.slots ?? noSlots;
  }

  #setConfirmed(entity: number, id: Binary, old: Slots, now: Slots, record?: WireRecord): void {
    this.#digest.replace(entity, id, old, now);
    this.#confirmed.set(recordKey(entity, id), now);
    if (now === noSlots) this.operations.push({ kind: "forget", name: { entity, id } });
    // A record that is new is stored as it was sent.
    else if (record?.slots === now) this.operations.push({ kind: "record", record });
    else this.operations.push({ kind: "record", record: { entity, id, slots: now } });
  }

  /** Merges slots that the server has into the confirmed ones, and into those of a full resynchronisation under way. */
  mergeConfirmed(record: WireRecord): void {
    const { entity, id, slots } = record;
    this.#receive(slots);
    const old = this.confirmed(entity, id), now = merge(old, slots);
    if (now !== old) {
      this.#recordBeaten(entity, id, old, slots);
      this.#setConfirmed(entity, id, old, now, record);
    }
    if (this.isResyncing) this.#mergeFresh(record);
  }

  #mergeFresh(record: WireRecord): void {
    const { entity, id, slots } = record;
    this.#receive(slots);
    const old = this.#fresh(entity, id), now = merge(old, slots);
    if (now === old) return;
    this.#freshDigest.replace(entity, id, old, now);
    this.#freshSlots.set(recordKey(entity, id), now);
    this.operations.push({ kind: "fresh", record: slots === now ? record : { entity, id, slots: now } });
  }

  #receive(slots: Slots): void {
    if (slots.put !== undefined && slots.put.stamp > this.#latest) this.#latest = slots.put.stamp;
    if (slots.del !== undefined && slots.del > this.#latest) this.#latest = slots.del;
  }

  #isOwn(stamp: Binary | undefined): boolean {
    return stamp !== undefined && this.#model.control.identities.includes(replicaOf(stamp));
  }

  // Journal

  /** Records an own put that was beaten by one that was not edited from it. */
  #recordBeaten(entity: number, id: Binary, old: Slots, now: Slots): void {
    const before = old.put, after = now.put;
    if (before === undefined || after === undefined || after.stamp <= before.stamp) return;
    if (after.base === before.stamp || !this.#isOwn(before.stamp) || this.#isOwn(after.stamp)) return;
    this.journal("beaten", { entity, id, stamp: before.stamp, base: before.base, put: before.bytes }, {
      other: after.stamp,
    });
  }

  /** Records what became of a change, once for each kind. */
  journal(kind: JournalKind, change: Change, more: Partial<StoredJournalEntry> = {}): void {
    const key = `${kind}:${change.stamp}`;
    if (this.#journalled.has(key)) return;
    this.#journalled.add(key);
    const entry: StoredJournalEntry = {
      number: this.#nextJournal++,
      time: this.#wall,
      kind,
      entity: change.entity,
      id: change.id,
      stamp: change.stamp,
      ...change.put === undefined ? {} : { put: binary(change.put) },
      ...more,
    };
    this.operations.push({ kind: "journal", entry });
  }

  #journalLost(entity: number, id: Binary, slots: Slots, message: string): void {
    const { put, del } = slots;
    if (put !== undefined && ownState(slots) === "put") {
      this.journal("lost", { entity, id, stamp: put.stamp, base: put.base, put: put.bytes }, { message });
    } else if (del !== undefined && put === undefined) {
      this.journal("lost", { entity, id, stamp: del, base: noBinary, put: undefined }, { message });
    }
  }

  // Pages

  /** Applies a page and its checkpoint. A page of a full resynchronisation goes next to the confirmed slots. */
  applyPage(page: Page): void {
    this.#learnTime(page.serverTime);
    this.#trimJournal(page.serverTime);
    const checkpoint = binary(page.checkpoint);
    const { resync } = this.#model.control;
    if (resync === undefined) {
      for (const name of page.purged) this.#purge(name, page.purged);
      for (const record of page.records) this.mergeConfirmed(record);
      return this.set({ checkpoint });
    }
    const purged = [...resync.purged, ...page.purged.map(({ entity, id }) => recordKey(entity, id))];
    for (const name of page.purged) this.#forgetFresh(name);
    for (const record of page.records) this.#mergeFresh(record);
    if (page.hasMore) return this.set({ resync: { ...resync, checkpoint, purged } });
    this.#replaceConfirmed(resync.reason, new Set(purged));
    this.set({ checkpoint, resync: undefined });
  }

  #learnTime(serverTime: number): void {
    if (serverTime === 0) return;
    const { clock } = this.#model;
    const offset = serverTime - this.#wall;
    if (Math.abs(offset - clock.offset) >= 2000) this.set({ clockOffset: offset });
  }

  /**
   * Removes journal entries that are a year old by the server's clock. The device's own clock may be years off, and
   * must not empty the journal.
   */
  #trimJournal(serverTime: number): void {
    let removed = 0;
    for (const entry of this.#model.journal.values()) {
      if (entry.counted === undefined) {
        this.operations.push({ kind: "journal", entry: { ...entry, counted: serverTime } });
      } else if (entry.counted < serverTime - journalDays * 86_400_000) {
        this.operations.push({ kind: "journalRemove", number: entry.number });
        removed++;
      }
    }
    if (removed > 0) this.set({ journalRemoved: (this.#model.control.journalRemoved ?? 0) + removed });
  }

  #purge(name: RecordName, purged: readonly RecordName[]): void {
    const old = this.confirmed(name.entity, name.id);
    if (old === noSlots) return;
    const record = this.#model.graph.record(name.entity, name.id);
    const cause = record === undefined ? undefined : hiddenBecause(this.#model.graph, record);
    const isBelow = cause !== undefined && purged.some((each) => each.entity === cause.entity && each.id === cause.id);
    if (!isBelow && this.#isOwn(old.put?.stamp)) {
      this.#journalLost(name.entity, name.id, old, "The server has purged an earlier record of that identifier.");
    }
    this.#setConfirmed(name.entity, name.id, old, noSlots);
  }

  #forgetFresh(name: RecordName): void {
    const old = this.#fresh(name.entity, name.id);
    if (old === noSlots) return;
    this.#freshDigest.replace(name.entity, name.id, old, noSlots);
    this.#freshSlots.set(recordKey(name.entity, name.id), noSlots);
    this.operations.push({ kind: "freshForget", name });
  }

  // Full resynchronisation

  /** Replaces the confirmed slots by those of the full resynchronisation, and keeps what the server has lost. */
  #replaceConfirmed(reason: ResyncReason, purged: ReadonlySet<string>): void {
    for (const record of this.#model.graph.all()) {
      const { entity, id } = record;
      const old = this.confirmed(entity, id);
      if (old === noSlots) continue;
      const now = this.#fresh(entity, id);
      this.#recordBeaten(entity, id, old, now);
      const missing = missingSlots(old, now);
      if (missing !== noSlots) this.#settleMissing(record, missing, now, reason, purged);
      if (!isSameSlots(old, now)) this.#setConfirmedQuietly(entity, id, now);
    }
    for (const [key, { entity, id, slots }] of this.#model.fresh ?? []) {
      if (!this.#freshSlots.has(key)) this.#addFresh(entity, id, slots);
    }
    for (const [key, slots] of this.#freshSlots) {
      const colon = key.indexOf(":");
      if (slots !== noSlots) this.#addFresh(Number(key.slice(0, colon)), key.slice(colon + 1), slots);
    }
    this.#digest.text = this.#freshDigest.text;
    this.operations.push({ kind: "freshDone" });
    this.#isFreshDone = true;
  }

  /** Takes slots of the resynchronisation where no slot was confirmed before. */
  #addFresh(entity: number, id: Binary, slots: Slots): void {
    if (this.confirmed(entity, id) === noSlots) this.#setConfirmedQuietly(entity, id, slots);
  }

  /** Sets confirmed slots whose digest is computed already. */
  #setConfirmedQuietly(entity: number, id: Binary, now: Slots): void {
    this.#confirmed.set(recordKey(entity, id), now);
    if (now === noSlots) this.operations.push({ kind: "forget", name: { entity, id } });
    else this.operations.push({ kind: "record", record: { entity, id, slots: now } });
  }

  /** Decides what becomes of slots that this replica has and the server has not (protocol.md §7.7, §11.5). */
  #settleMissing(
    { entity, id }: StoredRecord,
    missing: Slots,
    now: Slots,
    reason: ResyncReason,
    purged: ReadonlySet<string>,
  ): void {
    const isPurged = purged.has(recordKey(entity, id));
    const isOwn = this.#isOwn(missing.put?.stamp ?? missing.del);
    const isBroughtBack = !isPurged &&
      (reason === "history_changed" || (reason !== "resync_required" && isOwn));
    if (isBroughtBack) {
      const record: WireRecord = { entity, id, slots: missing };
      return void this.operations.push({ kind: "lost", record });
    }
    const isOwnDelete = missing.del !== undefined && this.#isOwn(missing.del) &&
      (now.put === undefined || now.put.stamp < missing.del);
    if (isOwnDelete && reason === "resync_required" && !isPurged) {
      const change = { entity, id, stamp: missing.del!, base: noBinary, put: undefined };
      return this.journal("lost", change, { message: "The server does not have this delete." });
    }
    const isReported = reason === "resync_required" || isPurged ? isOwn : true;
    if (isReported && missing.put !== undefined && ownState(merge(missing, now)) === "put") {
      this.#journalLost(entity, id, { put: missing.put, del: undefined }, "The server does not have this record.");
    }
  }

  /** Records the lost slots in the journal that the server does not accept, and gives them up. */
  giveUpLost(message: string): void {
    for (const [{ entity, id }, slots] of this.#model.lost) {
      this.#journalLost(entity, id, slots, message);
      this.operations.push({ kind: "found", name: { entity, id } });
    }
  }
}

function isSameSlots(left: Slots, right: Slots): boolean {
  if (left.del !== right.del || left.put?.stamp !== right.put?.stamp || left.put?.base !== right.put?.base) {
    return false;
  }
  const a = left.put?.bytes, b = right.put?.bytes;
  return a === b || (a?.length === b?.length && a!.every((byte, index) => byte === b![index]));
}

/** The slots of `old` that are greater than those of `now`. */
function missingSlots(old: Slots, now: Slots): Slots {
  const put = old.put !== undefined && (now.put === undefined || now.put.stamp < old.put.stamp) ? old.put : undefined;
  const del = old.del !== undefined && (now.del === undefined || now.del < old.del) ? old.del : undefined;
  return put === undefined && del === undefined ? noSlots : { put, del };
}

/** The content of a journal entry. */
export function journalPut(entry: StoredJournalEntry): Uint8Array | undefined {
  return entry.put === undefined ? undefined : bytesOf(entry.put);
}

export { slotsOf };
