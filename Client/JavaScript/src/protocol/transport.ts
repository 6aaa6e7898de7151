import { RoostError, ServerRefusal } from "./errors.ts";

/** The most bytes of a reply that are read (protocol.md §7.2). */
const replyBytesMax = 32 << 20;
/** Bodies from this size on are compressed where the platform can. */
const compressedFrom = 4096;

export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path with its parameters. It never has a token. */
  readonly path: string;
  readonly token?: string;
  /** A JSON value, or bytes of Protocol Buffers. */
  readonly body?: object | Uint8Array;
  readonly accept?: "application/json" | "application/x-protobuf";
  readonly headers?: Record<string, string>;
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/** Sends requests to one server. What is no answer of the protocol is a failure of the network (protocol.md §3). */
export class Transport {
  readonly server: string;
  readonly #fetch: typeof fetch;

  constructor(server: string, fetcher: typeof fetch = globalThis.fetch?.bind(globalThis)) {
    if (fetcher === undefined) {
      throw new RoostError(
        "missing_capability",
        "Cannot synchronise: there is no fetch here.",
        "Use a newer platform.",
      );
    }
    this.server = server;
    this.#fetch = fetcher;
  }

  /** Sends a request and returns the JSON object of its reply. */
  // deno-lint-ignore no-explicit-any
  async json(request: Request): Promise<any> {
    const { bytes } = await this.send({ accept: "application/json", ...request });
    return parseObject(bytes);
  }

  /**
   * Sends a request once.
   *
   * @throws ServerRefusal for an error of the server; RoostError `unreachable` without a reply, and `invalid_reply` for
   * one that is not of the protocol.
   */
  async send(request: Request): Promise<Reply> {
    const headers: Record<string, string> = { ...request.headers };
    if (request.token !== undefined) headers.Authorization = `Bearer ${request.token}`;
    if (request.accept !== undefined) headers.Accept = request.accept;
    let body: Uint8Array | string | undefined;
    if (request.body instanceof Uint8Array) {
      headers["Content-Type"] = "application/x-protobuf";
      body = request.body;
      const compressed = body.length >= compressedFrom ? await gzip(body) : undefined;
      if (compressed !== undefined) {
        body = compressed;
        headers["Content-Encoding"] = "gzip";
      }
    } else if (request.body !== undefined) {
      headers["Content-Type"] = "application/json";
      body = JSON.stringify(request.body);
    }
    const timeout = AbortSignal.timeout((request.timeoutSeconds ?? 30) * 1000);
    const signal = request.signal === undefined ? timeout : anySignal([request.signal, timeout]);
    try {
      const response = await this.#fetch(this.server + request.path, {
        method: request.method,
        headers,
        body: body as BodyInit | undefined,
        redirect: "error",
        cache: "no-store",
        credentials: "omit",
        signal,
      });
      const bytes = await readBody(response);
      const type = response.headers.get("content-type")?.split(";")[0].trim().toLowerCase() ?? "";
      return check(response.status, type, bytes, request.accept);
    } catch (error) {
      if (error instanceof RoostError) throw error;
      if (request.signal?.aborted) throw new RoostError("aborted", "The request was aborted.", "", error);
      throw new RoostError(
        "unreachable",
        `Cannot reach the server ${this.server}: ${timeout.aborted ? "it did not answer in time" : "no connection"}.`,
        "It is tried again by itself; local work goes on.",
        error,
      );
    }
  }
}

function check(status: number, type: string, bytes: Uint8Array, accept: Request["accept"]): Reply {
  if (status >= 200 && status < 300) {
    const isExpected = status === 204 || type === accept;
    if (!isExpected) throw invalid(`a reply of the type ${type.slice(0, 60) || "none"}`, status);
    return { status, bytes };
  }
  const refusal = type === "application/json" ? readRefusal(bytes) : undefined;
  if (refusal === undefined) throw invalid(`the status ${status} without an error of Roost`, status);
  throw new ServerRefusal(status, refusal);
}

/** An answer that is not of the protocol, as of a captive portal or a proxy, with its status. */
export class InvalidReply extends RoostError {
  readonly status: number;

  constructor(reason: string, status: number) {
    super("invalid_reply", `Cannot use the answer of the server: ${reason}.`, "It is tried again by itself.");
    this.status = status;
  }
}

export function invalid(reason: string, status = 200): InvalidReply {
  return new InvalidReply(reason, status);
}

// deno-lint-ignore no-explicit-any
function parseObject(bytes: Uint8Array): any {
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below like any other reply that is no object.
  }
  throw invalid("the reply is no JSON object");
}

type RefusalBody = ConstructorParameters<typeof ServerRefusal>[1];

function readRefusal(bytes: Uint8Array): RefusalBody | undefined {
  try {
    const { error } = parseObject(bytes);
    if (typeof error?.code !== "string" || typeof error.message !== "string") return undefined;
    const number = (value: unknown) => typeof value === "number" && Number.isFinite(value) ? value : undefined;
    return {
      code: error.code,
      message: error.message,
      serverTime: number(error.serverTime),
      retryAfter: number(error.retryAfter),
      requestID: typeof error.requestID === "string" ? error.requestID.slice(0, 64) : undefined,
    };
  } catch {
    return undefined;
  }
}

async function readBody(response: Response): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array(0);
  const parts: Uint8Array[] = [];
  let count = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    count += part.value.length;
    if (count <= replyBytesMax) continue;
    await reader.cancel();
    throw invalid("the reply is larger than 32 MiB");
  }
  if (parts.length === 1) return parts[0];
  const bytes = new Uint8Array(count);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Compresses a body; `undefined` where that is not possible, or it would grow beyond what a server accepts (§10). */
async function gzip(body: Uint8Array): Promise<Uint8Array | undefined> {
  if (typeof CompressionStream === "undefined") return undefined;
  const stream = new Blob([body as BlobPart]).stream().pipeThrough(new CompressionStream("gzip"));
  const compressed = new Uint8Array(await new Response(stream).arrayBuffer());
  const isAccepted = body.length <= Math.max(65_536, 90 * compressed.length);
  return isAccepted && compressed.length < body.length ? compressed : undefined;
}

/** `AbortSignal.any`, which browsers have only since 2024. */
function anySignal(signals: AbortSignal[]): AbortSignal {
  if ("any" in AbortSignal) return AbortSignal.any(signals);
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
  }
  return controller.signal;
}
