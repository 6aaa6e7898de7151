import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import test from "node:test";
import { bytesOf, compareUTF8, fromHex, fromUUID, hex, hexOf, newRecordID, uuidText } from "../src/bytes/binary.ts";
import { Reader, Writer } from "../src/bytes/protobuf.ts";
import { sha256 } from "../src/bytes/sha256.ts";
import { HybridClock, milliseconds, millisecondsMax, reading, replicaOf, stamp } from "../src/merge/clock.ts";
import { contentHash, merge, noSlots, ScopeDigest } from "../src/merge/slots.ts";
import {
  emptyRevision,
  encodePut,
  explicitNull,
  type RawValue,
  readAttributes,
  readReferences,
  revise,
} from "../src/model/put.ts";
import { faultInPut, isDay, jsonFault, readValue, storedValue } from "../src/model/values.ts";
import { StoredRecord } from "../src/merge/graph.ts";
import { type AttributeType, linkID, Schema } from "../src/model/schema.ts";
import { Model } from "../src/replica/model.ts";
import { Reading } from "../src/replica/reading.ts";
import { Random } from "./random.ts";

test("SHA-256 agrees with another implementation at every length around the block size", () => {
  for (let length = 0; length < 300; length++) {
    const bytes = randomBytes(length);
    assert.equal(hexOf(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"));
  }
});

test("the put of protocol.md §5.3 has the bytes and the hash that are printed there", () => {
  const revision = emptyRevision();
  revision.references.set(3, fromUUID("01890000-0000-7000-8000-000000000001"));
  revision.attributes.set(9, { form: "text", value: "later" });
  revision.attributes.set(2, { form: "integer", value: 1250 });
  revision.attributes.set(1, { form: "text", value: "Taxi" });
  const put = encodePut(revision);
  assert.equal(
    hexOf(put),
    "0a140803121001890000000070008000000000000001" + "121c" + "0a080801120454617869" + "0a05080218c413" +
      "0a09080912056c61746572",
  );
  assert.equal(hex(contentHash(put)), "f143375c01136c513b04fb81261a8983");
  assert.equal(hex(contentHash(new Uint8Array())), "e3b0c44298fc1c149afbf4c8996fb924");
});

test("the digest of protocol.md §7.5 is the sum of its two terms", () => {
  const digest = new ScopeDigest();
  const slot = (stamp: string, put: string) => ({
    put: { stamp: fromHex(stamp)!, base: "", bytes: bytesOf(fromHex(put)!) },
    del: undefined,
  });
  const one = slot("01a1fc5c24800000ca377fe4c6f0338b", "12090a0708011203416e61");
  const two = slot(
    "01a1fc5c24800001ca377fe4c6f0338b",
    "0a140803121001890000000070008000000000000001121c0a0808011204546178690a05080218c4130a09080912056c61746572",
  );
  digest.replace(1, fromUUID("01890000-0000-7000-8000-000000000001")!, noSlots, one);
  digest.replace(2, fromUUID("01890000-0000-7000-8000-000000000002")!, noSlots, two);
  assert.equal(digest.text, "3f735c21ead82160f64eeec720197afd");
  digest.replace(2, fromUUID("01890000-0000-7000-8000-000000000002")!, two, noSlots);
  assert.equal(digest.text, "132543449ce769a49c31686292778a60");
  digest.replace(1, fromUUID("01890000-0000-7000-8000-000000000001")!, one, noSlots);
  assert.equal(digest.text, "0".repeat(32));
});

test("64-bit whole numbers survive encoding exactly", () => {
  const edges = [0n, 1n, -1n, 2n ** 52n, -(2n ** 52n), 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n];
  const random = new Random(7);
  const values = [
    ...edges,
    -(2n ** 63n),
    ...Array.from({ length: 2000 }, () => {
      return BigInt.asIntN(64, random.next() >> BigInt(random.below(64)));
    }),
  ];
  for (const value of values) {
    for (const given of Number.isSafeInteger(Number(value)) ? [value, Number(value)] : [value]) {
      const writer = new Writer();
      writer.signed(3, given);
      const reader = new Reader(writer.finish());
      assert.ok(reader.next());
      assert.equal(BigInt(reader.signed), value);
      assert.equal(typeof reader.signed, Number.isSafeInteger(Number(value)) ? "number" : "bigint");
    }
  }
});

test("bytes that are no message are refused, and none makes the reader loop", () => {
  const random = new Random(3);
  for (let round = 0; round < 5000; round++) {
    const bytes = randomBytes(random.below(40));
    try {
      readReferences(bytes);
      readAttributes(bytes);
    } catch (error) {
      assert.match(String(error), /not a valid message/);
    }
  }
});

test("a revision keeps every byte that it does not replace", () => {
  // Reference 3 with an unknown field 4, a content with properties 2 and 1 out of order, and a field 7 of the put.
  const put = bytesOf(
    fromHex(
      "0a160803121001890000000070008000000000000001" + "2005" + "120f" + "0a05080218c413" + "0a06080112024142" +
        "3a0101",
    )!,
  );
  const revision = emptyRevision();
  revision.attributes.set(1, { form: "text", value: "XYZ" });
  revision.references.set(3, fromUUID("01890000-0000-7000-8000-000000000009"));
  assert.equal(
    hexOf(revise(put, revision)),
    "0a160803121001890000000070008000000000000009" + "2005" + "1210" + "0a05080218c413" + "0a070801120358595a" +
      "3a0101",
  );
  assert.equal(revise(put, emptyRevision()), put);
  const removal = emptyRevision();
  removal.attributes.set(1, undefined);
  removal.attributes.set(2, undefined);
  removal.references.set(3, undefined);
  assert.equal(hexOf(revise(put, removal)), "3a0101");
});

test("random revisions give what encoding the final values gives", () => {
  for (let seed = 0; seed < 500; seed++) {
    const random = new Random(seed);
    let put: Uint8Array<ArrayBufferLike> = new Uint8Array(0);
    const all = emptyRevision();
    for (let step = 0; step < 5; step++) {
      const revision = emptyRevision();
      for (let index = random.below(4); index > 0; index--) {
        const property = 1 + random.below(300);
        const value = random.below(5) === 0
          ? undefined
          : random.pick([explicitNull, { form: "integer" as const, value: random.below(1e9) }, {
            form: "text" as const,
            value: "é".repeat(random.below(90)),
          }]);
        revision.attributes.set(property, value);
        all.attributes.set(property, value);
        const target = random.below(3) === 0 ? undefined : newRecordID(random.below(1e12), randomBytes(16));
        revision.references.set(property, target);
        all.references.set(property, target);
      }
      put = revise(put, revision);
    }
    assert.equal(hexOf(put), hexOf(encodePut(all)));
  }
});

test("a clock never goes back, carries its counter, and stops in the year 6395", () => {
  const clock = new HybridClock();
  assert.equal(clock.tick(5), 5n << 16n);
  assert.equal(clock.tick(4), (5n << 16n) + 1n);
  clock.receive((9n << 16n) + 65535n);
  assert.equal(clock.tick(7), 10n << 16n);
  clock.learn(1_000_000, 10);
  assert.equal(clock.tick(20) >> 16n, 1_000_010n);
  clock.receive(2n ** 64n - 1n);
  assert.equal(clock.last, BigInt(millisecondsMax) << 16n);
  assert.ok(clock.tick(Number.MAX_SAFE_INTEGER) < 2n ** 63n);
  const made = stamp(clock.last, "12345678");
  assert.equal(reading(made), clock.last);
  assert.equal(replicaOf(made), "12345678");
  assert.equal(milliseconds(made), millisecondsMax);
});

test("of puts with equal stamps the greater content hash wins in either order", () => {
  const slot = (byte: number) => ({ put: { stamp: "s", base: "", bytes: new Uint8Array([byte]) }, del: undefined });
  const greater = contentHash(new Uint8Array([1])) > contentHash(new Uint8Array([2])) ? slot(1) : slot(2);
  assert.deepEqual(merge(slot(1), slot(2)), greater);
  assert.deepEqual(merge(slot(2), slot(1)), greater);
});

test("texts are compared by their bytes of UTF-8", () => {
  const texts = ["", "a", "Z", "é", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}", "ab", "a\u{10000}", "a\uffff"];
  for (const left of texts) {
    for (const right of texts) {
      const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
      assert.equal(Math.sign(compareUTF8(left, right)), expected, JSON.stringify([left, right]));
    }
  }
});

const attribute = (type: string, more = {}) =>
  Schema.parse(JSON.stringify({
    format: 1,
    name: "s",
    entities: [{ id: 1, name: "E", attributes: [{ id: 1, name: "a", type, ...more }] }],
  })).entity("E")!.attributes[0];

test("values that do not fit are refused with the attribute, the reason and the form", () => {
  const refused: [string, unknown][] = [
    ["integer", 2n ** 63n],
    ["integer", -(2n ** 63n) - 1n],
    ["integer", 2 ** 53],
    ["integer", 1.5],
    ["integer", "1"],
    ["double", NaN],
    ["double", 1n],
    ["string", "\ud800"],
    ["string", "a\udc00b"],
    ["string", 1],
    ["date", "2026-02-30"],
    ["date", "2026-1-1"],
    ["date", "0000-01-01"],
    ["boolean", 1],
    ["uuid", "no"],
    ["data", "no"],
    ["json", undefined],
    ["json", () => 1],
    ["timestamp", new Date(NaN)],
  ];
  for (const [type, value] of refused) {
    assert.throws(
      () => storedValue("E", attribute(type), value),
      { code: "invalid_value", message: /^Cannot write E\.a: .*Give it / },
      `${type} ${String(value)}`,
    );
  }
});

test("values that fit read as they were written", () => {
  const values: [string, unknown][] = [
    ["integer", 2n ** 63n - 1n],
    ["integer", -5],
    ["double", Infinity],
    ["string", "e\u0301\0\u{1f600}"],
    ["date", "2024-02-29"],
    ["boolean", false],
    ["uuid", "01890000-0000-7000-8000-000000000001"],
    ["data", new Uint8Array([0, 255])],
    ["json", { a: [1, null, "x"] }],
    ["timestamp", 1795235772630],
  ];
  for (const [type, value] of values) {
    assert.deepEqual(readValue(attribute(type), storedValue("E", attribute(type), value)), value);
  }
  assert.equal(readValue(attribute("timestamp"), storedValue("E", attribute("timestamp"), new Date(9))), 9);
  assert.equal(storedValue("E", attribute("string", { optional: true }), null), undefined);
  assert.equal(storedValue("E", attribute("string", { optional: true, default: "x" }), null), explicitNull);
  assert.equal(readValue(attribute("string", { default: "x" }), undefined), "x");
  assert.equal(readValue(attribute("integer", { default: "9223372036854775807" }), undefined), 2n ** 63n - 1n);
});

test("a value that an earlier type holds travels in the form of that type", () => {
  const wide = attribute("integer", { widens: "boolean" }), real = attribute("double", { widens: "integer" });
  assert.deepEqual(storedValue("E", wide, 1), { form: "boolean", value: true });
  assert.deepEqual(storedValue("E", wide, 2), { form: "integer", value: 2 });
  assert.deepEqual(storedValue("E", real, 4), { form: "integer", value: 4 });
  assert.deepEqual(storedValue("E", real, 4.5), { form: "real", value: 4.5 });
  assert.equal(readValue(wide, { form: "boolean", value: true }), 1);
  assert.equal(readValue(real, { form: "integer", value: 4 }), 4);
});

test("days and JSON texts are judged by their grammar", () => {
  assert.ok(isDay("2000-02-29") && !isDay("1900-02-29") && !isDay("2026-04-31"));
  assert.equal(jsonFault("[".repeat(64) + "]".repeat(64)), undefined);
  assert.match(jsonFault("[".repeat(65) + "]".repeat(65))!, /64 levels/);
  assert.match(jsonFault("{")!, /not JSON/);
  assert.equal(jsonFault('"[[["'), undefined);
});

test("a schema that cannot be used is refused with every problem and its cure", () => {
  const wrong = {
    format: 2,
    name: "s",
    entities: [
      { id: 1, name: "Person", attributes: [{ id: 1, name: "id", type: "day" }] },
      { id: 1, name: "roostX", relationships: [{ id: 1, name: "a", kind: "toOne", destination: "No", inverse: "b" }] },
    ],
  };
  assert.throws(() => Schema.parse(JSON.stringify(wrong)), (error: Error & { code: string }) => {
    assert.equal(error.code, "schema_invalid");
    assert.match(error.message, /the format is not 1/);
    assert.match(error.message, /"type" is "day"\. Choose one of "string"/);
    return true;
  });
  assert.throws(() => Schema.parse("{"), { code: "schema_invalid" });
});

test("the same link made on two devices is one record", () => {
  const source = fromUUID("01890000-0000-7000-8000-000000000001")!;
  const target = fromUUID("01890000-0000-7000-8000-000000000002")!;
  const hash = createHash("sha256");
  for (const part of ["roost-link", "65537", uuidText(source), uuidText(target)]) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    hash.update(length).update(part);
  }
  assert.equal(hex(linkID(65537, source, target)), hash.digest("hex").slice(0, 32));
});

test("the quick look at a put passes nothing that a closer look refuses", () => {
  const types: AttributeType[] = [
    "string",
    "integer",
    "boolean",
    "double",
    "uuid",
    "date",
    "json",
    "data",
    "timestamp",
  ];
  const attributes = types.map((type, index) => ({
    id: index < 8 ? index + 1 : 200,
    name: `a${index}`,
    type,
    optional: index % 3 !== 0,
    default: type === "boolean" ? true : undefined,
  }));
  const entities = [{ id: 1, name: "E", attributes }];
  const model = new Model();
  model.apply([{ kind: "control", values: { schema: JSON.stringify({ format: 1, name: "s", entities }) } }]);
  const reading = new Reading(model);
  const values: (RawValue | undefined)[] = [
    undefined,
    explicitNull,
    { form: "text", value: "2026-07-14" },
    { form: "text", value: "\u00e9" },
    { form: "text", value: "[1]" },
    { form: "integer", value: 1 },
    { form: "real", value: NaN },
    { form: "real", value: 1 },
    { form: "boolean", value: true },
    { form: "bytes", value: new Uint8Array(16) },
    { form: "bytes", value: new Uint8Array(3) },
  ];
  let fits = 0;
  for (let seed = 0; seed < 20_000; seed++) {
    const random = new Random(seed), revision = emptyRevision();
    let isExpected = true;
    for (const attribute of model.schema.entity("E")!.attributes) {
      const fitting = values.filter((each) => each !== undefined && faultInPut(attribute, each) === undefined);
      const value = random.below(12) === 0 ? random.pick(values) : random.pick(fitting);
      revision.attributes.set(attribute.id, value);
      const isNil = value === undefined
        ? attribute.defaultValue === undefined
        : value.form === "null" || (value.form === "real" && Number.isNaN(value.value));
      if (isNil ? !attribute.optional : value !== undefined && faultInPut(attribute, value) !== undefined) {
        isExpected = false;
      }
    }
    const record = new StoredRecord(1, "x".repeat(16));
    record.current = { put: { stamp: "s", base: "", bytes: encodePut(revision) }, del: undefined };
    assert.equal(reading.unfit(record) === null, isExpected);
    if (isExpected) fits++;
  }
  assert.ok(fits > 1000 && fits < 19_000, `${fits}`);
});
