import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { binary } from "../src/bytes/binary.ts";
import { RecordGraph } from "../src/merge/graph.ts";
import { updateLiveness } from "../src/merge/liveness.ts";
import { ReferenceRules } from "../src/merge/rules.ts";
import { stamp } from "../src/merge/clock.ts";
import { type Change, merge, slotsOf } from "../src/merge/slots.ts";
import { VisibleState } from "../src/merge/visible.ts";
import { emptyRevision, encodePut } from "../src/model/put.ts";
import type { DeleteRule } from "../src/model/schema.ts";
import { Random } from "./random.ts";

interface Vector {
  name: string;
  title: string;
  changes: { record: string; stamp: number; put?: Record<string, string>; delete?: boolean }[];
  visible: Record<string, { stamp: number; refs: Record<string, string | null> }>;
}
const file = JSON.parse(readFileSync(new URL("../../../Tests/Vectors/vectors.json", import.meta.url), "utf8")) as {
  relationships: Record<string, { deleteRule: DeleteRule; tree?: boolean }>;
  vectors: Vector[];
};
const names = Object.keys(file.relationships);
const rules = new ReferenceRules(names.map((name, index) => ({
  entity: 1,
  relationship: index + 1,
  destination: 1,
  deleteRule: file.relationships[name].deleteRule,
  isTree: file.relationships[name].tree === true,
})));
const identifier = (name: string) => name.padEnd(16, "\0");
const replica = "\0\0\0\0\0\0\0\x01";

function change(given: Vector["changes"][number]): Change {
  const revision = emptyRevision();
  for (const [name, target] of Object.entries(given.put ?? {})) {
    revision.references.set(names.indexOf(name) + 1, identifier(target));
  }
  return {
    entity: 1,
    id: identifier(given.record),
    stamp: stamp(BigInt(given.stamp) << 16n, replica),
    base: "",
    put: given.delete ? undefined : encodePut(revision),
  };
}

function receive(graph: RecordGraph, change: Change): void {
  const record = graph.ensure(change.entity, change.id);
  graph.setCurrent(record, merge(record.current, slotsOf(change)));
  updateLiveness(graph, [record]);
}

function show(graph: RecordGraph): Vector["visible"] {
  const shown: Vector["visible"] = {};
  for (const record of [...graph.records(1)].sort((a, b) => a.id < b.id ? -1 : 1)) {
    if (!record.isVisible) continue;
    const refs: Record<string, string | null> = {};
    for (const edge of record.edges) {
      refs[names[edge.rule.relationship - 1]] = graph.reads(record, edge) ? edge.target.replace(/\0+$/, "") : null;
    }
    const bytes = record.current.put!.stamp;
    shown[record.id.replace(/\0+$/, "")] = {
      stamp: [...bytes.slice(0, 6)].reduce((sum, each) => sum * 256 + each.charCodeAt(0), 0),
      refs,
    };
  }
  return shown;
}

function* permutations<Item>(items: Item[]): Iterable<Item[]> {
  if (items.length < 2) return yield items;
  for (let index = 0; index < items.length; index++) {
    for (const rest of permutations([...items.slice(0, index), ...items.slice(index + 1)])) {
      yield [items[index], ...rest];
    }
  }
}

function expectOracle(graph: RecordGraph): void {
  const oracle = new VisibleState(graph);
  for (const record of graph.all()) {
    assert.equal(record.isVisible, oracle.visible.has(record));
    assert.equal(record.isKept, oracle.kept.has(record));
    assert.equal(record.isDropped, oracle.dropped.has(record));
  }
}

for (const vector of file.vectors) {
  test(`${vector.name} in every order with repetitions: ${vector.title}`, () => {
    const changes = vector.changes.map(change);
    let orders = 0;
    for (const order of permutations(changes)) {
      for (let repeated = -1; repeated < order.length; repeated++) {
        const graph = new RecordGraph(rules);
        for (const each of repeated < 0 ? order : [...order, order[repeated]]) {
          receive(graph, each);
          if (orders < 200) expectOracle(graph);
        }
        assert.deepEqual(show(graph), vector.visible);
        orders++;
      }
    }
  });
}

test("random histories leave the incremental state equal to the state derived from scratch", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = new Random(seed);
    const graph = new RecordGraph(rules);
    const count = 2 + random.below(7);
    for (let step = 1; step <= 60; step++) {
      const put: Record<string, string> = {};
      for (const name of names) if (random.below(4) === 0) put[name] = `r${random.below(count)}`;
      const isDelete = random.below(3) === 0;
      const one = change({
        record: `r${random.below(count)}`,
        stamp: 1 + random.below(100),
        ...isDelete ? { delete: true } : { put },
      });
      receive(graph, one);
      expectOracle(graph);
    }
  }
});

test("a batch of changes leaves what the changes one by one leave", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = new Random(seed);
    const one = new RecordGraph(rules), all = new RecordGraph(rules);
    for (let batch = 0; batch < 6; batch++) {
      const changed = new Set(Array.from({ length: 5 }, () => {
        const put: Record<string, string> = {};
        for (const name of names) if (random.below(3) === 0) put[name] = `r${random.below(6)}`;
        const each = change({
          record: `r${random.below(6)}`,
          stamp: 1 + random.below(100),
          ...random.below(3) === 0 ? { delete: true } : { put },
        });
        receive(one, each);
        const record = all.ensure(1, each.id);
        all.setCurrent(record, merge(record.current, slotsOf(each)));
        return record;
      }));
      updateLiveness(all, changed);
      assert.deepEqual(show(all), show(one));
    }
  }
});

test("the binary form of an identifier sorts as its bytes do", () => {
  assert.equal(binary(new Uint8Array([0, 127, 128, 255])), "\0\x7f\x80\xff");
});
