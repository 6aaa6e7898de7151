import { RoostError } from "../protocol/errors.ts";
import { type Commit, type LogEntry, type Storage, storageError } from "./storage.ts";

/** A storage in IndexedDB, for browsers. A transaction is exclusive among all tabs that have the database open. */
export class IndexedDBStorage implements Storage {
  readonly #database: IDBDatabase;
  #isClosed = false;

  /** Opens or makes the database `roost-NAME`. */
  static async open(name: string): Promise<IndexedDBStorage> {
    if (typeof indexedDB === "undefined") {
      throw new RoostError(
        "missing_capability",
        "Cannot open a replica: this browser has no IndexedDB here.",
        "Open the page over https or from localhost, outside a private window, or pass another storage.",
      );
    }
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(`roost-${name}`, 1);
      request.onupgradeneeded = () => request.result.createObjectStore("log", { autoIncrement: true });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(storageError(request.error));
      request.onblocked = () => reject(storageError(new Error("another tab holds an older version")));
    });
    return new IndexedDBStorage(database);
  }

  private constructor(database: IDBDatabase) {
    this.#database = database;
    database.onversionchange = () => this.close();
    database.onclose = () => this.#isClosed = true;
  }

  commit(known: number, decide: (newer: LogEntry[]) => Commit | undefined): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        return reject(new RoostError("closed", "The storage is closed.", "Open the replica again."));
      }
      let transaction: IDBTransaction;
      try {
        transaction = this.#database.transaction("log", "readwrite", { durability: "strict" });
      } catch (error) {
        return reject(storageError(error));
      }
      let failure: unknown, last = known;
      transaction.oncomplete = () => resolve(last);
      transaction.onabort = () => reject(storageError(failure ?? transaction.error ?? new Error("it was aborted")));
      const attempt = (step: () => void) => {
        try {
          step();
        } catch (error) {
          failure = error;
          transaction.abort();
        }
      };
      const store = transaction.objectStore("log");
      readNewer(store, known, (newer) =>
        attempt(() => {
          if (newer.length > 0) last = newer[newer.length - 1].number;
          const commit = decide(newer);
          if (commit === undefined) return;
          if (commit.replacesAll) store.clear();
          commit.append.forEach((bytes) => {
            const added = store.add(bytes);
            added.onsuccess = () => last = added.result as number;
          });
          // Without this call the commit waits until the events of all requests have been handled.
          if (commit.append.length === 0) transaction.commit();
        }), attempt);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#database.close();
  }
}

/** Reads the entries after `known`, and calls `use` within the transaction. */
function readNewer(
  store: IDBObjectStore,
  known: number,
  use: (newer: LogEntry[]) => void,
  attempt: (step: () => void) => void,
): void {
  const range = IDBKeyRange.lowerBound(known, true);
  const keys = store.getAllKeys(range);
  keys.onsuccess = () =>
    attempt(() => {
      if (keys.result.length === 0) return use([]);
      const values = store.getAll(range);
      values.onsuccess = () =>
        use(keys.result.map((key, index) => ({ number: key as number, bytes: values.result[index] as Uint8Array })));
    });
}

/** Deletes the database of a replica. */
export function deleteIndexedDB(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(`roost-${name}`);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(storageError(request.error));
  });
}
