/** A client that only tries its writes: the server validates and admits them, stores nothing, and each one is noted. */

import { differences } from "../apply/index.ts";
import { messageOf } from "../base/index.ts";
import {
  apiVersionOf,
  type Client,
  type DeleteOptions,
  type Impersonation,
  type Kind,
  type KubeObject,
  type ObjectRef,
  type WriteOptions,
  type WriteVerb,
} from "../kube/index.ts";

/** A write that would have been made. */
export interface RehearsedWrite {
  readonly verb: WriteVerb;
  readonly where: "cluster" | "hub";
  readonly subresource?: string | undefined;
  /** What it is about; without a name where the server would have made one up. */
  readonly object: ObjectRef;
  /** Whether there was such an object. */
  readonly existed: boolean;
  /** Paths of the fields that it would have changed, as JSON pointers; empty when nothing would have changed. */
  readonly changes: readonly string[];
  /** Why the server would have refused it. */
  readonly refused?: string | undefined;
}

/** Where a rehearsal client notes what. */
export interface Notes {
  readonly where: RehearsedWrite["where"];
  /** Kinds whose objects are looked up before they would be changed. */
  readonly kinds: readonly Kind[];
  readonly note: (write: RehearsedWrite) => void;
}

/** The client with every write turned into a dry run. Raw writes are refused, since nobody can tell what they would do. */
export function rehearsalClient(client: Client, notes: Notes): Client {
  const attempt = attemptsOf(client, notes);
  const dry = <O extends WriteOptions>(options: O): O & { readonly dryRun: true } => ({
    ...options,
    dryRun: true,
  });
  return {
    server: client.server,
    fieldManager: client.fieldManager,
    sets: client.sets,
    get: (kind, name, options) => client.get(kind, name, options),
    find: (kind, name, options) => client.find(kind, name, options),
    list: (kind, options) => client.list(kind, options),
    pages: (kind, options) => client.pages(kind, options),
    create: (object, options = {}) =>
      attempt("create", object, options, () => client.create(object, dry(options))),
    update: (object, options = {}) =>
      attempt("update", object, options, () => client.update(object, dry(options))),
    patch: (object, patch, options = {}) =>
      attempt("patch", object, options, () => client.patch(object, patch, dry(options))),
    apply: (object, options) =>
      attempt("apply", object, options, () => client.apply(object, dry(options))),
    delete: (object, options: DeleteOptions = {}) =>
      attempt("delete", object, options, () => client.delete(object, dry(options))),
    deleteCollection: (kind, options = {}) => client.deleteCollection(kind, dry(options)),
    request: (request) => (request.method === "GET" ? client.request(request) : refuse()),
    stream: (request) => (request.method === "GET" ? client.stream(request) : refuse()),
    as: (impersonation: Impersonation) => rehearsalClient(client.as(impersonation), notes),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function refuse(): Promise<never> {
  return Promise.reject(new TypeError("a raw write cannot be rehearsed"));
}

type Attempt = <R>(
  verb: WriteVerb,
  object: ObjectRef,
  options: WriteOptions,
  write: () => Promise<R>,
) => Promise<R>;

/** Tries a write and notes what came of it. What the server refuses is thrown on: the reconciler decides. */
function attemptsOf(client: Client, { where, kinds, note }: Notes): Attempt {
  return async (verb, object, { subresource }, write) => {
    const before = await liveOf(object, client, kinds);
    const about = {
      verb,
      where,
      subresource,
      object: refOf(object),
      existed: before !== undefined,
    };
    try {
      const answer = await write();
      const changes = verb === "delete" ? [] : changed(before, answer);
      note({ ...about, changes });
      return answer;
    } catch (error) {
      note({ ...about, changes: [], refused: messageOf(error) });
      throw error;
    }
  };
}

async function liveOf(
  { apiVersion, kind, metadata: { name, namespace } }: ObjectRef,
  client: Client,
  kinds: readonly Kind[],
): Promise<KubeObject | undefined> {
  const known = kinds.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  if (known === undefined || name === "") return undefined;
  return client.find(known, name, { namespace });
}

/** In either direction: fields that come, change and go. */
function changed(before: KubeObject | undefined, answer: unknown): readonly string[] {
  if (before === undefined) return [];
  const [from, to] = [content(before), content(answer)];
  const paths = [...differences(to, from), ...differences(from, to)].map(({ path }) => path);
  return [...new Set(paths)].sort();
}

/** Without what the server counts up at each write. */
function content(object: unknown): unknown {
  if (typeof object !== "object" || object === null || !("metadata" in object)) return object;
  const { managedFields, resourceVersion, generation, ...metadata } = {
    ...(object.metadata as Readonly<Record<string, unknown>>), // every object has one
  };
  return { ...object, metadata };
}

function refOf({ apiVersion, kind, metadata: { name, namespace } }: ObjectRef): ObjectRef {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}
