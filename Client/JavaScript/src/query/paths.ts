import type { Attribute, Entity, Relationship, Schema } from "../model/schema.ts";
import { RoostError } from "../protocol/errors.ts";
import type { EntityType, HasID, Many, One } from "./entities.ts";

/** A path from a record over to-one relationships to a property. */
export interface Path {
  readonly steps: readonly { readonly entity: Entity; readonly relationship: Relationship }[];
  readonly entity: Entity;
  readonly attribute?: Attribute;
  readonly relationship?: Relationship;
}

export type Comparison = "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "in" | "contains" | "startsWith" | "endsWith";

export type Expression =
  | { readonly kind: "compare"; readonly path: Path; readonly comparison: Comparison; readonly value: unknown }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "not"; readonly inner: Expression }
  | { readonly kind: "any"; readonly path: Path; readonly inner: Expression | undefined };

/** A condition on a record. */
export class Predicate {
  readonly expression: Expression;

  constructor(expression: Expression) {
    this.expression = expression;
  }

  and(other: Predicate): Predicate {
    return new Predicate({ kind: "and", left: this.expression, right: other.expression });
  }

  or(other: Predicate): Predicate {
    return new Predicate({ kind: "or", left: this.expression, right: other.expression });
  }

  not(): Predicate {
    return new Predicate({ kind: "not", inner: this.expression });
  }
}

/** An order of records by a path. A nil comes first, and records that are equal come in the order of identifiers. */
export interface SortKey {
  readonly path: Path;
  readonly isDescending: boolean;
}

/** Conditions on an attribute. Texts are compared by their bytes of UTF-8, and case counts. */
export interface AttributePath<Value> {
  eq(value: Value | null): Predicate;
  ne(value: Value | null): Predicate;
  lt(value: NonNullable<Value>): Predicate;
  le(value: NonNullable<Value>): Predicate;
  gt(value: NonNullable<Value>): Predicate;
  ge(value: NonNullable<Value>): Predicate;
  in(values: readonly Value[]): Predicate;
  isNil(): Predicate;
  contains(text: string): Predicate;
  startsWith(text: string): Predicate;
  endsWith(text: string): Predicate;
  ascending(): SortKey;
  descending(): SortKey;
}

export type OnePath<Fields> = PathsOf<Fields> & {
  eq(record: HasID | null): Predicate;
  isNil(): Predicate;
};

export interface ManyPath<Fields> {
  /** Whether a record at the other end fulfils the condition; without a condition, whether there is one. */
  any(where?: (paths: PathsOf<Fields>) => Predicate): Predicate;
  isEmpty(): Predicate;
}

type Comparable<Value> = NonNullable<Value> extends boolean ? boolean
  : NonNullable<Value> extends number | bigint ? number | bigint | Date
  : Value;

/** The paths that begin at a record of an entity. */
export type PathsOf<Fields> =
  & { readonly id: AttributePath<string> }
  & {
    readonly [Name in keyof Fields]: Fields[Name] extends One<infer Other> ? OnePath<Other>
      : Fields[Name] extends Many<infer Other> ? ManyPath<Other>
      : AttributePath<Comparable<Fields[Name]>>;
  };

/** Names that programs use for properties: those of the schema, or those that a declared entity gives. */
export class Names {
  readonly schema: Schema;
  readonly #types = new Map<number, EntityType<unknown>>();

  constructor(schema: Schema, types: Iterable<EntityType<unknown>>) {
    this.schema = schema;
    for (const type of types) this.entity(type);
  }

  /** Finds the entity that a program means. */
  entity(type: EntityType<unknown>): Entity {
    const found = type.id === undefined ? this.schema.entity(type.name) : this.schema.entities.get(type.id);
    if (found === undefined) {
      throw new RoostError(
        "not_found",
        `Cannot use the entity "${type.name}": the schema "${this.schema.name}" does not have it.`,
        "Correct the name, or generate the code again.",
      );
    }
    if (type.properties !== undefined) this.#types.set(found.id, type);
    return found;
  }

  /** The attributes and relationships of an entity by the names that programs use. */
  properties(entity: Entity): Map<string, Attribute | Relationship> {
    const all = [...entity.attributes, ...entity.relationships];
    const given = this.#types.get(entity.id)?.properties;
    const found = new Map(all.map((each) => [each.name, each]));
    for (const [name, id] of Object.entries(given ?? {})) {
      const property = all.find((each) => each.id === id);
      if (property !== undefined) found.set(name, property);
    }
    return found;
  }

  property(entity: Entity, name: string): Attribute | Relationship {
    const found = this.properties(entity).get(name);
    if (found !== undefined) return found;
    throw new RoostError(
      "not_found",
      `Cannot find the property "${name}" of ${entity.name}.`,
      `Use one of ${[...this.properties(entity).keys()].join(", ")}.`,
    );
  }

  /** The paths of an entity, for the functions of `where`, `sortedBy` and `sectionedBy`. */
  paths<Fields>(entity: Entity, steps: Path["steps"] = []): PathsOf<Fields> {
    return new Proxy({}, {
      get: (_, name) => typeof name === "string" ? this.#path(entity, steps, name) : undefined,
    }) as PathsOf<Fields>;
  }

  #path(entity: Entity, steps: Path["steps"], name: string): unknown {
    if (name === "id") return attributePath({ steps, entity });
    const last = steps.at(-1);
    // `eq` and `isNil` of a to-one relationship are about the record at its other end, unless a property has that name.
    if (last !== undefined && (name === "eq" || name === "isNil") && !this.properties(entity).has(name)) {
      const path = { steps, entity };
      return (record?: HasID | null) => compare(path, "eq", record?.id.toLowerCase() ?? null);
    }
    const property = this.property(entity, name);
    if ("type" in property) return attributePath({ steps, entity, attribute: property });
    const destination = this.schema.entity(property.destination)!;
    if (property.kind === "toOne" || property.single) {
      return this.paths(destination, [...steps, { entity, relationship: property }]);
    }
    const path = { steps, entity, relationship: property };
    const any = (where?: (paths: PathsOf<unknown>) => Predicate) =>
      new Predicate({ kind: "any", path, inner: where?.(this.paths(destination)).expression });
    return { any, isEmpty: () => any().not() };
  }
}

function compare(path: Path, comparison: Comparison, value: unknown): Predicate {
  return new Predicate({ kind: "compare", path, comparison, value: value instanceof Date ? value.getTime() : value });
}

function attributePath(path: Path): AttributePath<unknown> & { readonly path: Path } {
  return {
    path,
    eq: (value) => compare(path, "eq", value),
    ne: (value) => compare(path, "ne", value),
    lt: (value) => compare(path, "lt", value),
    le: (value) => compare(path, "le", value),
    gt: (value) => compare(path, "gt", value),
    ge: (value) => compare(path, "ge", value),
    in: (values) => compare(path, "in", values),
    isNil: () => compare(path, "eq", null),
    contains: (text) => compare(path, "contains", text),
    startsWith: (text) => compare(path, "startsWith", text),
    endsWith: (text) => compare(path, "endsWith", text),
    ascending: () => ({ path, isDescending: false }),
    descending: () => ({ path, isDescending: true }),
  };
}
