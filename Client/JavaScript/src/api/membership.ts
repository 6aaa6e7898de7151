import { Schema } from "../model/schema.ts";
import { invalid, type Transport } from "../protocol/transport.ts";
import type { ReplicaCore } from "../replica/core.ts";
import { currentToken } from "../session/identity.ts";

export type Role = "viewer" | "editor" | "owner";

export interface Device {
  /** 16 hexadecimal digits. */
  readonly replica: string;
  readonly name: string;
  readonly role: Role;
  readonly created: number;
  readonly lastSeen: number | undefined;
  readonly isRevoked: boolean;
  readonly isThisDevice: boolean;
}

export interface Invite {
  /** The link to pass on. Its holder can join. */
  readonly link: string;
  readonly id: string;
  readonly role: Role;
  readonly expires: number;
}

/** Invites, devices, roles and the schema of a scope. Every method asks the server. */
export class Membership {
  readonly #core: ReplicaCore;
  readonly #transport: Transport;

  constructor(core: ReplicaCore, transport: Transport) {
    this.#core = core;
    this.#transport = transport;
  }

  // deno-lint-ignore no-explicit-any
  #ask(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<any> {
    const token = currentToken(this.#core.model.control);
    return this.#transport.json(body === undefined ? { method, path, token } : { method, path, token, body });
  }

  /** Makes an invite link, for 72 hours and one device where not said otherwise. */
  async invite(options: { role?: Role; hours?: number; uses?: number } = {}): Promise<Invite> {
    const reply = await this.#ask("POST", "/v1/invites", { role: "editor", ...options });
    const link = `${this.#core.model.control.server}/join#${reply.token}`;
    return { link, id: String(reply.id), role: reply.role, expires: Number(reply.expires) };
  }

  async revokeInvite(id: string): Promise<void> {
    await this.#ask("DELETE", `/v1/invites/${encodeURIComponent(id)}`);
  }

  async devices(): Promise<Device[]> {
    const { devices } = await this.#ask("GET", "/v1/devices");
    if (!Array.isArray(devices)) throw invalid("there is no list of devices");
    const own = [...this.#core.model.control.replica].map((each) => each.charCodeAt(0).toString(16).padStart(2, "0"));
    return devices.map((device) => ({
      replica: String(device.replica),
      name: String(device.name).slice(0, 200),
      role: device.role,
      created: Number(device.created),
      lastSeen: device.lastSeen === undefined ? undefined : Number(device.lastSeen),
      isRevoked: device.revoked === true,
      isThisDevice: device.replica === own.join(""),
    }));
  }

  /** Takes the access of a device away. What it has, it keeps. */
  async revoke(replica: string, options: { withInvited?: boolean } = {}): Promise<void> {
    await this.#ask("POST", `/v1/devices/${encodeURIComponent(replica)}/revoke`, options);
  }

  async setRole(replica: string, role: Role): Promise<void> {
    await this.#ask("POST", `/v1/devices/${encodeURIComponent(replica)}/role`, { role });
  }

  /** Publishes the next version of the schema. This replica takes it with its next pull, like all others. */
  async publishSchema(text: string): Promise<number> {
    Schema.parse(text);
    return Number((await this.#ask("PUT", "/v1/schema", { schema: text })).version);
  }

  /** The text of the schema that this replica has. */
  get schema(): string {
    return this.#core.model.control.schema;
  }
}
