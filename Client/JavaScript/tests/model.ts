import { entity, type Many, type One } from "../src/index.ts";

/** A schema with every kind of relationship and every type. */
export const schemaText = JSON.stringify({
  format: 1,
  name: "trip",
  version: 1,
  entities: [
    {
      id: 1,
      name: "Person",
      attributes: [
        { id: 1, name: "name", type: "string" },
        { id: 2, name: "active", type: "boolean", default: true },
      ],
      relationships: [
        { id: 3, name: "spendings", kind: "toMany", destination: "Spending", inverse: "person", deleteRule: "cascade" },
        {
          id: 4,
          name: "guaranteed",
          kind: "toMany",
          destination: "Spending",
          inverse: "guarantor",
          deleteRule: "deny",
        },
        { id: 5, name: "groups", kind: "manyToMany", destination: "Team", inverse: "members" },
        { id: 6, name: "passport", kind: "toMany", destination: "Passport", inverse: "holder", single: true },
      ],
    },
    {
      id: 2,
      name: "Spending",
      attributes: [
        { id: 1, name: "content", type: "string" },
        { id: 2, name: "amount", type: "integer" },
        { id: 4, name: "rate", type: "double", optional: true },
        { id: 5, name: "day", type: "date", optional: true },
        { id: 6, name: "at", type: "timestamp", optional: true },
        { id: 7, name: "token", type: "uuid", optional: true },
        { id: 8, name: "photo", type: "data", optional: true },
        { id: 9, name: "extra", type: "json", optional: true },
        { id: 10, name: "place", type: "string", optional: true },
      ],
      relationships: [
        { id: 3, name: "person", kind: "toOne", destination: "Person", inverse: "spendings" },
        { id: 11, name: "guarantor", kind: "toOne", destination: "Person", inverse: "guaranteed" },
        { id: 12, name: "category", kind: "toOne", destination: "Category", inverse: "spendings" },
      ],
    },
    {
      id: 3,
      name: "Category",
      attributes: [{ id: 1, name: "name", type: "string" }],
      relationships: [
        { id: 2, name: "spendings", kind: "toMany", destination: "Spending", inverse: "category", orderedBy: "place" },
        { id: 3, name: "parent", kind: "toOne", destination: "Category", inverse: "children", tree: true },
        { id: 4, name: "children", kind: "toMany", destination: "Category", inverse: "parent", deleteRule: "cascade" },
      ],
    },
    {
      id: 4,
      name: "Team",
      attributes: [{ id: 1, name: "name", type: "string" }],
      relationships: [{ id: 2, name: "members", kind: "manyToMany", destination: "Person", inverse: "groups" }],
    },
    {
      id: 5,
      name: "Passport",
      attributes: [{ id: 1, name: "number", type: "string" }],
      relationships: [{ id: 2, name: "holder", kind: "toOne", destination: "Person", inverse: "passport" }],
    },
  ],
});

export interface PersonFields {
  name: string;
  active: boolean;
  spendings: Many<SpendingFields>;
  guaranteed: Many<SpendingFields>;
  groups: Many<TeamFields>;
  passport: One<PassportFields>;
}
export interface SpendingFields {
  content: string;
  amount: number | bigint;
  rate: number | null;
  day: string | null;
  at: number | bigint | null;
  token: string | null;
  photo: Uint8Array | null;
  extra: unknown;
  place: string | null;
  person: One<PersonFields>;
  guarantor: One<PersonFields>;
  category: One<CategoryFields>;
}
export interface CategoryFields {
  name: string;
  spendings: Many<SpendingFields>;
  parent: One<CategoryFields>;
  children: Many<CategoryFields>;
}
export interface TeamFields {
  name: string;
  members: Many<PersonFields>;
}
export interface PassportFields {
  number: string;
  holder: One<PersonFields>;
}

export const Person = entity<PersonFields>("Person");
export const Spending = entity<SpendingFields>("Spending");
export const Category = entity<CategoryFields>("Category");
export const Team = entity<TeamFields>("Team");
export const Passport = entity<PassportFields>("Passport");
