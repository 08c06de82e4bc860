/** Reads of one object, and all writes: upstream, as the caller (steve: pkg/stores/sqlproxy/proxy_store.go). */

import type { Client, Clock } from "kopf-ts";
import { ApiError } from "kopf-ts";
import type { Items, Shape } from "../items/item.ts";
import type { TypeHandler, TypeRequest } from "../request.ts";
import { textAt } from "../tree.ts";
import { readBody } from "./body.ts";
import { readObject, type Sent, unreadable } from "./content.ts";
import { parseJson, writeJson } from "./json.ts";
import { deleteOptions, optionsQuery } from "./options.ts";
import { toPatch } from "./patch.ts";
import { upstreamPath } from "./place.ts";
import { toCreate, toUpdate } from "./prepare.ts";
import { rowIn } from "./table.ts";
import { ask } from "./upstream.ts";

/** What writes need. */
export interface WriteParts {
  /** The server's own; every request is made as the caller. */
  readonly client: Client;
  readonly items: Items;
  readonly shapeOf: (query: URLSearchParams) => Shape;
  readonly clock: Pick<Clock, "now">;
}

/** The handlers of what goes upstream. */
export interface Writes {
  readonly get: TypeHandler;
  readonly create: TypeHandler;
  readonly update: TypeHandler;
  readonly patch: TypeHandler;
  readonly remove: TypeHandler;
}

/** The cells come from the server; one that makes no tables sends the object (kubernetes: kubectl/pkg/cmd/get). */
const asTable = [
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
  "application/json",
].join(",");

/** Makes the handlers. What the API server refuses becomes a Problem with its status, reason and message; a write is sent once. */
export function writes(parts: WriteParts): Writes {
  return {
    get: (request) => get(parts, request),
    create: (request) => create(parts, request),
    update: (request) => update(parts, request),
    patch: (request) => patch(parts, request),
    remove: (request) => remove(parts, request),
  };
}

async function get(parts: WriteParts, request: TypeRequest): Promise<void> {
  const { object, cells } = await read(parts, request);
  answer(parts, request, { status: 200, object, cells });
}

async function create(parts: WriteParts, request: TypeRequest): Promise<void> {
  const { exchange, type, namespace } = request;
  const { object, namespace: place } = toCreate(type, await objectIn(request), namespace);
  const { body } = await ask(parts.client, request, {
    method: "POST",
    path: upstreamPath(type.kind, place) + optionsQuery("create", exchange.query),
    body: textOf(object),
    contentType: "application/json",
  });
  answer(parts, request, { status: 201, object: body, cells: "none" });
}

async function update(parts: WriteParts, request: TypeRequest): Promise<void> {
  const { exchange, type, namespace, name = "" } = request;
  const object = toUpdate(type, await objectIn(request), { namespace, name });
  const { body } = await ask(parts.client, request, {
    method: "PUT",
    path: pathOf(request) + optionsQuery("update", exchange.query),
    body: textOf(object),
    contentType: "application/json",
  });
  answer(parts, request, { status: 200, object: body, cells: "none" });
}

async function patch(parts: WriteParts, request: TypeRequest): Promise<void> {
  const { exchange, type } = request;
  const told = exchange.request.headers["content-type"];
  const prepared = toPatch(await readBody(exchange.request), told, type.id);
  const { body } = await ask(parts.client, request, {
    method: "PATCH",
    path: pathOf(request) + optionsQuery("patch", exchange.query),
    ...prepared,
  });
  answer(parts, request, { status: 200, object: body, cells: "none" });
}

/** 204 when the object is gone, else 200 with it: finalizers, a grace period, or a dry run keep it. */
async function remove(parts: WriteParts, request: TypeRequest): Promise<void> {
  const { exchange } = request;
  const options = deleteOptions(exchange.query, await objectIn(request));
  const { body } = await ask(parts.client, request, {
    method: "DELETE",
    path: pathOf(request),
    ...(options && { body: textOf(options), contentType: "application/json" }),
  });
  const left = await stillThere(parts, request, body);
  if (left === undefined) exchange.response.writeHead(204).end();
  else answer(parts, request, { status: 200, ...left });
}

/** What is left of an object that was deleted; undefined for nothing, for another one under its name, and where the caller may not look. */
async function stillThere(
  parts: WriteParts,
  request: TypeRequest,
  deleted: Buffer,
): Promise<Found | undefined> {
  try {
    const found = await read(parts, request);
    return isSame(deleted, found.object) ? found : undefined;
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    return undefined; // it is deleted, whatever kept us from looking
  }
}

/** By uid, which a Status tells in its details. */
function isSame(deleted: Buffer, found: Buffer): boolean {
  const before: unknown = parseJson(deleted.toString());
  const uid = textAt(before, "metadata", "uid") || textAt(before, "details", "uid");
  return uid === "" || uid === textAt(parseJson(found.toString()), "metadata", "uid");
}

interface Found {
  readonly object: Buffer;
  readonly cells: readonly unknown[] | undefined;
}

async function read({ client }: WriteParts, request: TypeRequest): Promise<Found> {
  const options = optionsQuery("get", request.method === "GET" ? request.exchange.query : none);
  const { body } = await ask(client, request, {
    method: "GET",
    path: `${pathOf(request)}${options}${options === "" ? "?" : "&"}includeObject=Object`,
    accept: asTable,
  });
  return rowIn(body);
}

const none = new URLSearchParams();

function pathOf({ type, namespace, name = "" }: TypeRequest): string {
  return upstreamPath(type.kind, namespace, name);
}

async function objectIn({ exchange: { request } }: TypeRequest): Promise<Sent> {
  return readObject(await readBody(request), request.headers["content-type"]);
}

function textOf(object: Sent): string {
  try {
    return writeJson(object);
  } catch (cause) {
    throw unreadable("nested too deeply", cause);
  }
}

interface Answer {
  readonly status: number;
  readonly object: Buffer;
  /** Of a row of a table; "none" for writes, whose answers have no fields (steve: pkg/stores/sqlproxy/proxy_store.go). */
  readonly cells: readonly unknown[] | "none" | undefined;
}

function answer(
  { items, shapeOf, clock }: WriteParts,
  { exchange, type, access, base }: TypeRequest,
  { status, object, cells }: Answer,
): void {
  const shape = shapeOf(exchange.query);
  const writer = items.writer({ type, access, base, shape, now: clock.now() });
  const bytes = Buffer.concat(writer.ofObject(object, cells));
  exchange.response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": bytes.length,
  });
  exchange.response.end(bytes);
}
