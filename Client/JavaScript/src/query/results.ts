import type { StoredRecord } from "../merge/graph.ts";
import type { Entity } from "../model/schema.ts";
import type { Reading } from "../replica/reading.ts";
import { compareValues, crossesRecords, Evaluation } from "./evaluate.ts";
import type { Expression, SortKey } from "./paths.ts";

/** A selection of records in an order. */
export interface Query {
  readonly entity: Entity;
  readonly where: Expression | undefined;
  readonly order: readonly SortKey[];
  readonly offset: number;
  readonly limit: number;
}

interface Row {
  readonly record: StoredRecord;
  readonly keys: readonly unknown[];
  /** The put that the row was made of, to tell an update from a repetition. */
  readonly put: unknown;
}

/** The records of a query in its order, kept up to date at the cost of what changes. */
export class Results {
  readonly #query: Query;
  readonly #reading: Reading;
  readonly #evaluation: Evaluation;
  readonly #crosses: boolean;
  #rows: Row[] = [];
  #byRecord = new Map<StoredRecord, Row>();

  constructor(reading: Reading, query: Query) {
    this.#reading = reading;
    this.#query = query;
    this.#evaluation = new Evaluation(reading);
    this.#crosses = crossesRecords(query.where, query.order);
    this.#fetch();
  }

  /** The records within the query's offset and limit. */
  get records(): StoredRecord[] {
    const { offset, limit } = this.#query;
    const rows = offset === 0 && limit === Infinity ? this.#rows : this.#rows.slice(offset, offset + limit);
    return rows.map((row) => row.record);
  }

  /** The first sort key of a record. */
  firstKey(record: StoredRecord): unknown {
    return this.#byRecord.get(record)?.keys[0];
  }

  #compare = (left: Row, right: Row): number => {
    for (let index = 0; index < this.#query.order.length; index++) {
      const order = compareValues(left.keys[index], right.keys[index]);
      if (order !== 0) return this.#query.order[index].isDescending ? -order : order;
    }
    return left.record.id < right.record.id ? -1 : left.record.id > right.record.id ? 1 : 0;
  };

  #row(record: StoredRecord): Row | undefined {
    if (record.entity !== this.#query.entity.id || !this.#reading.isShown(record)) return undefined;
    if (this.#query.where !== undefined && !this.#evaluation.test(this.#query.where, record)) return undefined;
    return { record, keys: this.#evaluation.keys(this.#query.order, record), put: record.current.put };
  }

  #fetch(): void {
    this.#rows = [];
    for (const record of this.#reading.model.graph.records(this.#query.entity.id)) {
      const row = this.#row(record);
      if (row !== undefined) this.#rows.push(row);
    }
    this.#rows.sort(this.#compare);
    this.#byRecord = new Map(this.#rows.map((row) => [row.record, row]));
  }

  /**
   * Brings the results up to date.
   *
   * @param changed The records that may read differently; `undefined` for all.
   * @returns The records of the results that read differently now, or moved; `undefined` where none of them did.
   */
  update(changed: ReadonlySet<StoredRecord> | undefined): Set<StoredRecord> | undefined {
    const before = this.#byRecord;
    const isLocal = changed !== undefined && !this.#crosses &&
      changed.size < 50 + this.#reading.model.graph.count(this.#query.entity.id) / 16;
    if (!isLocal) {
      if (changed !== undefined && this.#crosses && changed.size === 0) return undefined;
      this.#fetch();
      const touched = new Set<StoredRecord>();
      for (const [record, row] of this.#byRecord) {
        const old = before.get(record);
        if (old === undefined || old.put !== row.put || changed === undefined || changed.has(record)) {
          touched.add(record);
        } else if (old.keys.some((key, index) => compareValues(key, row.keys[index]) !== 0)) touched.add(record);
      }
      const isSame = touched.size === 0 && before.size === this.#byRecord.size;
      return isSame ? undefined : touched;
    }
    let touched: Set<StoredRecord> | undefined;
    for (const record of changed) {
      if (record.entity !== this.#query.entity.id) continue;
      const old = this.#byRecord.get(record), now = this.#row(record);
      if (old === undefined && now === undefined) continue;
      touched ??= new Set();
      if (old !== undefined) this.#rows.splice(this.#place(old), 1);
      this.#byRecord.delete(record);
      if (now === undefined) continue;
      this.#rows.splice(this.#place(now), 0, now);
      this.#byRecord.set(record, now);
      touched.add(record);
    }
    return touched;
  }

  /** The index of a row, or the index at which it belongs. */
  #place(row: Row): number {
    let low = 0, high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.#rows[middle], row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
