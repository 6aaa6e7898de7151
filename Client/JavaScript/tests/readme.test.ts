import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "./programs.ts";
import { Scope } from "./scope.ts";

test("the first program of the manual runs", async () => {
  const manual = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const program = /```ts\n(\/\/ first\.mjs[\s\S]*?)```/.exec(manual)![1];
  const source = new URL("../src", import.meta.url).href;
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, "first.mjs"),
    program.replaceAll("./.build/javascript/dist/src", source).replaceAll('.js"', '.ts"'),
  );
  const scope = await Scope.make();
  const { stdout } = await promisify(execFile)(process.execPath, ["first.mjs", await scope.link()], { cwd: folder });
  assert.equal(stdout, "Ana\n");
  await scope.end();
});
