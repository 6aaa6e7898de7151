import assert from "node:assert/strict";
import test from "node:test";
import { MemoryStorage, Replica } from "../src/index.ts";
import { Person, schemaText, Spending } from "./model.ts";
import { Server, SwiftDevice } from "./programs.ts";

test("two clients of different languages exchange records of every type", async () => {
  const server = await Server.start();
  const ana = await Replica.create({
    server: server.address,
    adminToken: server.adminToken,
    scopeName: "Lisbon",
    device: "Ana's laptop",
    schema: schemaText,
    storage: new MemoryStorage(),
    synchronises: false,
  });
  const swift = await SwiftDevice.join((await ana.membership.invite()).link, "Bob's phone");
  await ana.write("Add dinner", (tx) => {
    const person = tx.insert(Person, { name: "Ana" });
    tx.insert(Spending, {
      content: "Dinner é \u{1f600}",
      amount: 2n ** 63n - 1n,
      rate: 1.5,
      day: "2026-07-14",
      at: 1795235772630,
      token: "01890000-0000-7000-8000-000000000001",
      photo: new Uint8Array([0, 1, 255]),
      extra: { a: [1, null] },
      person,
    });
  });
  await ana.synchronise();
  await swift.sync();
  assert.equal(await swift.digest(), ana.digest());
  const [spending] = await swift.fetch("Spending");
  assert.equal(spending.content, "Dinner é \u{1f600}");
  await swift.sql("UPDATE spending SET content = 'Supper'");
  await swift.sql("INSERT INTO person(name) VALUES ('Bob')");
  await swift.sync();
  await ana.synchronise();
  assert.equal(await swift.digest(), ana.digest());
  assert.deepEqual((await ana.fetch(Person, { sortedBy: [(p) => p.name] })).map((p) => p.name), ["Ana", "Bob"]);
  const [read] = await ana.fetch(Spending);
  assert.equal(read.content, "Supper");
  assert.equal(read.amount, 2n ** 63n - 1n);
  assert.equal(read.person?.name, "Ana");
  assert.deepEqual(read.photo, new Uint8Array([0, 1, 255]));
  assert.deepEqual(read.extra, { a: [1, null] });
  await ana.close();
  await server.stop();
});
