/** A reader and a writer of Protocol Buffers (proto3), as far as protocol.md §5 uses them. */

/** Thrown for bytes that are not a valid message. */
export class MalformedMessage extends Error {
  constructor(reason = "the bytes are not a valid message") {
    super(reason);
  }
}

/** A 64-bit whole number: a `number` where that is exact, a `bigint` beyond ±(2^53 − 1). */
export type Whole = number | bigint;

const encoder = new TextEncoder();

/** Writes fields one after another into a growing buffer. */
export class Writer {
  #bytes: Uint8Array;
  #count = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#count;
  }

  /** A copy of the bytes written so far. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#count);
  }

  #reserve(more: number): void {
    if (this.#count + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#count + more));
    larger.set(this.#bytes.subarray(0, this.#count));
    this.#bytes = larger;
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#count);
    this.#count += bytes.length;
  }

  /** Writes an unsigned number below 2^53. */
  varint(value: number): void {
    this.#reserve(8);
    while (value > 127) {
      this.#bytes[this.#count++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    this.#bytes[this.#count++] = value;
  }

  #bigVarint(value: bigint): void {
    this.#reserve(10);
    while (value > 127n) {
      this.#bytes[this.#count++] = Number(value & 127n) | 128;
      value >>= 7n;
    }
    this.#bytes[this.#count++] = Number(value);
  }

  /** Writes a field of type `uint32`, `uint64` or `bool`. */
  unsigned(field: number, value: number): void {
    this.varint(field << 3);
    this.varint(value);
  }

  /** Writes a field of type `sint64`. */
  signed(field: number, value: Whole): void {
    this.varint(field << 3);
    if (typeof value === "number" && Math.abs(value) < 2 ** 52) {
      this.varint(value < 0 ? -2 * value - 1 : 2 * value);
    } else {
      const whole = BigInt.asIntN(64, BigInt(value));
      this.#bigVarint(BigInt.asUintN(64, (whole << 1n) ^ (whole >> 63n)));
    }
  }

  double(field: number, value: number): void {
    this.varint((field << 3) | 1);
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#count, value, true);
    this.#count += 8;
  }

  bytes(field: number, value: Uint8Array): void {
    this.varint((field << 3) | 2);
    this.varint(value.length);
    this.raw(value);
  }

  /** Writes a message whose fields `body` writes. Its length is inserted afterwards. */
  message(field: number, body: () => void): void {
    this.varint((field << 3) | 2);
    this.#reserve(1);
    const start = ++this.#count;
    body();
    const length = this.#count - start;
    if (length > 127) {
      // Most messages are shorter, and have room for their length already.
      let extra = 0;
      for (let rest = length; rest > 127; rest = Math.floor(rest / 128)) extra++;
      this.#reserve(extra);
      this.#bytes.copyWithin(start + extra, start, this.#count);
      this.#count = start - 1;
      this.varint(length);
      this.#count = start + extra + length;
    } else this.#bytes[start - 1] = length;
  }

  /** Writes a binary string as a field of bytes. */
  binary(field: number, value: string): void {
    this.varint((field << 3) | 2);
    this.varint(value.length);
    this.#reserve(value.length);
    for (let index = 0; index < value.length; index++) this.#bytes[this.#count++] = value.charCodeAt(index);
  }

  text(field: number, value: string): void {
    // Short texts, as most are, are written without a buffer of their own where they are ASCII.
    if (value.length < 64) {
      let isPlain = true;
      for (let index = 0; index < value.length; index++) if (value.charCodeAt(index) > 127) isPlain = false;
      if (isPlain) return this.binary(field, value);
    }
    this.bytes(field, encoder.encode(value));
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes UTF-8. U+FFFD stands for each maximal part that is none (Unicode §3.9). */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length < 32) {
    let text = "";
    for (let index = 0; index < bytes.length; index++) {
      if (bytes[index] > 127) return decoder.decode(bytes);
      text += String.fromCharCode(bytes[index]);
    }
    return text;
  }
  return decoder.decode(bytes);
}

/**
 * Reads the fields of a message in the order written.
 *
 * `next` moves to a field and leaves its number in `field` and its form in `wire`: 0 a varint, 1 eight bytes, 2 bytes,
 * 5 four bytes. The value of a varint is in `low` and `high`; that of bytes is `from` to `to`.
 */
export class Reader {
  readonly source: Uint8Array;
  position: number;
  readonly end: number;
  field = 0;
  wire = 0;
  /** Offset of the field's tag. */
  start = 0;
  from = 0;
  to = 0;
  low = 0;
  high = 0;

  constructor(source: Uint8Array, position = 0, end = source.length) {
    this.source = source;
    this.position = position;
    this.end = end;
  }

  next(): boolean {
    if (this.position >= this.end) return false;
    this.start = this.position;
    this.#varint();
    const tag = this.number;
    this.field = Math.floor(tag / 8);
    this.wire = tag % 8;
    if (this.field < 1 || this.field > 0x1fffffff) throw new MalformedMessage();
    switch (this.wire) {
      case 0:
        this.#varint();
        break;
      case 1:
        this.#span(8);
        break;
      case 2: {
        this.#varint();
        if (this.high !== 0) throw new MalformedMessage();
        this.#span(this.low);
        break;
      }
      case 5:
        this.#span(4);
        break;
      default:
        throw new MalformedMessage();
    }
    return true;
  }

  #span(count: number): void {
    if (count > this.end - this.position) throw new MalformedMessage();
    this.from = this.position;
    this.position += count;
    this.to = this.position;
  }

  #varint(): void {
    const bytes = this.source;
    let low = 0, high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= this.end) throw new MalformedMessage();
      const byte = bytes[this.position++];
      const part = byte & 127;
      if (shift < 28) low |= part << shift;
      else if (shift === 28) {
        low |= (part & 15) << 28;
        high = part >>> 4;
      } else if (shift < 63) high |= part << (shift - 32);
      else if (byte > 1) throw new MalformedMessage();
      else high |= part << 31;
      if (byte < 128) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw new MalformedMessage();
  }

  /** The varint as an unsigned number. Beyond 2^53 it is not exact. */
  get number(): number {
    return this.high * 2 ** 32 + this.low;
  }

  /** The varint as a number of type `sint64`. */
  get signed(): Whole {
    if (this.high < 2 ** 21) {
      const value = this.number;
      return value % 2 === 1 ? -((value + 1) / 2) : value / 2;
    }
    const value = (BigInt(this.high) << 32n) | BigInt(this.low);
    const whole = BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    return whole >= -9007199254740991n && whole <= 9007199254740991n ? Number(whole) : whole;
  }

  get double(): number {
    return new DataView(this.source.buffer, this.source.byteOffset + this.from, 8).getFloat64(0, true);
  }

  get bytes(): Uint8Array {
    return this.source.subarray(this.from, this.to);
  }

  get text(): string {
    return decodeText(this.bytes);
  }

  /** The field with its tag. */
  get raw(): Uint8Array {
    return this.source.subarray(this.start, this.position);
  }

  /** A reader of the field's bytes. */
  message(): Reader {
    return new Reader(this.source, this.from, this.to);
  }
}
