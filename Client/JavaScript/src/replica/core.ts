import { type Binary, newRecordID } from "../bytes/binary.ts";
import { MalformedMessage } from "../bytes/protobuf.ts";
import type { StoredRecord } from "../merge/graph.ts";
import { RoostError } from "../protocol/errors.ts";
import { type Commit, type LogEntry, type Storage, storageError } from "../storage/storage.ts";
import { Model } from "./model.ts";
import { decodeEntry, encodeEntry, type Operation } from "./operations.ts";

/** Where a change came from: this program, the server, or another tab. */
export type Origin = "local" | "remote" | "tab";

/** A change of what a replica shows. */
export interface ModelChange {
  /** The records that may read differently; `undefined` where that may be all of them. */
  readonly records: ReadonlySet<StoredRecord> | undefined;
  readonly origin: Origin;
}

/** The content of a commit. */
export interface Decision<Result> {
  readonly operations: readonly Operation[];
  readonly result: Result;
  /** Whether the pending changes of the transaction are in the model already. */
  readonly isApplied?: boolean;
  /** Reverts what the decision has applied, if the commit fails. */
  readonly rollBack?: () => void;
}

/** The clock and the random numbers of the core. Tests replace each of them. */
export interface Environment {
  /** Milliseconds since 1970. */
  now(): number;
  random(count: number): Uint8Array;
}

const chunkBytes = 1 << 20;

/** A replica without its session: the state in memory, and its storage. One commit runs at a time. */
export class ReplicaCore {
  readonly model: Model = new Model();
  readonly environment: Environment;
  readonly #storage: Storage;
  readonly #listeners = new Set<(change: ModelChange) => void>();
  #head = 0;
  #logBytes = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** Random bytes for the next identifiers. */
  #random: Uint8Array = new Uint8Array(0);
  #lastID = { milliseconds: 0, counter: 0 };

  private constructor(storage: Storage, environment: Environment) {
    this.#storage = storage;
    this.environment = environment;
  }

  /** Reads the state that a storage has. */
  static async open(storage: Storage, environment: Environment): Promise<ReplicaCore> {
    const core = new ReplicaCore(storage, environment);
    await core.refresh();
    return core;
  }

  get isEmpty(): boolean {
    return this.model.control.replica === "";
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Calls `listener` after each commit that changes what is shown. Returns a function that ends that. */
  listen(listener: (change: ModelChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(records: Set<StoredRecord> | undefined, origin: Origin): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener({ records, origin });
      } catch (error) {
        // A listener of the program must not fail the commit. Its error is reported like that of an event's handler.
        setTimeout(() => {
          throw error;
        });
      }
    }
  }

  /** Runs `body` when all commits before it have ended. */
  #serially<Result>(body: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(body);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Applies what other tabs have stored meanwhile. */
  refresh(): Promise<void> {
    return this.commit(() => ({ operations: [], result: undefined }), "tab");
  }

  /**
   * Stores operations durably, and applies them to the model.
   *
   * `decide` is called with the newest state, and must not wait. If it throws, or the storage fails, nothing changes.
   */
  commit<Result>(decide: () => Decision<Result>, origin: Origin): Promise<Result> {
    return this.#serially(() => this.#commit(decide, origin));
  }

  async #commit<Result>(decide: () => Decision<Result>, origin: Origin): Promise<Result> {
    if (this.#isClosed) throw new RoostError("closed", "The replica is closed.", "Open it again.");
    let decision: Decision<Result> | undefined, failure: { error: unknown } | undefined, count = 0;
    let foreign: { records: Set<StoredRecord> | undefined } | undefined;
    let head: number, isApplied = false;
    const notifyForeign = () => {
      if (foreign !== undefined) this.#notify(foreign.records, "tab");
      foreign = undefined;
    };
    try {
      head = await this.#storage.commit(this.#head, (newer): Commit | undefined => {
        if (newer.length > 0) foreign = { records: this.#applyNewer(newer) };
        try {
          decision = decide();
        } catch (error) {
          failure = { error };
          throw error;
        }
        if (decision.operations.length === 0) return undefined;
        const bytes = encodeEntry(decision.operations);
        count = bytes.length;
        if (origin === "remote") {
          // The server has these changes: observers need not wait until they are durable here as well.
          notifyForeign();
          isApplied = true;
          this.#finish(decision, origin);
        }
        return { append: [bytes] };
      });
    } catch (error) {
      if (decision?.rollBack !== undefined) this.#rollBack(decision.rollBack);
      notifyForeign();
      if (isApplied) await this.#reload();
      throw failure === undefined ? storageError(error) : failure.error;
    }
    if (decision === undefined) throw storageError(new Error("the storage did not call back"));
    notifyForeign();
    if (decision.operations.length > 0) {
      this.#head = head;
      this.#logBytes += count;
      if (!isApplied) this.#finish(decision, origin);
      if (this.#logBytes > 4 * chunkBytes + 2 * this.model.confirmedBytes) void this.compact().catch(() => undefined);
    }
    return decision.result;
  }

  #finish<Result>(decision: Decision<Result>, origin: Origin): void {
    this.#apply(decision);
    this.model.settle();
    this.#notify(this.model.takeChanged(), origin);
  }

  /** Reads the state from the storage again, after a commit failed that was applied already. */
  async #reload(): Promise<void> {
    this.model.apply([{ kind: "reset" }]);
    this.#head = this.#logBytes = 0;
    try {
      await this.#storage.commit(0, (newer) => {
        this.#notify(this.#applyNewer(newer), "tab");
        return undefined;
      });
    } catch (error) {
      // Without its state the replica must not be used. The log is as it was.
      this.#isClosed = true;
      this.#storage.close();
      throw storageError(error);
    }
  }

  #rollBack(rollBack: () => void): void {
    rollBack();
    this.model.settle();
    // A reader may have seen the change that did not become durable.
    this.#notify(this.model.takeChanged(), "local");
  }

  #apply<Result>(decision: Decision<Result>): void {
    if (!decision.isApplied) return this.model.apply(decision.operations);
    for (const operation of decision.operations) {
      if (operation.kind === "outboxAdd") this.model.outbox.push(operation.transaction);
      else this.model.apply([operation]);
    }
  }

  #applyNewer(newer: LogEntry[]): Set<StoredRecord> | undefined {
    for (const { number, bytes } of newer) {
      try {
        this.model.apply(decodeEntry(bytes));
      } catch (error) {
        if (!(error instanceof MalformedMessage) && !(error instanceof SyntaxError)) throw error;
        throw new RoostError(
          "storage_failed",
          `Cannot read the replica: entry ${number} of its log is damaged.`,
          "Join the scope again with another name; other devices keep what was pushed.",
          error,
        );
      }
      this.#head = number;
      this.#logBytes += bytes.length;
    }
    this.model.settle();
    return this.model.takeChanged();
  }

  /** Replaces the log by a snapshot, so that it does not grow with the number of changes. */
  compact(): Promise<void> {
    return this.#serially(async () => {
      if (this.#isClosed) return;
      let sum = 0;
      this.#head = await this.#storage.commit(this.#head, (newer) => {
        if (newer.length > 0) this.#notify(this.#applyNewer(newer), "tab");
        const append: Uint8Array[] = [];
        for (const operations of this.#chunks()) {
          const bytes = encodeEntry(operations);
          sum += bytes.length;
          append.push(bytes);
        }
        return { append, replacesAll: true };
      });
      this.#logBytes = sum;
    });
  }

  *#chunks(): Iterable<Operation[]> {
    let operations: Operation[] = [], bytes = 0;
    for (const operation of this.model.snapshot()) {
      operations.push(operation);
      bytes += "record" in operation ? 80 + (operation.record.slots.put?.bytes.length ?? 0) : 256;
      if (bytes < chunkBytes) continue;
      yield operations;
      operations = [];
      bytes = 0;
    }
    if (operations.length > 0) yield operations;
  }

  /** Makes an identifier for a new record. Identifiers of one replica ascend, also within a millisecond. */
  newRecordID(): Binary {
    if (this.#random.length < 16) this.#random = this.environment.random(4096);
    const random = this.#random.subarray(0, 16), now = Math.max(0, Math.trunc(this.environment.now()));
    this.#random = this.#random.subarray(16);
    const last = this.#lastID;
    if (now > last.milliseconds) this.#lastID = { milliseconds: now, counter: (random[6] & 7) * 256 + random[7] };
    else if (last.counter < 4095) this.#lastID = { ...last, counter: last.counter + 1 };
    else this.#lastID = { milliseconds: last.milliseconds + 1, counter: 0 };
    random[6] = this.#lastID.counter >> 8;
    random[7] = this.#lastID.counter & 255;
    return newRecordID(this.#lastID.milliseconds, random);
  }

  /** Waits for the commit under way, and closes the storage. */
  async close(): Promise<void> {
    await this.#serially(async () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      this.#storage.close();
    });
  }
}
