import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import { Replica } from "../src/index.ts";
import { SQLiteStorage } from "../src/node.ts";
import { localReplica } from "./local.ts";
import { Person } from "./model.ts";
import { temporaryFolder } from "./programs.ts";

/** `ROOST_KILLS=20` is the long form. */
const kills = Number(process.env.ROOST_KILLS ?? 3);

test("a killed program loses no durable write", async () => {
  const file = join(temporaryFolder(), "replica.sqlite");
  await (await localReplica({ storage: new SQLiteStorage(file) })).close();
  const durable: string[] = [];
  for (let attempt = 0; attempt < kills; attempt++) {
    const program = new URL("./killed-writer.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [program, file, String(attempt)], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    await new Promise<void>((resolve) => {
      child.stdout.on("data", (part) => {
        text += part;
        if (text.split("\n").length > 10 + attempt * 3) child.kill("SIGKILL");
      });
      child.on("close", () => resolve());
    });
    durable.push(...text.split("\n").slice(0, -1));
    const replica = await Replica.open({ storage: new SQLiteStorage(file), synchronises: false });
    const names = new Set((await replica.fetch(Person)).map((each) => each.name));
    assert.deepEqual(durable.filter((name) => !names.has(name)), []);
    await replica.close();
  }
  assert.ok(durable.length > kills * 5);
});
