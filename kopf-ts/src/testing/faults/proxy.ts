import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { ClusterConfig, Credentials } from "../../kube/index.ts";
import { type Random, seededRandom } from "../random.ts";
import { FaultyExchange } from "./exchange.ts";
import {
  type Fault,
  type FaultKind,
  type FaultRates,
  formOf,
  isRequestFault,
  type Match,
  type RequestFault,
  type SeenRequest,
  type StreamFault,
} from "./fault.ts";
import { FaultPlan } from "./plan.ts";
import { statusBody } from "./status.ts";

/** Options of a fault proxy. */
export interface FaultProxyOptions {
  /** Chooses the faults that happen by chance; print it when a test fails. */
  readonly seed?: number;
  /** None unless told. */
  readonly rates?: FaultRates;
}

/**
 * Stands between a client and a real API server and does what networks and servers do now and then. It speaks plain HTTP to the
 * client, so that it can tell events apart, and authenticates to the server with the credentials of the config it was given,
 * unless the client sends an Authorization header of its own.
 */
export class FaultProxy implements AsyncDisposable {
  readonly seed: number;
  /** Every request that came, oldest first. */
  readonly requests: SeenRequest[] = [];
  readonly #plan: FaultPlan;
  readonly #target: URL;
  readonly #credentials: Credentials;
  readonly #agent: http.Agent;
  readonly #server = http.createServer((request, response) => this.#serve(request, response));
  readonly #sockets = new Set<Socket>();
  readonly #open = new Map<FaultyExchange, SeenRequest>();
  readonly #counts = new Map<FaultKind, number>();
  readonly #codes = new Map<number, number>();
  #port = 0;

  constructor(server: string, credentials: Credentials, random: Random, rates: FaultRates) {
    const { ca, cert, key } = credentials;
    this.seed = random.seed;
    this.#plan = new FaultPlan(random, rates);
    this.#target = new URL(server);
    this.#credentials = credentials;
    this.#agent = new (this.#target.protocol === "https:" ? https : http).Agent({
      keepAlive: true,
      ...definedOnly({ ca, cert, key }),
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** Where clients find it. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** For `connect`. */
  get config(): ClusterConfig {
    return { server: this.url };
  }

  /** How often a fault of a kind has happened. */
  count(kind: FaultKind): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** All faults that have happened. */
  get counts(): Readonly<Partial<Record<FaultKind, number>>> {
    return Object.fromEntries(this.#counts);
  }

  /** How often each code was answered in the server's place. */
  get codes(): Readonly<Record<number, number>> {
    return Object.fromEntries(this.#codes);
  }

  /** Requests that match and whose answer is still on its way. */
  open(match: Match = () => true): number {
    return [...this.#open.values()].filter(match).length;
  }

  /** The next request that matches meets the fault; without a match any watch, or for a fault in place of an answer any request. */
  next(fault: Fault, match?: Match): void {
    this.#plan.next(fault, match);
  }

  /** Every request that matches meets the fault, until the result is disposed of. */
  always(fault: Fault, match?: Match): Disposable {
    return this.#plan.always(fault, match);
  }

  /** Answers that are on their way meet the fault: at once, or at their next event. Returns how many there were. */
  now(fault: StreamFault, match: Match = () => true): number {
    const hit = [...this.#open].filter(([, request]) => match(request));
    for (const [exchange] of hit) exchange.interrupt(fault);
    return hit.length;
  }

  /** Changes what happens by chance; `{}` brings peace. */
  setRates(rates: FaultRates): void {
    this.#plan.setRates(rates);
  }

  /** Listens, at the same port as before if it was down. */
  async up(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.#port, "127.0.0.1", () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Breaks all connections and refuses new ones, as a server that is away. */
  async down(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.down();
    this.#agent.destroy();
  }

  #serve(incoming: IncomingMessage, response: ServerResponse): void {
    response.on("error", () => response.destroy()); // a client that went away is nobody's failure
    const request = seen(incoming);
    this.requests.push(request);
    const ordered = this.#plan.ordered(request);
    const instead = ordered === undefined ? this.#plan.insteadOfAnswer() : ordered;
    if (instead !== undefined && isRequestFault(instead)) this.#refuse(instead, response);
    else this.#forward(incoming, request, response, instead);
  }

  #refuse(fault: RequestFault, response: ServerResponse): void {
    this.#tally(fault.kind);
    if (fault.kind === "silence") return;
    if (fault.kind === "refuse") {
      response.destroy();
      return;
    }
    this.#codes.set(fault.code, (this.#codes.get(fault.code) ?? 0) + 1);
    const retry = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
    response.writeHead(fault.code, { "content-type": "application/json", ...retry });
    response.end(statusBody(fault));
  }

  #forward(
    incoming: IncomingMessage,
    seenRequest: SeenRequest,
    response: ServerResponse,
    ordered: StreamFault | undefined,
  ): void {
    const { token } = this.#credentials;
    const { host: _, ...headers } = incoming.headers;
    const proof = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const send = this.#target.protocol === "https:" ? https.request : http.request;
    const outgoing = send(new URL(this.#target.origin + incoming.url), {
      method: incoming.method,
      headers: { ...proof, ...headers },
      agent: this.#agent,
    });
    outgoing.on("error", () => response.destroy());
    outgoing.on("response", (upstream) => this.#pass(upstream, seenRequest, response, ordered));
    response.once("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  #pass(
    upstream: IncomingMessage,
    request: SeenRequest,
    response: ServerResponse,
    ordered: StreamFault | undefined,
  ): void {
    const watch = request.form === "watch" || request.form === "watchList";
    const faulty = watch || request.form === "list";
    const exchange = new FaultyExchange({
      upstream,
      downstream: response,
      watch,
      ordered,
      chance: () => (watch ? this.#plan.atEvent() : faulty ? this.#plan.atChunk() : undefined),
      count: (kind) => this.#tally(kind),
    });
    response.writeHead(
      upstream.statusCode ?? 502,
      faulty ? withoutLength(upstream) : upstream.headers,
    );
    this.#open.set(exchange, request);
    void exchange.run().finally(() => this.#open.delete(exchange));
  }

  #tally(kind: FaultKind): void {
    this.#counts.set(kind, this.count(kind) + 1);
  }
}

/** Starts a fault proxy in front of the API server of `config`; it listens on 127.0.0.1 until it is disposed of. */
export async function startFaultProxy(
  config: ClusterConfig,
  { seed = 1, rates = {} }: FaultProxyOptions = {},
): Promise<FaultProxy> {
  const { credentials = {} } = config;
  const known =
    typeof credentials === "function" ? await credentials({ force: false }) : credentials;
  const proxy = new FaultProxy(config.server, known, seededRandom(seed), rates);
  await proxy.up();
  return proxy;
}

function seen({ method = "GET", url = "/", headers }: IncomingMessage): SeenRequest {
  const parsed = new URL(url, "http://proxy");
  return { method, path: url, query: parsed.searchParams, headers, form: formOf(method, parsed) };
}

/** Half of an answer must be able to look like a whole one. */
function withoutLength({ headers }: IncomingMessage): http.IncomingHttpHeaders {
  const { "content-length": _, ...rest } = headers;
  return rest;
}

function definedOnly(options: {
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}): https.AgentOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
