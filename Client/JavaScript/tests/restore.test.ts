import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import { MemoryLog, MemoryStorage, type Replica } from "../src/index.ts";
import { milliseconds } from "../src/merge/clock.ts";
import { noSlots, ScopeDigest } from "../src/merge/slots.ts";
import { ReplicaCore } from "../src/replica/core.ts";
import type { Operation } from "../src/replica/operations.ts";
import { FullStorage } from "./local.ts";
import { Person } from "./model.ts";
import { Scope } from "./scope.ts";

type Named = { name: string };

const names = async (replica: Replica) => (await replica.fetch(Person)).map((each) => each.name).sort().join();
const insert = (replica: Replica, name: string) => replica.write(`Add ${name}`, (tx) => tx.insert(Person, { name }).id);
const environment = (milliseconds: number) => ({
  now: () => Date.now() + milliseconds,
  random: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
});

async function putBack(scope: Scope, backup: string): Promise<void> {
  await scope.server.stop();
  await scope.server.restore(backup);
  await scope.server.start();
}

async function converge(...replicas: Replica[]): Promise<void> {
  for (let round = 0; round < 3; round++) for (const replica of replicas) await replica.synchronise();
  for (const replica of replicas) assert.equal(replica.digest(), replicas[0].digest());
}

/** Changes the storage of a replica behind its back, as damage or a test of the clock does. */
async function tamper(log: MemoryLog, operations: (core: ReplicaCore) => Operation[]): Promise<void> {
  const core = await ReplicaCore.open(new MemoryStorage(log), environment(0));
  await core.commit(() => ({ operations: operations(core), result: undefined }), "local");
}

test("what a restored server has lost comes back from whoever holds it", async () => {
  const scope = await Scope.make();
  const other = await scope.join();
  const third = await scope.join();
  const id = await insert(scope.owner, "Ana");
  await converge(scope.owner, other, third);
  const backup = await scope.server.backup();
  await insert(scope.owner, "Lost");
  await scope.owner.write("Rename", (tx) => tx.update(Person, { id }, { name: "Eva" }));
  await converge(scope.owner, other);
  await scope.owner.close();
  await putBack(scope, backup);
  await insert(other, "Meanwhile");
  await converge(other, third);
  assert.equal(await names(third), "Eva,Lost,Meanwhile");
  assert.equal(other.status().lostRecords, 0);
  await scope.end();
});

test("what only its author holds comes back, with what was written since", async () => {
  const scope = await Scope.make();
  const author = await scope.join();
  await converge(scope.owner, author);
  const backup = await scope.server.backup();
  for (const name of ["A", "B", "C"]) {
    await insert(author, name);
    await author.synchronise();
  }
  await putBack(scope, backup);
  await insert(author, "D");
  await converge(author, scope.owner);
  assert.equal(await names(scope.owner), "A,B,C,D");
  assert.deepEqual(await author.journal(), []);
  await scope.end();
});

test("a delete that a restored server has lost comes back too", async () => {
  const scope = await Scope.make();
  const author = await scope.join();
  const id = await insert(author, "Ana");
  await converge(scope.owner, author);
  const backup = await scope.server.backup();
  await author.write("Delete", (tx) => tx.delete(Person, { id }));
  await author.synchronise();
  await putBack(scope, backup);
  await converge(author, scope.owner);
  assert.equal(await names(scope.owner), "");
  await scope.end();
});

test("a viewer writes down what the server has lost", async () => {
  const scope = await Scope.make();
  const viewer = await scope.join({ role: "viewer" });
  await converge(scope.owner, viewer);
  const backup = await scope.server.backup();
  await insert(scope.owner, "Lost");
  await converge(scope.owner, viewer);
  await putBack(scope, backup);
  await viewer.synchronise();
  assert.deepEqual((await viewer.journal()).map((each) => [each.kind, each.content?.name]), [["lost", "Lost"]]);
  assert.equal(await names(viewer), "");
  await converge(scope.owner, viewer);
  assert.equal(await names(viewer), "Lost");
  await scope.end();
});

test("a device that joined after the backup joins again with its replica", async () => {
  const scope = await Scope.make();
  await insert(scope.owner, "Ana");
  await scope.owner.synchronise();
  const backup = await scope.server.backup();
  const late = await scope.join();
  await insert(late, "Late");
  await late.synchronise();
  await putBack(scope, backup);
  await assert.rejects(late.synchronise(), { code: "unauthorized" });
  assert.equal(await names(late), "Ana,Late");
  await late.rejoin(await scope.link());
  await converge(late, scope.owner);
  assert.equal(await names(scope.owner), "Ana,Late");
  await scope.end();
});

test("a device whose token was rotated after the backup finds the one that the server knows", async () => {
  const scope = await Scope.make();
  const device = await scope.join();
  await insert(device, "Ana");
  await converge(device, scope.owner);
  const backup = await scope.server.backup();
  await device.rotateToken();
  await insert(device, "Since");
  await device.synchronise();
  await putBack(scope, backup);
  await converge(device, scope.owner);
  assert.equal(await names(scope.owner), "Ana,Since");
  await scope.end();
});

test("a replica that differs from the server is pulled again, and loses nothing of its own", async () => {
  const scope = await Scope.make();
  const log = new MemoryLog();
  const device = await scope.join({ storage: new MemoryStorage(log) });
  await insert(scope.owner, "Ana");
  await insert(scope.owner, "Bob");
  await converge(scope.owner, device);
  await insert(device, "Waiting");
  await tamper(log, (core) => {
    const record = [...core.model.graph.records(1)].find((each) => each.confirmed !== noSlots)!;
    const digest = new ScopeDigest();
    digest.text = core.model.control.digest;
    digest.replace(record.entity, record.id, record.confirmed, noSlots);
    return [
      { kind: "forget", name: { entity: record.entity, id: record.id } },
      { kind: "control", values: { digest: digest.text } },
    ];
  });
  const seen: string[] = [];
  scope.proxy.fault = (_method, path) => {
    if (path.startsWith("/v1/pull?since=&")) seen.push(path);
    return { kind: "pass" };
  };
  const updates = device.observe(Person);
  await updates.next();
  await device.synchronise();
  const { difference } = (await updates.next()).value;
  // Nothing is reported but the record that was missing: it is the one that was taken away and came back.
  assert.deepEqual([difference.inserted.length, difference.updated.length, difference.removed.length], [0, 1, 0]);
  await converge(device, scope.owner);
  assert.equal(seen.length, 1);
  assert.equal(await names(device), "Ana,Bob,Waiting");
  await scope.end();
});

test("a purge is followed, and a device that was away for longer loses nothing silently", async () => {
  const days = 100 * 86_400_000;
  const scope = await Scope.make();
  const firstLog = new MemoryLog();
  const first = await scope.join({ storage: new MemoryStorage(firstLog), environment: environment(-days) });
  const deleted = await insert(first, "deleted"), edited = await insert(first, "edited");
  const away = await scope.join();
  await converge(first, away);
  // The device that is away goes offline; the other one deletes both records, long ago by its clock.
  await tamper(firstLog, () => [{ kind: "control", values: { clockOffset: 0 } }]);
  await first.write("Delete", (tx) => {
    tx.delete(Person, { id: deleted });
    tx.delete(Person, { id: edited });
  });
  // The second pull shows the server that the device has the deletes.
  for (let round = 0; round < 2; round++) await first.synchronise();
  await away.write("Edit", (tx) => tx.update(Person, { id: edited }, { name: "edited here" }));
  await insert(away, "created");
  await scope.server.stop();
  const database = join(scope.server.data, "roost.sqlite");
  const sql = (text: string) => execFileSync("sqlite3", [database, text], { encoding: "utf8" }).trim();
  const number = (replica: Replica) => BigInt.asIntN(64, BigInt(`0x${replica.status().replica}`));
  const long = Date.now() - days;
  for (const replica of [away, scope.owner]) {
    sql(`update replica set last_seen = ${long}, pulled = ${long}, created = ${long} where id = ${number(replica)}`);
  }
  await scope.server.start();
  const until = async (isDone: () => Promise<boolean>) => {
    for (let attempt = 0; attempt < 100; attempt++) {
      if (await isDone()) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    assert.fail("it did not happen");
  };
  await until(async () => {
    await first.synchronise();
    return first.digest() === "0".repeat(32);
  });
  // The two devices have pulled everything once, and the purge needed no other full pull.
  assert.equal(scope.proxy.requests.filter((each) => each.path.startsWith("/v1/pull?since=&")).length, 2);
  await first.synchronise();
  await scope.server.stop();
  await scope.server.start();
  await until(async () => sql("select floor > 0 from scope") === "1");
  await converge(away, first);
  assert.equal(await names(first), "created");
  assert.equal(await names(away), "created");
  const journal = (await away.journal()).map((each) => [each.kind, each.content?.name]);
  assert.deepEqual(journal, [["refused", "edited here"]]);
  await scope.end();
});

test("a rotation after one whose reply was lost is not taken for theft", async () => {
  const scope = await Scope.make();
  const log = new MemoryLog();
  const device = await scope.join({ storage: new MemoryStorage(log) });
  const lose = (path: string, kind: "loseReply" | "drop") => {
    let isLost = false;
    scope.proxy.fault = (_method, requested) => {
      if (isLost || !requested.startsWith(path)) return { kind: "pass" };
      isLost = true;
      return { kind };
    };
  };
  for (const kind of ["loseReply", "drop"] as const) {
    lose("/v1/token/rotate", kind);
    await assert.rejects(device.rotateToken(), { code: "unreachable" });
    // The server sees the new token, and the program ends before it has stored that it is in force.
    const { proposedToken } = (await ReplicaCore.open(new MemoryStorage(log), environment(0))).model.control;
    const headers = { Authorization: `Bearer ${proposedToken}` };
    const { status } = await fetch(`${scope.server.address}/v1/me`, { headers });
    assert.equal(status, kind === "drop" ? 401 : 200);
    await device.rotateToken();
    await insert(device, kind);
    await device.synchronise();
  }
  await scope.owner.synchronise();
  assert.equal(await names(scope.owner), "drop,loseReply");
  await scope.end();
});

test("a clock that is ahead is set back, and the outbox gets new stamps in order", async () => {
  let wall = Date.now() + 40 * 60_000;
  const clock = {
    now: () => wall,
    random: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  };
  const scope = await Scope.make();
  const log = new MemoryLog();
  const ahead = await scope.join({ environment: clock, storage: new MemoryStorage(log) });
  await ahead.synchronise();
  wall += 60 * 60_000;
  const id = await insert(ahead, "Ana");
  await ahead.write("Rename", (tx) => tx.update(Person, { id }, { name: "Eva" }));
  await ahead.synchronise();
  await scope.owner.synchronise();
  assert.equal(await names(scope.owner), "Eva");
  assert.equal(ahead.digest(), scope.owner.digest());
  assert.deepEqual(await ahead.journal(), []);
  // The base moved with the stamp that it names: the edit is an informed one for everybody.
  const { model } = await ReplicaCore.open(new MemoryStorage(log), clock);
  const [record] = [...model.graph.records(1)];
  assert.ok(milliseconds(record.confirmed.put!.base) < Date.now() + 60_000);
  await scope.owner.write("Again", (tx) => tx.update(Person, { id }, { name: "Zoe" }));
  await scope.owner.synchronise();
  await ahead.synchronise();
  assert.equal(await names(ahead), "Zoe", "whoever has seen a change beats it");
  await scope.end();
});

test("waiting for a push that the role does not allow ends with the reason, and goes on by retry", async () => {
  const scope = await Scope.make();
  const viewer = await scope.join({ role: "viewer", synchronises: true });
  await viewer.synced();
  await insert(viewer, "Mine");
  await assert.rejects(viewer.synced(), { code: "forbidden" });
  assert.equal(viewer.status().pushError?.code, "forbidden");
  const device = (await scope.owner.membership.devices()).find((each) => each.name === viewer.status().device)!;
  await scope.owner.membership.setRole(device.replica, "editor");
  viewer.retry();
  for (let attempt = 0; attempt < 100 && viewer.status().pendingChanges > 0; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await scope.owner.synchronise();
  assert.equal(await names(scope.owner), "Mine");
  assert.equal(viewer.status().pushError, undefined);
  await scope.end();
});

test("a page that finds no room is forgotten again, and comes once there is some", async () => {
  const scope = await Scope.make();
  const storage = new FullStorage();
  const device = await scope.join({ storage });
  await insert(device, "Mine");
  await insert(scope.owner, "Ana");
  await converge(scope.owner, device);
  await insert(scope.owner, "Bob");
  await scope.owner.synchronise();
  const shown: string[] = [];
  const updates = device.observe(Person, { sortedBy: [(p) => p.name] });
  const record = async () => shown.push((await updates.next()).value.records.map((each: Named) => each.name).join());
  await record();
  storage.isFull = true;
  await assert.rejects(device.synchronise({ attempts: 1 }), { code: "storage_full" });
  await record();
  assert.deepEqual(shown, ["Ana,Mine", "Ana,Mine"]);
  assert.equal(await names(device), "Ana,Mine");
  await assert.rejects(insert(device, "No room"), { code: "storage_full" });
  storage.isFull = false;
  await insert(device, "Waiting");
  await converge(device, scope.owner);
  assert.equal(await names(scope.owner), "Ana,Bob,Mine,Waiting");
  await scope.end();
});
