/** Codes of errors that this client itself raises. Errors of the server have the codes of protocol.md §9. */
export type LocalCode =
  | "missing_capability"
  | "malformed_link"
  | "schema_invalid"
  | "invalid_value"
  | "not_found"
  | "delete_denied"
  | "nothing_to_undo"
  | "changed_since"
  | "closed"
  | "storage_full"
  | "storage_failed"
  | "not_joined"
  | "unreachable"
  | "invalid_reply"
  | "pull_too_large"
  | "aborted"
  | "digest_differs";

/**
 * An error with a stable `code` on which programs branch, a message for people, and the next step.
 *
 * A message never has a token, and no content of records but the names of entities and attributes.
 */
export class RoostError extends Error {
  override readonly name = "RoostError";
  readonly code: string;
  /** The next step, as a sentence. */
  readonly nextStep: string;

  constructor(code: LocalCode | (string & Record<never, never>), message: string, nextStep: string, cause?: unknown) {
    super(`${message} ${nextStep}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.nextStep = nextStep;
  }
}

/** A refusal of the server: an error of protocol.md §9. */
export class ServerRefusal extends RoostError {
  readonly status: number;
  readonly serverTime: number | undefined;
  /** Seconds before which the request must not be sent again. */
  readonly retryAfter: number | undefined;
  /** Identifies the request in the operator's log. */
  readonly requestID: string | undefined;

  constructor(
    status: number,
    error: { code: string; message: string; serverTime?: number; retryAfter?: number; requestID?: string },
  ) {
    super(error.code, withoutTokens(error.message), nextSteps[error.code] ?? "");
    this.status = status;
    this.serverTime = error.serverTime;
    this.retryAfter = error.retryAfter;
    this.requestID = error.requestID;
  }
}

/** Masks what has the form of a token (protocol.md §8.3), wherever it comes from. */
export function withoutTokens(text: string): string {
  return text.slice(0, 2000).replace(/roost_[a-z]_[0-9A-Za-z]+/g, "roost_…");
}

const nextSteps: Record<string, string> = {
  unauthorized: "Join again with a new invite; what was not pushed is kept.",
  revoked: "Ask an owner for a new invite; what was not pushed is kept.",
  forbidden: "Ask an owner for another role; what was not pushed is kept.",
  quota_exceeded: "Delete something, or ask the operator to raise the limit.",
  invite_used: "Ask for a new invite.",
  clock_ahead: "Set the device's clock.",
  schema_conflict: "Fetch the schema, make the change there, and publish again.",
  storage_unavailable: "It is retried by itself; the operator has to make room.",
};
