import type { Value } from "../model/values.ts";

declare const one: unique symbol;
declare const many: unique symbol;
declare const fields: unique symbol;

/** Marks a property that leads to at most one record, in the interface of an entity's properties. */
export interface One<Fields> {
  readonly [one]: Fields;
}

/** Marks a property that leads to any number of records. */
export interface Many<Fields> {
  readonly [many]: Fields;
}

/**
 * An entity of a schema with the types of its properties.
 *
 *     interface SpendingFields { content: string; amount: number; person: One<PersonFields> }
 *     const Spending = entity<SpendingFields>("Spending");
 */
export interface EntityType<Fields> {
  readonly name: string;
  /** The entity's number. With it, a renamed entity is found under its former name. */
  readonly id: number | undefined;
  /** The numbers of the properties by their names in the program. */
  readonly properties: Readonly<Record<string, number>> | undefined;
  /** The entities at the other ends of its relationships, whose names a path over them uses. */
  readonly destinations: (() => readonly EntityType<unknown>[]) | undefined;
  readonly [fields]?: Fields;
}

/** Declares an entity. Generated code gives the numbers, so that a rename in the schema needs no new program. */
// deno-lint-ignore no-explicit-any
export function entity<Fields = any>(
  name: string,
  id?: number,
  properties?: Record<string, number>,
  destinations?: () => readonly EntityType<unknown>[],
): EntityType<Fields> {
  return { name, id, properties, destinations };
}

/** A record as programs read it. Attributes are those of the moment when it was fetched. */
export type RecordOf<Fields> =
  & { readonly id: string }
  & {
    readonly [Name in keyof Fields]: Fields[Name] extends One<infer Other> ? RecordOf<Other> | null
      : Fields[Name] extends Many<infer Other> ? RecordOf<Other>[]
      : Fields[Name];
  };

/** A record, or whatever else has its identifier. */
export interface HasID {
  readonly id: string;
}

/** New values of some properties. */
export type ValuesOf<Fields> = {
  readonly [Name in keyof Fields]?: Fields[Name] extends One<infer _> ? HasID | null
    : Fields[Name] extends Many<infer _> ? readonly HasID[]
    : unknown extends Fields[Name] ? Fields[Name]
    : [Extract<Fields[Name], number | bigint>] extends [never] ? Fields[Name]
    : Fields[Name] | number | bigint | Date;
};

export type { Value };
