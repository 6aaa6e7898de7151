import { bytesOf, fromHex, fromUUID, hexOf, uuidText } from "../bytes/binary.ts";
import { sha256 } from "../bytes/sha256.ts";
import { ServerRefusal } from "../protocol/errors.ts";
import { isToken, newToken } from "../protocol/link.ts";
import { invalid, type Transport } from "../protocol/transport.ts";
import type { ReplicaCore } from "../replica/core.ts";
import type { Control, ResyncReason } from "../replica/operations.ts";
import { type Registration, renew, startResync } from "../replica/pushing.ts";

/** Reads a registration, and refuses one that no request could be sent with. */
export function readRegistration(value: Record<string, unknown>): Registration {
  const text = (name: string) => typeof value[name] === "string" ? value[name] as string : "";
  const scope = fromUUID(text("scope")), replica = fromHex(text("replica"));
  if (scope === undefined || replica?.length !== 8 || !isToken(text("token"), "d") || text("schema") === "") {
    throw invalid("the registration is not complete");
  }
  return {
    scope: uuidText(scope),
    scopeName: text("scopeName").slice(0, 200),
    replica,
    token: text("token"),
    role: text("role"),
    schema: text("schema"),
  };
}

/** The token to send: one that was proposed counts from the moment when it is stored (protocol.md §8.3). */
export function currentToken(control: Control): string {
  return control.proposedToken ?? control.token;
}

export function newNonce(core: ReplicaCore): string {
  return hexOf(core.environment.random(16));
}

/**
 * Asks the server for a new identity, and takes it with the outbox (protocol.md §6.2).
 *
 * @param token The present token, or an earlier one that the server knows.
 */
export async function renewIdentity(
  core: ReplicaCore,
  transport: Transport,
  token: string,
  reason: string,
  resync: ResyncReason | undefined,
): Promise<void> {
  const nonce = await core.commit(() => {
    const kept = core.model.control.renewalNonce ?? newNonce(core);
    return { operations: [{ kind: "control", values: { renewalNonce: kept } }], result: kept };
  }, "local");
  const reply = await transport.json({
    method: "POST",
    path: "/v1/replica/renew",
    token,
    body: { reason: reason.slice(0, 200), nonce },
  });
  const registration = readRegistration(reply);
  await core.commit(() => {
    if (registration.scope !== core.model.control.scope) throw invalid("the registration is of another scope");
    const operations = renew(core.model, registration, core.environment.now());
    return {
      operations: resync === undefined ? operations : [...operations, ...startResync(core.model, resync)],
      result: undefined,
    };
  }, "local");
}

/**
 * Finds an earlier token that the server knows, as after a restore from a backup, and renews with it.
 *
 * @returns Whether the next request may succeed.
 */
export async function recallIdentity(core: ReplicaCore, transport: Transport): Promise<boolean> {
  const { control } = core.model;
  const tokens = [control.token, ...control.formerTokens].slice(0, 64);
  let known: unknown;
  try {
    const hashes = tokens.map((token) => hexOf(sha256(bytesOf(token))));
    known = (await transport.json({ method: "POST", path: "/v1/token/known", body: { hashes } })).known;
  } catch (error) {
    // An earlier server does not have the request, and knows none of them.
    if (error instanceof ServerRefusal && error.code === "not_found") return false;
    throw error;
  }
  if (typeof known !== "number" || tokens[known] === undefined) return false;
  if (known > 0) await renewIdentity(core, transport, tokens[known], "the server was restored", undefined);
  return true;
}

/** Replaces the token. The new one is stored before it is sent. */
export async function rotateToken(core: ReplicaCore, transport: Transport): Promise<void> {
  await settleProposal(core, transport);
  const proposed = await core.commit(() => {
    const token = newToken((count) => core.environment.random(count));
    return { operations: [{ kind: "control", values: { proposedToken: token } }], result: token };
  }, "local");
  const { token, formerTokens } = core.model.control;
  const former = formerTokens.slice(0, 64).map((each) => hexOf(sha256(bytesOf(each))));
  const body = former.length > 0 ? { token: proposed, former } : { token: proposed };
  const reply = await transport.json({ method: "POST", path: "/v1/token/rotate", token, body });
  if (!isToken(String(reply.token), "d")) throw invalid("the new token has another form");
  await core.commit(() => ({
    operations: [{
      kind: "control",
      values: {
        token: String(reply.token),
        proposedToken: undefined,
        formerTokens: [token, ...formerTokens].slice(0, 64),
      },
    }],
    result: undefined,
  }), "local");
}

/**
 * Asks whether an earlier proposal is in force, whose reply was lost.
 *
 * If it is, and was used, then the server would take another request with the old token for theft (protocol.md §8.3).
 */
async function settleProposal(core: ReplicaCore, transport: Transport): Promise<void> {
  const { proposedToken } = core.model.control;
  if (proposedToken === undefined) return;
  try {
    await transport.json({ method: "GET", path: "/v1/me", token: proposedToken });
  } catch (error) {
    if (!(error instanceof ServerRefusal) || error.code !== "unauthorized") throw error;
    return dropProposal(core);
  }
  await confirmToken(core);
}

/** Discards a proposed token that the server has never received. */
export async function dropProposal(core: ReplicaCore): Promise<void> {
  await core.commit(() => ({
    operations: [{ kind: "control", values: { proposedToken: undefined } }],
    result: undefined,
  }), "local");
}

/** Takes a proposed token for the token in force, once the server has accepted it. */
export async function confirmToken(core: ReplicaCore): Promise<void> {
  const { proposedToken } = core.model.control;
  if (proposedToken === undefined) return;
  await core.commit(() => {
    const { control } = core.model;
    const formerTokens = [control.token, ...control.formerTokens].slice(0, 64);
    return {
      operations: [{ kind: "control", values: { token: proposedToken, proposedToken: undefined, formerTokens } }],
      result: undefined,
    };
  }, "local");
}
