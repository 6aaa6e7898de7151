import assert from "node:assert/strict";
import test from "node:test";
import type { Replica } from "../src/index.ts";
import { Person, Spending } from "./model.ts";
import { Scope } from "./scope.ts";

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A scope whose owner and another device have a person and its spending. */
class Pair {
  readonly scope: Scope;
  readonly ana: Replica;
  readonly bob: Replica;
  readonly person: string;
  readonly spending: string;

  private constructor(scope: Scope, bob: Replica, person: string, spending: string) {
    this.scope = scope;
    this.ana = scope.owner;
    this.bob = bob;
    this.person = person;
    this.spending = spending;
  }

  static async make(): Promise<Pair> {
    const scope = await Scope.make();
    const bob = await scope.join();
    const [person, spending] = await scope.owner.write("Add", (tx) => {
      const person = tx.insert(Person, { name: "Ana" });
      return [person.id, tx.insert(Spending, { content: "Dinner", amount: 5, person }).id];
    });
    const pair = new Pair(scope, bob, person, spending);
    await pair.exchange();
    return pair;
  }

  /** Bob pushes first, although his changes are later. */
  async exchange(): Promise<void> {
    for (const replica of [this.bob, this.ana, this.bob]) await replica.synchronise();
  }

  async rename(replica: Replica, name: string): Promise<void> {
    await replica.write(`Rename to ${name}`, (tx) => tx.update(Person, { id: this.person }, { name }));
    await pause();
  }

  async edit(replica: Replica, values: { content?: string; amount?: number }): Promise<void> {
    await replica.write("Edit", (tx) => tx.update(Spending, { id: this.spending }, values));
    await pause();
  }

  /** Expects the kinds and contents of Ana's journal, and how many of its beaten changes are current all the same. */
  async expect(listed: [string, unknown][], current: number): Promise<void> {
    const entries = await this.ana.journal(), all = await this.ana.journal({ all: true });
    assert.deepEqual(entries.map((each) => [each.kind, each.content?.name ?? each.content?.content]), listed);
    assert.ok(entries.every((each) => !each.isCurrent));
    assert.equal(all.filter((each) => each.isCurrent && each.kind === "beaten").length, current);
    assert.equal(all.length, entries.length + current);
  }
}

test("an edit that an equal one beats is listed once the record has another content", async () => {
  const pair = await Pair.make(), { ana, bob } = pair;
  await pair.rename(ana, "Anna");
  await pair.rename(bob, "Anna");
  await pair.exchange();
  await pair.expect([], 1);
  assert.deepEqual((await ana.explain(Person, pair.person)).journal, []);
  await pair.rename(bob, "Anne");
  await pair.exchange();
  await pair.expect([["beaten", "Anna"]], 0);
  assert.equal((await ana.explain(Person, pair.person)).journal.length, 1);
  await ana.restore((await ana.journal())[0].number!);
  await pair.expect([], 1);
  await pair.exchange();
  await pair.expect([], 1);
  assert.equal((await bob.fetch(Person))[0].name, "Anna");
  await pair.scope.end();
});

test("an edit that an equal one beats is listed once one that has seen neither beats that", async () => {
  const pair = await Pair.make(), { ana, bob } = pair;
  const carl = await pair.scope.join();
  await carl.synchronise();
  await pair.rename(ana, "Anna");
  await pair.rename(bob, "Anna");
  await pair.rename(carl, "Carla");
  await pair.exchange();
  await pair.expect([], 1);
  await carl.synchronise();
  await ana.synchronise();
  assert.equal((await ana.fetch(Person))[0].name, "Carla");
  await pair.expect([["beaten", "Anna"]], 0);
  await pair.scope.end();
});

test("a beaten edit is listed where one property of two is equal", async () => {
  const pair = await Pair.make(), { ana, bob } = pair;
  await pair.edit(ana, { content: "Pizza", amount: 7 });
  await pair.edit(bob, { content: "Pizza" });
  await pair.exchange();
  await pair.expect([["beaten", "Pizza"]], 0);
  await pair.scope.end();
});

test("a beaten edit follows what the record shows before it is pushed", async () => {
  const pair = await Pair.make(), { ana, bob } = pair;
  await pair.rename(ana, "Anna");
  await pair.rename(bob, "Anna");
  await pair.exchange();
  await pair.rename(ana, "Anne");
  await pair.expect([["beaten", "Anna"]], 0);
  await pair.rename(ana, "Anna");
  await pair.expect([], 1);
  await pair.scope.end();
});

test("an equal edit of a hidden record is not listed, and one of a deleted record is", async () => {
  const pair = await Pair.make(), { ana, bob } = pair;
  await pair.edit(ana, { content: "Pizza" });
  await pair.edit(bob, { content: "Pizza" });
  await pair.exchange();
  await bob.write("Delete", (tx) => tx.delete(Person, { id: pair.person }));
  await pair.exchange();
  await pair.expect([["hidden", "Pizza"]], 1);
  await bob.undelete(Person, pair.person);
  await bob.write("Delete", (tx) => tx.delete(Spending, { id: pair.spending }));
  await pair.exchange();
  await pair.expect([["beaten", "Pizza"]], 0);
  await ana.undelete(Spending, pair.spending);
  await pair.expect([], 1);
  await pair.scope.end();
});

test("a beaten delete is listed while the record is there", async () => {
  const pair = await Pair.make(), { ana, bob } = pair;
  const remove = async (replica: Replica) => {
    await replica.write("Delete", (tx) => tx.delete(Spending, { id: pair.spending }));
    await pause();
  };
  await remove(ana);
  await remove(bob);
  await pair.exchange();
  await pair.expect([], 1);
  await bob.undelete(Spending, pair.spending);
  await pair.exchange();
  await pair.expect([["beaten", undefined]], 0);
  await ana.restore((await ana.journal())[0].number!);
  assert.equal(await ana.count(Spending), 0);
  await pair.expect([], 1);
  await pair.scope.end();
});
