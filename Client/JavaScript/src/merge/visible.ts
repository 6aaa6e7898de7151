import type { RecordGraph, StoredRecord } from "./graph.ts";
import { compareRecords } from "./graph.ts";
import { droppedMember, findCycle, treeParent } from "./liveness.ts";

/** The state of each record of a graph, derived from scratch, line by line as in protocol.md §11.3. */
export class VisibleState {
  readonly visible = new Set<StoredRecord>();
  readonly kept = new Set<StoredRecord>();
  readonly dropped = new Set<StoredRecord>();

  constructor(graph: RecordGraph) {
    const records = [...graph.all()];
    if (graph.rules.usesDeny) this.#findKept(graph, records);
    const base = new Set(records.filter((record) => record.own === "put" || this.kept.has(record)));
    if (graph.rules.treeEntities.size > 0) this.#findDropped(graph, records);
    const hidden = this.#findHidden(graph, records, base);
    for (const record of base) if (!hidden.has(record)) this.visible.add(record);
  }

  /** Stores the derived state in the records. */
  store(graph: RecordGraph): void {
    graph.kept.clear();
    graph.dropped.clear();
    for (const record of graph.all()) {
      record.isVisible = this.visible.has(record);
      record.isKept = this.kept.has(record);
      record.isDropped = this.dropped.has(record);
      if (record.isKept) graph.kept.add(record);
      if (record.isDropped) graph.dropped.add(record);
    }
  }

  #findKept(graph: RecordGraph, records: StoredRecord[]): void {
    for (const record of records) {
      if (record.own !== "put") continue;
      for (const { rule, target } of record.edges) {
        const held = rule.deleteRule === "deny" ? graph.record(rule.destination, target) : undefined;
        if (held?.own === "deleted") this.kept.add(held);
      }
    }
  }

  #findDropped(graph: RecordGraph, records: StoredRecord[]): void {
    const seen = new Set<StoredRecord>();
    for (const start of records) {
      const cycle = findCycle(start, seen, (record) => treeParent(graph, record));
      if (cycle !== undefined) this.dropped.add(droppedMember(cycle));
    }
  }

  #findHidden(graph: RecordGraph, records: StoredRecord[], base: Set<StoredRecord>): Set<StoredRecord> {
    const children = new Map<StoredRecord, StoredRecord[]>();
    const queue: StoredRecord[] = [];
    for (const record of records) {
      if (!base.has(record)) queue.push(record);
      for (const { rule, target } of record.edges) {
        if (rule.deleteRule !== "cascade" || (rule.isTree && this.dropped.has(record))) continue;
        const parent = graph.record(rule.destination, target);
        if (parent === undefined) queue.push(record);
        else if (children.has(parent)) children.get(parent)!.push(record);
        else children.set(parent, [record]);
      }
    }
    const hidden = new Set<StoredRecord>();
    for (let record = queue.pop(); record !== undefined; record = queue.pop()) {
      if (hidden.has(record)) continue;
      hidden.add(record);
      queue.push(...children.get(record) ?? []);
    }
    return hidden;
  }
}

/** Finds the nearest record that hides `record` by being deleted or absent; an absent one is only named. */
export function hiddenBecause(
  graph: RecordGraph,
  record: StoredRecord,
): { entity: number; id: string; record: StoredRecord | undefined } | undefined {
  const seen = new Set([record]);
  let level = [record];
  while (level.length > 0) {
    const next: StoredRecord[] = [];
    for (const each of level) {
      for (const { rule, target } of each.edges) {
        if (rule.deleteRule !== "cascade" || (rule.isTree && each.isDropped)) continue;
        const parent = graph.record(rule.destination, target);
        const isBase = parent !== undefined && (parent.isKept || parent.own === "put");
        if (!isBase) return { entity: rule.destination, id: target, record: parent };
        if (!parent.isVisible && !seen.has(parent)) {
          seen.add(parent);
          next.push(parent);
        }
      }
    }
    level = next.sort(compareRecords);
  }
  return undefined;
}
