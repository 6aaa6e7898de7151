import { chmodSync, closeSync, openSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { RoostError } from "../protocol/errors.ts";
import { type Commit, type LogEntry, type Storage, storageError } from "./storage.ts";

/**
 * A storage in a file of SQLite, for Node 22.5 or later and Deno. One program at a time has the file open.
 *
 * The file has the replica's token, and only its owner may read it.
 */
export class SQLiteStorage implements Storage {
  readonly #database: DatabaseSync;
  readonly #last: StatementSync;
  readonly #newer: StatementSync;
  readonly #append: StatementSync;
  #isClosed = false;

  constructor(path: string) {
    let database: DatabaseSync | undefined;
    try {
      if (path !== ":memory:") {
        closeSync(openSync(path, "a", 0o600));
        chmodSync(path, 0o600);
      }
      this.#database = database = new DatabaseSync(path);
      database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      database.exec("CREATE TABLE IF NOT EXISTS log(number INTEGER PRIMARY KEY AUTOINCREMENT, bytes BLOB NOT NULL)");
      // Takes the exclusive lock now, so that a second program is refused here and not in the middle of its work.
      database.exec("BEGIN IMMEDIATE; COMMIT");
      this.#last = database.prepare("SELECT coalesce(max(number), 0) AS last FROM log");
      this.#newer = database.prepare("SELECT number, bytes FROM log WHERE number > ? ORDER BY number");
      this.#append = database.prepare("INSERT INTO log(bytes) VALUES (?)");
    } catch (error) {
      database?.close();
      if (/locked|busy/.test(String(error))) {
        throw new RoostError(
          "storage_failed",
          "Cannot open the replica: another program has its file open.",
          "Close that program and try again.",
          error,
        );
      }
      throw storageError(error);
    }
  }

  async commit(known: number, decide: (newer: LogEntry[]) => Commit | undefined): Promise<number> {
    if (this.#isClosed) throw new RoostError("closed", "The storage is closed.", "Open the replica again.");
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      const last = (this.#last.get() as { last: number }).last;
      const newer = last > known ? this.#newer.all(known) as unknown as LogEntry[] : [];
      const commit = decide(newer);
      let number = last;
      if (commit !== undefined) {
        if (commit.replacesAll) this.#database.exec("DELETE FROM log");
        for (const bytes of commit.append) number = Number(this.#append.run(bytes).lastInsertRowid);
      }
      this.#database.exec("COMMIT");
      return number;
    } catch (error) {
      try {
        this.#database.exec("ROLLBACK");
      } catch {
        // SQLite has rolled the transaction back by itself, as after a full disk.
      }
      throw error instanceof RoostError ? error : storageError(error);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#database.close();
  }
}
