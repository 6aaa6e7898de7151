import assert from "node:assert/strict";
import test from "node:test";
import { MemoryLog, MemoryStorage, Replica } from "../src/index.ts";
import { Category, Person, schemaText, Spending } from "./model.ts";
import type { Fault } from "./proxy.ts";
import { Random } from "./random.ts";
import { Scope } from "./scope.ts";

const names = async (replica: Replica) => (await replica.fetch(Person)).map((each) => each.name).sort().join();
const insert = (replica: Replica, name: string) => replica.write(`Add ${name}`, (tx) => tx.insert(Person, { name }).id);

/** Faults of the next requests to a path, one after another. */
function faults(scope: Scope, path: string, ...all: Fault[]): void {
  scope.proxy.fault = (_method, requested) => requested.startsWith(path) && all.shift() || { kind: "pass" };
}

test("a push whose reply is lost is sent again with the same bytes and stored once", async () => {
  const scope = await Scope.make();
  const other = await scope.join();
  await insert(scope.owner, "Ana");
  faults(scope, "/v1/push", { kind: "loseReply" }, { kind: "truncate" }, { kind: "garbage" });
  await scope.owner.synchronise();
  const pushes = scope.proxy.requests.filter((each) => each.path === "/v1/push");
  assert.equal(pushes.length, 4);
  for (const push of pushes) assert.deepEqual(push.body, pushes[0].body);
  await other.synchronise();
  assert.equal(await names(other), "Ana");
  assert.equal(other.digest(), scope.owner.digest());
  assert.deepEqual(await scope.owner.journal(), []);
  await scope.end();
});

test("a program that ends before the reply arrives pushes the same bytes when it starts again", async () => {
  const scope = await Scope.make();
  const log = new MemoryLog();
  const device = await scope.join({ storage: new MemoryStorage(log) });
  await insert(device, "Ana");
  faults(scope, "/v1/push", { kind: "loseReply" });
  await assert.rejects(device.synchronise({ attempts: 1 }), { code: "unreachable" });
  await device.close();
  const again = await scope.open({ storage: new MemoryStorage(log) });
  await insert(again, "Bob");
  await again.synchronise();
  const pushes = scope.proxy.requests.filter((each) => each.path === "/v1/push");
  assert.deepEqual(pushes[1].body, pushes[0].body);
  await scope.owner.synchronise();
  assert.equal(await names(scope.owner), "Ana,Bob");
  await scope.end();
});

test("pages of proxies, cut answers, errors that are retried, and repeated requests lose nothing", async () => {
  const scope = await Scope.make();
  const other = await scope.join();
  const all: Fault[] = [
    { kind: "page", status: 200 },
    { kind: "page", status: 302 },
    { kind: "page", status: 504 },
    { kind: "drop" },
    { kind: "repeat" },
    { kind: "error", status: 503, code: "stopping", retryAfter: 1 },
    { kind: "error", status: 429, code: "too_many_requests", retryAfter: 1 },
    { kind: "error", status: 500, code: "internal_error" },
    { kind: "error", status: 507, code: "storage_unavailable" },
    { kind: "error", status: 500, code: "a_later_code" },
    { kind: "truncate" },
    { kind: "garbage" },
  ];
  for (const [index, fault] of all.entries()) {
    for (const path of ["/v1/push", "/v1/pull"]) {
      faults(scope, path, fault);
      await insert(scope.owner, `P${index}${path}`);
      await scope.owner.synchronise();
      faults(scope, path, fault);
      await other.synchronise();
      assert.equal(other.digest(), scope.owner.digest(), `${fault.kind} ${path}`);
    }
  }
  assert.equal(await names(other), await names(scope.owner));
  assert.equal(await other.count(Person), all.length * 2);
  await scope.end();
});

test("a device that is offline works on, and its live session continues by itself", async () => {
  const scope = await Scope.make();
  const live = await scope.join({ synchronises: true });
  await live.synced();
  scope.proxy.fault = () => ({ kind: "drop" });
  await insert(live, "Offline");
  await insert(scope.owner, "Elsewhere");
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(await names(live), "Offline");
  assert.equal(live.status().pendingChanges, 1);
  scope.proxy.fault = () => ({ kind: "pass" });
  await live.synced();
  await scope.owner.synchronise();
  for await (const update of live.observe(Person)) if (update.records.length === 2) break;
  assert.equal(await names(live), "Elsewhere,Offline");
  await scope.end();
});

test("a live session pushes at once and brings the changes of others to an observer", async () => {
  const scope = await Scope.make({ synchronises: true });
  const other = await scope.join({ synchronises: true });
  const origins: string[] = [];
  const seen = (async () => {
    for await (const update of other.observe(Person)) {
      origins.push(update.origin);
      if (update.records.length === 3) return;
    }
  })();
  for (const name of ["A", "B", "C"]) {
    await insert(scope.owner, name);
    await scope.owner.synced();
  }
  await seen;
  assert.equal(origins[0], "initial");
  assert.ok(origins.slice(1).every((origin) => origin === "remote"), origins.join());
  await scope.end();
});

test("a refused transaction goes to the journal with its content, and the others are stored", async () => {
  const scope = await Scope.make({ server: { environment: { ROOST_PUT_BYTES_MAX: "1000" } } });
  await insert(scope.owner, "x".repeat(2000));
  await insert(scope.owner, "Ana");
  await scope.owner.synchronise();
  assert.equal(await names(scope.owner), "Ana");
  const [entry] = await scope.owner.journal();
  assert.equal(entry.kind, "refused");
  assert.equal(entry.content?.name, "x".repeat(2000));
  assert.match(entry.reason, /the limit is 1000/);
  assert.equal(scope.owner.status().pendingChanges, 0);
  await scope.end();
});

test("a push that is refused whole is divided until the one at fault is found and set aside", async () => {
  const scope = await Scope.make();
  for (const name of ["A", "B", "bad", "C", "D"]) await insert(scope.owner, name);
  scope.proxy.fault = (_method, path, body) =>
    path === "/v1/push" && Buffer.from(body).includes("bad")
      ? { kind: "error", status: 400, code: "bad_request" }
      : { kind: "pass" };
  await scope.owner.synchronise();
  assert.equal(await names(scope.owner), "A,B,C,D");
  const journal = await scope.owner.journal();
  assert.deepEqual(journal.map((each) => [each.kind, each.content?.name]), [["refused", "bad"]]);
  const other = await scope.join();
  await other.synchronise();
  assert.equal(await names(other), "A,B,C,D");
  await scope.owner.restore(journal[0].number!);
  assert.equal(await names(scope.owner), "A,B,C,D,bad");
  await scope.end();
});

test("a proxy that takes small bodies only gets smaller pushes", async () => {
  const scope = await Scope.make();
  const random = new Random(9);
  for (let index = 0; index < 40; index++) {
    const name = Array.from({ length: 2000 }, () => String.fromCharCode(33 + random.below(90))).join("");
    await insert(scope.owner, name);
  }
  scope.proxy.fault = (_method, path, body) =>
    path === "/v1/push" && body.length > 8000 ? { kind: "page", status: 413 } : { kind: "pass" };
  await scope.owner.synchronise();
  const other = await scope.join();
  await other.synchronise();
  assert.equal(await other.count(Person), 40);
  assert.equal(other.digest(), scope.owner.digest());
  await scope.end();
});

test("a transaction that fits no push is sent in parts, and others see it whole", async () => {
  const scope = await Scope.make();
  const other = await scope.join();
  const swift = await scope.joinSwift();
  await insert(scope.owner, "before");
  await scope.owner.write("Many", (tx) => {
    for (let index = 0; index < 25_000; index++) tx.insert(Person, { name: `${index}` });
  });
  await insert(scope.owner, "after");
  let part = 0;
  scope.proxy.fault = (_method, path) => path === "/v1/push" && ++part === 3 ? { kind: "loseReply" } : { kind: "pass" };
  await assert.rejects(scope.owner.synchronise({ attempts: 1 }), { code: "unreachable" });
  await other.synchronise();
  assert.equal(await names(other), "before");
  await scope.owner.synchronise();
  await other.synchronise();
  assert.equal(await other.count(Person), 25_002);
  await swift.sync();
  assert.equal(await swift.digest(), scope.owner.digest());
  assert.equal(other.digest(), scope.owner.digest());
  await scope.end();
});

test("a beaten edit is in the journal once, and can be restored", async () => {
  const scope = await Scope.make();
  const other = await scope.join();
  const id = await insert(scope.owner, "Dinner");
  await scope.owner.synchronise();
  await other.synchronise();
  await scope.owner.write("One", (tx) => tx.update(Person, { id }, { name: "Ana's" }));
  await new Promise((resolve) => setTimeout(resolve, 5));
  await other.write("Two", (tx) => tx.update(Person, { id }, { name: "Bob's" }));
  await other.synchronise();
  await scope.owner.synchronise();
  await scope.owner.synchronise();
  assert.equal(await names(scope.owner), "Bob's");
  const journal = await scope.owner.journal();
  assert.deepEqual(journal.map((each) => [each.kind, each.content?.name, each.label]), [["beaten", "Ana's", "One"]]);
  await scope.owner.restore(journal[0].number!);
  await scope.owner.synchronise();
  await other.synchronise();
  assert.equal(await names(other), "Ana's");
  assert.deepEqual(await other.journal(), [], "a restored edit is informed and beats nothing blindly");
  await scope.end();
});

test("an edit that was stored and then beaten blindly is in the journal of its author", async () => {
  const scope = await Scope.make();
  const other = await scope.join();
  const id = await insert(scope.owner, "Dinner");
  await scope.owner.synchronise();
  await other.synchronise();
  await scope.owner.write("One", (tx) => tx.update(Person, { id }, { name: "Ana's" }));
  await scope.owner.synchronise();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await other.write("Two", (tx) => tx.update(Person, { id }, { name: "Bob's" }));
  await other.synchronise();
  await scope.owner.synchronise();
  assert.equal(await names(scope.owner), "Bob's");
  assert.deepEqual((await scope.owner.journal()).map((each) => [each.kind, each.content?.name]), [["beaten", "Ana's"]]);
  assert.deepEqual(await other.journal(), []);
  await scope.end();
});

test("undo is refused once another device has changed the record, or refers to it", async () => {
  const scope = await Scope.make();
  const other = await scope.join();
  const id = await insert(scope.owner, "Ana");
  await scope.owner.synchronise();
  await other.synchronise();
  const spending = await other.write("Use", (tx) => {
    return tx.insert(Spending, { content: "x", amount: 1, person: { id } }).id;
  });
  await other.synchronise();
  await scope.owner.synchronise();
  await assert.rejects(scope.owner.undo(), { code: "changed_since", message: /a Spending refers to/ });
  await other.write("Delete", (tx) => tx.delete(Spending, { id: spending }));
  await other.write("Rename", (tx) => tx.update(Person, { id }, { name: "Eva" }));
  await other.synchronise();
  await scope.owner.synchronise();
  await assert.rejects(scope.owner.undo(), { code: "changed_since", message: /somebody has changed its Person/ });
  assert.equal(await names(scope.owner), "Eva");
  await scope.end();
});

test("a viewer pulls and keeps what it cannot push until its role allows it", async () => {
  const scope = await Scope.make();
  const viewer = await scope.join({ role: "viewer" });
  await insert(viewer, "Mine");
  await insert(scope.owner, "Ours");
  await scope.owner.synchronise();
  await assert.rejects(viewer.synchronise(), { code: "forbidden" });
  assert.equal(await names(viewer), "Mine,Ours");
  const device = (await scope.owner.membership.devices()).find((each) => each.name === viewer.status().device)!;
  await scope.owner.membership.setRole(device.replica, "editor");
  await viewer.synchronise();
  await scope.owner.synchronise();
  assert.equal(await names(scope.owner), "Mine,Ours");
  await scope.end();
});

test("a revoked device keeps all it has, and joins again with its replica", async () => {
  const scope = await Scope.make();
  const device = await scope.join();
  await insert(device, "Before");
  await device.synchronise();
  const listed = (await scope.owner.membership.devices()).find((each) => each.name === device.status().device)!;
  await scope.owner.membership.revoke(listed.replica);
  await insert(device, "After");
  const error = await device.synchronise().catch((error) => error);
  assert.equal(error.code, "revoked");
  assert.doesNotMatch(String(error) + JSON.stringify(error), /roost_[a-z]_/);
  assert.equal(await names(device), "After,Before");
  const before = device.status().replica;
  await device.rejoin(await scope.link());
  assert.notEqual(device.status().replica, before);
  await device.synchronise();
  await scope.owner.synchronise();
  assert.equal(await names(scope.owner), "After,Before");
  assert.equal(device.digest(), scope.owner.digest());
  await scope.end();
});

test("a new schema is taken with the page that announces it, and names follow their numbers", async () => {
  const scope = await Scope.make();
  const other = await scope.join();
  const id = await insert(other, "Ana");
  await other.synchronise();
  await insert(other, "Sealed before");
  const later = JSON.parse(schemaText);
  later.version = 2;
  later.entities[0].attributes[0].name = "fullName";
  later.entities[0].attributes.push({ id: 9, name: "nick", type: "string", optional: true });
  await scope.owner.membership.publishSchema(JSON.stringify(later));
  await scope.owner.synchronise();
  const swift = await scope.joinSwift();
  await swift.sync();
  await swift.sql("UPDATE person SET nick = 'A'");
  await swift.sync();
  await other.synchronise();
  assert.equal(other.status().schemaVersion, 2);
  // deno-lint-ignore no-explicit-any
  const person = await other.get(Person, id) as any;
  assert.equal(person.fullName, "Ana");
  assert.equal(person.nick, "A");
  await scope.owner.synchronise();
  assert.equal(other.digest(), scope.owner.digest());
  await scope.end();
});

test("what a schema does not know is kept and written back", async () => {
  const scope = await Scope.make();
  const fork = await scope.join();
  const later = JSON.parse(schemaText);
  later.version = 2;
  later.entities[0].attributes.push({ id: 9, name: "nick", type: "string", optional: true });
  later.entities.push({ id: 77, name: "Later", attributes: [{ id: 1, name: "x", type: "string" }] });
  await scope.owner.membership.publishSchema(JSON.stringify(later));
  await scope.owner.synchronise();
  // deno-lint-ignore no-explicit-any
  const id = await scope.owner.write("Add", (tx) => tx.insert(Person, { name: "Ana", nick: "A" } as any).id);
  await scope.owner.write("Add", (tx) => {
    // deno-lint-ignore no-explicit-any
    tx.insert({ name: "Later", id: undefined, properties: undefined } as any, { x: "1" });
  });
  await scope.owner.synchronise();
  // An old client: it never gets the later schema.
  scope.proxy.fault = (_method, path) =>
    path === "/v1/schema" ? { kind: "error", status: 500, code: "internal_error" } : { kind: "pass" };
  await assert.rejects(fork.synchronise({ attempts: 1 }), { code: "internal_error" });
  scope.proxy.fault = () => ({ kind: "pass" });
  await fork.synchronise();
  await fork.write("Rename", (tx) => tx.update(Person, { id }, { name: "Eva" }));
  await fork.synchronise();
  await scope.owner.synchronise();
  // deno-lint-ignore no-explicit-any
  assert.equal((await scope.owner.get(Person, id) as any).nick, "A");
  await scope.end();
});

test("a rotated token works on, also where the reply was lost", async () => {
  const scope = await Scope.make();
  const log = new MemoryLog();
  const device = await scope.join({ storage: new MemoryStorage(log) });
  await device.rotateToken();
  await device.synchronise();
  faults(scope, "/v1/token/rotate", { kind: "loseReply" });
  await assert.rejects(device.rotateToken(), { code: "unreachable" });
  await insert(device, "After a lost reply");
  await device.synchronise();
  faults(scope, "/v1/token/rotate", { kind: "drop" });
  await assert.rejects(device.rotateToken(), { code: "unreachable" });
  await insert(device, "After a lost request");
  await device.synchronise();
  await device.synchronise();
  await scope.owner.synchronise();
  assert.equal(await scope.owner.count(Person), 2);
  await scope.end();
});

test("a copied replica takes a new identity, and neither copy loses anything", async () => {
  const scope = await Scope.make();
  const log = new MemoryLog();
  const one = await scope.join({ storage: new MemoryStorage(log) });
  await insert(one, "Shared");
  await one.synchronise();
  const copied = new MemoryLog();
  copied.entries = [...log.entries];
  copied.last = log.last;
  const two = await scope.open({ storage: new MemoryStorage(copied) });
  await insert(one, "One");
  await insert(two, "Two");
  await one.synchronise();
  await two.synchronise();
  await one.synchronise();
  await scope.owner.synchronise();
  assert.notEqual(one.status().replica, two.status().replica);
  for (const replica of [one, two, scope.owner]) assert.equal(await names(replica), "One,Shared,Two");
  assert.equal(one.digest(), two.digest());
  await scope.end();
});

test("deleted categories, trees and deny references converge with the roost program", async () => {
  const scope = await Scope.make();
  const swift = await scope.joinSwift();
  const { root, bob } = await scope.owner.write("Make", (tx) => {
    const root = tx.insert(Category, { name: "root" });
    const leaf = tx.insert(Category, { name: "leaf", parent: root });
    const bob = tx.insert(Person, { name: "Bob" });
    tx.insert(Spending, { content: "Car", amount: 1, guarantor: bob, category: leaf });
    return { root: root.id, bob: bob.id };
  });
  await scope.owner.synchronise();
  await swift.sync();
  await swift.sql("DELETE FROM category WHERE name = 'root'");
  await swift.sync();
  await scope.owner.synchronise();
  assert.equal(await scope.owner.count(Category), 0);
  assert.equal((await scope.owner.fetch(Spending))[0].category, null);
  await assert.rejects(scope.owner.write("No", (tx) => tx.delete(Person, { id: bob })), { code: "delete_denied" });
  await scope.owner.undelete(Category, root);
  await scope.owner.synchronise();
  await swift.sync();
  assert.equal(await swift.digest(), scope.owner.digest());
  assert.equal((await swift.fetch("Category")).length, 2);
  await scope.end();
});

test("a push that is refused whole holds no page with purged records back", async () => {
  const scope = await Scope.make();
  const log = new MemoryLog();
  const device = await scope.join({ storage: new MemoryStorage(log) });
  await insert(device, "bad");
  scope.proxy.fault = (_method, path) =>
    path === "/v1/push" ? { kind: "error", status: 400, code: "bad_request" } : { kind: "pass" };
  await insert(scope.owner, "Ana");
  await device.synchronise();
  assert.deepEqual((await device.journal()).map((each) => each.kind), ["refused"]);
  await scope.end();
});

test("a replica moves to another server, and shows that server no earlier token", async () => {
  const scope = await Scope.make(), other = await Scope.make();
  const device = await scope.join({ synchronises: true });
  await insert(device, "Ana");
  await device.synced();
  // The scope is made again on the other server, as after a loss of all data.
  const seed = await Replica.create({
    server: other.proxy.address,
    adminToken: other.server.adminToken,
    scopeName: "Lisbon",
    device: "Seed",
    schema: schemaText,
    scope: device.status().scope,
    storage: new MemoryStorage(),
    synchronises: false,
  });
  await device.rejoin((await seed.membership.invite()).link);
  await insert(device, "Bob");
  await device.synced();
  const isBusy = () => device.status().isResynchronising || device.status().lostRecords > 0;
  for (let attempt = 0; attempt < 100 && isBusy(); attempt++) await new Promise((resolve) => setTimeout(resolve, 50));
  await seed.synchronise();
  assert.equal(await names(seed), "Ana,Bob");
  assert.ok(other.proxy.requests.every((each) => each.path !== "/v1/token/known"));
  await seed.close();
  await scope.end();
  await other.end();
});

test("a pull beyond the limit of the program ends, and keeps what it has applied", async () => {
  const scope = await Scope.make();
  await scope.owner.write("Many", (tx) => {
    for (let index = 0; index < 30; index++) tx.insert(Person, { name: "x".repeat(100_000) });
  });
  for (let index = 0; index < 30; index++) await insert(scope.owner, "y".repeat(100_000));
  await scope.owner.synchronise();
  const small = await scope.join({ pullBytesMax: 3_500_000 });
  await assert.rejects(small.synchronise(), { code: "pull_too_large" });
  assert.ok(await small.count(Person) >= 30);
  await small.synchronise();
  assert.equal(small.digest(), scope.owner.digest());
  await scope.end();
});

test("several transactions that the server refuses whole are all set aside by one synchronisation", async () => {
  const scope = await Scope.make();
  for (const name of ["bad 1", "good", "bad 2", "bad 3"]) await insert(scope.owner, name);
  scope.proxy.fault = (_method, path, body) =>
    path === "/v1/push" && Buffer.from(body).includes("bad")
      ? { kind: "error", status: 400, code: "bad_request" }
      : { kind: "pass" };
  await scope.owner.synchronise();
  assert.equal(scope.owner.status().pendingChanges, 0);
  assert.deepEqual((await scope.owner.journal()).map((each) => each.content?.name), ["bad 1", "bad 2", "bad 3"]);
  await scope.end();
});
