import { uuidText } from "../bytes/binary.ts";
import type { StoredRecord } from "../merge/graph.ts";
import { readAttribute } from "../model/put.ts";
import { readValue } from "../model/values.ts";
import type { Reading } from "../replica/reading.ts";
import type { Names } from "./paths.ts";

/** The parts that records of one replica share. */
export interface RecordSource {
  readonly reading: Reading;
  readonly names: Names;
}

const stored = new WeakMap<object, StoredRecord>();

/** The stored record of a record that a program holds; `undefined` for another object. */
export function storedRecord(record: object): StoredRecord | undefined {
  return stored.get(record);
}

/**
 * Makes records for programs: one class for each entity, with a getter for each property.
 *
 * Attributes are read from the put that was current when the record was made. Relationships are read from the replica
 * as it is when the property is read.
 */
export class RecordFactory {
  readonly #source: RecordSource;
  readonly #prototypes = new Map<number, object>();

  constructor(source: RecordSource) {
    this.#source = source;
  }

  make(record: StoredRecord): { readonly id: string } {
    let prototype = this.#prototypes.get(record.entity);
    if (prototype === undefined) this.#prototypes.set(record.entity, prototype = this.#prototype(record.entity));
    const made = Object.create(prototype) as { id: string };
    Object.defineProperty(made, "id", { value: uuidText(record.id), enumerable: true });
    stored.set(made, record);
    contents.set(made, record.current.put!.bytes);
    return made;
  }

  #prototype(number: number): object {
    const { reading, names } = this.#source;
    const entity = reading.model.schema.entities.get(number)!;
    const prototype: object = {};
    for (const [name, property] of names.properties(entity)) {
      const get = "type" in property
        ? (made: object) => readValue(property, readAttribute(contents.get(made)!, property.id))
        : property.kind === "toOne" || property.single
        ? (made: object) => this.#made(reading.one(stored.get(made)!, entity, property))
        : (made: object) => reading.many(stored.get(made)!, entity, property).map((each) => this.make(each));
      Object.defineProperty(prototype, name, {
        enumerable: true,
        get(this: object) {
          return get(this);
        },
      });
    }
    Object.defineProperty(prototype, "toJSON", {
      value(this: { id: string } & Record<string, unknown>) {
        const json: Record<string, unknown> = { id: this.id };
        for (const [name, property] of names.properties(entity)) {
          if ("type" in property) json[name] = jsonValue(this[name]);
          else if (property.kind === "toOne") json[name] = (this[name] as { id: string } | null)?.id ?? null;
        }
        return json;
      },
    });
    return prototype;
  }

  #made(record: StoredRecord | undefined): object | null {
    return record === undefined ? null : this.make(record);
  }
}

const contents = new WeakMap<object, Uint8Array>();

function jsonValue(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? btoa(String.fromCharCode(...value)) : value;
}
