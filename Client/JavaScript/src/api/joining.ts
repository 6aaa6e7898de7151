import { Schema } from "../model/schema.ts";
import { RoostError, ServerRefusal } from "../protocol/errors.ts";
import { invalid, type Transport } from "../protocol/transport.ts";
import type { ReplicaCore } from "../replica/core.ts";
import { emptyControl } from "../replica/model.ts";
import type { Operation, ResyncReason } from "../replica/operations.ts";
import { type Registration, renew, startResync } from "../replica/pushing.ts";
import { newNonce, readRegistration } from "../session/identity.ts";
import { pause } from "../session/wake.ts";

/** The operations that make a replica of a registration. */
export interface Registered {
  readonly operations: Operation[];
}

const attemptsMax = 5;

/** Checks a name of a device or scope (protocol.md §8). */
function checkName(name: string, what: string): void {
  // deno-lint-ignore no-control-regex
  if (name.trim() !== "" && [...name].length <= 100 && !/[\u0000-\u001f\u007f-\u009f]/.test(name)) return;
  throw new RoostError(
    "invalid_value",
    `Cannot use the name of the ${what}: it is blank, longer than 100 characters, or has control characters.`,
    "Choose another name.",
  );
}

/** Sends a request with a nonce, and repeats it with the same nonce where no reply comes. */
async function register(
  transport: Transport,
  path: string,
  body: object,
  token: string | undefined,
  signal?: AbortSignal,
): Promise<Registration> {
  for (let attempt = 1;; attempt++) {
    try {
      const request = { method: "POST", path, body, timeoutSeconds: 20 } as const;
      const authorised = token === undefined ? request : { ...request, token };
      return readRegistration(await transport.json(signal === undefined ? authorised : { ...authorised, signal }));
    } catch (error) {
      const code = error instanceof RoostError ? error.code : "";
      const wait = error instanceof ServerRefusal && error.retryAfter !== undefined ? error.retryAfter * 1000 : 500;
      const isRetried = ["unreachable", "invalid_reply", "internal_error", "stopping", "storage_unavailable"].includes(
        code,
      );
      if (!isRetried || attempt >= attemptsMax || wait > 10_000) throw error;
      await pause(wait * attempt, signal ?? new AbortController().signal);
    }
  }
}

function made(transport: Transport, registration: Registration, device: string): Registered {
  // A schema that this client cannot use is refused before anything is stored.
  const schema = Schema.parse(registration.schema);
  const control = {
    ...emptyControl(),
    ...registration,
    server: transport.server,
    device,
    identities: [registration.replica],
    schemaVersion: schema.version,
  };
  return { operations: [{ kind: "reset" }, { kind: "control", values: control }] };
}

export async function joinScope(
  core: ReplicaCore,
  transport: Transport,
  invite: string,
  device: string,
  signal?: AbortSignal,
): Promise<Registered> {
  checkName(device, "device");
  const body = { invite, device, nonce: newNonce(core) };
  return made(transport, await register(transport, "/v1/join", body, undefined, signal), device);
}

export async function makeScope(
  core: ReplicaCore,
  transport: Transport,
  options: { adminToken: string; scopeName: string; schema: string; device: string; scope?: string },
): Promise<Registered> {
  checkName(options.device, "device");
  checkName(options.scopeName, "scope");
  Schema.parse(options.schema);
  const { scopeName: name, device, schema, scope } = options;
  const body = { name, device, schema, nonce: newNonce(core), ...scope === undefined ? {} : { scope } };
  const registration = await register(transport, "/v1/scopes", body, options.adminToken);
  if (scope !== undefined && registration.scope !== scope.toLowerCase()) throw invalid("the scope is another one");
  return made(transport, registration, device);
}

/** Joins again with the replica that is there: its outbox and its records stay (protocol.md §6.2). */
export async function rejoinScope(core: ReplicaCore, transport: Transport, invite: string): Promise<void> {
  const { scope, device, checkpoint } = core.model.control;
  const body = { invite, device, scope, nonce: newNonce(core) };
  const registration = await register(transport, "/v1/join", body, undefined);
  if (registration.scope !== scope) throw invalid("the invite is of another scope");
  const verdict = checkpoint === "" ? undefined : await judgeCheckpoint(transport, registration.token, checkpoint);
  await core.commit(() => {
    const operations = renew(core.model, registration, core.environment.now());
    // A token must not be shown to a server that it was not made for.
    const isMoved = transport.server !== core.model.control.server;
    operations.push({
      kind: "control",
      values: { server: transport.server, ...isMoved ? { formerTokens: [] } : {} },
    });
    if (verdict === "foreign") {
      // Another server made the checkpoint, and would refuse pushes that name it.
      operations.push({ kind: "control", values: { checkpoint: "" } });
      operations.push(...startResync(core.model, "history_changed"));
    } else if (verdict !== undefined) operations.push(...startResync(core.model, verdict));
    return { operations, result: undefined };
  }, "local");
}

/** Asks whether the old checkpoint holds on, and what to do where it does not. */
async function judgeCheckpoint(
  transport: Transport,
  token: string,
  checkpoint: string,
): Promise<ResyncReason | "foreign" | undefined> {
  let digits = "";
  for (let index = 0; index < checkpoint.length; index++) {
    digits += checkpoint.charCodeAt(index).toString(16).padStart(2, "0");
  }
  try {
    const accept = "application/x-protobuf";
    await transport.send({ method: "GET", path: `/v1/pull?since=${digits}&limit=1&identifiers=1`, token, accept });
    return undefined;
  } catch (error) {
    if (!(error instanceof ServerRefusal)) throw error;
    if (error.code === "resync_required") return "resync_required";
    if (error.code === "history_changed") return "history_changed";
    if (error.code === "bad_request") return "foreign";
    throw error;
  }
}
