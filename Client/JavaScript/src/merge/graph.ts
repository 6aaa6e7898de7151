import type { Binary } from "../bytes/binary.ts";
import { readReferences } from "../model/put.ts";
import type { ReferenceRules, Rule } from "./rules.ts";
import { type Change, noSlots, type OwnState, ownState, type PutSlot, type Slots } from "./slots.ts";

/** A stored reference with its rule. */
export interface Edge {
  readonly rule: Rule;
  readonly target: Binary;
}

const noEdges: readonly Edge[] = [];

/** One record as it is kept in memory. */
export class StoredRecord {
  readonly entity: number;
  readonly id: Binary;
  /** The server's slots, as far as this replica knows them. */
  confirmed: Slots = noSlots;
  /** The confirmed slots with the outbox merged into them. */
  current: Slots = noSlots;
  /** Changes of the outbox, oldest first. */
  pending: Change[] | undefined = undefined;
  /** The stored references of the current put slot that have a rule. */
  edges: readonly Edge[] = noEdges;
  isVisible = false;
  /** Whether it is deleted, and shown while a deny reference holds it. */
  isKept = false;
  /** Whether its tree reference is masked because it closes a cycle. */
  isDropped = false;
  /** Why the put does not fit the schema; `null` where it fits, `undefined` where nobody has asked. */
  unfit: string | null | undefined = undefined;

  constructor(entity: number, id: Binary) {
    this.entity = entity;
    this.id = id;
  }

  get own(): OwnState {
    return ownState(this.current);
  }
}

type Referrers = StoredRecord | Set<StoredRecord>;

/** All records with an index of their references. It knows the slots; `liveness.ts` derives what is visible. */
export class RecordGraph {
  rules: ReferenceRules;
  readonly #entities = new Map<number, Map<Binary, StoredRecord>>();
  /** For each rule, the records with a put whose stored reference leads to a target. */
  #referrers: Map<Binary, Referrers>[] = [];
  readonly kept: Set<StoredRecord> = new Set();
  readonly dropped: Set<StoredRecord> = new Set();

  constructor(rules: ReferenceRules) {
    this.rules = rules;
    this.#referrers = rules.all.map(() => new Map());
  }

  record(entity: number, id: Binary): StoredRecord | undefined {
    return this.#entities.get(entity)?.get(id);
  }

  ensure(entity: number, id: Binary): StoredRecord {
    let records = this.#entities.get(entity);
    if (records === undefined) this.#entities.set(entity, records = new Map());
    let record = records.get(id);
    if (record === undefined) records.set(id, record = new StoredRecord(entity, id));
    return record;
  }

  /** Removes a record without slots. */
  remove(record: StoredRecord): void {
    this.#entities.get(record.entity)?.delete(record.id);
  }

  records(entity: number): Iterable<StoredRecord> {
    return this.#entities.get(entity)?.values() ?? [];
  }

  count(entity: number): number {
    return this.#entities.get(entity)?.size ?? 0;
  }

  *all(): Iterable<StoredRecord> {
    for (const records of this.#entities.values()) yield* records.values();
  }

  /** Sets the current slots of a record and indexes the references of its put. */
  setCurrent(record: StoredRecord, slots: Slots): void {
    const old = record.current.put, now = slots.put;
    if (old !== undefined && now !== undefined && isSamePut(old, now)) {
      // An equal put keeps its identity, by which readers notice that nothing changed.
      record.current = old === now ? slots : { put: old, del: slots.del };
      return;
    }
    record.current = slots;
    if (old === now) return;
    record.unfit = undefined;
    if (!this.rules.hasOutgoing(record.entity)) return;
    const edges = now === undefined ? noEdges : this.#edges(record.entity, now.bytes);
    if (sameEdges(record.edges, edges)) return;
    for (const edge of record.edges) this.#unlink(record, edge);
    record.edges = edges;
    for (const edge of edges) this.#link(record, edge);
  }

  #edges(entity: number, put: Uint8Array): readonly Edge[] {
    const edges: Edge[] = [];
    try {
      for (const { relationship, target } of readReferences(put)) {
        const rule = this.rules.rule(entity, relationship);
        if (rule !== undefined) edges.push({ rule, target });
      }
    } catch {
      // A put that no reader can read has no references. It is reported as unfit.
      return noEdges;
    }
    return edges.length === 0 ? noEdges : edges;
  }

  #link(record: StoredRecord, edge: Edge): void {
    const index = this.#referrers[edge.rule.index];
    const found = index.get(edge.target);
    if (found === undefined) index.set(edge.target, record);
    else if (found instanceof Set) found.add(record);
    else if (found !== record) index.set(edge.target, new Set([found, record]));
  }

  #unlink(record: StoredRecord, edge: Edge): void {
    const index = this.#referrers[edge.rule.index];
    const found = index.get(edge.target);
    if (found === record) index.delete(edge.target);
    else if (found instanceof Set) {
      found.delete(record);
      if (found.size === 0) index.delete(edge.target);
    }
  }

  /** The records with a put whose stored reference of `rule` leads to `target`. */
  referrers(target: Binary, rule: Rule): Iterable<StoredRecord> {
    const found = this.#referrers[rule.index].get(target);
    return found === undefined ? [] : found instanceof Set ? found : [found];
  }

  /** Whether a reference reads as it is stored, and is not masked (protocol.md §11.3, line 5). */
  reads(record: StoredRecord, edge: Edge): boolean {
    switch (edge.rule.deleteRule) {
      case "noAction":
        return true;
      case "cascade":
        return !(edge.rule.isTree && record.isDropped);
      default:
        return this.record(edge.rule.destination, edge.target)?.isVisible ?? false;
    }
  }

  /** Takes another schema's rules. The caller derives what is visible from scratch afterwards. */
  setRules(rules: ReferenceRules): void {
    this.rules = rules;
    this.#referrers = rules.all.map(() => new Map());
    for (const record of this.all()) {
      record.unfit = undefined;
      record.edges = record.current.put === undefined || !rules.hasOutgoing(record.entity)
        ? noEdges
        : this.#edges(record.entity, record.current.put.bytes);
      for (const edge of record.edges) this.#link(record, edge);
    }
  }
}

function isSamePut(left: PutSlot, right: PutSlot): boolean {
  if (left === right) return true;
  if (left.stamp !== right.stamp || left.base !== right.base || left.bytes.length !== right.bytes.length) return false;
  return left.bytes.every((byte, index) => byte === right.bytes[index]);
}

function sameEdges(left: readonly Edge[], right: readonly Edge[]): boolean {
  if (left.length !== right.length) return false;
  return left.every((edge, index) => edge.rule === right[index].rule && edge.target === right[index].target);
}

/** Orders records by entity and identifier, as bytes. */
export function compareRecords(left: StoredRecord, right: StoredRecord): number {
  if (left.entity !== right.entity) return left.entity - right.entity;
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0;
}
