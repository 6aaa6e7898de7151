import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const folder = process.env.ROOST_BIN ?? new URL("../../../.build/debug", import.meta.url).pathname;

const running = new Set<ChildProcess>(), folders = new Set<string>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

/** A folder that is removed with the tests. */
export function temporaryFolder(): string {
  const made = mkdtempSync(join(tmpdir(), "roost-js-"));
  folders.add(made);
  return made;
}

/** The real server, on a free port of this machine. */
export class Server {
  readonly data = join(temporaryFolder(), "data");
  address = "";
  #process: ChildProcess | undefined;
  #port = 0;
  readonly #options: string[];
  readonly #environment: Record<string, string>;
  readonly #command: string[];

  private constructor(options: { arguments?: string[]; environment?: Record<string, string>; prefix?: string[] }) {
    this.#options = options.arguments ?? [];
    this.#environment = options.environment ?? {};
    this.#command = options.prefix ?? [];
  }

  static async start(
    options: { arguments?: string[]; environment?: Record<string, string>; prefix?: string[] } = {},
  ): Promise<Server> {
    const server = new Server(options);
    await server.start();
    return server;
  }

  /** Starts the server, again on the port that it had. */
  async start(prefix = this.#command): Promise<void> {
    const [program, ...more] = [...prefix, join(folder, "roost-server")];
    const child = spawn(program, [
      ...more,
      "serve",
      "--data",
      this.data,
      "--listen",
      `127.0.0.1:${this.#port}`,
      "--log-level",
      "warning",
      ...this.#options,
    ], {
      env: { ...process.env, ROOST_REQUESTS_PER_SECOND: "0", ROOST_CHANGES_PER_HOUR_MAX: "0", ...this.#environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#process = child;
    running.add(child);
    this.address = await new Promise((resolve, reject) => {
      let text = "";
      child.stdout!.on("data", (part) => {
        text += part;
        const found = /listening on (http:\S+)/.exec(text);
        if (found) resolve(found[1]);
      });
      child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
    });
    this.#port = Number(new URL(this.address).port);
  }

  get adminToken(): string {
    return readFileSync(join(this.data, "admin-token"), "utf8").trim();
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    child.removeAllListeners("exit");
    await new Promise((resolve) => {
      child.on("exit", resolve);
      child.kill(signal);
    });
  }

  async backup(): Promise<string> {
    const file = join(temporaryFolder(), "backup.sqlite");
    await run(join(folder, "roost-server"), ["backup", "--data", this.data, "--to", file]);
    return file;
  }

  /** Restores a backup. The server must not run. */
  async restore(file: string): Promise<void> {
    await run(join(folder, "roost-server"), ["restore", "--data", this.data, "--from", file]);
  }
}

/** A replica of the `roost` program, written through its tables. */
export class SwiftDevice {
  readonly file: string;

  private constructor(file: string) {
    this.file = file;
  }

  static async join(link: string, device: string): Promise<SwiftDevice> {
    const made = new SwiftDevice(join(temporaryFolder(), "replica.roost"));
    await made.roost("join", link, made.file, "--device", device);
    return made;
  }

  async roost(...words: string[]): Promise<string> {
    return (await run(join(folder, "roost"), words, { maxBuffer: 1 << 28 })).stdout;
  }

  async sql(text: string): Promise<string> {
    return (await run("sqlite3", ["-cmd", ".timeout 5000", "-cmd", "PRAGMA foreign_keys=OFF", this.file, text], {
      maxBuffer: 1 << 28,
    })).stdout;
  }

  async sync(): Promise<void> {
    await this.roost("sync", this.file);
  }

  async digest(): Promise<string> {
    return /[0-9a-f]{32}/.exec(await this.roost("digest", this.file))![0];
  }

  /** The records of an entity as JSON objects. */
  async fetch(entity: string): Promise<Record<string, unknown>[]> {
    const lines = (await this.roost("fetch", this.file, entity, "--json")).trim();
    return lines === "" ? [] : lines.split("\n").map((line) => JSON.parse(line));
  }
}
