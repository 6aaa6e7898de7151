import { MemoryLog, MemoryStorage, Replica, type ReplicaOptions, type Storage } from "../src/index.ts";
import { newToken } from "../src/protocol/link.ts";
import { schemaText } from "./model.ts";
import { Random } from "./random.ts";

/** A replica that was registered once and has no server. */
export async function localReplica(options: ReplicaOptions & { schema?: string } = {}): Promise<Replica> {
  const random = new Random(42);
  const registration = {
    scope: "01a1fc5b-3e4c-7b95-84ff-4719b867fef1",
    scopeName: "Lisbon",
    replica: "243b9f8e2a33ef59",
    token: newToken((count) => Uint8Array.from({ length: count }, () => random.below(256))),
    role: "owner",
    schema: options.schema ?? schemaText,
  };
  const answer = async () =>
    new Response(JSON.stringify(registration), { status: 201, headers: { "Content-Type": "application/json" } });
  return await Replica.create({
    server: "http://127.0.0.1:1",
    adminToken: "roost_a_x",
    scopeName: "Lisbon",
    device: "test",
    schema: options.schema ?? schemaText,
    storage: new MemoryStorage(new MemoryLog()),
    synchronises: false,
    fetch: answer as typeof fetch,
    ...options,
  });
}

/** A storage whose commits fail as on a full disk. Reading works. */
export class FullStorage implements Storage {
  readonly #inner = new MemoryStorage();
  isFull = false;

  commit(...given: Parameters<Storage["commit"]>): ReturnType<Storage["commit"]> {
    return this.#inner.commit(given[0], (newer) => {
      const commit = given[1](newer);
      if (!this.isFull || commit === undefined) return commit;
      throw Object.assign(new Error("no room"), { name: "QuotaExceededError" });
    });
  }

  close(): void {
    this.#inner.close();
  }
}
