import assert from "node:assert/strict";
import test from "node:test";
import { type EntityType, MemoryLog, MemoryStorage, type Replica, type Transaction } from "../src/index.ts";
import { Category, Passport, Person, Spending, Team } from "./model.ts";
import type { Fault } from "./proxy.ts";
import type { SwiftDevice } from "./programs.ts";
import { Random } from "./random.ts";
import { Scope } from "./scope.ts";

/** `ROOST_ROUNDS=200` runs the long form, from seed `ROOST_FIRST` on; `ROOST_SEED=7` repeats one history. */
const rounds = Number(process.env.ROOST_ROUNDS ?? 3);
const first = Number(process.env.ROOST_FIRST ?? 1);
const seeds = process.env.ROOST_SEED === undefined
  ? Array.from({ length: rounds }, (_, index) => first + index)
  : [Number(process.env.ROOST_SEED)];
// deno-lint-ignore no-explicit-any
const entities: EntityType<any>[] = [Person, Spending, Category, Team, Passport];

// deno-lint-ignore no-explicit-any
type Inserted = [EntityType<any>, string][];

/** Makes a random change, and notes what it inserts. */
function step(tx: Transaction, random: Random, inserted: Inserted): void {
  // deno-lint-ignore no-explicit-any
  const insert = (type: EntityType<any>, values: object) => inserted.push([type, tx.insert(type, values).id]);
  // deno-lint-ignore no-explicit-any
  const pick = (type: EntityType<any>) => {
    const all = tx.fetch(type);
    return all.length > 0 && random.below(5) > 0 ? random.pick(all) : null;
  };
  const text = random.pick(["a", "é", "e\u0301", "\u{1f600}", "", "x".repeat(random.below(300))]);
  const number = random.pick([0, -1, 2n ** 63n - 1n, -(2n ** 63n), random.below(1000)]);
  const spending = {
    content: text,
    amount: number,
    rate: random.pick([null, 0, -0.5, Infinity, 1e300]),
    day: random.pick([null, "2024-02-29", "0001-01-01"]),
    at: random.pick([null, random.below(1e12)]),
    photo: random.pick([null, new Uint8Array(random.below(20))]),
    extra: random.pick([null, { k: [text] }, "null", 1]),
    person: pick(Person),
    guarantor: random.below(3) === 0 ? pick(Person) : null,
    category: pick(Category),
  };
  const some = <Item>(values: Item) =>
    Object.fromEntries(Object.entries(values as object).filter(() => random.below(2) === 0)) as Partial<Item>;
  const old = pick(Spending), category = pick(Category), person = pick(Person), team = pick(Team);
  switch (random.below(11)) {
    case 0:
      insert(Person, { name: text, active: random.pick([true, false]) });
      break;
    case 1:
    case 2:
      insert(Spending, spending);
      break;
    case 3:
      if (old) tx.update(Spending, old, some(spending) as object);
      break;
    case 4:
      insert(Category, { name: text, parent: category });
      break;
    case 5:
      if (category) tx.update(Category, category, { parent: pick(Category) });
      break;
    case 6:
      insert(Team, { name: text, members: person ? [person] : [] });
      break;
    case 7:
      if (team && person) {
        if (team.members.some((each: { id: string }) => each.id === person.id)) {
          tx.remove(Team, team, "members", person);
        } else tx.add(Person, person, "groups", team);
      }
      break;
    case 8:
      insert(Passport, { number: text, holder: person });
      break;
    case 9:
      if (category && old) tx.add(Category, category, "spendings", old, random.below(3));
      break;
    default: {
      const type = random.pick(entities), gone = pick(type);
      if (gone) tx.delete(type, gone);
    }
  }
}

async function write(replica: Replica, random: Random, all: Inserted): Promise<void> {
  const inserted: Inserted = [];
  try {
    await replica.write("Step", (tx) => {
      for (let count = random.below(4); count >= 0; count--) step(tx, random, inserted);
    });
    all.push(...inserted);
    if (random.below(12) === 0) await replica.undo();
    if (random.below(12) === 0) {
      const [deleted] = await replica.deleted();
      const type = entities.find((each) => each.name === deleted?.entity);
      if (type !== undefined) await replica.undelete(type, deleted.id);
    }
  } catch (error) {
    // Delete rules and changes of others refuse some of these steps, on purpose.
    const { code } = error as { code?: string };
    if (code !== "delete_denied" && code !== "changed_since" && code !== "invalid_value") throw error;
  }
}

async function writeSwift(device: SwiftDevice, random: Random): Promise<void> {
  const any = (table: string) => `(SELECT id FROM ${table} ORDER BY hex(id) LIMIT 1 OFFSET ${random.below(4)})`;
  const statements = [
    `INSERT INTO person(name, active) VALUES ('swift ${random.below(100)}', ${random.below(2)})`,
    `INSERT INTO spending(content, amount, rate, person, category)
      VALUES ('é', ${random.below(1000)}, ${random.below(9)}.5, ${any("person")}, ${any("category")})`,
    `UPDATE spending SET amount = amount / 2 + ${random.below(50)} WHERE id = ${any("spending")}`,
    `UPDATE spending SET person = ${any("person")}, guarantor = ${any("person")} WHERE id = ${any("spending")}`,
    `INSERT INTO category(name, parent) VALUES ('c', ${any("category")})`,
    `UPDATE category SET parent = ${any("category")} WHERE id = ${any("category")}`,
    `INSERT INTO team(name) VALUES ('t')`,
    `DELETE FROM ${random.pick(["spending", "category", "team", "passport", "person"])}
      WHERE id = (SELECT id FROM spending LIMIT 1 OFFSET ${random.below(6)})`,
    `DELETE FROM category WHERE id = ${any("category")}`,
    `DELETE FROM person WHERE id = ${any("person")}`,
  ];
  for (let count = random.below(4); count >= 0; count--) {
    try {
      await device.sql(random.pick(statements));
    } catch (error) {
      if (!/Cannot delete|constraint/i.test(String((error as { stderr?: string }).stderr))) throw error;
    }
  }
}

const kinds: Fault["kind"][] = ["drop", "loseReply", "repeat", "truncate", "garbage", "page"];

function randomFault(random: Random): Fault {
  const kind = random.pick(kinds);
  return kind === "page" ? { kind, status: random.pick([200, 413, 502, 504]) } : { kind } as Fault;
}

/** The records of an entity as a replica shows them, in a form that both clients can be brought into. */
function shown(records: Record<string, unknown>[]): string {
  const order = (record: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(record).filter(([, value]) => value !== null).sort(([a], [b]) => a < b ? -1 : 1)
        .map(([name, value]) => [name, typeof value === "number" ? String(value) : value]),
    );
  return records.map((each) => JSON.stringify(order(each))).sort().join("\n");
}

async function expectEqual(replicas: Replica[], swift: SwiftDevice): Promise<void> {
  const digest = await swift.digest();
  for (const replica of replicas) assert.equal(replica.digest(), digest);
  for (const name of ["Person", "Category", "Team", "Passport", "Spending"]) {
    const theirs = (await swift.fetch(name)).map(({ id, name, number, content, parent, holder, person, category }) => ({
      id,
      name,
      number,
      content,
      parent,
      holder,
      person,
      category,
    }));
    for (const replica of replicas) {
      const type = entities.find((each) => each.name === name)!;
      const ours = JSON.parse(JSON.stringify(await replica.fetch(type))).map((each: Record<string, unknown>) => ({
        id: each.id,
        name: each.name,
        number: each.number,
        content: each.content,
        parent: each.parent,
        holder: each.holder,
        person: each.person,
        category: each.category,
      }));
      assert.equal(shown(ours), shown(theirs), `${name} of ${replica.status().device}`);
    }
  }
}

for (const seed of seeds) {
  test(`random histories converge with the roost program, seed ${seed}`, async () => {
    const random = new Random(seed);
    const scope = await Scope.make();
    const logs = [new MemoryLog(), new MemoryLog()];
    const devices = [
      scope.owner,
      await scope.join({ storage: new MemoryStorage(logs[0]) }),
      await scope.join({ storage: new MemoryStorage(logs[1]) }),
    ];
    const swift = await scope.joinSwift();
    scope.proxy.fault = (_method, path) =>
      /^\/v1\/(push|pull)/.test(path) && random.below(8) === 0 ? randomFault(random) : { kind: "pass" };
    const inserted: Inserted = [];
    let backup: string | undefined;
    for (let round = 0; round < 12; round++) {
      // In every second history the server is restored from a backup of four rounds before.
      if (seed % 2 === 0 && round === 4) backup = await scope.server.backup();
      if (backup !== undefined && round === 8) {
        await scope.server.stop();
        await scope.server.restore(backup);
        await scope.server.start();
      }
      for (const device of devices) {
        await write(device, random, inserted);
        if (random.below(2) === 0) await device.synchronise({ attempts: 1 }).catch(expectNetworkFailure);
      }
      await writeSwift(swift, random);
      if (random.below(2) === 0) await swift.sync().catch(() => undefined);
      if (random.below(6) === 0) {
        await devices[1].close();
        devices[1] = await scope.open({ storage: new MemoryStorage(logs[0]) });
      }
    }
    scope.proxy.fault = () => ({ kind: "pass" });
    for (let round = 0; round < 4; round++) {
      for (const device of devices) await device.synchronise();
      await swift.sync();
    }
    await expectEqual(devices, swift);
    // A delete keeps the content, so that nothing that was inserted is ever absent.
    assert.ok(inserted.length > 5);
    for (const [type, id] of inserted) {
      for (const device of devices) assert.notEqual((await device.explain(type, id)).state, "absent");
    }
    for (const device of devices) assert.equal(device.status().pendingChanges, 0);
    await scope.end();
  });
}

function expectNetworkFailure(error: { code?: string }): void {
  if (!["unreachable", "invalid_reply"].includes(error.code ?? "")) throw error;
}
