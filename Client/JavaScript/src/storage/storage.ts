import { RoostError } from "../protocol/errors.ts";

/** One entry of the log, with its number. Numbers grow and are never used again. */
export interface LogEntry {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** The change that a commit makes to the log. */
export interface Commit {
  /** Entries to append, in order. */
  readonly append: readonly Uint8Array[];
  /** Whether all entries before the appended ones are removed: the appended ones are a snapshot. */
  readonly replacesAll?: boolean;
}

/**
 * The storage of one replica: a log of entries, each a change of the replica's state.
 *
 * A page of 10,000 records is one entry, so that storing it costs one write of 1 MiB and not 10,000 small ones.
 */
export interface Storage {
  /**
   * Reads and appends in one exclusive, durable transaction.
   *
   * `decide` receives the entries after `known`, which other tabs or programs have appended, and returns without
   * waiting what to append. A storage that repeats a transaction calls it again. If it throws, nothing is stored.
   *
   * @returns The number of the last entry, once everything is durable.
   * @throws RoostError with `storage_full` if there is no room, `storage_failed` otherwise. Nothing is stored then.
   */
  commit(known: number, decide: (newer: LogEntry[]) => Commit | undefined): Promise<number>;
  /** Ends the use of the storage. Later calls fail. */
  close(): void;
}

/** Explains a failure of a storage by its cause. */
export function storageError(cause: unknown): RoostError {
  if (cause instanceof RoostError) return cause;
  const name = (cause as { name?: string })?.name ?? "";
  const message = String((cause as { message?: string })?.message ?? cause);
  if (name === "QuotaExceededError" || /disk is full|quota/i.test(message)) {
    return new RoostError(
      "storage_full",
      "Cannot store the change: there is no room on this device.",
      "Make room and try again; nothing was changed.",
      cause,
    );
  }
  return new RoostError(
    "storage_failed",
    `Cannot use the storage of the replica: ${name || message.slice(0, 200)}.`,
    "Open the replica again; nothing was changed.",
    cause,
  );
}
