/** Serves writes over HTTP, for tests: whoever asks names themselves. */

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, type Kind, type Logger, silentLogger, systemClock } from "kopf-ts";
import { answer } from "../../listener/exchange.ts";
import type { Exchange } from "../../stage.ts";
import { Threads } from "../../threads.ts";
import { YamlReader } from "../../yaml/index.ts";
import { type Access, nothing } from "../access/access.ts";
import { CachedItems } from "../items/index.ts";
import { refuseProblem } from "../refuse.ts";
import type { TypeRequest } from "../request.ts";
import { KnownTypes } from "../types/index.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { type Writes, writes } from "./writes.ts";

/** A type of /v1, with everything that tests of writes do not look at left out. */
export function typeOf(kind: Kind, id: string): ResourceType {
  return {
    ...{ id, pluralName: kind.plural, kind, columns: [], cells: undefined, table: true },
    verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
    ...{ preferredVersion: undefined, preferredGroup: undefined, schema: undefined },
    ...{ crd: false, aggregated: false, observesGeneration: false },
    ...{ columnPaths: undefined, description: "" },
  };
}

/** Rights do not matter here: the API server judges. */
const access: Access = {
  fingerprint: "",
  may: () => true,
  reach: () => nothing,
  listed: () => nothing,
  mayVisit: () => true,
};

/** What is served. */
export interface Served extends AsyncDisposable {
  readonly port: number;
  call(call: Call): Promise<Answered>;
}

/** A request. */
export interface Call {
  readonly as?: string;
  readonly method?: string;
  /** Behind /v1/. */
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
}

/** What tests look at of an item or an error; what an answer lacks is undefined all the same. */
export interface Json extends Readonly<Record<string, unknown>> {
  readonly code: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly resourceVersion: string;
    readonly fields: readonly unknown[];
    readonly managedFields: readonly Readonly<Record<string, unknown>>[];
  };
}

/** Its answer. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly json: Json;
  readonly warning: string | null;
}

/** Serves `/v1/<type>/...` for the types by their ids. */
export async function serveWrites(
  client: Client,
  types: readonly ResourceType[],
  log: Logger = silentLogger,
): Promise<Served> {
  const known = new KnownTypes(log);
  known.replace(types);
  const all = writes({
    ...{
      client,
      items: new CachedItems({ types: known, threads: new Threads(systemClock) }),
      clock: systemClock,
    },
    yaml: new YamlReader(systemClock),
  });
  const handle = (exchange: Exchange): Promise<void> => handleOne(all, types, exchange);
  const stopping = new AbortController();
  const server = createServer((request, response) =>
    answer(request, response, undefined, { handle, log, stopping: stopping.signal }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    call: (call) => fetched(port, call),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handleOne(
  all: Writes,
  types: readonly ResourceType[],
  exchange: Exchange,
): Promise<void> {
  const { request: asked, path, signal } = exchange;
  exchange.login = loginOf(asked);
  const [, , id, ...rest] = path.split("/").map(decodeURIComponent);
  const type = types.find((each) => each.id === id);
  if (type === undefined) throw new Error("no such type in the test");
  const isNamespaced = type.kind.scope === "Namespaced";
  const [namespace, name] = isNamespaced ? rest : [undefined, ...rest];
  const method = asked.method ?? "GET";
  const request: TypeRequest = {
    ...{ exchange, method, type, access, namespace, name, link: undefined },
    ...{ base: "https://here", signal },
  };
  const { get, create, update, patch, remove } = all;
  const handlers = { GET: get, POST: create, PUT: update, PATCH: patch, DELETE: remove };
  try {
    await handlers[method as keyof typeof handlers](request); // tests use no other methods
  } catch (thrown) {
    refuseProblem(exchange, thrown);
  }
}

function loginOf({ headers }: IncomingMessage): Exchange["login"] {
  const username = String(headers["x-as"] ?? "admin");
  const groups = username === "admin" ? ["system:masters"] : ["system:authenticated"];
  return { caller: { username, groups }, token: undefined };
}

async function fetched(port: number, { as, method, path, body, type }: Call): Promise<Answered> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/${path}`, {
    method: method ?? "GET",
    headers: {
      ...(as !== undefined && { "X-As": as }),
      ...(type !== undefined && { "Content-Type": type }),
      Connection: "close",
    },
    ...(body !== undefined && { body: new TextEncoder().encode(body) }),
  });
  const text = await response.text();
  return {
    ...{ status: response.status, text, warning: response.headers.get("warning") },
    json: text === "" ? undefined : JSON.parse(text),
  };
}
