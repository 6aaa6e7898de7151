import assert from "node:assert/strict";
import test from "node:test";
import { entity, type EntityType, type Many, MemoryLog, MemoryStorage, type One, Replica } from "../src/index.ts";
import { placeBetween } from "../src/replica/places.ts";
import { FullStorage, localReplica } from "./local.ts";
import { Category, Passport, Person, schemaText, Spending, type SpendingFields, Team } from "./model.ts";
import { Random } from "./random.ts";

test("a write reads back, survives reopening, and is pending", async () => {
  const log = new MemoryLog();
  const replica = await localReplica({ storage: new MemoryStorage(log) });
  const id = await replica.write("Add", (tx) => tx.insert(Person, { name: "Ana" }).id);
  assert.equal((await replica.get(Person, id))?.name, "Ana");
  assert.equal(replica.status().pendingChanges, 1);
  await replica.close();
  const again = await Replica.open({ storage: new MemoryStorage(log), synchronises: false });
  const [ana] = await again.fetch(Person);
  assert.equal(ana.name, "Ana");
  assert.equal(ana.active, true);
  assert.deepEqual(JSON.parse(JSON.stringify(ana)), { id, name: "Ana", active: true });
  assert.equal(again.status().pendingChanges, 1);
});

test("a transaction that throws changes nothing", async () => {
  const replica = await localReplica();
  await assert.rejects(
    replica.write("Fail", (tx) => {
      tx.insert(Person, { name: "Ana" });
      throw new RangeError("no");
    }),
    RangeError,
  );
  assert.equal(await replica.count(Person), 0);
  assert.equal(replica.status().pendingChanges, 0);
  await assert.rejects(replica.write("Wait", async () => {}), { code: "invalid_value", message: /waits/ });
  await replica.write("Works", (tx) => tx.insert(Person, { name: "Bob" }));
  assert.equal(await replica.count(Person), 1);
});

test("a full storage fails that write only", async () => {
  const storage = new FullStorage();
  const replica = await localReplica({ storage });
  await replica.write("One", (tx) => tx.insert(Person, { name: "Ana" }));
  storage.isFull = true;
  await assert.rejects(replica.write("Two", (tx) => tx.insert(Person, { name: "Bob" })), { code: "storage_full" });
  assert.deepEqual((await replica.fetch(Person)).map((each) => each.name), ["Ana"]);
  storage.isFull = false;
  await replica.write("Three", (tx) => tx.insert(Person, { name: "Cid" }));
  assert.deepEqual((await replica.fetch(Person)).map((each) => each.name).sort(), ["Ana", "Cid"]);
  assert.equal(replica.status().pendingChanges, 2);
});

test("delete rules decide what is shown, and an undelete brings all of it back", async () => {
  const replica = await localReplica();
  const made = await replica.write("Make", (tx) => {
    const ana = tx.insert(Person, { name: "Ana" });
    const fun = tx.insert(Category, { name: "Fun" });
    const taxi = tx.insert(Spending, { content: "Taxi", amount: 1250, person: ana, category: fun });
    const bob = tx.insert(Person, { name: "Bob" });
    tx.update(Spending, taxi, { guarantor: bob });
    return { ana: ana.id, fun: fun.id, taxi: taxi.id, bob: bob.id };
  });
  await assert.rejects(replica.write("Denied", (tx) => tx.delete(Person, { id: made.bob })), {
    code: "delete_denied",
    message:
      "Cannot delete this Person: a Spending refers to it as its guarantor. Delete that one, or give it another " +
      "reference, first.",
  });
  await replica.write("Delete the category", (tx) => tx.delete(Category, { id: made.fun }));
  assert.equal((await replica.get(Spending, made.taxi))?.category, null);
  await replica.write("Edit", (tx) => tx.update(Spending, { id: made.taxi }, { amount: 1300 }));
  await replica.undelete(Category, made.fun);
  assert.equal((await replica.get(Spending, made.taxi))?.category?.name, "Fun", "an edit keeps the masked reference");
  await replica.write("Delete Ana", (tx) => tx.delete(Person, { id: made.ana }));
  assert.equal(await replica.count(Spending), 0);
  assert.equal((await replica.explain(Spending, made.taxi)).state, "hidden");
  assert.match((await replica.explain(Spending, made.taxi)).reason, /Hidden because Person .* is deleted/);
  assert.deepEqual((await replica.deleted()).map((each) => each.content.name), ["Ana"]);
  await replica.undelete(Person, made.ana);
  assert.equal((await replica.get(Spending, made.taxi))?.amount, 1300);
  const order = await replica.write("Both", (tx) => {
    tx.delete(Spending, { id: made.taxi });
    tx.delete(Person, { id: made.bob });
    return tx.fetch(Person).map((each) => each.name);
  });
  assert.deepEqual(order, ["Ana"]);
});

test("links, one-to-one and ordered relationships are written from either side", async () => {
  const replica = await localReplica();
  const { ana, bob, team } = await replica.write("Make", (tx) => {
    const ana = tx.insert(Person, { name: "Ana" }), bob = tx.insert(Person, { name: "Bob" });
    const team = tx.insert(Team, { name: "Red", members: [ana, bob] });
    tx.insert(Passport, { number: "1", holder: ana });
    return { ana: ana.id, bob: bob.id, team: team.id };
  });
  assert.deepEqual((await replica.get(Team, team))!.members.map((each) => each.name), ["Ana", "Bob"]);
  await replica.write("Leave", (tx) => tx.remove(Person, { id: ana }, "groups", { id: team }));
  assert.deepEqual((await replica.get(Team, team))!.members.map((each) => each.name), ["Bob"]);
  await replica.write("Back", (tx) => tx.add(Team, { id: team }, "members", { id: ana }));
  assert.equal((await replica.get(Person, ana))!.groups.length, 1);
  await replica.write("A second passport", (tx) => {
    const second = tx.insert(Passport, { number: "2" });
    tx.update(Person, { id: ana }, { passport: second });
    tx.update(Passport, tx.fetch(Passport, { where: (p) => p.number.eq("1") })[0], { holder: { id: bob } });
  });
  assert.equal((await replica.get(Person, ana))!.passport?.number, "2");
  assert.equal((await replica.get(Person, bob))!.passport?.number, "1");
  const fun = await replica.write("Order", (tx) => {
    const fun = tx.insert(Category, { name: "Fun" });
    for (const content of ["b", "c", "a"]) {
      const spending = tx.insert(Spending, { content, amount: 1 });
      tx.add(Category, fun, "spendings", spending, content === "a" ? 0 : undefined);
    }
    return fun.id;
  });
  const contents = async () => (await replica.get(Category, fun))!.spendings.map((each) => each.content).join("");
  assert.equal(await contents(), "abc");
  const [c] = await replica.fetch(Spending, { where: (s) => s.content.eq("c") });
  await replica.write("Move", (tx) => tx.add(Category, { id: fun }, "spendings", c, 1));
  assert.equal(await contents(), "acb");
});

test("places sort as their positions, also beyond the short ones", () => {
  for (let seed = 0; seed < 50; seed++) {
    const random = new Random(seed), places: string[] = [];
    for (let index = 0; index < 300; index++) {
      const at = seed % 3 === 0 ? places.length : seed % 3 === 1 ? 0 : random.below(places.length + 1);
      const made = placeBetween(places[at - 1], places[at]);
      assert.ok(made !== undefined && made.length < 60, `${places[at - 1]} ${places[at]}`);
      places.splice(at, 0, made);
    }
    assert.deepEqual([...places].sort(), places);
    assert.equal(new Set(places).size, places.length);
  }
  assert.equal(placeBetween(undefined, undefined), "V");
  assert.equal(placeBetween("t", undefined), "u0");
  assert.equal(placeBetween(undefined, "6"), "5z");
  assert.equal(placeBetween("é", undefined), undefined);
});

test("conditions and orders follow paths", async () => {
  const replica = await localReplica();
  await replica.write("Make", (tx) => {
    const ana = tx.insert(Person, { name: "Ana" }), bob = tx.insert(Person, { name: "Bob" });
    tx.insert(Spending, { content: "Dinner", amount: 30_00, person: ana });
    tx.insert(Spending, { content: "Boat", amount: 2n ** 60n, person: ana });
    tx.insert(Spending, { content: "Taxi", amount: 5, person: bob, extra: { k: 1 } });
    tx.insert(Spending, { content: "Tip", amount: 5 });
  });
  const contents = async (...given: Parameters<typeof replica.fetch<import("./model.ts").SpendingFields>>) =>
    (await replica.fetch(...given)).map((each) => each.content).join();
  assert.equal(
    await contents(Spending, {
      where: (s) => s.person.name.eq("Ana").and(s.amount.gt(20_00)),
      sortedBy: [(s) => s.content],
    }),
    "Boat,Dinner",
  );
  assert.equal(
    await contents(Spending, { sortedBy: [(s) => s.amount.descending(), (s) => s.content] }),
    "Boat,Dinner,Taxi,Tip",
  );
  assert.equal(await contents(Spending, { where: (s) => s.person.isNil() }), "Tip");
  assert.equal(
    await contents(Spending, { where: (s) => s.content.startsWith("T").and(s.person.isNil().not()) }),
    "Taxi",
  );
  assert.equal(await contents(Spending, { sortedBy: [(s) => s.content], offset: 1, limit: 2 }), "Dinner,Taxi");
  assert.equal(await contents(Spending, { where: (s) => s.content.in(["Tip", "No"]) }), "Tip");
  const rich = await replica.fetch(Person, { where: (p) => p.spendings.any((s) => s.amount.ge(2n ** 60n)) });
  assert.deepEqual(rich.map((each) => each.name), ["Ana"]);
  const [ana] = rich;
  assert.equal(await replica.count(Spending, { where: (s) => s.person.eq(ana) }), 2);
  // deno-lint-ignore no-explicit-any
  await assert.rejects(replica.fetch(Spending, { where: (s: any) => s.nom.eq(1) }), {
    code: "not_found",
    message: /property "nom" of Spending/,
  });
});

test("an observation reports differences that turn the old list into the new one", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = new Random(seed), replica = await localReplica();
    const updates = replica.observe(Spending, { where: (s) => s.amount.lt(80), sortedBy: [(s) => s.amount] });
    let list: string[] = (await updates.next()).value.records.map((each: { id: string }) => each.id);
    for (let step = 0; step < 30; step++) {
      await replica.write("Step", (tx) => {
        for (let each = random.below(4); each >= 0; each--) {
          const all = tx.fetch(Spending);
          const one = all.length > 0 ? random.pick(all) : undefined;
          const action = random.below(3);
          if (one === undefined || action === 0) {
            tx.insert(Spending, { content: "x", amount: random.below(100) });
          } else if (action === 1) tx.delete(Spending, one);
          else tx.update(Spending, one, { amount: random.below(100) });
        }
        tx.insert(Spending, { content: "There is always a difference.", amount: random.below(80) });
      });
      const { value } = await updates.next();
      const { difference, records, origin } = value;
      assert.equal(origin, "local");
      let replayed = list.filter((id, index) =>
        !difference.removed.some((each: { index: number }) => each.index === index) &&
        !difference.moved.some((each: { from: number }) => each.from === index) && id !== ""
      );
      const placed = [...difference.inserted, ...difference.moved].sort((a, b) => a.index - b.index);
      for (const { index, record } of placed) replayed = replayed.toSpliced(index, 0, record.id);
      assert.deepEqual(replayed, records.map((each: { id: string }) => each.id));
      const options = { where: (s: any) => s.amount.lt(80), sortedBy: [(s: any) => s.amount] };
      assert.deepEqual(replayed, (await replica.fetch(Spending, options)).map((each) => each.id));
      list = records.map((each: { id: string }) => each.id);
    }
    await updates.return!();
    await replica.close();
  }
});

test("sections follow the path, and aborting ends the loop", async () => {
  const replica = await localReplica();
  await replica.write("Make", (tx) => {
    for (const name of ["Bob", "Ana"]) {
      const person = tx.insert(Person, { name });
      for (const content of ["2", "1"]) tx.insert(Spending, { content, amount: 1, person });
    }
  });
  const stop = new AbortController();
  const options = { sectionedBy: (s: any) => s.person.name, sortedBy: [(s: any) => s.content], signal: stop.signal };
  const seen: string[] = [];
  await assert.rejects(async () => {
    for await (const update of replica.observe(Spending, options)) {
      seen.push(update.sections.map((each) => `${each.key}:${each.records.map((r) => r.content).join("")}`).join(" "));
      if (seen.length === 2) stop.abort();
      else await replica.write("Rename", (tx) => tx.update(Person, tx.fetch(Person)[0], { name: "Zoe" }));
    }
  }, { code: "aborted" });
  assert.deepEqual(seen, ["Ana:12 Bob:12", "Ana:12 Zoe:12"]);
});

test("undo and redo write the former content, and respect what changed since", async () => {
  const replica = await localReplica();
  const id = await replica.write("Add", (tx) => tx.insert(Person, { name: "Ana" }).id);
  await replica.write("Rename", (tx) => tx.update(Person, { id }, { name: "Eva" }));
  const name = async () => (await replica.get(Person, id))?.name;
  assert.equal(await replica.undo(), "Rename");
  assert.equal(await name(), "Ana");
  assert.equal(await replica.undo(), "Add");
  assert.equal(await name(), undefined);
  assert.equal(await replica.undo(), undefined);
  assert.equal(await replica.redo(), "Add");
  assert.equal(await replica.redo(), "Rename");
  assert.equal(await name(), "Eva");
  assert.equal(await replica.redo(), undefined);
  assert.equal(await replica.undo(), "Rename");
  await replica.write("Other", (tx) => tx.insert(Person, { name: "Bob" }));
  assert.equal(await replica.redo(), undefined, "another step ends redoing");
  assert.equal(await replica.undo(), "Other");
  await replica.write("Use", (tx) => tx.insert(Spending, { content: "x", amount: 1, person: { id } }));
  assert.equal(await replica.undo(), "Use");
});

test("bad input is refused with a code and a next step, and changes nothing", async () => {
  const replica = await localReplica();
  const long = "x".repeat(300_000);
  const attempts: [string, Parameters<typeof replica.write>[1], RegExp][] = [
    ["invalid_value", (tx) => tx.insert(Person, { name: long }), /300\d+ bytes, the limit is 262144/],
    ["invalid_value", (tx) => tx.insert(Person, {}), /Cannot write Person.name: it is nil/],
    ["invalid_value", (tx) => tx.insert(Spending, { content: "x", amount: 2n ** 63n }), /whole number of 64 bits/],
    ["invalid_value", (tx) => tx.insert(Person, { name: "\ud800" }), /surrogate/],
    ["invalid_value", (tx) => tx.insert(Person, { name: "x" }, "no"), /is no UUID/],
    ["not_found", (tx) => tx.insert(Person, { nom: "x" } as object), /property "nom"/],
    ["not_found", (tx) => tx.delete(Person, { id: "01890000-0000-7000-8000-000000000001" }), /not shown/],
    ["not_found", (tx) => tx.undelete(Person, "x"), /Cannot undelete/],
  ];
  for (const [code, body, message] of attempts) {
    await assert.rejects(replica.write("Bad", body), { code, message });
  }
  assert.equal(await replica.count(Person), 0);
  assert.equal(replica.status().pendingChanges, 0);
  await replica.close();
  await assert.rejects(replica.write("Closed", () => undefined), { code: "closed" });
  for (const link of ["", "http://example.com/join#x", "https://h/join#roost_i_x", "nonsense"]) {
    const error = await Replica.join(link, { device: "d", storage: new MemoryStorage() }).catch((e) => e);
    assert.equal(error.code, "malformed_link");
  }
  await assert.rejects(Replica.open({ storage: new MemoryStorage() }), { code: "not_joined" });
  await assert.rejects(localReplica({ schema: schemaText.replace('"format":1', '"format":9') }), {
    code: "schema_invalid",
  });
});

test("the log is compacted to a snapshot that opens to the same state", async () => {
  const log = new MemoryLog();
  const replica = await localReplica({ storage: new MemoryStorage(log) });
  for (let round = 0; round < 60; round++) {
    await replica.write("Many", (tx) => {
      for (let each = 0; each < 10; each++) tx.insert(Person, { name: "x".repeat(10_000) });
    });
  }
  await replica.write("Last", (tx) => tx.delete(Person, tx.fetch(Person)[0]));
  const before = JSON.stringify(await replica.fetch(Person));
  await replica.close();
  assert.ok(log.entries.length < 62, `${log.entries.length} entries`);
  const again = await Replica.open({ storage: new MemoryStorage(log), synchronises: false });
  assert.equal(JSON.stringify(await again.fetch(Person)), before);
  assert.equal(await again.undo(), "Last");
  assert.equal(await again.count(Person), 600);
});

test("an entity that is declared with numbers works on after a rename in the schema", async () => {
  const renamed = JSON.parse(schemaText);
  renamed.entities[0].name = "Human";
  renamed.entities[0].attributes[0].name = "fullName";
  for (const entity of renamed.entities) {
    for (const each of entity.relationships) if (each.destination === "Person") each.destination = "Human";
  }
  const replica = await localReplica({ schema: JSON.stringify(renamed) });
  const Typed = entity<{ name: string; spendings: Many<SpendingFields> }>("Person", 1, { name: 1, spendings: 3 });
  await replica.write("Add", (tx) => {
    const ana = tx.insert(Typed, { name: "Ana" });
    tx.insert(Spending, { content: "Taxi", amount: 1, person: ana });
  });
  const [ana] = await replica.fetch(Typed, { where: (p) => p.name.eq("Ana").and(p.spendings.any()) });
  assert.equal(ana.name, "Ana");
  assert.equal(ana.spendings[0].content, "Taxi");
  const [taxi] = await replica.fetch(Spending);
  assert.equal(taxi.person?.name, "Ana");
  assert.deepEqual(JSON.parse(JSON.stringify(ana)), { id: ana.id, name: "Ana", active: true }, "each property once");
});

test("a path uses the names of entities that were declared and not used before", async () => {
  interface Human {
    called: string;
    paid: Many<Bill>;
  }
  interface Bill {
    text: string;
    payer: One<Human>;
  }
  const People: EntityType<Human> = entity<Human>("Person", 1, { called: 1, paid: 3 }, () => [Bills]);
  const Bills: EntityType<Bill> = entity<Bill>("Spending", 2, { text: 1, payer: 3 }, () => [People]);
  const replica = await localReplica();
  await replica.write("Add", (tx) => {
    const ana = tx.insert(Person, { name: "Ana" });
    tx.insert(Spending, { content: "Taxi", amount: 1, person: ana });
  });
  await replica.write("Edit", (tx) => {
    const [taxi] = tx.fetch(Bills, { where: (b) => b.payer.called.eq("Ana"), sortedBy: [(b) => b.payer.called] });
    assert.equal(taxi.payer?.called, "Ana");
    assert.equal(tx.update(Bills, taxi, { text: "Bus" }).payer?.paid[0].text, "Bus");
  });
  await replica.close();
});

test("another tab follows a snapshot, and its observers see what changed", async () => {
  const log = new MemoryLog();
  const one = await localReplica({ storage: new MemoryStorage(log) });
  await one.write("First", (tx) => tx.insert(Person, { name: "Ana" }));
  const two = await Replica.open({ storage: new MemoryStorage(log), synchronises: false });
  const updates = two.observe(Person, { where: (p) => p.name.ne("large") });
  assert.equal((await updates.next()).value.records.length, 1);
  for (let round = 0; round < 60; round++) {
    await one.write("Many", (tx) => {
      for (let each = 0; each < 10; each++) tx.insert(Spending, { content: "x".repeat(10_000), amount: round });
    });
  }
  await one.write("Last", (tx) => tx.insert(Person, { name: "Bob" }));
  assert.ok(log.entries.length < 62, `${log.entries.length} entries`);
  // The write of the other tab reads the snapshot first.
  await two.write("Own", (tx) => tx.insert(Person, { name: "Cid" }));
  const names: string[] = [];
  while (names.length < 3) {
    const { value } = await updates.next();
    assert.ok(value.origin === "tab" || value.origin === "local");
    names.splice(0, names.length, ...value.records.map((each: { name: string }) => each.name));
  }
  assert.deepEqual(names, ["Ana", "Bob", "Cid"]);
  assert.equal(await two.count(Spending), 600);
  await one.write("Refresh", (tx) => tx.insert(Person, { name: "Dan" }));
  assert.deepEqual((await one.fetch(Person)).map((each) => each.name), ["Ana", "Bob", "Cid", "Dan"]);
  assert.equal(one.status().pendingChanges, two.status().pendingChanges + 1);
});

test("a change between observing and the first update is not missed", async () => {
  const replica = await localReplica();
  const updates = replica.observe(Person);
  await replica.write("Add", (tx) => tx.insert(Person, { name: "Ana" }));
  const { value } = await updates.next();
  assert.equal(value.origin, "initial");
  assert.deepEqual(value.records.map((each: { name: string }) => each.name), ["Ana"]);
  await replica.write("Add", (tx) => tx.insert(Person, { name: "Bob" }));
  assert.equal((await updates.next()).value.difference.inserted.length, 1);
});

test("a listener that throws fails no write, and its error is reported", async () => {
  const replica = await localReplica();
  const original = globalThis.setTimeout;
  let reported: unknown;
  // As a timer's error is reported; a test runner takes a real one for a failure.
  globalThis.setTimeout = ((body: () => void) => {
    try {
      body();
    } catch (error) {
      reported = error;
    }
    return 0;
  }) as unknown as typeof setTimeout;
  const end = replica.onStatus(() => {
    throw new RangeError("the listener's own");
  });
  await replica.write("Add", (tx) => tx.insert(Person, { name: "Ana" }));
  end();
  globalThis.setTimeout = original;
  assert.ok(reported instanceof RangeError);
  assert.equal(await replica.count(Person), 1);
});
