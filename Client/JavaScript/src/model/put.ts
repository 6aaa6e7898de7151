import { type Binary, binary16 } from "../bytes/binary.ts";
import { MalformedMessage, Reader, type Whole, Writer } from "../bytes/protobuf.ts";

/** A stored to-one relationship and the record that it refers to, visible or not. */
export interface Reference {
  readonly relationship: number;
  readonly target: Binary;
}

/** The value of one attribute in the form in which it is stored and sent. `null` is an explicit nil. */
export type RawValue =
  | { readonly form: "null" }
  | { readonly form: "text"; readonly value: string; readonly isMalformed?: boolean }
  | { readonly form: "integer"; readonly value: Whole }
  | { readonly form: "real"; readonly value: number }
  | { readonly form: "boolean"; readonly value: boolean }
  | { readonly form: "bytes"; readonly value: Uint8Array };

export const explicitNull: RawValue = { form: "null" };

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function isUTF8(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte < 128) continue;
    try {
      strict.decode(bytes);
      return true;
    } catch {
      return false;
    }
  }
  return true;
}

function readReference(reader: Reader): Reference {
  let relationship = 0, target: Binary | undefined;
  while (reader.next()) {
    if (reader.field === 1 && reader.wire === 0) relationship = reader.number;
    else if (reader.field === 2 && reader.wire === 2) {
      if (reader.to - reader.from !== 16) throw new MalformedMessage();
      target = binary16(reader.source, reader.from);
    }
  }
  if (target === undefined || relationship > 0xffffffff) throw new MalformedMessage();
  return { relationship, target };
}

/** Reads the references of an encoded `Put`. */
export function readReferences(put: Uint8Array): Reference[] {
  const references: Reference[] = [];
  const reader = new Reader(put);
  while (reader.next()) {
    if (reader.field === 1 && reader.wire === 2) references.push(readReference(reader.message()));
  }
  return references;
}

function readField(reader: Reader): [property: number, value: RawValue] {
  let property = 0;
  let value: RawValue = explicitNull;
  while (reader.next()) {
    if (reader.field === 1 && reader.wire === 0) property = reader.number;
    else if (reader.field === 2 && reader.wire === 2) {
      value = isUTF8(reader.bytes)
        ? { form: "text", value: reader.text }
        : { form: "text", value: reader.text, isMalformed: true };
    } else if (reader.field === 3 && reader.wire === 0) value = { form: "integer", value: reader.signed };
    else if (reader.field === 4 && reader.wire === 1) value = { form: "real", value: reader.double };
    else if (reader.field === 5 && reader.wire === 0) {
      value = { form: "boolean", value: reader.low !== 0 || reader.high !== 0 };
    } else if (reader.field === 6 && reader.wire === 2) value = { form: "bytes", value: reader.bytes };
  }
  if (property > 0xffffffff) throw new MalformedMessage();
  return [property, value];
}

/** Reads the attributes of an encoded `Put` by their numbers. Of two values of one number the last one counts. */
export function readAttributes(put: Uint8Array): Map<number, RawValue> {
  const values = new Map<number, RawValue>();
  const reader = new Reader(put);
  let content: Reader | undefined;
  while (reader.next()) if (reader.field === 2 && reader.wire === 2) content = reader.message();
  while (content?.next()) {
    if (content.field !== 1 || content.wire !== 2) continue;
    const [property, value] = readField(content.message());
    values.set(property, value);
  }
  return values;
}

function writeReference(writer: Writer, reference: Reference, others?: Uint8Array): void {
  writer.message(1, () => {
    writer.unsigned(1, reference.relationship);
    writer.binary(2, reference.target);
    if (others) writer.raw(others);
  });
}

function writeValue(writer: Writer, value: RawValue): void {
  switch (value.form) {
    case "null":
      break;
    case "text":
      writer.text(2, value.value);
      break;
    case "integer":
      writer.signed(3, value.value);
      break;
    case "real":
      writer.double(4, value.value);
      break;
    case "boolean":
      writer.unsigned(5, value.value ? 1 : 0);
      break;
    case "bytes":
      writer.bytes(6, value.value);
  }
}

function writeField(writer: Writer, property: number, value: RawValue): void {
  writer.message(1, () => {
    writer.unsigned(1, property);
    writeValue(writer, value);
  });
}

/**
 * New values for some properties of a put. All other parts of the put keep their bytes: fields that this version does
 * not know, the order of fields, and numbers in longer encodings than they need.
 */
export interface Revision {
  /** The new targets of references. `undefined` leaves the reference out. */
  references: Map<number, Binary | undefined>;
  /** The new values of attributes. `undefined` leaves the attribute out; `explicitNull` is an explicit nil. */
  attributes: Map<number, RawValue | undefined>;
}

export function emptyRevision(): Revision {
  return { references: new Map(), attributes: new Map() };
}

/** Encodes a put of just the values of a revision, in canonical form (protocol.md §5.3). */
export function encodePut(revision: Revision): Uint8Array {
  return revise(new Uint8Array(0), revision);
}

/**
 * Revises a put.
 *
 * @returns The bytes of the revised put, which are canonical if those of the put are.
 * @throws MalformedMessage for bytes that are not a valid `Put`.
 */
export function revise(put: Uint8Array, revision: Revision): Uint8Array {
  if (revision.references.size === 0 && revision.attributes.size === 0) return put;
  return new RevisionPass(put, revision).run();
}

/** A pass over a put's bytes that writes the revised put. */
class RevisionPass {
  readonly #put: Uint8Array;
  readonly #revision: Revision;
  readonly #writer: Writer;
  /** Properties to insert because the put does not have them, in ascending order. */
  readonly #newReferences: Reference[] = [];
  readonly #newAttributes: [number, RawValue][] = [];
  readonly #written = new Set<string>();
  #contents = 0;

  constructor(put: Uint8Array, revision: Revision) {
    this.#put = put;
    this.#revision = revision;
    this.#writer = new Writer(put.length + 64);
    const references = new Set<number>();
    const reader = new Reader(put);
    while (reader.next()) {
      if (reader.wire !== 2) continue;
      if (reader.field === 1) references.add(readReference(reader.message()).relationship);
      else if (reader.field === 2) this.#contents++;
    }
    const attributes = this.#contents > 0 ? allAttributes(put) : new Set<number>();
    for (const [relationship, target] of revision.references) {
      if (target !== undefined && !references.has(relationship)) this.#newReferences.push({ relationship, target });
    }
    for (const [property, value] of revision.attributes) {
      if (value !== undefined && !attributes.has(property)) this.#newAttributes.push([property, value]);
    }
    this.#newReferences.sort((a, b) => a.relationship - b.relationship);
    this.#newAttributes.sort((a, b) => a[0] - b[0]);
  }

  run(): Uint8Array {
    const reader = new Reader(this.#put);
    while (reader.next()) {
      if (reader.wire === 2 && reader.field === 1) this.#reference(reader);
      else if (reader.wire === 2 && reader.field === 2) {
        this.#contents--;
        this.#writeNewReferences(Infinity);
        this.#content(reader, this.#contents === 0);
      } else {
        // Unknown fields come after the known ones.
        if (reader.field > 2 && this.#contents === 0) this.#writeRest();
        this.#writer.raw(reader.raw);
      }
    }
    this.#writeRest();
    return this.#writer.finish();
  }

  #reference(reader: Reader): void {
    const { relationship } = readReference(reader.message());
    this.#writeNewReferences(relationship);
    if (!this.#revision.references.has(relationship)) return this.#writer.raw(reader.raw);
    const target = this.#revision.references.get(relationship);
    if (target === undefined || this.#written.has(`r${relationship}`)) return;
    this.#written.add(`r${relationship}`);
    writeReference(this.#writer, { relationship, target }, others(reader.message(), 2));
  }

  #writeNewReferences(before: number): void {
    while (this.#newReferences.length > 0 && this.#newReferences[0].relationship < before) {
      writeReference(this.#writer, this.#newReferences.shift()!);
    }
  }

  #content(reader: Reader, isLast: boolean): void {
    const inner = new Writer(reader.to - reader.from + 32);
    const fields = reader.message();
    while (fields.next()) {
      if (fields.field !== 1 || fields.wire !== 2) {
        inner.raw(fields.raw);
        continue;
      }
      const [property] = readField(fields.message());
      if (isLast) this.#writeNewAttributes(property, inner);
      if (this.#revision.attributes.has(property)) this.#attribute(property, fields, inner);
      else inner.raw(fields.raw);
    }
    if (isLast) this.#writeNewAttributes(Infinity, inner);
    // The canonical form has no empty content. One that was empty before stays.
    if (inner.length > 0) this.#writer.bytes(2, inner.finish());
    else if (reader.to === reader.from) this.#writer.raw(reader.raw);
  }

  #attribute(property: number, field: Reader, inner: Writer): void {
    const value = this.#revision.attributes.get(property);
    if (value === undefined || this.#written.has(`a${property}`)) return;
    this.#written.add(`a${property}`);
    const companions = hasKnownValue(field.message()) ? others(field.message(), 6) : new Uint8Array(0);
    if (value.form === "null" || companions.length === 0) return writeField(inner, property, value);
    // The value comes last: of two values of a message the last one counts, and an unknown companion may be a value.
    const message = new Writer(64);
    message.unsigned(1, property);
    message.raw(companions);
    writeValue(message, value);
    inner.bytes(1, message.finish());
  }

  #writeNewAttributes(before: number, inner: Writer): void {
    while (this.#newAttributes.length > 0 && this.#newAttributes[0][0] < before) {
      writeField(inner, ...this.#newAttributes.shift()!);
    }
  }

  #writeRest(): void {
    this.#writeNewReferences(Infinity);
    if (this.#newAttributes.length === 0) return;
    this.#writer.message(2, () => this.#writeNewAttributes(Infinity, this.#writer));
  }
}

function allAttributes(put: Uint8Array): Set<number> {
  const found = new Set<number>();
  const reader = new Reader(put);
  while (reader.next()) {
    if (reader.field !== 2 || reader.wire !== 2) continue;
    const content = reader.message();
    while (content.next()) if (content.field === 1 && content.wire === 2) found.add(readField(content.message())[0]);
  }
  return found;
}

function hasKnownValue(field: Reader): boolean {
  while (field.next()) if (field.field >= 2 && field.field <= 6) return true;
  return false;
}

/** The fields of a message with numbers above `last`, as encoded. */
function others(message: Reader, last: number): Uint8Array {
  const writer = new Writer(16);
  while (message.next()) if (message.field > last) writer.raw(message.raw);
  return writer.finish();
}

/** Reads one attribute of an encoded `Put` without reading the values of the others. */
export function readAttribute(put: Uint8Array, property: number): RawValue | undefined {
  const reader = new Reader(put);
  let from = -1, to = 0;
  while (reader.next()) {
    if (reader.field !== 2 || reader.wire !== 2) continue;
    from = reader.from;
    to = reader.to;
  }
  if (from < 0) return undefined;
  const content = new Reader(put, from, to);
  let value: RawValue | undefined;
  while (content.next()) {
    if (content.field !== 1 || content.wire !== 2) continue;
    // In the canonical form the number comes first, and most numbers are below 128.
    const number = put[content.from + 1];
    if (put[content.from] === 8 && number < 128 && number !== property) continue;
    const [found, read] = readField(content.message());
    if (found === property) value = read;
  }
  return value;
}

/** The value tags of a `Field` message by the forms that need no look at the value. */
export const plainTags = { text: 0x12, integer: 0x18, boolean: 0x28, bytes: 0x32 } as const;

/**
 * Whether a put certainly has the right form of every attribute, as most puts do.
 *
 * @param tags The tag that the value of each property has to have.
 * @param required The properties that must have a value.
 * @returns `false` where a closer look is needed.
 */
export function isPlain(put: Uint8Array, tags: ReadonlyMap<number, number>, required: ReadonlySet<number>): boolean {
  const reader = new Reader(put);
  let found = 0;
  while (reader.next()) {
    if (reader.wire !== 2 || reader.field > 2) return false;
    if (reader.field === 1) continue;
    const content = reader.message();
    let last = 0;
    while (content.next()) {
      const { from, to } = content;
      const property = put[from + 1];
      if (content.field !== 1 || content.wire !== 2 || put[from] !== 8 || property > 127 || property <= last) {
        return false;
      }
      if (to - from < 3 || put[from + 2] !== tags.get(property)) return false;
      last = property;
      if (required.has(property)) found++;
    }
  }
  return found === required.size;
}
