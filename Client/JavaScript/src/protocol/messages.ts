import { type Binary, binary, binary16 } from "../bytes/binary.ts";
import { MalformedMessage, Reader, Writer } from "../bytes/protobuf.ts";
import type { Change, Slots } from "../merge/slots.ts";

/** A record as pages and replies name it, with its slots. */
export interface WireRecord {
  readonly entity: number;
  readonly id: Binary;
  readonly slots: Slots;
  /** The encoded message, where the record was read from one. */
  readonly raw?: Uint8Array;
}

export interface RecordName {
  readonly entity: number;
  readonly id: Binary;
}

/** A page of changes (protocol.md §7.2). */
export interface Page {
  readonly records: WireRecord[];
  readonly checkpoint: Uint8Array;
  readonly hasMore: boolean;
  /** 32 hexadecimal digits, on the last page only. */
  readonly digest: string | undefined;
  readonly schemaVersion: number;
  readonly serverTime: number;
  readonly purged: RecordName[];
}

export interface Outcome {
  readonly index: number;
  readonly kind: "beaten" | "replaced";
  readonly other: Binary;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly index: number | undefined;
}

export interface PushResult {
  readonly sequence: number;
  readonly outcomes: Outcome[];
  readonly isStaged: boolean;
  readonly refused: Refusal | undefined;
}

export interface PushReply {
  readonly number: number;
  readonly results: PushResult[];
  readonly current: WireRecord[];
  readonly page: Page | undefined;
}

function sixteen(reader: Reader): Binary {
  if (reader.wire !== 2 || reader.to - reader.from !== 16) throw new MalformedMessage("an identifier has not 16 bytes");
  return binary16(reader.source, reader.from);
}

function readRecord(reader: Reader): WireRecord {
  const raw = reader.source.subarray(reader.position, reader.end);
  let entity = 0, id: Binary | undefined, stamp: Binary | undefined, base = "", del: Binary | undefined;
  let put: Uint8Array | undefined;
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        entity = reader.number;
        break;
      case 2:
        id = sixteen(reader);
        break;
      case 3:
        stamp = sixteen(reader);
        break;
      case 4:
        put = reader.bytes;
        break;
      case 5:
        base = sixteen(reader);
        break;
      case 6:
        del = sixteen(reader);
    }
  }
  if (id === undefined || (stamp === undefined && del === undefined)) {
    throw new MalformedMessage("a record has no slot");
  }
  const slot = stamp === undefined ? undefined : { stamp, base, bytes: put ?? new Uint8Array(0) };
  return { entity, id, slots: { put: slot, del }, raw };
}

function writeRecord(writer: Writer, field: number, record: WireRecord): void {
  if (record.raw !== undefined) return writer.bytes(field, record.raw);
  writer.message(field, () => {
    writer.unsigned(1, record.entity);
    writer.binary(2, record.id);
    const { put, del } = record.slots;
    if (put !== undefined) {
      writer.binary(3, put.stamp);
      writer.bytes(4, put.bytes);
      if (put.base !== "") writer.binary(5, put.base);
    }
    if (del !== undefined) writer.binary(6, del);
  });
}

function readName(reader: Reader): RecordName {
  let entity = 0, id: Binary | undefined;
  while (reader.next()) {
    if (reader.field === 1) entity = reader.number;
    else if (reader.field === 2) id = sixteen(reader);
  }
  if (id === undefined) throw new MalformedMessage("a purged record has no identifier");
  return { entity, id };
}

/** Decodes a page. Throws `MalformedMessage` for bytes that are none. */
export function decodePage(reader: Reader): Page {
  const page = {
    records: [] as WireRecord[],
    checkpoint: new Uint8Array(0) as Uint8Array,
    hasMore: false,
    digest: undefined as string | undefined,
    schemaVersion: 0,
    serverTime: 0,
    purged: [] as RecordName[],
  };
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        page.records.push(readRecord(reader.message()));
        break;
      case 2:
        page.checkpoint = reader.bytes.slice();
        break;
      case 3:
        page.hasMore = reader.low !== 0;
        break;
      case 4:
        page.digest = Array.from(sixteen(reader), (each) => each.charCodeAt(0).toString(16).padStart(2, "0")).join("");
        break;
      case 5:
        page.schemaVersion = reader.number;
        break;
      case 6:
        page.serverTime = reader.number;
        break;
      case 7:
        page.purged.push(readName(reader.message()));
    }
  }
  if (page.checkpoint.length < 1 || page.checkpoint.length > 64) throw new MalformedMessage("a page has no checkpoint");
  if (page.hasMore === (page.digest !== undefined)) throw new MalformedMessage("a page has no digest, or one too many");
  return page;
}

function readOutcome(reader: Reader): Outcome {
  let index = 0, kind = 0, other = "";
  while (reader.next()) {
    if (reader.field === 1) index = reader.number;
    else if (reader.field === 2) kind = reader.number;
    else if (reader.field === 3) other = sixteen(reader);
  }
  return { index, kind: kind === 1 ? "beaten" : "replaced", other };
}

function readRefusal(reader: Reader): Refusal {
  let code = "", message = "", index: number | undefined;
  while (reader.next()) {
    if (reader.field === 1) code = reader.text;
    else if (reader.field === 2) message = reader.text;
    else if (reader.field === 3) index = reader.number === 0 ? undefined : reader.number - 1;
  }
  return { code, message, index };
}

function readResult(reader: Reader): PushResult {
  const result = {
    sequence: 0,
    outcomes: [] as Outcome[],
    isStaged: false,
    refused: undefined as Refusal | undefined,
  };
  while (reader.next()) {
    if (reader.field === 1) result.sequence = reader.number;
    else if (reader.field === 2) result.outcomes.push(readOutcome(reader.message()));
    else if (reader.field === 3) result.isStaged = reader.low !== 0;
    else if (reader.field === 4) result.refused = readRefusal(reader.message());
  }
  return result;
}

/** Decodes the reply to a push. Throws `MalformedMessage` for bytes that are none. */
export function decodePushReply(bytes: Uint8Array): PushReply {
  const reader = new Reader(bytes);
  const reply = {
    number: 0,
    results: [] as PushResult[],
    current: [] as WireRecord[],
    page: undefined as Page | undefined,
  };
  while (reader.next()) {
    if (reader.field === 1) reply.number = reader.number;
    else if (reader.field === 2) reply.results.push(readResult(reader.message()));
    else if (reader.field === 3) reply.current.push(readRecord(reader.message()));
    else if (reader.field === 5) {
      try {
        reply.page = decodePage(reader.message());
      } catch {
        // The push is stored whatever its page is; a pull brings the page again.
        reply.page = undefined;
      }
    }
  }
  return reply;
}

export function writeChange(writer: Writer, field: number, change: Change): void {
  writer.message(field, () => {
    writer.unsigned(1, change.entity);
    writer.binary(2, change.id);
    writer.binary(3, change.stamp);
    if (change.put !== undefined) writer.bytes(4, change.put);
    if (change.base !== "") writer.binary(5, change.base);
    if (change.put === undefined) writer.unsigned(6, 1);
  });
}

export function readChange(reader: Reader): Change {
  let entity = 0, id = "", stamp = "", base = "", put: Uint8Array | undefined;
  while (reader.next()) {
    if (reader.field === 1) entity = reader.number;
    else if (reader.field === 2) id = sixteen(reader);
    else if (reader.field === 3) stamp = sixteen(reader);
    else if (reader.field === 4) put = reader.bytes;
    else if (reader.field === 5) base = sixteen(reader);
  }
  return { entity, id, stamp, base, put };
}

/** Encodes the body of a push. */
export function encodePush(
  number: number,
  checkpoint: Uint8Array,
  transactions: { changes: readonly Change[]; continues: boolean }[],
): Uint8Array {
  const writer = new Writer(4096);
  writer.unsigned(1, number);
  if (checkpoint.length > 0) writer.bytes(2, checkpoint);
  for (const { changes, continues } of transactions) {
    writer.message(3, () => {
      for (const change of changes) writeChange(writer, 1, change);
      if (continues) writer.unsigned(2, 1);
    });
  }
  return writer.finish();
}

/** Encodes the body of a request that brings back what the server lost (protocol.md §7.7). */
export function encodeRecover(records: WireRecord[]): Uint8Array {
  const writer = new Writer(records.length * 128);
  for (const record of records) writeRecord(writer, 1, record);
  return writer.finish();
}

export function decodeRecoverReply(bytes: Uint8Array): { stored: number; purged: RecordName[] } {
  const reader = new Reader(bytes);
  const reply = { stored: 0, purged: [] as RecordName[] };
  while (reader.next()) {
    if (reader.field === 1) reply.stored = reader.number;
    else if (reader.field === 3) reply.purged.push(readName(reader.message()));
  }
  return reply;
}

export { binary, readName, readRecord, writeRecord };
