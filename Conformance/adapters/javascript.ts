/**
 * Adapter of the JavaScript client for `roost-conformance client` (Docs/conformance-client.md), for Node 22.18 or later:
 *
 *     roost-conformance client -- node Conformance/adapters/javascript.ts
 */
import { createInterface } from "node:readline";
import { entity, Replica, RoostError } from "../../Client/JavaScript/src/index.ts";
import { SQLiteStorage } from "../../Client/JavaScript/src/node.ts";

type Members = Record<string, unknown>;
type Change = { entity: string; record: string; put?: Members; types?: Record<string, string>; delete?: boolean };

let replica: Replica;
const options = (folder: string) => ({ storage: new SQLiteStorage(`${folder}/replica.sqlite`), synchronises: false });
const later = [
  "unreachable",
  "invalid_reply",
  "internal_error",
  "stopping",
  "too_many_requests",
  "storage_unavailable",
];

/** A value as the client takes it. */
function given(type: string, value: unknown): unknown {
  if (value === null) return null;
  if (type === "reference") return { id: value };
  if (type === "data") return Uint8Array.from(atob(value as string), (character) => character.charCodeAt(0));
  if (type === "double") return value === "inf" ? Infinity : value === "-inf" ? -Infinity : value;
  return (type === "integer" || type === "timestamp") && typeof value === "string" ? BigInt(value) : value;
}

/** A value as the tester takes it. */
function shown(value: unknown): unknown {
  return value === Infinity ? "inf" : value === -Infinity ? "-inf" : value;
}

const commands: Record<string, (members: Members) => unknown> = {
  hello: () => ({ client: "JavaScript", profile: "full", lacks: ["dangling references"] }),
  async join({ link, device, folder }) {
    replica = await Replica.join(link as string, { ...options(folder as string), device: device as string });
  },
  async open({ folder }) {
    replica = await Replica.open(options(folder as string));
  },
  async write({ changes }) {
    await replica.write("Conformance", (tx) => {
      for (const { entity: name, record, put, types, delete: isDelete } of changes as Change[]) {
        const type = entity<Members>(name);
        if (isDelete) {
          tx.delete(type, { id: record });
          continue;
        }
        const entries = Object.entries(put!).map(([name, value]) => [name, given(types![name], value)]);
        const values = Object.fromEntries(entries);
        if (tx.get(type, record) === undefined) tx.insert(type, values, record);
        else tx.update(type, { id: record }, values);
      }
    });
  },
  undelete: ({ entity: name, record }) => replica.undelete(entity(name as string), record as string),
  async sync({ seconds }) {
    await replica.synchronise({ signal: AbortSignal.timeout(1000 * (seconds as number)), attempts: 5 });
  },
  /** A page with a later schema brings it by itself. */
  migrate: () => null,
  async show({ entities }) {
    const result: Members = {};
    for (const name of entities as string[]) {
      const records = await replica.fetch(entity<Members>(name)).catch((error) => {
        if (error.code === "not_found") return [];
        throw error;
      });
      if (records.length > 0) result[name] = {};
      for (const record of records) {
        const { id, ...properties } = JSON.parse(JSON.stringify(record, (_name, value) => shown(value)));
        for (const [name, value] of Object.entries(properties)) if (value === null) delete properties[name];
        (result[name] as Members)[id] = properties;
      }
    }
    return result;
  },
  digest: () => replica.digest(),
  async journal() {
    return (await replica.journal({ all: true })).map(({ kind, entity, id, content }) => ({
      kind,
      entity,
      record: id,
      content: content === undefined ? null : JSON.parse(JSON.stringify(content, (_name, value) => plain(value))),
    }));
  },
  status: () => ({ waiting: replica.status().pendingChanges, replica: replica.status().replica }),
  kill: () => process.kill(process.pid, "SIGKILL"),
};

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? btoa(String.fromCharCode(...value)) : shown(value);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...members } = JSON.parse(line);
  let answer: Members;
  try {
    answer = { ok: (await commands[command](members)) ?? null };
  } catch (error) {
    if (!(error instanceof RoostError)) throw error;
    const isSync = command === "sync", isLater = later.includes(error.code) || error.code === "aborted";
    answer = { error: { code: isSync ? isLater ? "later" : "blocked" : error.code, message: String(error) } };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
