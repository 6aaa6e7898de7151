import assert from "node:assert/strict";
import test from "node:test";
import { Person } from "./model.ts";
import { Scope } from "./scope.ts";

test("an edit that was made from a refused one is informed for the devices that wrote before", async () => {
  const scope = await Scope.make({ server: { environment: { ROOST_PUT_BYTES_MAX: "1000" } } });
  const { owner } = scope, other = await scope.join();
  const id = await other.write("Add", (tx) => tx.insert(Person, { name: "Ana" }).id);
  await other.synchronise();
  await owner.synchronise();
  await owner.write("Refused", (tx) => tx.update(Person, { id }, { name: "x".repeat(2000) }));
  scope.proxy.fault = (_method, path) => path === "/v1/push" ? { kind: "loseReply" } : { kind: "pass" };
  await assert.rejects(owner.synchronise({ attempts: 1 }), { code: "unreachable" });
  await owner.write("Since", (tx) => tx.update(Person, { id }, { name: "Bea" }));
  scope.proxy.fault = () => ({ kind: "pass" });
  await owner.synchronise();
  await other.synchronise();
  assert.equal((await other.get(Person, id))?.name, "Bea");
  assert.deepEqual(await other.journal({ all: true }), [], "the edit is not blind");
  assert.deepEqual((await owner.journal()).map((each) => each.kind), ["refused"]);
  await scope.end();
});
