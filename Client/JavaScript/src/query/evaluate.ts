import { compareUTF8, uuidText } from "../bytes/binary.ts";
import type { StoredRecord } from "../merge/graph.ts";
import type { Reading } from "../replica/reading.ts";
import type { Expression, Path, SortKey } from "./paths.ts";

/** Orders values of one attribute. A nil comes first, and texts by their bytes of UTF-8. */
export function compareValues(left: unknown, right: unknown): number {
  if (left === null || right === null) return (left === null ? 0 : 1) - (right === null ? 0 : 1);
  if (typeof left === "string" && typeof right === "string") return compareUTF8(left, right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    for (let index = 0; index < Math.min(left.length, right.length); index++) {
      if (left[index] !== right[index]) return left[index] - right[index];
    }
    return left.length - right.length;
  }
  // JavaScript compares a number with a bigint exactly.
  const a = left as number | bigint | boolean, b = right as number | bigint | boolean;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Evaluates paths, conditions and orders on the records of a model. */
export class Evaluation {
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Returns the value at the end of a path; `null` where a record on the way is missing. */
  value(path: Path, record: StoredRecord): unknown {
    let current: StoredRecord | undefined = record;
    for (const { entity, relationship } of path.steps) {
      current = this.#reading.one(current, entity, relationship);
      if (current === undefined) return null;
    }
    return path.attribute === undefined ? uuidText(current.id) : this.#reading.attribute(current, path.attribute);
  }

  test(expression: Expression, record: StoredRecord): boolean {
    switch (expression.kind) {
      case "and":
        return this.test(expression.left, record) && this.test(expression.right, record);
      case "or":
        return this.test(expression.left, record) || this.test(expression.right, record);
      case "not":
        return !this.test(expression.inner, record);
      case "any":
        return this.#any(expression.path, expression.inner, record);
      case "compare":
        return compareWith(this.value(expression.path, record), expression.comparison, expression.value);
    }
  }

  #any(path: Path, inner: Expression | undefined, record: StoredRecord): boolean {
    let current: StoredRecord | undefined = record;
    for (const { entity, relationship } of path.steps) {
      current = current === undefined ? undefined : this.#reading.one(current, entity, relationship);
    }
    if (current === undefined || path.relationship === undefined) return false;
    const others = this.#reading.many(current, path.entity, path.relationship);
    return inner === undefined ? others.length > 0 : others.some((other) => this.test(inner, other));
  }

  /** The values that a record is sorted by. */
  keys(order: readonly SortKey[], record: StoredRecord): unknown[] {
    return order.map((key) => this.value(key.path, record));
  }
}

function compareWith(left: unknown, comparison: string, right: unknown): boolean {
  switch (comparison) {
    case "eq":
      return isEqual(left, right);
    case "ne":
      return !isEqual(left, right);
    case "in":
      return (right as unknown[]).some((each) => isEqual(left, each));
  }
  if (left === null || right === null || right === undefined) return false;
  switch (comparison) {
    case "lt":
      return compareValues(left, right) < 0;
    case "le":
      return compareValues(left, right) <= 0;
    case "gt":
      return compareValues(left, right) > 0;
    case "ge":
      return compareValues(left, right) >= 0;
    case "contains":
      return String(left).includes(String(right));
    case "startsWith":
      return String(left).startsWith(String(right));
    default:
      return String(left).endsWith(String(right));
  }
}

function isEqual(left: unknown, right: unknown): boolean {
  if (left === null || right === null || right === undefined) return left === null && (right ?? null) === null;
  if (typeof left === "object" && !(left instanceof Uint8Array)) return JSON.stringify(left) === JSON.stringify(right);
  return typeof left === "number" || typeof left === "bigint" ? left == right : compareValues(left, right) === 0;
}

/** Whether the result for a record depends on other records too. */
export function crossesRecords(expression: Expression | undefined, order: readonly SortKey[]): boolean {
  if (order.some((key) => key.path.steps.length > 0)) return true;
  if (expression === undefined) return false;
  switch (expression.kind) {
    case "and":
    case "or":
      return crossesRecords(expression.left, []) || crossesRecords(expression.right, []);
    case "not":
      return crossesRecords(expression.inner, []);
    case "any":
      return true;
    case "compare":
      return expression.path.steps.length > 0;
  }
}
