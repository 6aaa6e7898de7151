import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { MemoryLog, MemoryStorage } from "../src/index.ts";
import { SQLiteStorage } from "../src/node.ts";
import { temporaryFolder } from "./programs.ts";
import { contracts, sharedContracts } from "./storage-contract.ts";

for (const contract of [...contracts, ...sharedContracts]) {
  test(`memory: ${contract.name}`, async () => {
    const log = new MemoryLog();
    await contract.check(async () => new MemoryStorage(log));
  });
}

for (const contract of contracts) {
  test(`SQLite: ${contract.name}`, async () => {
    const file = join(temporaryFolder(), "replica.sqlite");
    await contract.check(async () => new SQLiteStorage(file));
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });
}

test("SQLite: a second program is refused", () => {
  const file = join(temporaryFolder(), "replica.sqlite");
  const first = new SQLiteStorage(file);
  assert.throws(() => new SQLiteStorage(file), {
    code: "storage_failed",
    message: /another program has its file open/,
  });
  first.close();
  new SQLiteStorage(file).close();
});
