import { fromUUID } from "../bytes/binary.ts";
import type { StoredRecord } from "../merge/graph.ts";
import type { Entity } from "../model/schema.ts";
import type { ReplicaCore } from "../replica/core.ts";
import { Reading } from "../replica/reading.ts";
import type { EntityType, RecordOf } from "./entities.ts";
import { Observation, type Update } from "./observation.ts";
import { type AttributePath, Names, type Path, type PathsOf, type Predicate, type SortKey } from "./paths.ts";
import { RecordFactory } from "./records.ts";
import { type Query, Results } from "./results.ts";

type Selector<Fields, Result> = (paths: PathsOf<Fields>) => Result;

export interface FetchOptions<Fields> {
  /** The records that fulfil a condition; all where it is left out. */
  where?: Selector<Fields, Predicate>;
  /** Paths in ascending order, or with `.descending()`. Records that are equal come in the order of identifiers. */
  // deno-lint-ignore no-explicit-any
  sortedBy?: readonly Selector<Fields, AttributePath<any> | SortKey>[];
  limit?: number;
  offset?: number;
}

export interface ObserveOptions<Fields> extends FetchOptions<Fields> {
  /** Groups the records by a path, which orders them before `sortedBy`. */
  // deno-lint-ignore no-explicit-any
  sectionedBy?: Selector<Fields, AttributePath<any> | SortKey>;
  signal?: AbortSignal;
}

/** Fetches and observes the records of a replica. */
export class Fetcher {
  readonly reading: Reading;
  readonly #core: ReplicaCore;
  readonly #types = new Map<string, EntityType<unknown>>();
  #names: Names | undefined;
  #factory: RecordFactory | undefined;

  constructor(core: ReplicaCore) {
    this.#core = core;
    this.reading = new Reading(core.model);
  }

  get names(): Names {
    if (this.#names?.schema !== this.#core.model.schema) {
      this.#names = new Names(this.#core.model.schema, []);
      for (const type of this.#types.values()) {
        try {
          this.#names.entity(type);
        } catch {
          // A later schema has removed the entity. Its next use throws the error.
        }
      }
      this.#factory = undefined;
    }
    return this.#names;
  }

  get factory(): RecordFactory {
    const names = this.names;
    return this.#factory ??= new RecordFactory({ reading: this.reading, names });
  }

  /** Finds the entity that a program means, and learns the names that the program uses for it and what it leads to. */
  entity(type: EntityType<unknown>): Entity {
    if (type.properties !== undefined && !this.#types.has(type.name)) {
      this.#learn(type);
      this.#names = undefined;
    }
    return this.names.entity(type);
  }

  #learn(type: EntityType<unknown>): void {
    if (this.#types.has(type.name)) return;
    this.#types.set(type.name, type);
    for (const each of type.destinations?.() ?? []) this.#learn(each);
  }

  find(entity: Entity, id: string): StoredRecord | undefined {
    const key = fromUUID(id);
    const record = key === undefined ? undefined : this.reading.model.graph.record(entity.id, key);
    return record !== undefined && this.reading.isShown(record) ? record : undefined;
  }

  made(record: StoredRecord): { readonly id: string } {
    return this.factory.make(record);
  }

  get<Fields>(type: EntityType<Fields>, id: string): RecordOf<Fields> | undefined {
    const record = this.find(this.entity(type), id);
    return record === undefined ? undefined : this.made(record) as RecordOf<Fields>;
  }

  fetch<Fields>(type: EntityType<Fields>, options: FetchOptions<Fields>): RecordOf<Fields>[] {
    const results = new Results(this.reading, this.#query(type, options));
    const { factory } = this;
    return results.records.map((record) => factory.make(record) as RecordOf<Fields>);
  }

  count<Fields>(type: EntityType<Fields>, options: FetchOptions<Fields>): number {
    return new Results(this.reading, this.#query(type, { ...options, sortedBy: [] })).records.length;
  }

  observe<Fields>(
    type: EntityType<Fields>,
    options: ObserveOptions<Fields>,
  ): AsyncIterableIterator<Update<RecordOf<Fields>>> {
    const { sectionedBy } = options;
    const sortedBy = sectionedBy === undefined ? options.sortedBy : [sectionedBy, ...options.sortedBy ?? []];
    const observation = new Observation({
      results: () => new Results(this.reading, this.#query(type, { ...options, sortedBy })),
      factory: () => this.factory,
      isSectioned: sectionedBy !== undefined,
      listen: (listener) => this.#core.listen(listener),
      signal: options.signal,
    });
    return observation as unknown as AsyncIterableIterator<Update<RecordOf<Fields>>>;
  }

  #query<Fields>(type: EntityType<Fields>, options: FetchOptions<Fields>): Query {
    const entity = this.entity(type);
    const paths = this.names.paths<Fields>(entity);
    const order = (options.sortedBy ?? []).map((select): SortKey => {
      const selected = select(paths) as SortKey | { path: Path };
      return "isDescending" in selected ? selected : { path: selected.path, isDescending: false };
    });
    return {
      entity,
      where: options.where?.(paths).expression,
      order,
      offset: options.offset ?? 0,
      limit: options.limit ?? Infinity,
    };
  }
}
