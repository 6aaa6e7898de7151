import assert from "node:assert/strict";
import test from "node:test";
import { Writer } from "../src/bytes/protobuf.ts";
import { MemoryStorage } from "../src/index.ts";
import { Scope } from "./scope.ts";

test("pages without end are given up, and not asked for again at once", async () => {
  const scope = await Scope.make();
  let pulls = 0, isEndless = false;
  const device = await scope.join({
    storage: new MemoryStorage(),
    fetch: (input, init) => {
      if (!isEndless || !String(input).includes("/v1/pull")) return fetch(input, init);
      const page = new Writer();
      page.bytes(2, new TextEncoder().encode(`checkpoint ${++pulls}`));
      page.unsigned(3, 1);
      page.unsigned(5, 1);
      const headers = { "Content-Type": "application/x-protobuf" };
      return Promise.resolve(new Response(new Uint8Array(page.finish()), { headers }));
    },
  });
  await device.synchronise();
  isEndless = true;
  await assert.rejects(device.synchronise(), { code: "pull_too_large" });
  assert.ok(pulls < 3000, `${pulls} pages were pulled`);
  isEndless = false;
  await scope.end();
});
