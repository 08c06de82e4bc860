/** The API server of the local cluster, as the caller (steve: pkg/proxy). */

import { parseTokenValue } from "@drover/platform";
import {
  ApiError,
  type ForwardingClient,
  type ForwardRequest,
  type Impersonation,
  messageOf,
  type RawStream,
  type UpgradedConnection,
} from "kopf-ts";
import { bearerOf } from "../authn/index.ts";
import { isSecure } from "../base-url.ts";
import { impersonationOf, isAuthenticated } from "../caller.ts";
import { isForged } from "../forged.ts";
import type { Exchange, Stage, Upgrade } from "../stage.ts";
import type { Tenures } from "../tenures.ts";
import { incoming, outgoing, switching } from "./headers.ts";
import { join } from "./join.ts";
import { serverPath } from "./path.ts";
import { type Failure, forged, refuseAsStatus, unauthorized } from "./status.ts";

/** Where requests go. */
export interface KubeProxyParts {
  /** Of the server itself, whose rights include to impersonate everybody. */
  readonly client: ForwardingClient;
  /** Ends what outlives its login. */
  readonly tenures: Tenures;
}

/**
 * Passes `/api`, `/apis`, `/openapi` and `/version` on to the API server, and below the path of the local cluster what it says of itself; everything else goes to the next stage.
 */
export function kubeProxy(parts: KubeProxyParts): Stage {
  return (exchange, next) => {
    const path = serverPath(exchange.path);
    if (path === undefined) return next();
    exchange.path = path;
    return passOn(parts, exchange);
  };
}

async function passOn({ client, tenures }: KubeProxyParts, exchange: Exchange): Promise<void> {
  const as = identityOf(exchange);
  if (as === undefined) return refuseAsStatus(exchange, unauthorized);
  if (isForged(exchange)) return refuseAsStatus(exchange, forged);
  try {
    const acting = "user" in as ? client.as(as.user) : client;
    const request = requestOf(exchange, as);
    const passed = { exchange, tenures };
    if (exchange.upgrade === undefined) await pass(acting, request, passed);
    else await upgrade(acting, request, { ...passed, upgrade: exchange.upgrade });
  } catch (thrown) {
    failed(exchange, thrown);
  }
}

/** Whom a request acts as: somebody we know, or whoever the API server knows by a token of its own. */
type Identity = { readonly user: Impersonation } | { readonly authorization: string };

/**
 * Undefined for nobody who asks for objects, or how the API server is. Somebody whom we do not know, but who has a token of the API server's own, goes on with that alone; a token
 * that has the form of ours does not leave. Discovery of versions and schemas is for the API server to grant to nobody.
 */
function identityOf({ login, request, path }: Exchange): Identity | undefined {
  if (isAuthenticated(login)) return { user: impersonationOf(login.caller) };
  const token = bearerOf(request.headers.authorization);
  if (token !== undefined && parseTokenValue(token) === undefined) {
    return { authorization: `Bearer ${token}` };
  }
  return /^\/(version|openapi)/.test(path) ? { user: impersonationOf(login.caller) } : undefined;
}

/** What is passed on, and what ends it when its login does. */
interface Passed {
  readonly exchange: Exchange;
  readonly tenures: Tenures;
}

async function pass(
  client: ForwardingClient,
  request: ForwardRequest,
  passed: Passed,
): Promise<void> {
  await reply(await client.forward(request), passed, client.server);
}

async function upgrade(
  client: ForwardingClient,
  request: ForwardRequest,
  passed: Passed & { readonly upgrade: Upgrade },
): Promise<void> {
  const { exchange, upgrade } = passed;
  const protocol = exchange.request.headers.upgrade ?? upgrade.protocol;
  const answer = await client.forwardUpgrade({ ...request, body: undefined }, protocol);
  if (!("socket" in answer)) return reply(answer, passed, client.server);
  if (exchange.signal.aborted) answer.socket.destroy();
  else connect(answer, passed);
}

function requestOf(exchange: Exchange, as: Identity): ForwardRequest {
  const { request, signal } = exchange;
  const { method = "GET", rawHeaders, socket } = request;
  const origin = { address: socket.remoteAddress, isSecure: isSecure(request) };
  return {
    method,
    path: exchange.path + queryOf(exchange),
    rawHeaders: outgoing(rawHeaders, origin),
    // Without `destroyOnReturn` the client would not hear of an answer that comes before its body is sent.
    body: hasBody(exchange) ? request.iterator({ destroyOnReturn: false }) : undefined,
    signal,
    authorization: "authorization" in as ? as.authorization : undefined,
  };
}

/** The query as it came; the path is the one that was judged, without dot segments. */
function queryOf({ request }: Exchange): string {
  return URL.parse(request.url ?? "/", "https://localhost")?.search ?? "";
}

function hasBody({ request: { method, headers } }: Exchange): boolean {
  if (method === "GET" || method === "HEAD") return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Sends the answer as it comes, as fast as the client takes it, while the login counts. When that or the server ends, what would never end does so properly: clients watch again then. */
async function reply(
  answer: RawStream,
  { exchange, tenures }: Passed,
  server: string,
): Promise<void> {
  const { response, stopping, login } = exchange;
  const isLasting = isEndless(exchange);
  const stop = (): void => answer.close();
  using _tenure = tenures.hold(login, isLasting ? stop : () => response.destroy());
  if (isLasting) stopping.addEventListener("abort", stop, { once: true });
  if (isLasting && stopping.aborted) stop();
  try {
    response.writeHead(answer.status, incoming(answer.headers, server));
    response.write(nothing); // the head at once, for a watch may have nothing to tell for long; flushHeaders would write it as UTF-8
    response.on("drain", () => answer.resume());
    await answer.pipe((chunk) => {
      if (!response.write(chunk)) answer.pause();
    });
    response.end();
  } finally {
    stopping.removeEventListener("abort", stop);
  }
}

const nothing = Buffer.alloc(0);

/** Watches of old have a path of their own, which the API server decodes; a parameter without a value is true, as for the API server (apimachinery: pkg/runtime/conversion.go). */
function isEndless({ path, query }: Exchange): boolean {
  if (/^\/(api|apis\/[^/]+)\/[^/]+\/watch\//.test(decoded(path))) return true;
  return ["watch", "follow"].some((name) => !/^(0|false)$/i.test(query.get(name) ?? "0"));
}

/** The API server refuses what cannot be decoded. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Tells the client what the API server said, and leaves the two to each other while the login counts. */
function connect(
  { status, headers, socket }: UpgradedConnection,
  { exchange, tenures, upgrade }: Passed & { readonly upgrade: Upgrade },
): void {
  const { socket: client, head } = upgrade.accept();
  const tenure = tenures.hold(exchange.login, () => {
    for (const each of [client, socket]) each.destroy();
  });
  client.once("close", () => tenure[Symbol.dispose]());
  const first = [`HTTP/1.1 ${status} Switching Protocols`, `x-request-id: ${exchange.id}`];
  client.write(`${[...first, ...switching(headers)].join("\r\n")}\r\n\r\n`, "latin1");
  if (head.length > 0) socket.write(head);
  join(client, socket);
}

/** Before the answer has begun the client is told; afterwards a connection that breaks is all that can be said. */
function failed({ response, signal, log }: Exchange, thrown: unknown): void {
  if (signal.aborted) return;
  if (!(thrown instanceof ApiError)) throw thrown;
  log.debug("the API server gave no answer", { reason: messageOf(thrown) });
  if (response.headersSent) response.destroy();
  else refuseAsStatus({ response }, failureOf(thrown));
}

function failureOf({ reason, unsent }: ApiError): Failure {
  if (reason === "BadRequest") {
    return { code: 400, reason, message: "the request cannot be passed on" };
  }
  if (!unsent) {
    return { code: 502, reason: "BadGateway", message: "the API server broke the connection" };
  }
  const message = "the API server cannot be reached";
  return { code: 503, reason: "ServiceUnavailable", message, retryAfter: 1 };
}
