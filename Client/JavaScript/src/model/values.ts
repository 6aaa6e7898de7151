import { binary, bytesOf, fromUUID, uuidText } from "../bytes/binary.ts";
import type { Whole } from "../bytes/protobuf.ts";
import { explicitNull, type RawValue } from "./put.ts";
import type { Attribute, AttributeType } from "./schema.ts";
import { RoostError } from "../protocol/errors.ts";

/**
 * The value of an attribute in programs:
 *
 * | type | value |
 * |---|---|
 * | `string`, `date` | `string` |
 * | `integer`, `timestamp` | `number` where exact, else `bigint`; both are accepted, and a `Date` for a timestamp |
 * | `double` | `number` |
 * | `boolean` | `boolean` |
 * | `uuid` | `string` of 36 characters |
 * | `data` | `Uint8Array` |
 * | `json` | the parsed value |
 *
 * `null` is nil.
 */
export type Value = string | Whole | boolean | Uint8Array | Date | null | object;

const days = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a text is a day that exists, written `YYYY-MM-DD`, from year 1 to year 9999. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const [year, month, day] = text.split("-").map(Number);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days[month - 1]) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month !== 2 || day < 29 || isLeap;
}

/** Explains why a text is not JSON of at most 64 levels; `undefined` where it is. */
export function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return "the text is not JSON";
  }
  let depth = 0, isInside = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isInside) {
      if (character === "\\") index++;
      else if (character === '"') isInside = false;
    } else if (character === '"') isInside = true;
    else if (character === "[" || character === "{") {
      if (++depth > 64) return "it has more than 64 levels";
    } else if (character === "]" || character === "}") depth--;
  }
  return undefined;
}

const forms: Record<AttributeType, RawValue["form"]> = {
  string: "text",
  date: "text",
  json: "text",
  integer: "integer",
  timestamp: "integer",
  double: "real",
  boolean: "boolean",
  uuid: "bytes",
  data: "bytes",
};

/** Names the form of a type's values, for messages. */
const formNames: Record<AttributeType, string> = {
  string: "text",
  date: "a day as text, YYYY-MM-DD",
  json: "JSON",
  integer: "a whole number of 64 bits",
  timestamp: "milliseconds since 1970 as a whole number, or a Date",
  double: "a number",
  boolean: "true or false",
  uuid: "a UUID of 36 characters",
  data: "a Uint8Array",
};

/** Brings a value that was sent in the form of an earlier, narrower type into the form of the attribute's type. */
export function widened(attribute: Attribute, value: RawValue): RawValue {
  if (attribute.widens === "boolean" && value.form === "boolean") {
    return { form: "integer", value: value.value ? 1 : 0 };
  }
  if (attribute.widens === "integer" && value.form === "integer") {
    const isWhole = typeof value.value === "number" || (value.value >= -(2n ** 53n) && value.value <= 2n ** 53n);
    if (isWhole) return { form: "real", value: Number(value.value) };
  }
  return value;
}

/** Brings a value that the earlier, narrower type holds into the form of that type (protocol.md §8.6). */
function narrowed(attribute: Attribute, value: RawValue): RawValue {
  if (attribute.widens === "boolean" && value.form === "integer") {
    if (value.value === 0 || value.value === 1) return { form: "boolean", value: value.value === 1 };
  }
  if (attribute.widens === "integer" && value.form === "real") {
    const number = value.value;
    if (Number.isInteger(number) && Math.abs(number) <= 2 ** 53 && !Object.is(number, -0)) {
      return { form: "integer", value: Math.abs(number) < 2 ** 53 ? number : BigInt(number) };
    }
  }
  return value;
}

/** Explains why a record cannot be shown because of a value in its put; `undefined` for a value that is shown. */
export function faultInPut(attribute: Attribute, raw: RawValue): string | undefined {
  const value = widened(attribute, raw);
  if (value.form !== forms[attribute.type]) return `is not ${formNames[attribute.type]}`;
  if (value.form === "text") {
    if (attribute.type === "string") return undefined;
    if (value.isMalformed) return "is not UTF-8";
    if (attribute.type === "date") return isDay(value.value) ? undefined : "is not a day that exists";
    const fault = jsonFault(value.value);
    return fault === undefined ? undefined : `is not JSON (${fault})`;
  }
  if (attribute.type === "uuid" && value.form === "bytes" && value.value.length !== 16) return "is not a UUID";
  return undefined;
}

/** Returns a value of a put as programs read it. A NaN reads as nil. */
export function readValue(attribute: Attribute, raw: RawValue | undefined): Value {
  if (raw === undefined) {
    return attribute.defaultValue === undefined ? null : readValue(attribute, attribute.defaultValue);
  }
  const value = widened(attribute, raw);
  switch (value.form) {
    case "null":
      return null;
    case "real":
      return Number.isNaN(value.value) ? null : value.value;
    case "bytes":
      return attribute.type === "uuid" ? uuidText(binary(value.value)) : value.value.slice();
    case "text":
      return attribute.type === "json" ? JSON.parse(value.value) : value.value;
    default:
      return value.value;
  }
}

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

function wholeNumber(value: unknown): Whole | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value + 0 : undefined;
  if (typeof value !== "bigint" || BigInt.asIntN(64, value) !== value) return undefined;
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

function text(attribute: Attribute, value: unknown): RawValue | string {
  if (attribute.type === "json") {
    let json: string | undefined;
    try {
      json = JSON.stringify(value);
    } catch {
      return "is not JSON";
    }
    if (json === undefined) return "is not JSON";
    const fault = jsonFault(json);
    return fault === undefined ? { form: "text", value: json } : `is not JSON (${fault})`;
  }
  if (typeof value !== "string") return `is not ${formNames[attribute.type]}`;
  if (!isWellFormed(value)) return "has a surrogate without its other half";
  if (attribute.type === "date" && !isDay(value)) return "is not a day that exists";
  return { form: "text", value };
}

/** Converts a program's value, or returns the end of a sentence that says why it cannot be converted. */
function convert(attribute: Attribute, value: unknown): RawValue | string {
  switch (attribute.type) {
    case "string":
    case "date":
    case "json":
      return text(attribute, value);
    case "integer":
    case "timestamp": {
      const whole = wholeNumber(attribute.type === "timestamp" && value instanceof Date ? value.getTime() : value);
      if (whole !== undefined) return { form: "integer", value: whole };
      return typeof value === "number" && Number.isInteger(value)
        ? "is beyond 2^53, where a number is not exact: give it as a bigint"
        : `is not ${formNames[attribute.type]}`;
    }
    case "double":
      if (typeof value !== "number" || Number.isNaN(value)) return `is not ${formNames.double}`;
      return { form: "real", value: value === 0 ? 0 : value };
    case "boolean":
      return typeof value === "boolean" ? { form: "boolean", value } : `is not ${formNames.boolean}`;
    case "uuid": {
      const id = typeof value === "string" ? fromUUID(value) : undefined;
      return id === undefined ? `is not ${formNames.uuid}` : { form: "bytes", value: bytesOf(id) };
    }
    case "data":
      return value instanceof Uint8Array ? { form: "bytes", value: value.slice() } : `is not ${formNames.data}`;
  }
}

/**
 * Returns a program's value in the form in which it is stored; `undefined` for a nil that is left out.
 *
 * @throws RoostError with the code `invalid_value`, which names the entity, the attribute, the reason and the form.
 */
export function storedValue(entity: string, attribute: Attribute, value: unknown): RawValue | undefined {
  if (value === null || value === undefined) {
    if (!attribute.optional) {
      throw new RoostError(
        "invalid_value",
        `Cannot write ${entity}.${attribute.name}: it is nil, and the attribute is required.`,
        `Give it ${formNames[attribute.type]}.`,
      );
    }
    return attribute.defaultValue === undefined ? undefined : explicitNull;
  }
  const converted = convert(attribute, value);
  if (typeof converted !== "string") return narrowed(attribute, converted);
  throw new RoostError(
    "invalid_value",
    `Cannot write ${entity}.${attribute.name}: the value ${converted}.`,
    `Give it ${formNames[attribute.type]}.`,
  );
}

/** Reads the default of an attribute from the JSON of a schema file; a text is the reason why it is none. */
export function defaultValue(attribute: Attribute, json: unknown): RawValue | string {
  let value = json;
  if (attribute.type === "integer" || attribute.type === "timestamp") {
    if (typeof json === "string" && /^(0|-?[1-9]\d{0,18})$/.test(json)) value = BigInt(json);
    else if (typeof json === "string" && attribute.type === "timestamp") value = new Date(json);
  } else if (attribute.type === "data" && typeof json === "string") {
    try {
      value = Uint8Array.from(atob(json), (character) => character.charCodeAt(0));
    } catch {
      return "is not Base64";
    }
  } else if (attribute.type === "double" && typeof json === "bigint") value = Number(json);
  if (attribute.type === "double" && typeof value === "number" && !Number.isFinite(value)) return "is not finite";
  return convert(attribute, value);
}
