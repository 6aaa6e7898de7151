import { uuidText } from "../bytes/binary.ts";
import type { StoredRecord } from "../merge/graph.ts";
import { readAttribute } from "../model/put.ts";
import type { Attribute } from "../model/schema.ts";
import { readValue, type Value } from "../model/values.ts";
import type { Reading } from "../replica/reading.ts";
import type { Names } from "./paths.ts";

/** The parts that records of one replica share. */
export interface RecordSource {
  readonly reading: Reading;
  readonly names: Names;
}

/** A record for programs. A subclass for each entity has a getter for each property. */
class RecordView {
  readonly #record: StoredRecord;
  readonly #put: Uint8Array;
  #id: string | undefined;

  constructor(record: StoredRecord) {
    this.#record = record;
    this.#put = record.current.put!.bytes;
  }

  get id(): string {
    return this.#id ??= uuidText(this.#record.id);
  }

  static stored(view: RecordView): StoredRecord {
    return view.#record;
  }

  static value(view: RecordView, attribute: Attribute): Value {
    return readValue(attribute, readAttribute(view.#put, attribute.id));
  }
}

/**
 * Makes records for programs.
 *
 * Attributes are read from the put that was current when the record was made. Relationships are read from the replica
 * as it is when the property is read.
 */
export class RecordFactory {
  readonly #source: RecordSource;
  readonly #classes = new Map<number, typeof RecordView>();

  constructor(source: RecordSource) {
    this.#source = source;
  }

  make(record: StoredRecord): { readonly id: string } {
    let made = this.#classes.get(record.entity);
    if (made === undefined) this.#classes.set(record.entity, made = this.#class(record.entity));
    return new made(record);
  }

  #class(number: number): typeof RecordView {
    const { reading, names } = this.#source;
    const entity = reading.model.schema.entities.get(number)!;
    const made = class extends RecordView {};
    const properties = names.properties(entity);
    for (const [name, property] of properties) {
      const get = "type" in property
        ? (view: RecordView) => RecordView.value(view, property)
        : property.kind === "toOne" || property.single
        ? (view: RecordView) => this.#made(reading.one(RecordView.stored(view), entity, property))
        : (view: RecordView) => reading.many(RecordView.stored(view), entity, property).map((each) => this.make(each));
      Object.defineProperty(made.prototype, name, {
        enumerable: true,
        get(this: RecordView) {
          return get(this);
        },
      });
    }
    if (properties.has("toJSON")) return made;
    // The names that a program gives come after those of the schema.
    const written = new Map([...properties].map(([name, property]) => [property, name]));
    Object.defineProperty(made.prototype, "toJSON", {
      value(this: RecordView & Record<string, unknown>) {
        const json: Record<string, unknown> = { id: this.id };
        for (const [property, name] of written) {
          if ("type" in property) json[name] = jsonValue(this[name]);
          else if (property.kind === "toOne") json[name] = (this[name] as { id: string } | null)?.id ?? null;
        }
        return json;
      },
    });
    return made;
  }

  #made(record: StoredRecord | undefined): object | null {
    return record === undefined ? null : this.make(record);
  }
}

function jsonValue(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? btoa(String.fromCharCode(...value)) : value;
}
