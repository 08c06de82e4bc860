/** API servers that a real API server aggregates, for tests. */

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { uniqueName } from "@drover/env";
import type { Client } from "kopf-ts";
import { selfSigned } from "../../listener/certificate.ts";
import { humanDuration } from "../printers/human.ts";
import { send, type TestKind } from "./testing.test.support.ts";

/** Where APIServices are. */
export const services = "/apis/apiregistration.k8s.io/v1/apiservices";

/** Registers a group at a port of this machine; resolves with the name of its APIService. */
export async function aggregate(client: Client, group: string, port: number): Promise<string> {
  const name = uniqueName("aggregated");
  await send(client, "POST", "/api/v1/namespaces/default/services", {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name } },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
  });
  const service = { namespace: "default", name, port };
  await send(client, "POST", services, {
    ...{ apiVersion: "apiregistration.k8s.io/v1", kind: "APIService" },
    metadata: { name: `v1.${group}` },
    spec: {
      ...{ group, version: "v1", service, insecureSkipTLSVerify: true },
      ...{ groupPriorityMinimum: 100, versionPriority: 100 },
    },
  });
  return `v1.${group}`;
}

/** An object of an aggregated API, all of them in the namespace `default`. */
export interface Remote {
  readonly name: string;
  readonly colour: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly seen: number;
}

/** How an aggregated API server behaves. */
export interface RemoteOptions {
  /** Makes tables; yes unless told. */
  readonly tables?: boolean;
  /** May be watched; yes unless told. */
  readonly watches?: boolean;
}

const columns = [
  { name: "Name", type: "string", format: "name", description: "", priority: 0 },
  { name: "Colour", type: "string", format: "", description: "", priority: 0 },
  { name: "Size", type: "integer", format: "", description: "", priority: 0 },
  { name: "Seen", type: "date", format: "", description: "", priority: 1 },
  { name: "Age", type: "string", format: "", description: "", priority: 0 },
];

/** The columns of its tables. */
export const remoteColumns: readonly string[] = columns.map(({ name }) => name);

/** An aggregated API server of one kind, as far as lists and watches go; its cells are nowhere in its objects. */
export class RemoteServer implements AsyncDisposable {
  /** What was asked for, as `list` and `watch`, with `table` where it was answered by one. */
  readonly asked: string[] = [];
  /** Fails when it is asked for anything but what it serves. */
  isBroken = false;
  readonly #kind: TestKind;
  readonly #options: RemoteOptions;
  readonly #server: Server;
  readonly #objects = new Map<string, Remote & { readonly version: number }>();
  readonly #watching = new Map<ServerResponse, boolean>();
  #version = 100;

  constructor(kind: TestKind, options: RemoteOptions, server: Server) {
    this.#kind = kind;
    this.#options = options;
    this.#server = server;
    server.on("request", (request, response) => this.#answer(request, response));
  }

  static async start(kind: TestKind, options: RemoteOptions = {}): Promise<RemoteServer> {
    const server = createServer(await selfSigned(["localhost"], Date.now()));
    await once(server.listen(0, "localhost"), "listening");
    return new RemoteServer(kind, options, server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // it listens at a port
  }

  /** Creates or changes an object. */
  put(remote: Remote): void {
    const type = this.#objects.has(remote.name) ? "MODIFIED" : "ADDED";
    this.#objects.set(remote.name, { ...remote, version: ++this.#version });
    this.#tell(type, remote.name);
  }

  remove(name: string): void {
    const object = this.#objects.get(name);
    if (object === undefined) throw new Error(`no object ${name}`);
    this.#objects.set(name, { ...object, version: ++this.#version });
    this.#tell("DELETED", name);
    this.#objects.delete(name);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { group, plural } = this.#kind;
    const { pathname, searchParams } = new URL(request.url ?? "", "https://localhost");
    const path = pathname.replace(`/apis/${group}/v1`, "");
    const table = this.#options.tables !== false && /as=Table/.test(request.headers.accept ?? "");
    response.setHeader("Content-Type", "application/json");
    if (path === "") response.end(JSON.stringify(this.#discovery()));
    else if (path !== `/${plural}`) response.writeHead(404).end("{}");
    else if (this.isBroken) this.#fail(response);
    else if (searchParams.has("watch")) this.#watch(response, searchParams, table);
    else this.#list(response, table, searchParams.get("includeObject") === "None");
  }

  #fail(response: ServerResponse): void {
    this.#note("failed", false);
    response.writeHead(500).end("{}");
  }

  #discovery(): object {
    const { group, kind, plural } = this.#kind;
    const verbs = ["get", "list", ...(this.#options.watches === false ? [] : ["watch"])];
    const resources = [{ name: plural, kind, namespaced: true, singularName: "", verbs }];
    return { kind: "APIResourceList", apiVersion: "v1", groupVersion: `${group}/v1`, resources };
  }

  /** Who asks for no objects wants to know the columns. */
  #list(response: ServerResponse, table: boolean, columnsOnly: boolean): void {
    const names = columnsOnly ? [] : [...this.#objects.keys()];
    this.#note(columnsOnly ? "columns" : "list", table);
    const metadata = { resourceVersion: String(this.#version) };
    const list = table
      ? { ...this.#tableOf(names), metadata, columnDefinitions: columns }
      : { ...this.#type("List"), metadata, items: names.map((name) => this.#objectOf(name)) };
    response.end(JSON.stringify(list));
  }

  #watch(response: ServerResponse, query: URLSearchParams, table: boolean): void {
    this.#note("watch", table);
    response.flushHeaders();
    this.#watching.set(response, table);
    response.on("close", () => this.#watching.delete(response));
    if (!query.has("sendInitialEvents")) return;
    let first = true;
    for (const name of this.#objects.keys()) {
      this.#send(response, "ADDED", name, first);
      first = false;
    }
    const annotations = { "k8s.io/initial-events-end": "true" };
    const mark = { metadata: { resourceVersion: String(this.#version), annotations } };
    const row = { cells: columns.map(() => ""), object: mark };
    const object = table ? { ...this.#tableOf([]), columnDefinitions: null, rows: [row] } : mark;
    response.write(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
  }

  #tell(type: string, name: string): void {
    for (const response of this.#watching.keys()) this.#send(response, type, name, false);
  }

  #send(response: ServerResponse, type: string, name: string, first: boolean): void {
    const object = this.#watching.get(response)
      ? { ...this.#tableOf([name]), columnDefinitions: first ? columns : null }
      : this.#objectOf(name);
    response.write(`${JSON.stringify({ type, object })}\n`);
  }

  #tableOf(names: readonly string[]): object {
    const rows = names.map((name) => ({
      cells: this.#cellsOf(name),
      object: this.#objectOf(name),
    }));
    return { kind: "Table", apiVersion: "meta.k8s.io/v1", rows };
  }

  #cellsOf(name: string): readonly unknown[] {
    const { colour = "", size = 0, seen = 0, created = 0 } = this.#objects.get(name) ?? {};
    const age = (time: number): string => humanDuration(Date.now() - time);
    return [name, colour, size, age(seen), age(created)];
  }

  #objectOf(name: string): object {
    const { created = 0, version = 0 } = this.#objects.get(name) ?? {};
    const metadata = {
      ...{ name, namespace: "default", uid: `uid-${name}`, resourceVersion: String(version) },
      creationTimestamp: new Date(created).toISOString().replace(/\.\d+/, ""),
    };
    return { ...this.#type(""), metadata };
  }

  #type(suffix: string): object {
    const { group, kind } = this.#kind;
    return { kind: `${kind}${suffix}`, apiVersion: `${group}/v1` };
  }

  #note(what: string, table: boolean): void {
    this.asked.push(table ? `${what} table` : what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
