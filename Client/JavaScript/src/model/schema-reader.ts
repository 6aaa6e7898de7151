import type { Attribute, AttributeType, DeleteRule, Entity, Relationship, RelationshipKind } from "./schema.ts";
import { defaultValue } from "./values.ts";

type Members = Record<string, unknown>;
interface Parts {
  name: string;
  version: number;
  minimumVersion: number;
  entities: Entity[];
}

const types: AttributeType[] = [
  "string",
  "integer",
  "double",
  "boolean",
  "date",
  "timestamp",
  "uuid",
  "data",
  "json",
];
const kinds: RelationshipKind[] = ["toOne", "toMany", "manyToMany"];
const rules: DeleteRule[] = ["nullify", "cascade", "deny", "noAction"];

/** Reads a schema file and collects every problem with its location and cure. */
export function readSchema(text: string): { schema: Parts | undefined; problems: string[] } {
  let value: unknown;
  try {
    // Whole numbers beyond 2^53 keep their digits where the platform tells their source.
    value = JSON.parse(
      text,
      function (_key, value, context?: { source?: string }) {
        const source = context?.source;
        return typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined &&
            /^-?\d+$/.test(source)
          ? BigInt(source)
          : value;
      } as (this: unknown, key: string, value: unknown) => unknown,
    );
  } catch {
    return { schema: undefined, problems: ["The file is not JSON. Correct the text."] };
  }
  const reader = new SchemaReader();
  const schema = reader.schema(value);
  if (reader.problems.length === 0) reader.validate(schema);
  return { schema, problems: reader.problems };
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

class SchemaReader {
  readonly problems: string[] = [];
  #entity: string | undefined;

  #report(property: string | undefined, reason: string, cure: string): void {
    const at = this.#entity === undefined
      ? "Schema"
      : `Schema entity "${this.#entity}"${property === undefined ? "" : `, property "${property}"`}`;
    this.problems.push(`${at}: ${reason}. ${cure}.`);
  }

  schema(value: unknown): Parts {
    const parts: Parts = { name: "", version: 1, minimumVersion: 1, entities: [] };
    if (!isObject(value)) {
      this.#report(undefined, "the file is not an object", 'Write an object with "format", "name" and "entities"');
      return parts;
    }
    if (value.format !== 1) this.#report(undefined, "the format is not 1", 'Write "format": 1');
    parts.version = this.#count(value, "version", 1_000_000);
    parts.minimumVersion = this.#count(value, "minimumVersion", parts.version);
    parts.name = this.#text(value, "name", undefined);
    if (!/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/.test(parts.name)) {
      this.#report(undefined, "the schema's name cannot be used", "Use 1 to 64 of a-z, A-Z, 0-9, _ and -");
    }
    parts.entities = this.#list(value, "entities").map((each, index) => this.#readEntity(each, index));
    if (parts.entities.length === 0) {
      this.#report(undefined, "there is no entity", 'Declare at least one in "entities"');
    }
    return parts;
  }

  #count(value: Members, name: string, max: number): number {
    const given = value[name] ?? 1;
    if (typeof given === "number" && Number.isInteger(given) && given >= 1 && given <= max) return given;
    this.#report(undefined, `"${name}" is not a whole number from 1 to ${max}`, "Correct it");
    return 1;
  }

  #text(value: Members, name: string, property: string | undefined): string {
    const given = value[name];
    if (typeof given === "string") return given;
    this.#report(property, `"${name}" is missing or no string`, `Give it a "${name}"`);
    return "";
  }

  #list(value: Members, name: string): unknown[] {
    const given = value[name];
    if (Array.isArray(given)) return given;
    if (given !== undefined && given !== null) this.#report(undefined, `"${name}" is no list`, "Write [ … ]");
    return [];
  }

  #flag(value: Members, name: string, property: string, otherwise: boolean): boolean {
    const given = value[name];
    if (given === undefined || given === null) return otherwise;
    if (typeof given !== "boolean") this.#report(property, `"${name}" is no boolean`, "Write true or false");
    return given === true;
  }

  #choice<Choice extends string>(value: Members, name: string, property: string, choices: Choice[]): Choice {
    const given = value[name];
    if (choices.includes(given as Choice)) return given as Choice;
    const list = choices.map((choice) => `"${choice}"`).join(", ");
    this.#report(
      property,
      `"${name}" is ${JSON.stringify(given)?.slice(0, 100) ?? "missing"}`,
      `Choose one of ${list}`,
    );
    return choices[0];
  }

  #id(value: Members, property: string | undefined): number {
    const given = value.id;
    if (typeof given === "number" && Number.isInteger(given) && given >= 1 && given <= 32767) return given;
    this.#report(property, '"id" is no whole number from 1 to 32767', "Give it one that nothing else here has");
    return 0;
  }

  #readEntity(value: unknown, index: number): Entity {
    const empty = { id: 0, name: "", attributes: [], relationships: [], isLink: false };
    this.#entity = isObject(value) && typeof value.name === "string" ? value.name.slice(0, 128) : `number ${index + 1}`;
    if (!isObject(value)) {
      this.#report(undefined, "the entity is no object", "Write { … }");
      return empty;
    }
    const entity: Entity = {
      id: this.#id(value, undefined),
      name: this.#text(value, "name", undefined),
      attributes: this.#list(value, "attributes").filter(isObject).map((each) => this.#attribute(each)),
      relationships: this.#list(value, "relationships").filter(isObject).map((each) => this.#relationship(each)),
      isLink: false,
    };
    this.#entity = undefined;
    return entity;
  }

  #attribute(value: Members): Attribute {
    const name = this.#text(value, "name", undefined);
    const attribute = {
      id: this.#id(value, name),
      name,
      type: this.#choice(value, "type", name, types),
      optional: this.#flag(value, "optional", name, false),
      defaultValue: undefined as Attribute["defaultValue"],
      widens: value.widens === undefined ? undefined : this.#choice(value, "widens", name, types),
    };
    const { type, widens } = attribute;
    const isWidening = (widens === "boolean" && type === "integer") || (widens === "integer" && type === "double");
    if (widens !== undefined && !isWidening) {
      this.#report(name, `the type ${type} cannot widen ${widens}`, "Give the new type a new property");
    }
    if (value.default !== undefined && value.default !== null) {
      const read = defaultValue(attribute, value.default);
      if (typeof read === "string") this.#report(name, `the default ${read}`, `Write a value of the type ${type}`);
      else attribute.defaultValue = read;
    }
    return attribute;
  }

  #relationship(value: Members): Relationship {
    const name = this.#text(value, "name", undefined);
    return {
      id: this.#id(value, name),
      name,
      kind: this.#choice(value, "kind", name, kinds),
      destination: this.#text(value, "destination", name),
      inverse: this.#text(value, "inverse", name),
      deleteRule: value.deleteRule === undefined ? "nullify" : this.#choice(value, "deleteRule", name, rules),
      optional: this.#flag(value, "optional", name, true),
      tree: this.#flag(value, "tree", name, false),
      single: this.#flag(value, "single", name, false),
      orderedBy: value.orderedBy === undefined ? undefined : this.#text(value, "orderedBy", name),
    };
  }

  // The rules beyond the form of the file.

  validate(schema: Parts): void {
    const byName = new Map(schema.entities.map((entity) => [entity.name.toLowerCase(), entity]));
    this.#duplicates(schema.entities, "entity");
    for (const entity of schema.entities) {
      this.#entity = entity.name;
      this.#checkName(entity.name, undefined, /^(roost|sqlite)/i);
      this.#duplicates([...entity.attributes, ...entity.relationships], "property");
      for (const property of [...entity.attributes, ...entity.relationships]) {
        this.#checkName(property.name, property.name, /^(id|rowid|oid|_rowid_)$|^roost/i);
      }
      for (const relationship of entity.relationships) this.#checkRelationship(entity, relationship, byName);
      if (entity.relationships.filter((each) => each.tree).length > 1) {
        this.#report(undefined, "it has a second tree", "Keep at most one tree in an entity");
      }
      this.#entity = undefined;
    }
  }

  #checkName(name: string, property: string | undefined, reserved: RegExp): void {
    if (!/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/.test(name)) {
      this.#report(property, "the name cannot be used", "Use 1 to 64 of a-z, A-Z, 0-9 and _, starting with a letter");
    } else if (reserved.test(name)) {
      this.#report(property, "the name is taken by the replica itself", "Choose another name");
    }
  }

  #duplicates(items: readonly { id: number; name: string }[], kind: string): void {
    const names = new Set<string>(), ids = new Set<number>();
    for (const { id, name } of items) {
      if (names.has(name.toLowerCase())) this.#report(name, "the name is there twice", `Give each ${kind} its own`);
      if (ids.has(id)) this.#report(name, `the id ${id} is there twice`, `Give each ${kind} an id of its own`);
      names.add(name.toLowerCase());
      ids.add(id);
    }
  }

  #checkRelationship(entity: Entity, relationship: Relationship, byName: Map<string, Entity>): void {
    const report = (reason: string, cure: string) => this.#report(relationship.name, reason, cure);
    const destination = byName.get(relationship.destination.toLowerCase());
    if (destination === undefined) return report("the destination is not an entity", "Declare it, or correct the name");
    const inverse = destination.relationships.find((each) =>
      each.name.toLowerCase() === relationship.inverse.toLowerCase()
    );
    if (inverse === undefined) return report("the inverse does not exist", `Declare it on "${destination.name}"`);
    const leadsBack = inverse.inverse.toLowerCase() === relationship.name.toLowerCase() &&
      inverse.destination.toLowerCase() === entity.name.toLowerCase();
    if (!leadsBack) report("the inverse does not lead back", "Let each end name the other");
    const pair = [relationship.kind, inverse.kind].sort().join();
    if (pair !== "toMany,toOne" && pair !== "manyToMany,manyToMany") {
      report(`a ${relationship.kind} cannot have a ${inverse.kind} as its inverse`, "Make one toOne and one toMany");
    }
    if (relationship.tree && (relationship.kind !== "toOne" || destination !== entity)) {
      report("only a toOne relationship of an entity to itself can be a tree", 'Remove "tree"');
    }
    const { kind, deleteRule } = relationship;
    if (kind === "toOne" && (deleteRule === "cascade" || deleteRule === "deny")) {
      report("the rule is on the side that stores the reference", "Declare it on the inverse");
    }
    if (kind === "manyToMany" && (deleteRule === "cascade" || deleteRule === "noAction")) {
      report(`a manyToMany cannot have the rule "${deleteRule}"`, 'Use "nullify" or "deny"');
    }
    if (relationship.single && (kind !== "toMany" || relationship.orderedBy !== undefined)) {
      report('only a toMany without an order can be "single"', 'Remove "single"');
    }
    this.#checkOrder(relationship, destination);
  }

  #checkOrder(relationship: Relationship, destination: Entity): void {
    if (relationship.orderedBy === undefined) return;
    const attribute = destination.attributes.find((each) => each.name === relationship.orderedBy);
    if (relationship.kind === "toMany" && attribute?.type === "string") return;
    this.#report(
      relationship.name,
      '"orderedBy" needs a toMany and a string attribute of its destination',
      `Declare one on "${destination.name}", with "optional": true`,
    );
  }
}
