import { type Binary, binary, fromUUID } from "../bytes/binary.ts";
import { stamp } from "../merge/clock.ts";
import type { StoredRecord } from "../merge/graph.ts";
import { type Change, contentHash, noSlots } from "../merge/slots.ts";
import { emptyRevision, revise, type Revision } from "../model/put.ts";
import { type Entity, linkID, type Relationship } from "../model/schema.ts";
import { storedValue } from "../model/values.ts";
import { RoostError } from "../protocol/errors.ts";
import type { EntityType, HasID, RecordOf, ValuesOf } from "../query/entities.ts";
import type { Fetcher, FetchOptions } from "../query/fetching.ts";
import type { ReplicaCore } from "./core.ts";
import type { HistoryStep } from "./operations.ts";
import { placeBetween } from "./places.ts";

/** Limits of one transaction (protocol.md §10). */
export const transactionLimits = { changes: 100_000, bytes: 12 << 20, putBytes: 256 << 10 };

/**
 * A local transaction: all of its changes are stored and sent together, or none of them.
 *
 * It ends with the function that it is passed to, which must not wait.
 */
export class Transaction {
  readonly #core: ReplicaCore;
  readonly #fetcher: Fetcher;
  #changes = new Map<string, Change>();
  /** Deletes that a later put of this transaction follows. */
  readonly #earlier: Change[] = [];
  readonly #before = new Map<StoredRecord, Uint8Array | undefined>();
  readonly #clockBefore: bigint;
  #bytes = 0;
  #isEnded = false;

  constructor(core: ReplicaCore, fetcher: Fetcher) {
    this.#core = core;
    this.#fetcher = fetcher;
    this.#clockBefore = core.model.clock.last;
  }

  // Reading

  /** Fetches records as they are within this transaction. */
  fetch<Fields>(type: EntityType<Fields>, options: FetchOptions<Fields> = {}): RecordOf<Fields>[] {
    this.#check();
    this.#core.model.settle();
    return this.#fetcher.fetch(type, options);
  }

  /** Returns a record as it is within this transaction; `undefined` where it is not shown. */
  get<Fields>(type: EntityType<Fields>, id: string): RecordOf<Fields> | undefined {
    this.#check();
    this.#core.model.settle();
    return this.#fetcher.get(type, id);
  }

  // Writing

  /**
   * Inserts a record.
   *
   * @param id An identifier of 36 characters. Derive it where two devices may make the same thing; a new one otherwise.
   */
  insert<Fields>(type: EntityType<Fields>, values: ValuesOf<Fields>, id?: string): RecordOf<Fields> {
    this.#check();
    const entity = this.#writable(type);
    const key = id === undefined ? this.#core.newRecordID() : fromUUID(id);
    if (key === undefined) {
      throw new RoostError("invalid_value", `Cannot insert ${entity.name}: "${id}" is no UUID.`, "Leave it out.");
    }
    const record = this.#core.model.graph.ensure(entity.id, key);
    if (record.own === "put") {
      throw new RoostError("invalid_value", `Cannot insert ${entity.name}: its identifier exists.`, "Update it.");
    }
    const revision = this.#revision(entity, record, values as Record<string, unknown>, true);
    this.#put(record, revise(new Uint8Array(0), revision), record.current.put?.stamp ?? "");
    this.#setMany(entity, record, values as Record<string, unknown>);
    return this.#fetcher.made(record) as RecordOf<Fields>;
  }

  /** Gives a record new values. Properties that are left out stay. */
  update<Fields>(type: EntityType<Fields>, record: HasID, values: ValuesOf<Fields>): RecordOf<Fields> {
    this.#check();
    const entity = this.#writable(type);
    const found = this.#shown(entity, record.id);
    const revision = this.#revision(entity, found, values as Record<string, unknown>, false);
    this.#revise(found, revision);
    this.#setMany(entity, found, values as Record<string, unknown>);
    return this.#fetcher.made(found) as RecordOf<Fields>;
  }

  /**
   * Deletes a record. What refers to it follows from the delete rules.
   *
   * @throws RoostError `delete_denied` if a record that is shown refers to it with the rule deny.
   */
  delete(type: EntityType<unknown>, record: HasID): void {
    this.#check();
    const entity = this.#fetcher.entity(type);
    this.#delete(entity, this.#shown(entity, record.id));
  }

  /** Brings a deleted record back, with what its delete hid. */
  undelete(type: EntityType<unknown>, id: string): void {
    this.#check();
    const entity = this.#fetcher.entity(type);
    const key = fromUUID(id);
    const record = key === undefined ? undefined : this.#core.model.graph.record(entity.id, key);
    const put = record?.current.put;
    if (record === undefined || put === undefined) {
      throw new RoostError(
        "not_found",
        `Cannot undelete ${entity.name} ${id}: there is none.`,
        "Check its identifier.",
      );
    }
    if (record.own === "deleted") this.#put(record, put.bytes, put.stamp);
  }

  /** Adds a record to a to-many or many-to-many relationship, at an index where that has an order. */
  add(type: EntityType<unknown>, record: HasID, name: string, other: HasID, index?: number): void {
    this.#check();
    const { entity, relationship } = this.#many(type, name);
    const own = this.#shown(entity, record.id);
    const others = this.#fetcher.reading.many(own, entity, relationship);
    const target = this.#other(relationship, other);
    if (relationship.kind === "manyToMany") return this.#link(entity, relationship, own, target, true);
    this.#setReference(target, this.#inverse(relationship), own);
    if (relationship.orderedBy === undefined) return;
    const rest = others.filter((each) => each !== target);
    this.#place(relationship, rest, target, index ?? rest.length);
  }

  /** Removes a record from a to-many or many-to-many relationship. The record itself stays. */
  remove(type: EntityType<unknown>, record: HasID, name: string, other: HasID): void {
    this.#check();
    const { entity, relationship } = this.#many(type, name);
    const own = this.#shown(entity, record.id);
    const target = this.#other(relationship, other);
    if (relationship.kind === "manyToMany") this.#link(entity, relationship, own, target, false);
    else if (this.#fetcher.reading.targetID(target, this.#inverse(relationship)) === own.id) {
      this.#setReference(target, this.#inverse(relationship), undefined);
    }
  }

  // Internals

  #check(): void {
    if (this.#isEnded) {
      throw new RoostError("closed", "The transaction has ended.", "Do not wait within the function of write.");
    }
  }

  #writable(type: EntityType<unknown>): Entity {
    return this.#fetcher.entity(type);
  }

  #shown(entity: Entity, id: string): StoredRecord {
    this.#core.model.settle();
    const record = this.#fetcher.find(entity, id);
    if (record !== undefined) return record;
    throw new RoostError("not_found", `Cannot find ${entity.name} ${id}: it is not shown.`, "Fetch it again.");
  }

  #many(type: EntityType<unknown>, name: string): { entity: Entity; relationship: Relationship } {
    const entity = this.#fetcher.entity(type);
    const relationship = this.#fetcher.names.property(entity, name);
    if ("kind" in relationship && relationship.kind !== "toOne") return { entity, relationship };
    throw new RoostError("invalid_value", `${entity.name}.${name} does not lead to many records.`, "Update it.");
  }

  #inverse(relationship: Relationship): Relationship {
    return this.#core.model.schema.relationship(relationship.destination, relationship.inverse)!;
  }

  #other(relationship: Relationship, other: HasID): StoredRecord {
    return this.#shown(this.#core.model.schema.entity(relationship.destination)!, other.id);
  }

  /** Reads the attributes and to-one relationships of given values. */
  #revision(entity: Entity, record: StoredRecord, values: Record<string, unknown>, isNew: boolean): Revision {
    const revision = emptyRevision();
    const given = new Set<number>();
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue;
      const property = this.#fetcher.names.property(entity, name);
      given.add(property.id);
      if ("type" in property) revision.attributes.set(property.id, storedValue(entity.name, property, value));
      else if (property.kind === "toOne") {
        const target = value === null ? undefined : this.#other(property, value as HasID);
        if (target === undefined && !property.optional) this.#refuseNil(entity, property.name);
        revision.references.set(property.id, target?.id);
        if (target !== undefined && this.#inverse(property).single) this.#release(target, property, record);
      }
    }
    if (!isNew) return revision;
    for (const attribute of entity.attributes) {
      if (!given.has(attribute.id) && attribute.defaultValue === undefined && !attribute.optional) {
        storedValue(entity.name, attribute, null);
      }
    }
    for (const relationship of entity.relationships) {
      const isMissing = relationship.kind === "toOne" && !relationship.optional && !given.has(relationship.id);
      if (isMissing) this.#refuseNil(entity, relationship.name);
    }
    return revision;
  }

  #refuseNil(entity: Entity, name: string): never {
    const message = `Cannot write ${entity.name}.${name}: it is nil, and the relationship is required.`;
    throw new RoostError("invalid_value", message, "Give it a record.");
  }

  /** Takes the reference to `target` away from other records: the other side shows one record at most. */
  #release(target: StoredRecord, relationship: Relationship, keeper: StoredRecord): void {
    const rule = this.#core.model.graph.rules.rule(keeper.entity, relationship.id)!;
    for (const referrer of [...this.#core.model.graph.referrers(target.id, rule)]) {
      if (referrer !== keeper && this.#fetcher.reading.isShown(referrer)) {
        this.#setReference(referrer, relationship, undefined);
      }
    }
  }

  #setReference(record: StoredRecord, relationship: Relationship, target: StoredRecord | undefined): void {
    const entity = this.#fetcher.reading.entityOf(record)!;
    if (target === undefined && !relationship.optional) this.#refuseNil(entity, relationship.name);
    if (target !== undefined && this.#inverse(relationship).single) this.#release(target, relationship, record);
    const revision = emptyRevision();
    revision.references.set(relationship.id, target?.id);
    this.#revise(record, revision);
  }

  /** Sets the relationships of given values that other records store. */
  #setMany(entity: Entity, record: StoredRecord, values: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue;
      const property = this.#fetcher.names.property(entity, name);
      if ("type" in property || property.kind === "toOne") continue;
      this.#core.model.settle();
      const wanted = (property.single ? (value === null ? [] : [value]) : value) as HasID[];
      const others = wanted.map((each) => this.#other(property, each));
      for (const old of this.#fetcher.reading.many(record, entity, property)) {
        if (others.includes(old)) continue;
        if (property.kind === "manyToMany") this.#link(entity, property, record, old, false);
        else this.#setReference(old, this.#inverse(property), undefined);
      }
      others.forEach((other, index) => {
        if (property.kind === "manyToMany") return this.#link(entity, property, record, other, true);
        this.#setReference(other, this.#inverse(property), record);
        if (property.orderedBy !== undefined) this.#place(property, others.slice(0, index), other, index);
      });
    }
  }

  #link(entity: Entity, relationship: Relationship, own: StoredRecord, other: StoredRecord, isAdded: boolean): void {
    const { schema, graph } = this.#core.model;
    const end = schema.linkEnd(entity, relationship);
    const [source, target] = end.own === 1 ? [own.id, other.id] : [other.id, own.id];
    const link = graph.ensure(end.entity.id, linkID(end.entity.id, source, target));
    this.#core.model.settle();
    if (link.isVisible === isAdded) return;
    if (!isAdded) return this.#remove(link);
    const revision = emptyRevision();
    revision.references.set(1, source);
    revision.references.set(2, target);
    this.#put(link, revise(link.current.put?.bytes ?? new Uint8Array(0), revision), link.current.put?.stamp ?? "");
  }

  /** Gives `record` a place before the record at `index`. */
  #place(relationship: Relationship, others: StoredRecord[], record: StoredRecord, index: number): void {
    const destination = this.#core.model.schema.entity(relationship.destination)!;
    const attribute = destination.attributes.find((each) => each.name === relationship.orderedBy)!;
    const places = others.map((each) => this.#fetcher.reading.attribute(each, attribute) as string | null);
    const set = (target: StoredRecord, place: string) => {
      const revision = emptyRevision();
      revision.attributes.set(attribute.id, { form: "text", value: place });
      this.#revise(target, revision);
    };
    const found = placeBetween(places[index - 1] ?? undefined, places[index] ?? undefined);
    const isInOrder = found !== undefined && (index === 0 || places[index - 1] !== null);
    if (isInOrder) return set(record, found);
    // A neighbour has no place, or one that leaves no room: all of them get new ones.
    let last: string | undefined;
    for (const each of [...others.slice(0, index), record, ...others.slice(index)]) {
      set(each, last = placeBetween(last, undefined)!);
    }
  }

  #revise(record: StoredRecord, revision: Revision): void {
    const put = record.current.put!;
    const bytes = revise(put.bytes, revision);
    if (!isSame(bytes, put.bytes)) this.#put(record, bytes, put.stamp);
  }

  #delete(entity: Entity, record: StoredRecord): void {
    const { graph } = this.#core.model;
    for (const rule of graph.rules.incoming(record.entity)) {
      if (rule.deleteRule !== "deny") continue;
      for (const referrer of graph.referrers(record.id, rule)) {
        if (referrer === record || !referrer.isVisible) continue;
        const other = this.#fetcher.reading.entityOf(referrer)!;
        const name = other.relationships.find((each) => each.id === rule.relationship)!.name;
        throw new RoostError(
          "delete_denied",
          `Cannot delete this ${entity.name}: a ${other.name} refers to it as its ${name}.`,
          "Delete that one, or give it another reference, first.",
        );
      }
    }
    this.#remove(record);
  }

  /** Restores the content of a record, as undo and the journal do. */
  restore(entity: number, id: Binary, content: Uint8Array): void {
    const record = this.#core.model.graph.ensure(entity, id);
    this.#put(record, content, record.current.put?.stamp ?? "");
  }

  /** Deletes a record without asking the delete rules, as undo does after it has asked. */
  removeRecord(entity: number, id: Binary): void {
    this.#remove(this.#core.model.graph.ensure(entity, id));
  }

  #put(record: StoredRecord, bytes: Uint8Array, base: Binary): void {
    if (bytes.length > transactionLimits.putBytes) {
      const name = this.#fetcher.reading.entityOf(record)?.name ?? `#${record.entity}`;
      throw new RoostError(
        "invalid_value",
        `Cannot write this ${name}: it would have ${bytes.length} bytes, the limit is ${transactionLimits.putBytes}.`,
        "Write less into it.",
      );
    }
    this.#change(record, bytes, base);
  }

  #remove(record: StoredRecord): void {
    this.#change(record, undefined, "");
  }

  #change(record: StoredRecord, put: Uint8Array | undefined, base: Binary): void {
    const { model, environment } = this.#core;
    if (!this.#before.has(record)) this.#before.set(record, content(record));
    const key = `${record.entity}:${record.id}`;
    const old = this.#changes.get(key);
    // Two puts of one record in one transaction are one change: nobody else ever sees the first.
    const isMerged = old?.put !== undefined && put !== undefined && base === old.stamp;
    if (isMerged) model.removePending(old);
    else if (old !== undefined) this.#earlier.push(old);
    const time = stamp(model.clock.tick(environment.now()), model.control.replica);
    const change: Change = {
      entity: record.entity,
      id: record.id,
      stamp: time,
      base: put === undefined ? "" : isMerged ? old.base : base,
      put,
    };
    this.#bytes += put?.length ?? 0;
    this.#changes.delete(key);
    this.#changes.set(key, change);
    model.addPending(change);
    if (this.#changes.size > transactionLimits.changes || this.#bytes > transactionLimits.bytes) {
      throw new RoostError(
        "invalid_value",
        "Cannot write the transaction: it has more than 100,000 changes or 12 MiB.",
        "Split it into several; others may see them apart.",
      );
    }
  }

  /** Ends the transaction. No method works afterwards. */
  end(): void {
    this.#isEnded = true;
  }

  /** The changes in the order of their stamps. */
  get changes(): Change[] {
    const all = [...this.#earlier, ...this.#changes.values()];
    return this.#earlier.length === 0 ? all : all.sort((a, b) => a.stamp < b.stamp ? -1 : 1);
  }

  /** The changes as a step that can be undone: the content before, and the hash of the content after. */
  get steps(): HistoryStep["changes"] {
    this.#core.model.settle();
    return [...this.#before].map(([record, before]) => {
      const after = content(record);
      return {
        entity: record.entity,
        id: record.id,
        ...before === undefined ? {} : { before: binary(before) },
        ...after === undefined ? {} : { after: contentHash(after) },
      };
    });
  }

  /** Reverts what the transaction has changed in memory. */
  rollBack(): void {
    this.end();
    for (const change of this.changes) this.#core.model.removePending(change);
    this.#core.model.clock.last = this.#clockBefore;
    for (const record of this.#before.keys()) {
      if (record.confirmed === noSlots && record.pending === undefined) this.#core.model.refresh(record);
    }
  }
}

/** The content that a record shows; `undefined` where it is not visible. */
export function content(record: StoredRecord): Uint8Array | undefined {
  return record.isVisible || record.own === "put" ? record.current.put?.bytes : undefined;
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
