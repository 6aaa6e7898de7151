import type { StoredRecord } from "../merge/graph.ts";
import type { ModelChange, Origin } from "../replica/core.ts";
import { RoostError } from "../protocol/errors.ts";
import type { RecordFactory } from "./records.ts";
import type { Results } from "./results.ts";

/** Records with one value of the path of `sectionedBy`. */
export interface Section<Record> {
  readonly key: unknown;
  readonly records: readonly Record[];
}

/** The difference between the records of an update and those of the update before. */
export interface Difference<Record> {
  /** Records that are new, with their index now. */
  readonly inserted: readonly { readonly index: number; readonly record: Record }[];
  /** Identifiers of records that are gone, with their index before. */
  readonly removed: readonly { readonly index: number; readonly id: string }[];
  /** Records whose place among the others changed, with both indexes. */
  readonly moved: readonly { readonly from: number; readonly index: number; readonly record: Record }[];
  /** Records that read differently, with their index now. */
  readonly updated: readonly { readonly index: number; readonly record: Record }[];
}

/** One update of an observation. */
export interface Update<Record> {
  readonly records: readonly Record[];
  /** With `sectionedBy`, the same records by section. */
  readonly sections: readonly Section<Record>[];
  readonly difference: Difference<Record>;
  /** Where the change came from: `initial` for the first update, `tab` for another tab of this browser. */
  readonly origin: "initial" | Origin;
}

type Made = { readonly id: string };

/** The updates of one query as an async iterator. Changes while the reader is busy become one update. */
export class Observation implements AsyncIterableIterator<Update<Made>> {
  readonly #makeResults: () => Results;
  readonly #factory: () => RecordFactory;
  readonly #isSectioned: boolean;
  readonly #end: () => void;
  #results: Results;
  #before: StoredRecord[] = [];
  #made = new Map<StoredRecord, Made>();
  /** Changes since the last update: `undefined` for none. */
  #pending: { records: Set<StoredRecord> | undefined; origin: "initial" | Origin } | undefined = {
    records: undefined,
    origin: "initial",
  };
  #waiting: { resolve: (result: IteratorResult<Update<Made>>) => void; reject: (error: unknown) => void } | undefined;
  #isEnded = false;
  #error: unknown;

  constructor(options: {
    results: () => Results;
    factory: () => RecordFactory;
    isSectioned: boolean;
    listen: (listener: (change: ModelChange) => void) => () => void;
    signal: AbortSignal | undefined;
  }) {
    this.#makeResults = options.results;
    this.#factory = options.factory;
    this.#isSectioned = options.isSectioned;
    this.#results = options.results();
    const unlisten = options.listen((change) => this.#receive(change));
    const abort = () => this.#finish(new RoostError("aborted", "The observation was aborted.", "Observe again."));
    this.#end = () => {
      unlisten();
      options.signal?.removeEventListener("abort", abort);
    };
    options.signal?.addEventListener("abort", abort);
    if (options.signal?.aborted) abort();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Update<Made>>> {
    const update = this.#take();
    if (update !== undefined) return Promise.resolve({ value: update, done: false });
    if (this.#isEnded) {
      const error = this.#error;
      this.#error = undefined;
      return error === undefined ? Promise.resolve({ value: undefined, done: true }) : Promise.reject(error);
    }
    return new Promise((resolve, reject) => this.#waiting = { resolve, reject });
  }

  return(): Promise<IteratorResult<Update<Made>>> {
    this.#finish(undefined);
    return Promise.resolve({ value: undefined, done: true });
  }

  #finish(error: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#pending = undefined;
    this.#end();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (error === undefined) waiting?.resolve({ value: undefined, done: true });
    else if (waiting !== undefined) waiting.reject(error);
    else this.#error = error;
  }

  #receive({ records, origin }: ModelChange): void {
    const pending = this.#pending;
    if (pending === undefined) this.#pending = { records: records && new Set(records), origin };
    else {
      if (records === undefined) pending.records = undefined;
      else for (const record of records) pending.records?.add(record);
      if (pending.origin !== "initial" && origin === "remote") pending.origin = "remote";
    }
    if (this.#waiting === undefined) return;
    const update = this.#take();
    if (update === undefined) return;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    resolve({ value: update, done: false });
  }

  #take(): Update<Made> | undefined {
    const pending = this.#pending;
    if (pending === undefined) return undefined;
    this.#pending = undefined;
    // All records change with the schema, and the query with them.
    if (pending.records === undefined && pending.origin !== "initial") this.#results = this.#makeResults();
    const touched = pending.origin === "initial" || pending.records === undefined
      ? new Set<StoredRecord>()
      : this.#results.update(pending.records);
    if (touched === undefined) return undefined;
    if (pending.records === undefined) this.#made.clear();
    return this.#update(touched, pending.origin);
  }

  #update(touched: Set<StoredRecord>, origin: "initial" | Origin): Update<Made> {
    const before = this.#before, after = this.#results.records;
    const factory = this.#factory();
    const made = new Map<StoredRecord, Made>();
    for (const record of after) {
      const old = touched.has(record) ? undefined : this.#made.get(record);
      made.set(record, old ?? factory.make(record));
    }
    const records = after.map((record) => made.get(record)!);
    const difference = differenceOf(before, after, touched, (record) => made.get(record) ?? this.#made.get(record)!);
    this.#before = after;
    this.#made = made;
    return { records, sections: this.#isSectioned ? this.#sections(after, made) : [], difference, origin };
  }

  #sections(records: StoredRecord[], made: Map<StoredRecord, Made>): Section<Made>[] {
    const sections: { key: unknown; records: Made[] }[] = [];
    for (const record of records) {
      const key = this.#results.firstKey(record);
      const last = sections.at(-1);
      if (last !== undefined && last.key === key) last.records.push(made.get(record)!);
      else sections.push({ key, records: [made.get(record)!] });
    }
    return sections;
  }
}

/** Compares two lists without repetitions. What stays keeps its place where most of it does. */
function differenceOf(
  before: StoredRecord[],
  after: StoredRecord[],
  touched: ReadonlySet<StoredRecord>,
  made: (record: StoredRecord) => Made,
): Difference<Made> {
  const was = new Map(before.map((record, index) => [record, index]));
  const is = new Set(after);
  const removed = before.flatMap((record, index) => is.has(record) ? [] : [{ index, id: made(record).id }]);
  const inserted: { index: number; record: Made }[] = [], moved: { from: number; index: number; record: Made }[] = [];
  const updated: { index: number; record: Made }[] = [];
  const stays = longestRise(after.map((record) => was.get(record)));
  after.forEach((record, index) => {
    const from = was.get(record);
    if (from === undefined) inserted.push({ index, record: made(record) });
    else {
      if (!stays.has(index)) moved.push({ from, index, record: made(record) });
      if (touched.has(record)) updated.push({ index, record: made(record) });
    }
  });
  return { inserted, removed, moved, updated };
}

/** The indexes of a longest ascending subsequence of the given values (patience sorting). */
function longestRise(values: (number | undefined)[]): Set<number> {
  const tails: number[] = [];
  const previous = new Map<number, number>();
  values.forEach((value, index) => {
    if (value === undefined) return;
    let low = 0, high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[tails[middle]]! < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous.set(index, tails[low - 1]);
    tails[low] = index;
  });
  const rise = new Set<number>();
  for (let index = tails.at(-1); index !== undefined; index = previous.get(index)) rise.add(index);
  return rise;
}
