import type { Binary } from "../bytes/binary.ts";
import type { StoredRecord } from "../merge/graph.ts";
import type { PutSlot } from "../merge/slots.ts";
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
  /** The records of the last update by identifier, in order: a snapshot of another tab makes stored records again. */
  #shown = new Map<Binary, Shown>();
  #madeBy: RecordFactory | undefined;
  /** Whether something has changed since the observation began. */
  #isStale = false;
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
    this.#isStale = true;
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
    let touched: ReadonlySet<StoredRecord> | undefined = new Set();
    // All records may have changed with a schema or a snapshot, and the query with them.
    const isFresh = pending.origin === "initial" && !this.#isStale;
    if (pending.records === undefined && !isFresh) this.#results = this.#makeResults();
    else if (pending.records !== undefined) touched = this.#results.update(pending.records);
    return touched === undefined ? undefined : this.#update(touched, pending.origin);
  }

  #update(touched: ReadonlySet<StoredRecord>, origin: "initial" | Origin): Update<Made> {
    const before = this.#shown, factory = this.#factory();
    // Records of another schema read differently, whatever they have.
    const isRemade = factory !== this.#madeBy;
    this.#madeBy = factory;
    const shown = new Map<Binary, Shown>();
    const updated = new Set<Binary>();
    for (const record of this.#results.records) {
      const old = before.get(record.id), put = record.current.put;
      const isSame = old !== undefined && !isRemade && !touched.has(record) && old.put?.stamp === put?.stamp;
      if (old !== undefined && !isSame) updated.add(record.id);
      const view = isSame && old.record === record ? old.view : factory.make(record);
      shown.set(record.id, { record, put, view });
    }
    this.#shown = shown;
    return {
      records: [...shown.values()].map((each) => each.view),
      sections: this.#isSectioned ? this.#sections(shown.values()) : [],
      difference: differenceOf(before, shown, updated),
      origin,
    };
  }

  #sections(shown: Iterable<Shown>): Section<Made>[] {
    const sections: { key: unknown; records: Made[] }[] = [];
    for (const { record, view } of shown) {
      const key = this.#results.firstKey(record);
      const last = sections.at(-1);
      if (last !== undefined && last.key === key) last.records.push(view);
      else sections.push({ key, records: [view] });
    }
    return sections;
  }
}

/** A record of an update. */
interface Shown {
  readonly record: StoredRecord;
  readonly put: PutSlot | undefined;
  readonly view: Made;
}

/** Compares two lists without repetitions. A record that keeps its place among most others has not moved. */
function differenceOf(
  before: ReadonlyMap<Binary, Shown>,
  after: ReadonlyMap<Binary, Shown>,
  updatedIDs: ReadonlySet<Binary>,
): Difference<Made> {
  const was = new Map([...before.keys()].map((id, index) => [id, index]));
  const removed: { index: number; id: string }[] = [];
  for (const [id, { view }] of before) if (!after.has(id)) removed.push({ index: was.get(id)!, id: view.id });
  const inserted: { index: number; record: Made }[] = [], moved: { from: number; index: number; record: Made }[] = [];
  const updated: { index: number; record: Made }[] = [];
  const stays = longestRise([...after.keys()].map((id) => was.get(id)));
  let index = 0;
  for (const [id, { view: record }] of after) {
    const from = was.get(id);
    if (from === undefined) inserted.push({ index, record });
    else {
      if (!stays.has(index)) moved.push({ from, index, record });
      if (updatedIDs.has(id)) updated.push({ index, record });
    }
    index++;
  }
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
