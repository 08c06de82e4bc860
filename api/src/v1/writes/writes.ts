/** Reads of one object, and all writes: upstream, as the caller (steve: pkg/stores/sqlproxy/proxy_store.go). */

import { ApiError, type Client, type Clock } from "kopf-ts";
import { manyValues, readBody, usualLimit } from "../../body.ts";
import type { YamlReader } from "../../yaml/index.ts";
import { sendObject } from "../answers/answer.ts";
import type { Items } from "../items/item.ts";
import { parseShape } from "../items/shape.ts";
import { writeExact } from "../json.ts";
import type { TypeHandler, TypeRequest } from "../request.ts";
import { turnFor } from "../slices.ts";
import { textAt } from "../tree.ts";
import { readJson, readSent } from "./content.ts";
import { deleteOptions, optionsQuery } from "./options.ts";
import { patchForm } from "./patch.ts";
import { upstreamPath } from "./place.ts";
import type { WrittenType } from "./prepare.ts";
import type { Rework, Reworked } from "./rework.ts";
import { Reworker } from "./reworker.ts";
import { type RowOfTable, rowIn } from "./table.ts";
import { ask } from "./upstream.ts";

/** What writes need. */
export interface WriteParts {
  /** The server's own; every request is made as the caller. */
  readonly client: Client;
  readonly items: Items;
  readonly yaml: Pick<YamlReader, "toJson">;
  readonly clock: Pick<Clock, "now" | "after">;
}

/** With what is made of them. */
interface Parts extends WriteParts {
  readonly reworker: Reworker;
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
export function writes(given: WriteParts): Writes {
  const parts = { ...given, reworker: new Reworker(given.clock) };
  return {
    get: handler(parts, get),
    create: handler(parts, create),
    update: handler(parts, update),
    patch: handler(parts, patch),
    remove: handler(parts, remove),
  };
}

/** What is answered: an object as the API server sent it, or nothing. */
interface Outcome {
  readonly status: number;
  readonly object: Buffer;
  /** Of a row of a table; "none" for writes, whose answers have no fields (steve: pkg/stores/sqlproxy/proxy_store.go). */
  readonly cells: readonly unknown[] | "none" | undefined;
}

/** Looks at what the answer is to be like before anything is asked of the API server. */
function handler(
  parts: Parts,
  act: (parts: Parts, request: TypeRequest) => Promise<Outcome | undefined>,
): TypeHandler {
  return async (request) => {
    const { exchange, type, access, base } = request;
    const shape = parseShape(exchange.query);
    const outcome = await act(parts, request);
    if (outcome === undefined) {
      exchange.response.writeHead(204).end();
      return;
    }
    await turnFor(outcome.object);
    const now = parts.clock.now();
    const writer = parts.items.writer({ type, access, base, shape, now });
    await writer.prepare?.(outcome.object, request.signal);
    const item = Buffer.concat(writer.ofObject(outcome.object, outcome.cells));
    await turnFor(item);
    await sendObject(exchange, item, outcome.status);
  };
}

async function get(parts: Parts, request: TypeRequest): Promise<Outcome> {
  return { status: 200, ...(await read(parts, request)) };
}

async function create(parts: Parts, request: TypeRequest): Promise<Outcome> {
  const { exchange, type, namespace } = request;
  const { body: sent, namespace: place } = await reworked(parts, request, {
    ...{ verb: "create", type: written(type), namespace },
  });
  const { body } = await ask(parts.client, request, {
    method: "POST",
    path: upstreamPath(type.kind, place) + optionsQuery("create", exchange.query),
    body: sent,
    contentType: "application/json",
  });
  return { status: 201, object: body, cells: "none" };
}

async function update(parts: Parts, request: TypeRequest): Promise<Outcome> {
  const { exchange, type, namespace, name = "" } = request;
  const { body: sent } = await reworked(parts, request, {
    ...{ verb: "update", type: written(type), namespace, name },
  });
  const { body } = await ask(parts.client, request, {
    method: "PUT",
    path: pathOf(request) + optionsQuery("update", exchange.query),
    body: sent,
    contentType: "application/json",
  });
  return { status: 200, object: body, cells: "none" };
}

async function patch(parts: Parts, request: TypeRequest): Promise<Outcome> {
  const { exchange, type, signal } = request;
  const sent = await readBody(exchange, usualLimit);
  const { contentType, isReworked } = patchForm(sent, exchange.request.headers["content-type"]);
  const task = { verb: "patch", typeId: type.id } as const;
  const { body } = await ask(parts.client, request, {
    method: "PATCH",
    path: pathOf(request) + optionsQuery("patch", exchange.query),
    contentType,
    body: isReworked ? (await parts.reworker.rework(task, sent, signal)).body : sent,
  });
  return { status: 200, object: body, cells: "none" };
}

/** Nothing when the object is gone, else the object: finalizers, a grace period, or a dry run keep it. */
async function remove(parts: Parts, request: TypeRequest): Promise<Outcome | undefined> {
  const { exchange, signal } = request;
  const body = await readSent(exchange, { yaml: parts.yaml, signal, mayBeEmpty: true });
  const sent = readJson(body, manyValues);
  const options = deleteOptions(exchange.query, sent);
  const answer = await ask(parts.client, request, {
    method: "DELETE",
    path: pathOf(request),
    ...(options && { body: writeExact(options), contentType: "application/json" }),
  });
  const left = await stillThere(parts, request, answer.body);
  return left && { status: 200, ...left };
}

/** What is left of an object that was deleted; undefined for nothing, for another one under its name, and where the caller may not look. */
async function stillThere(
  parts: Parts,
  request: TypeRequest,
  deleted: Buffer,
): Promise<RowOfTable | undefined> {
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
  const before: unknown = JSON.parse(deleted.toString());
  const uid = textAt(before, "metadata", "uid") || textAt(before, "details", "uid");
  return uid === "" || uid === textAt(JSON.parse(found.toString()), "metadata", "uid");
}

async function read({ client }: Parts, request: TypeRequest): Promise<RowOfTable> {
  const { method, exchange } = request;
  const options = optionsQuery("get", method === "GET" ? exchange.query : new URLSearchParams());
  const { body } = await ask(client, request, {
    method: "GET",
    path: `${pathOf(request)}${options}${options === "" ? "?" : "&"}includeObject=Object`,
    accept: asTable,
    timeout: options === "" ? undefined : patience,
  });
  return rowIn(body);
}

/** Milliseconds for a revision that is yet to come: the API server says after 3 s that it is not there; asked again, it would say so ten times. */
const patience = 4_000;

function pathOf({ type, namespace, name = "" }: TypeRequest): string {
  return upstreamPath(type.kind, namespace, name);
}

async function reworked(
  { yaml, reworker }: Parts,
  { exchange, signal }: TypeRequest,
  task: Rework,
): Promise<Reworked> {
  return await reworker.rework(task, await readSent(exchange, { yaml, signal }), signal);
}

function written({ id, kind, verbs }: TypeRequest["type"]): WrittenType {
  return { id, kind, verbs };
}
