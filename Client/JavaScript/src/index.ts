/**
 * Roost for browsers, Node and Deno: a complete replica of a scope.
 *
 * @module
 */
export {
  type CreateOptions,
  type JoinOptions,
  Replica,
  type ReplicaOptions,
  type ReplicaStatus,
} from "./api/replica.ts";
export type { Explanation, JournalEntry } from "./api/journal.ts";
export type { Device, Invite, Membership, Role } from "./api/membership.ts";
export { RoostError, ServerRefusal } from "./protocol/errors.ts";
export {
  entity,
  type EntityType,
  type HasID,
  type Many,
  type One,
  type RecordOf,
  type ValuesOf,
} from "./query/entities.ts";
export type { FetchOptions, ObserveOptions } from "./query/fetching.ts";
export type { Difference, Section, Update } from "./query/observation.ts";
export type { AttributePath, ManyPath, OnePath, PathsOf, Predicate, SortKey } from "./query/paths.ts";
export type { Transaction } from "./replica/transaction.ts";
export { MemoryLog, MemoryStorage } from "./storage/memory.ts";
export { deleteIndexedDB, IndexedDBStorage } from "./storage/indexeddb.ts";
export type { Commit, LogEntry, Storage } from "./storage/storage.ts";
