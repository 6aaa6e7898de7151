import { Reader, Writer } from "../bytes/protobuf.ts";
import type { Binary } from "../bytes/binary.ts";
import type { Change } from "../merge/slots.ts";
import {
  readChange,
  readName,
  readRecord,
  type RecordName,
  type WireRecord,
  writeChange,
  writeRecord,
} from "../protocol/messages.ts";

/** A local transaction that the server has not acknowledged. */
export interface OutboxTransaction {
  readonly id: number;
  readonly label: string;
  /** Milliseconds since 1970 by the device's clock. */
  readonly time: number;
  readonly changes: readonly Change[];
}

/** A push whose number and bytes are stored before it is sent. */
export interface SealedPush {
  readonly number: number;
  readonly body: Uint8Array;
  /** The identifiers of its transactions, in order. */
  readonly transactions: readonly number[];
  /** The index after the last change of a transaction that continues in the next push; 0 where none does. */
  readonly partEnd: number;
}

export type JournalKind = "beaten" | "refused" | "lost" | "damaged";

/** The outcome of a change that is not current, with its content. */
export interface StoredJournalEntry {
  readonly number: number;
  readonly time: number;
  readonly kind: JournalKind;
  readonly entity: number;
  readonly id: Binary;
  readonly stamp: Binary;
  /** The encoded put as a binary string; `undefined` for a delete. */
  readonly put?: Binary;
  /** The stamp of the change that beat this one. */
  readonly other?: Binary;
  readonly code?: string;
  readonly message?: string;
  readonly label?: string;
  /** The server's time when the replica first synchronised after the entry was made. */
  readonly counted?: number;
}

/** One step that can be undone or redone. */
export interface HistoryStep {
  readonly id: number;
  readonly label: string;
  /** `undoing` marks the step that undid `undoes`; `redone` one that no longer counts. */
  readonly state: "done" | "undone" | "undoing" | "redone";
  readonly undoes?: number;
  readonly changes: readonly { entity: number; id: Binary; before?: Binary; after?: Binary }[];
}

/** Everything of a replica that is not a record. Binary strings have one character for each byte. */
export interface Control {
  server: string;
  scope: string;
  scopeName: string;
  device: string;
  replica: Binary;
  token: string;
  /** A token that was proposed to the server and not confirmed yet. */
  proposedToken?: string;
  /** Tokens that this replica has had, newest first. */
  formerTokens: string[];
  /** The replicas that this storage has been, with the present one. */
  identities: Binary[];
  role: string;
  schema: string;
  schemaVersion: number;
  checkpoint: Binary;
  pushNumber: number;
  /** The last clock reading, in decimal digits. */
  clock: string;
  clockOffset: number;
  digest: string;
  nextTransaction: number;
  nextJournal: number;
  /** The transaction whose first changes the server has staged, and their number (protocol.md §6.5). */
  staged?: { id: number; sent: number };
  /** Why the replica needs a new identity before it pushes, and whether everything is pulled again then. */
  renewal?: { reason: string; resync?: ResyncReason };
  /** The nonce of the renewal under way, so that a repetition gets the same answer. */
  renewalNonce?: string;
  /** A full resynchronisation under way. */
  resync?: { reason: ResyncReason; checkpoint: Binary; digest: string; purged: string[] };
  /** Full resynchronisations since a digest matched. */
  resyncs?: number;
  /** The most transactions and bytes of a push, after something refused a larger one. */
  sealLimit?: { transactions: number; bytes: number };
  /** Journal entries that were removed because of their age. */
  journalRemoved?: number;
  restamps?: number;
  renewals?: number[];
}

export type ResyncReason = "history_changed" | "resync_required" | "digest" | "identity";

/** One change of the state of a replica. An entry of the log is a list of them. */
export type Operation =
  | { kind: "record"; record: WireRecord }
  | { kind: "forget"; name: RecordName }
  | { kind: "fresh"; record: WireRecord }
  | { kind: "freshForget"; name: RecordName }
  | { kind: "freshDone" }
  | { kind: "lost"; record: WireRecord }
  | { kind: "found"; name: RecordName }
  | { kind: "outboxAdd"; transaction: OutboxTransaction }
  | { kind: "outboxRemove"; id: number }
  | { kind: "control"; values: Partial<Control> }
  | { kind: "sealed"; push: SealedPush | undefined }
  | { kind: "journal"; entry: StoredJournalEntry }
  | { kind: "journalRemove"; number: number }
  | { kind: "history"; step: HistoryStep }
  | { kind: "historyRemove"; id: number }
  | { kind: "reset" };

const fields: Record<Operation["kind"], number> = {
  record: 1,
  outboxAdd: 2,
  outboxRemove: 3,
  control: 4,
  journal: 5,
  journalRemove: 6,
  reset: 7,
  sealed: 8,
  history: 9,
  historyRemove: 10,
  fresh: 11,
  freshDone: 12,
  lost: 13,
  found: 14,
  forget: 15,
  freshForget: 16,
};

/** Encodes an entry of the log. */
export function encodeEntry(operations: readonly Operation[]): Uint8Array {
  const writer = new Writer(1024);
  for (const operation of operations) {
    const field = fields[operation.kind];
    switch (operation.kind) {
      case "record":
      case "fresh":
      case "lost":
        writeRecord(writer, field, operation.record);
        break;
      case "forget":
      case "freshForget":
      case "found":
        writeName(writer, field, operation.name);
        break;
      case "outboxAdd":
        writeTransaction(writer, field, operation.transaction);
        break;
      case "outboxRemove":
      case "historyRemove":
        writer.unsigned(field, operation.id);
        break;
      case "journalRemove":
        writer.unsigned(field, operation.number);
        break;
      case "control":
        writer.text(field, JSON.stringify(operation.values, (_, value) => value === undefined ? null : value));
        break;
      case "journal":
        writer.text(field, JSON.stringify(operation.entry));
        break;
      case "history":
        writer.text(field, JSON.stringify(operation.step));
        break;
      case "sealed":
        writeSealed(writer, field, operation.push);
        break;
      case "reset":
      case "freshDone":
        writer.unsigned(field, 1);
    }
  }
  return writer.finish();
}

function writeName(writer: Writer, field: number, name: RecordName): void {
  writer.message(field, () => {
    writer.unsigned(1, name.entity);
    writer.binary(2, name.id);
  });
}

function writeTransaction(writer: Writer, field: number, transaction: OutboxTransaction): void {
  writer.message(field, () => {
    writer.unsigned(1, transaction.id);
    writer.text(2, transaction.label);
    for (const change of transaction.changes) writeChange(writer, 3, change);
    writer.unsigned(4, transaction.time);
  });
}

function readTransaction(reader: Reader): OutboxTransaction {
  let id = 0, label = "", time = 0;
  const changes: Change[] = [];
  while (reader.next()) {
    if (reader.field === 1) id = reader.number;
    else if (reader.field === 2) label = reader.text;
    else if (reader.field === 3) changes.push(readChange(reader.message()));
    else if (reader.field === 4) time = reader.number;
  }
  return { id, label, time, changes };
}

function writeSealed(writer: Writer, field: number, push: SealedPush | undefined): void {
  const inner = new Writer((push?.body.length ?? 0) + 64);
  if (push !== undefined) {
    inner.unsigned(1, push.number);
    inner.bytes(2, push.body);
    for (const id of push.transactions) inner.unsigned(3, id);
    inner.unsigned(4, push.partEnd);
  }
  writer.bytes(field, inner.finish());
}

function readSealed(reader: Reader): SealedPush | undefined {
  let number = 0, body: Uint8Array | undefined, partEnd = 0;
  const transactions: number[] = [];
  while (reader.next()) {
    if (reader.field === 1) number = reader.number;
    else if (reader.field === 2) body = reader.bytes;
    else if (reader.field === 3) transactions.push(reader.number);
    else if (reader.field === 4) partEnd = reader.number;
  }
  return body === undefined ? undefined : { number, body, transactions, partEnd };
}

const readers: Record<number, (reader: Reader) => Operation> = {
  1: (reader) => ({ kind: "record", record: readRecord(reader.message()) }),
  2: (reader) => ({ kind: "outboxAdd", transaction: readTransaction(reader.message()) }),
  3: (reader) => ({ kind: "outboxRemove", id: reader.number }),
  4: (reader) => ({ kind: "control", values: JSON.parse(reader.text) }),
  5: (reader) => ({ kind: "journal", entry: JSON.parse(reader.text) }),
  6: (reader) => ({ kind: "journalRemove", number: reader.number }),
  7: () => ({ kind: "reset" }),
  8: (reader) => ({ kind: "sealed", push: readSealed(reader.message()) }),
  9: (reader) => ({ kind: "history", step: JSON.parse(reader.text) }),
  10: (reader) => ({ kind: "historyRemove", id: reader.number }),
  11: (reader) => ({ kind: "fresh", record: readRecord(reader.message()) }),
  12: () => ({ kind: "freshDone" }),
  13: (reader) => ({ kind: "lost", record: readRecord(reader.message()) }),
  14: (reader) => ({ kind: "found", name: readName(reader.message()) }),
  15: (reader) => ({ kind: "forget", name: readName(reader.message()) }),
  16: (reader) => ({ kind: "freshForget", name: readName(reader.message()) }),
};

/** Decodes an entry of the log. Throws for an operation of a later version, which must not be passed over. */
export function* decodeEntry(bytes: Uint8Array): Iterable<Operation> {
  const reader = new Reader(bytes);
  while (reader.next()) {
    const read = readers[reader.field];
    if (read === undefined) throw new Error("the replica was written by a later version of this client");
    yield read(reader);
  }
}
