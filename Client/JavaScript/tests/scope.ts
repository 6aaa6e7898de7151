import { MemoryLog, MemoryStorage, Replica, type ReplicaOptions, type Role } from "../src/index.ts";
import { schemaText } from "./model.ts";
import { Proxy } from "./proxy.ts";
import { Server, SwiftDevice } from "./programs.ts";

/** A scope on a real server, with a proxy in front of it for faults. */
export class Scope {
  readonly server: Server;
  readonly proxy: Proxy;
  readonly owner: Replica;
  readonly #replicas: Replica[] = [];

  private constructor(server: Server, proxy: Proxy, owner: Replica) {
    this.server = server;
    this.proxy = proxy;
    this.owner = owner;
  }

  static async make(
    options: ReplicaOptions & { server?: Parameters<typeof Server.start>[0]; schema?: string } = {},
  ): Promise<Scope> {
    const server = await Server.start(options.server);
    const proxy = await Proxy.start(server.address);
    const owner = await Replica.create({
      adminToken: server.adminToken,
      scopeName: "Lisbon",
      device: "Owner",
      schema: schemaText,
      storage: new MemoryStorage(),
      synchronises: false,
      ...options,
      server: proxy.address,
    });
    const scope = new Scope(server, proxy, owner);
    scope.#replicas.push(owner);
    return scope;
  }

  async link(role: Role = "editor"): Promise<string> {
    return (await this.owner.membership.invite({ role })).link;
  }

  /** Another JavaScript replica of the scope. */
  async join(options: ReplicaOptions & { role?: Role } = {}): Promise<Replica> {
    const replica = await Replica.join(await this.link(options.role), {
      device: `Device ${this.#replicas.length}`,
      storage: new MemoryStorage(new MemoryLog()),
      synchronises: false,
      ...options,
    });
    this.#replicas.push(replica);
    return replica;
  }

  /** A replica of the `roost` program. */
  async joinSwift(name = "Swift"): Promise<SwiftDevice> {
    return await SwiftDevice.join(await this.link(), name);
  }

  /** Opens the storage of a replica again. */
  async open(options: ReplicaOptions): Promise<Replica> {
    const replica = await Replica.open({ synchronises: false, ...options });
    this.#replicas.push(replica);
    return replica;
  }

  async end(): Promise<void> {
    for (const replica of this.#replicas) await replica.close();
    await this.proxy.stop();
    await this.server.stop();
  }
}
