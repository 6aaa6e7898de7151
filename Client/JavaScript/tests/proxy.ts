import { createServer, request, type Server as HTTPServer } from "node:http";

/** The fate of one request on its way. */
export type Fault =
  | { kind: "pass" }
  /** The connection ends before the server gets the request. */
  | { kind: "drop" }
  /** The server answers, and the answer is lost. */
  | { kind: "loseReply" }
  /** The server gets the request twice. */
  | { kind: "repeat" }
  /** Half of the answer arrives. */
  | { kind: "truncate" }
  /** Bytes that are no answer, with the type of one. */
  | { kind: "garbage" }
  /** A page of a proxy or a captive portal. */
  | { kind: "page"; status: number }
  /** An error of the protocol. */
  | { kind: "error"; status: number; code: string; retryAfter?: number };

/** A proxy in front of the real server that makes faults. */
export class Proxy {
  readonly #server: HTTPServer;
  readonly #target: string;
  address = "";
  /** Chooses the fault of each request. */
  fault: (method: string, path: string, body: Uint8Array) => Fault = () => ({ kind: "pass" });
  /** Every request that arrived: method, path and body. */
  readonly requests: { method: string; path: string; body: Uint8Array }[] = [];

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((incoming, outgoing) => {
      const parts: Uint8Array[] = [];
      incoming.on("data", (part) => parts.push(part));
      incoming.on("end", async () => {
        const body = Buffer.concat(parts), method = incoming.method!, path = incoming.url!;
        this.requests.push({ method, path, body });
        const fault = this.fault(method, path, body);
        if (fault.kind === "drop") return void outgoing.destroy();
        if (fault.kind === "page") {
          outgoing.writeHead(fault.status, { "Content-Type": "text/html" });
          return void outgoing.end("<h1>Sign in</h1>");
        }
        if (fault.kind === "error") {
          outgoing.writeHead(fault.status, { "Content-Type": "application/json" });
          const { code, retryAfter } = fault;
          return void outgoing.end(JSON.stringify({ error: { code, message: "As the test demands.", retryAfter } }));
        }
        if (fault.kind === "garbage") {
          outgoing.writeHead(200, { "Content-Type": "application/x-protobuf" });
          return void outgoing.end(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3]));
        }
        try {
          if (fault.kind === "repeat") await this.#forward(method, path, incoming.headers, body);
          const answer = await this.#forward(method, path, incoming.headers, body);
          if (fault.kind === "loseReply") return void outgoing.destroy();
          outgoing.writeHead(answer.status, answer.headers);
          if (fault.kind !== "truncate") return void outgoing.end(answer.body);
          outgoing.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => outgoing.destroy());
        } catch {
          outgoing.destroy();
        }
      });
    });
  }

  static async start(target: string): Promise<Proxy> {
    const proxy = new Proxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    proxy.address = `http://127.0.0.1:${(proxy.#server.address() as { port: number }).port}`;
    return proxy;
  }

  #forward(
    method: string,
    path: string,
    headers: Record<string, string | string[] | undefined>,
    body: Uint8Array,
  ): Promise<{ status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const outgoing = request(this.#target + path, { method, headers, agent: false }, (reply) => {
        const parts: Uint8Array[] = [];
        reply.on("data", (part) => parts.push(part));
        reply.on(
          "end",
          () => resolve({ status: reply.statusCode!, headers: reply.headers, body: Buffer.concat(parts) }),
        );
        reply.on("error", reject);
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
