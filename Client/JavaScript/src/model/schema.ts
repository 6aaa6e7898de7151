import { RoostError } from "../protocol/errors.ts";
import { type Binary, binary16, uuidText } from "../bytes/binary.ts";
import { sha256 } from "../bytes/sha256.ts";
import type { RawValue } from "./put.ts";
import { readSchema } from "./schema-reader.ts";

export type AttributeType =
  | "string"
  | "integer"
  | "double"
  | "boolean"
  | "date"
  | "timestamp"
  | "uuid"
  | "data"
  | "json";
export type RelationshipKind = "toOne" | "toMany" | "manyToMany";
export type DeleteRule = "nullify" | "cascade" | "deny" | "noAction";

export interface Attribute {
  readonly id: number;
  readonly name: string;
  readonly type: AttributeType;
  readonly optional: boolean;
  readonly defaultValue: RawValue | undefined;
  readonly widens: AttributeType | undefined;
}

export interface Relationship {
  readonly id: number;
  readonly name: string;
  readonly kind: RelationshipKind;
  readonly destination: string;
  readonly inverse: string;
  readonly deleteRule: DeleteRule;
  readonly optional: boolean;
  readonly tree: boolean;
  readonly single: boolean;
  readonly orderedBy: string | undefined;
}

export interface Entity {
  readonly id: number;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly relationships: readonly Relationship[];
  readonly isLink: boolean;
}

/** A link entity of a many-to-many relationship as one end sees it. */
export interface LinkEnd {
  readonly entity: Entity;
  /** The property of the link that refers to the record at this end: 1 `source`, 2 `target`. */
  readonly own: 1 | 2;
  readonly other: 1 | 2;
}

/** The model of a scope's records (protocol.md §8.6). */
export class Schema {
  readonly name: string;
  readonly version: number;
  readonly minimumVersion: number;
  /** The text of the file, which is kept as it is. */
  readonly text: string;
  /** Declared entities, and the link entities of many-to-many relationships, by their numbers. */
  readonly entities: ReadonlyMap<number, Entity>;
  readonly #byName = new Map<string, Entity>();

  /** Reads a schema file. Throws `schema_invalid`, which names every problem. */
  static parse(text: string): Schema {
    const { schema, problems } = readSchema(text);
    if (schema === undefined || problems.length > 0) {
      throw new RoostError("schema_invalid", `Cannot use the schema: ${problems.join(" ")}`, "Correct the file.");
    }
    return new Schema(schema, text);
  }

  private constructor(
    parts: { name: string; version: number; minimumVersion: number; entities: Entity[] },
    text: string,
  ) {
    this.name = parts.name;
    this.version = parts.version;
    this.minimumVersion = parts.minimumVersion;
    this.text = text;
    for (const entity of parts.entities) this.#byName.set(entity.name.toLowerCase(), entity);
    const all = new Map(parts.entities.map((entity) => [entity.id, entity]));
    for (const entity of parts.entities) {
      for (const relationship of entity.relationships) {
        if (relationship.kind !== "manyToMany" || !this.#ownsLink(entity, relationship)) continue;
        const link = linkEntity(entity, relationship);
        all.set(link.id, link);
        this.#byName.set(link.name.toLowerCase(), link);
      }
    }
    this.entities = all;
  }

  entity(name: string): Entity | undefined {
    return this.#byName.get(name.toLowerCase());
  }

  relationship(entity: string, name: string): Relationship | undefined {
    return this.entity(entity)?.relationships.find((each) => sameName(each.name, name));
  }

  #ownsLink(entity: Entity, relationship: Relationship): boolean {
    const other = this.entity(relationship.destination);
    const inverse = this.relationship(relationship.destination, relationship.inverse);
    if (other === undefined || inverse === undefined) return true;
    return entity.id !== other.id ? entity.id < other.id : relationship.id <= inverse.id;
  }

  /** The link entity of a many-to-many relationship, from the side of `entity`. */
  linkEnd(entity: Entity, relationship: Relationship): LinkEnd {
    if (this.#ownsLink(entity, relationship)) {
      return { entity: this.entities.get(entity.id * 65536 + relationship.id)!, own: 1, other: 2 };
    }
    const owner = this.entity(relationship.destination)!;
    const inverse = this.relationship(owner.name, relationship.inverse)!;
    return { entity: this.entities.get(owner.id * 65536 + inverse.id)!, own: 2, other: 1 };
  }
}

export function sameName(left: string, right: string): boolean {
  return left === right || left.toLowerCase() === right.toLowerCase();
}

function linkEntity(owner: Entity, relationship: Relationship): Entity {
  const end = (id: number, name: string, destination: string, inverse: string): Relationship => ({
    id,
    name,
    kind: "toOne",
    destination,
    inverse,
    deleteRule: "nullify",
    optional: false,
    tree: false,
    single: false,
    orderedBy: undefined,
  });
  return {
    id: owner.id * 65536 + relationship.id,
    name: `${owner.name}_${relationship.name}`,
    attributes: [],
    relationships: [
      end(1, "source", owner.name, relationship.name),
      end(2, "target", relationship.destination, relationship.inverse),
    ],
    isLink: true,
  };
}

/** Derives the identifier of a link from its ends, so that a link made twice is one record (protocol.md §8.6). */
export function linkID(link: number, source: Binary, target: Binary): Binary {
  const parts = ["roost-link", String(link), uuidText(source), uuidText(target)];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
  let at = 0;
  for (const part of parts) {
    new DataView(bytes.buffer).setUint32(at, part.length);
    at += 4;
    for (let index = 0; index < part.length; index++) bytes[at++] = part.charCodeAt(index);
  }
  return binary16(sha256(bytes), 0);
}
