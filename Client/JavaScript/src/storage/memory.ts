import { RoostError } from "../protocol/errors.ts";
import type { Commit, LogEntry, Storage } from "./storage.ts";

/** The log that several `MemoryStorage` objects share, as tabs share a database. */
export class MemoryLog {
  entries: LogEntry[] = [];
  last = 0;
}

/** A storage that lasts as long as the program: for tests, and for replicas that are pulled again each time. */
export class MemoryStorage implements Storage {
  readonly #log: MemoryLog;
  #isClosed = false;

  constructor(log = new MemoryLog()) {
    this.#log = log;
  }

  async commit(known: number, decide: (newer: LogEntry[]) => Commit | undefined): Promise<number> {
    if (this.#isClosed) throw new RoostError("closed", "The storage is closed.", "Open the replica again.");
    const log = this.#log;
    const commit = decide(log.entries.filter((entry) => entry.number > known));
    if (commit !== undefined) {
      const added = commit.append.map((bytes, index) => ({ number: log.last + 1 + index, bytes: bytes.slice() }));
      log.entries = commit.replacesAll ? added : [...log.entries, ...added];
      log.last += added.length;
    }
    return log.last;
  }

  close(): void {
    this.#isClosed = true;
  }
}
