import type { Binary } from "../bytes/binary.ts";
import { HybridClock } from "../merge/clock.ts";
import { RecordGraph, type StoredRecord } from "../merge/graph.ts";
import { updateLiveness } from "../merge/liveness.ts";
import { ReferenceRules } from "../merge/rules.ts";
import { type Change, merge, noSlots, type PutSlot, type Slots, slotsOf } from "../merge/slots.ts";
import { VisibleState } from "../merge/visible.ts";
import { Schema } from "../model/schema.ts";
import type {
  Control,
  HistoryStep,
  Operation,
  OutboxTransaction,
  SealedPush,
  StoredJournalEntry,
} from "./operations.ts";

/** Names a record in a `Map` or a `Set`. */
export function recordKey(entity: number, id: Binary): string {
  return `${entity}:${id}`;
}

/** The state of a replica in memory. It changes by operations only, each of which an entry of the log has. */
export class Model {
  control: Control;
  schema: Schema;
  graph: RecordGraph;
  clock: HybridClock;
  outbox: OutboxTransaction[] = [];
  sealed: SealedPush | undefined;
  readonly journal: Map<number, StoredJournalEntry> = new Map();
  readonly history: Map<number, HistoryStep> = new Map();
  /** The slots that a full resynchronisation has brought so far. */
  fresh: Map<string, { entity: number; id: Binary; slots: Slots }> | undefined;
  /** Slots that the server has lost and that wait to be brought back. */
  readonly lost: Map<StoredRecord, Slots> = new Map();
  /** About the bytes of all confirmed slots in a snapshot. */
  confirmedBytes = 0;
  /** The records that were touched since the last settling, with the puts that they had before. */
  #touched = new Map<StoredRecord, PutSlot | undefined>();
  /** Whether the schema or everything changed since the last settling. */
  #isAllTouched = true;
  /** Records that may read differently since `takeChanged` was called; `undefined` for all. */
  #changed: Set<StoredRecord> | undefined = new Set();

  constructor() {
    this.control = emptyControl();
    this.schema = emptySchema;
    this.graph = new RecordGraph(new ReferenceRules([]));
    this.clock = new HybridClock();
  }

  /** Applies operations. Call `settle` afterwards. */
  apply(operations: Iterable<Operation>): void {
    for (const operation of operations) this.#apply(operation);
  }

  #apply(operation: Operation): void {
    switch (operation.kind) {
      case "record": {
        const { entity, id, slots } = operation.record;
        const record = this.graph.ensure(entity, id);
        this.confirmedBytes += bytesOfSlots(slots) - bytesOfSlots(record.confirmed);
        record.confirmed = slots;
        this.refresh(record);
        break;
      }
      case "forget": {
        const record = this.graph.record(operation.name.entity, operation.name.id);
        if (record === undefined) break;
        this.confirmedBytes -= bytesOfSlots(record.confirmed);
        record.confirmed = noSlots;
        this.refresh(record);
        break;
      }
      case "outboxAdd":
        this.outbox.push(operation.transaction);
        for (const change of operation.transaction.changes) this.addPending(change);
        break;
      case "outboxRemove":
        this.#removeTransaction(operation.id);
        break;
      case "control":
        this.#setControl(operation.values);
        break;
      case "reset":
        this.#reset();
        break;
      default:
        this.#applyRest(operation);
    }
  }

  #applyRest(operation: Operation): void {
    switch (operation.kind) {
      case "fresh":
        this.fresh ??= new Map();
        this.fresh.set(recordKey(operation.record.entity, operation.record.id), operation.record);
        break;
      case "freshForget":
        this.fresh?.delete(recordKey(operation.name.entity, operation.name.id));
        break;
      case "freshDone":
        this.fresh = undefined;
        break;
      case "lost": {
        const record = this.graph.ensure(operation.record.entity, operation.record.id);
        this.lost.set(record, operation.record.slots);
        this.refresh(record);
        break;
      }
      case "found": {
        const record = this.graph.record(operation.name.entity, operation.name.id);
        if (record === undefined) break;
        this.lost.delete(record);
        this.refresh(record);
        break;
      }
      case "sealed":
        this.sealed = operation.push;
        break;
      case "journal":
        this.journal.set(operation.entry.number, operation.entry);
        break;
      case "journalRemove":
        this.journal.delete(operation.number);
        break;
      case "history":
        this.history.set(operation.step.id, operation.step);
        break;
      case "historyRemove":
        this.history.delete(operation.id);
    }
  }

  #setControl(values: Partial<Control>): void {
    const old = this.control.schema;
    this.control = Object.assign({}, this.control, values);
    for (const name of Object.keys(values) as (keyof Control)[]) {
      if (values[name] === null || values[name] === undefined) delete this.control[name];
    }
    if (values.clock !== undefined) this.clock.last = BigInt(values.clock);
    if (values.clockOffset !== undefined) this.clock.offset = values.clockOffset;
    if (this.control.schema === old || this.control.schema === "") return;
    this.schema = Schema.parse(this.control.schema);
    this.graph.setRules(ReferenceRules.of(this.schema));
    this.#isAllTouched = true;
  }

  #reset(): void {
    const rules = this.graph.rules;
    this.control = { ...emptyControl(), schema: this.control.schema };
    this.graph = new RecordGraph(rules);
    this.outbox = [];
    this.sealed = undefined;
    this.journal.clear();
    this.history.clear();
    this.fresh = undefined;
    this.lost.clear();
    this.confirmedBytes = 0;
    this.#touched.clear();
    this.#isAllTouched = true;
  }

  // Pending changes

  /** Merges a change of the outbox into what is shown. */
  addPending(change: Change): StoredRecord {
    const record = this.graph.ensure(change.entity, change.id);
    if (record.pending === undefined) record.pending = [change];
    else record.pending.push(change);
    this.#touch(record);
    this.graph.setCurrent(record, merge(record.current, slotsOf(change)));
    return record;
  }

  /** Takes a change of the outbox out of what is shown. */
  removePending(change: Change): void {
    const record = this.graph.record(change.entity, change.id);
    if (record?.pending === undefined) return;
    record.pending = record.pending.filter((each) => each !== change && each.stamp !== change.stamp);
    if (record.pending.length === 0) record.pending = undefined;
    this.refresh(record);
  }

  #removeTransaction(id: number): void {
    const index = this.outbox.findIndex((each) => each.id === id);
    if (index < 0) return;
    const [transaction] = this.outbox.splice(index, 1);
    for (const change of transaction.changes) this.removePending(change);
  }

  /** Derives the current slots of a record from the confirmed, the lost and the pending ones. */
  refresh(record: StoredRecord): void {
    this.#touch(record);
    let slots = record.confirmed;
    const lost = this.lost.size > 0 ? this.lost.get(record) : undefined;
    if (lost !== undefined) slots = merge(slots, lost);
    for (const change of record.pending ?? []) slots = merge(slots, slotsOf(change));
    this.graph.setCurrent(record, slots);
  }

  #touch(record: StoredRecord): void {
    if (!this.#touched.has(record)) this.#touched.set(record, record.current.put);
  }

  /** Derives what is visible after changes. */
  settle(): void {
    const touched = this.#touched;
    this.#touched = new Map();
    if (this.#isAllTouched) {
      this.#isAllTouched = false;
      this.#changed = undefined;
      new VisibleState(this.graph).store(this.graph);
      for (const record of touched.keys()) this.#removeEmpty(record);
      return;
    }
    if (touched.size === 0) return;
    const { shown, hidden } = updateLiveness(this.graph, touched.keys());
    const changed = this.#changed ?? new Set();
    for (const flipped of [shown, hidden]) {
      for (const record of flipped) {
        changed.add(record);
        this.#addMaskedReferrers(record, changed);
      }
    }
    const { treeEntities } = this.graph.rules;
    for (const [record, before] of touched) {
      // An acknowledged change reads as it did before.
      if (record.current.put !== before || treeEntities.has(record.entity)) changed.add(record);
      this.#removeEmpty(record);
    }
  }

  /**
   * Takes the records that may read differently since the last call, after `settle`.
   *
   * @returns `undefined` where all records may.
   */
  takeChanged(): Set<StoredRecord> | undefined {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Adds the records whose reference to `record` is masked or unmasked with its visibility. */
  #addMaskedReferrers(record: StoredRecord, changed: Set<StoredRecord>): void {
    for (const rule of this.graph.rules.incoming(record.entity)) {
      if (rule.deleteRule !== "nullify" && rule.deleteRule !== "deny") continue;
      for (const referrer of this.graph.referrers(record.id, rule)) changed.add(referrer);
    }
  }

  #removeEmpty(record: StoredRecord): void {
    if (record.current.put === undefined && record.current.del === undefined && record.pending === undefined) {
      this.graph.remove(record);
    }
  }

  /** The operations that make this state from nothing. */
  *snapshot(): Iterable<Operation> {
    yield { kind: "reset" };
    yield { kind: "control", values: { ...this.control } };
    for (const record of this.graph.all()) {
      if (record.confirmed !== noSlots) {
        yield { kind: "record", record: { entity: record.entity, id: record.id, slots: record.confirmed } };
      }
    }
    for (const record of this.fresh?.values() ?? []) yield { kind: "fresh", record };
    for (const [{ entity, id }, slots] of this.lost) yield { kind: "lost", record: { entity, id, slots } };
    for (const transaction of this.outbox) yield { kind: "outboxAdd", transaction };
    if (this.sealed !== undefined) yield { kind: "sealed", push: this.sealed };
    for (const entry of this.journal.values()) yield { kind: "journal", entry };
    for (const step of this.history.values()) yield { kind: "history", step };
  }
}

function bytesOfSlots(slots: Slots): number {
  return slots === noSlots ? 0 : 80 + (slots.put?.bytes.length ?? 0);
}

const emptySchema = Schema.parse('{"format":1,"name":"none","entities":[{"id":1,"name":"None"}]}');

export function emptyControl(): Control {
  return {
    server: "",
    scope: "",
    scopeName: "",
    device: "",
    replica: "",
    token: "",
    formerTokens: [],
    identities: [],
    role: "",
    schema: "",
    schemaVersion: 0,
    checkpoint: "",
    pushNumber: 0,
    clock: "0",
    clockOffset: 0,
    digest: "0".repeat(32),
    nextTransaction: 1,
    nextJournal: 1,
  };
}
