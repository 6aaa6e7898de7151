import { compareRecords, type RecordGraph, type StoredRecord } from "./graph.ts";

/** Records whose visibility changed. */
export interface LivenessChange {
  readonly shown: Set<StoredRecord>;
  readonly hidden: Set<StoredRecord>;
}

/**
 * Brings the visible state up to date after the slots of some records changed, at the cost of the affected records.
 *
 * The result equals a derivation from scratch (`visible.ts`). The rule is a greatest fixed point (the least set of
 * hidden records), so the update first shows every record that the changes could bring back. Then it hides, among these
 * and the changed records, each record that does not hold, and its cascade descendants.
 *
 * @param changed Every record whose slots changed since the visible state was last derived.
 */
export function updateLiveness(graph: RecordGraph, changed: Iterable<StoredRecord>): LivenessChange {
  return new LivenessUpdate(graph, new Set(changed)).run();
}

class LivenessUpdate {
  readonly #graph: RecordGraph;
  readonly #seeds: Set<StoredRecord>;
  readonly #shown = new Set<StoredRecord>();
  readonly #hidden = new Set<StoredRecord>();

  constructor(graph: RecordGraph, seeds: Set<StoredRecord>) {
    this.#graph = graph;
    this.#seeds = seeds;
  }

  run(): LivenessChange {
    const changed = [...this.#seeds];
    this.#findKept(changed);
    this.#findDropped(changed);
    this.#show();
    this.#hide();
    const shown = new Set<StoredRecord>(), hidden = new Set<StoredRecord>();
    for (const record of this.#shown) {
      if (!record.isVisible) shown.add(record);
      record.isVisible = true;
    }
    for (const record of this.#hidden) {
      if (record.isVisible) hidden.add(record);
      record.isVisible = false;
    }
    return { shown, hidden };
  }

  // Kept

  #findKept(changed: StoredRecord[]): void {
    if (!this.#graph.rules.usesDeny) return;
    const candidates = new Set(this.#graph.kept);
    for (const record of changed) {
      const own = record.own;
      if (own === "deleted") candidates.add(record);
      else if (own === "put") {
        for (const { rule, target } of record.edges) {
          const held = rule.deleteRule === "deny" ? this.#graph.record(rule.destination, target) : undefined;
          if (held !== undefined) candidates.add(held);
        }
      }
    }
    for (const record of candidates) {
      const isKept = this.#isHeld(record);
      if (isKept === record.isKept) continue;
      record.isKept = isKept;
      if (isKept) this.#graph.kept.add(record);
      else this.#graph.kept.delete(record);
      this.#seeds.add(record);
    }
  }

  #isHeld(record: StoredRecord): boolean {
    if (record.own !== "deleted") return false;
    for (const rule of this.#graph.rules.incoming(record.entity)) {
      if (rule.deleteRule !== "deny") continue;
      for (const referrer of this.#graph.referrers(record.id, rule)) if (referrer.own === "put") return true;
    }
    return false;
  }

  #isBase(record: StoredRecord): boolean {
    return record.isKept || record.own === "put";
  }

  // Dropped

  /** Finds the masked member of each cycle. A cycle contains its former masked member, or a changed record. */
  #findDropped(changed: StoredRecord[]): void {
    const { treeEntities } = this.#graph.rules;
    if (treeEntities.size === 0) return;
    const before = [...this.#graph.dropped];
    const dropped = new Set<StoredRecord>();
    const seen = new Set<StoredRecord>();
    for (const start of [...changed, ...before]) {
      if (!treeEntities.has(start.entity)) continue;
      const cycle = findCycle(start, seen, (record) => treeParent(this.#graph, record));
      if (cycle !== undefined) dropped.add(droppedMember(cycle));
    }
    for (const record of new Set([...before, ...dropped])) {
      const isDropped = dropped.has(record);
      if (isDropped === record.isDropped) continue;
      record.isDropped = isDropped;
      if (isDropped) this.#graph.dropped.add(record);
      else this.#graph.dropped.delete(record);
      this.#seeds.add(record);
    }
  }

  // Shown and hidden

  /** Shows every changed record that may be visible, and all records that were hidden below it. */
  #show(): void {
    const queue: StoredRecord[] = [];
    for (const record of this.#seeds) if (this.#isBase(record)) queue.push(record);
    for (let record = queue.pop(); record !== undefined; record = queue.pop()) {
      if (this.#shown.has(record)) continue;
      this.#shown.add(record);
      for (const child of this.#children(record)) if (!child.isVisible && this.#isBase(child)) queue.push(child);
    }
  }

  /** Hides each record that does not hold, and its cascade descendants. */
  #hide(): void {
    const queue = [...this.#shown];
    for (const record of this.#seeds) if (!this.#shown.has(record)) queue.push(record);
    for (let record = queue.pop(); record !== undefined; record = queue.pop()) {
      if (this.#hidden.has(record) || this.#holds(record)) continue;
      this.#hidden.add(record);
      this.#shown.delete(record);
      for (const child of this.#children(record)) {
        if (child.isVisible || this.#shown.has(child)) queue.push(child);
      }
    }
  }

  #holds(record: StoredRecord): boolean {
    if (!this.#isBase(record)) return false;
    for (const { rule, target } of record.edges) {
      if (rule.deleteRule !== "cascade" || (rule.isTree && record.isDropped)) continue;
      const parent = this.#graph.record(rule.destination, target);
      if (parent === undefined || this.#hidden.has(parent)) return false;
      if (!this.#shown.has(parent) && !parent.isVisible) return false;
    }
    return true;
  }

  /** The records that refer to a record by a cascade reference that is not masked. */
  *#children(record: StoredRecord): Iterable<StoredRecord> {
    for (const rule of this.#graph.rules.incoming(record.entity)) {
      if (rule.deleteRule !== "cascade") continue;
      for (const child of this.#graph.referrers(record.id, rule)) {
        if (!(rule.isTree && child.isDropped)) yield child;
      }
    }
  }
}

/** Follows parents from `start` to a cycle that no earlier search has seen. */
export function findCycle<Item>(
  start: Item,
  seen: Set<Item>,
  parent: (item: Item) => Item | undefined,
): Item[] | undefined {
  const path: Item[] = [];
  const places = new Map<Item, number>();
  let current: Item | undefined = start;
  while (current !== undefined && !seen.has(current)) {
    seen.add(current);
    places.set(current, path.length);
    path.push(current);
    current = parent(current);
  }
  const first = current === undefined ? undefined : places.get(current);
  return first === undefined ? undefined : path.slice(first);
}

/** The record that the tree reference of a record with a put leads to, deleted or not. */
export function treeParent(graph: RecordGraph, record: StoredRecord): StoredRecord | undefined {
  const edge = record.edges.find((edge) => edge.rule.isTree);
  const parent = edge === undefined ? undefined : graph.record(edge.rule.destination, edge.target);
  return parent?.current.put === undefined ? undefined : parent;
}

/** The member of a cycle whose tree reference is masked: the newest put, of equal ones the greatest identifier. */
export function droppedMember(cycle: StoredRecord[]): StoredRecord {
  return cycle.reduce((left, right) => {
    const a = left.current.put!.stamp, b = right.current.put!.stamp;
    return a !== b ? (a > b ? left : right) : compareRecords(left, right) > 0 ? left : right;
  });
}
