import type {
  ApplyOptions,
  Client,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  Impersonation,
  ListOptions,
  ObjectList,
  Patch,
  RawRequest,
  RawResponse,
  RawStream,
  RequestOptions,
  WriteOptions,
} from "./client.ts";
import { isNotFound } from "./errors.ts";
import type { Call, Caller } from "./http/caller.ts";
import { impersonationHeaders } from "./impersonation.ts";
import { type Kind, resourceName } from "./kind.ts";
import type { KindLookup, KnownKinds } from "./known-kinds.ts";
import type { KubeObject, ObjectRef } from "./object.ts";
import { parseObject, toList } from "./parse.ts";
import { badRequest, collectionPath, objectPath, queryString, requireNamespace } from "./paths.ts";
import {
  deleteBody,
  isSafeDelete,
  isSafePatch,
  isSafeUpdate,
  patchBody,
  patchType,
  rawCall,
} from "./requests.ts";

/** What the clients on the same connections share. */
export interface Shared {
  readonly server: string;
  readonly caller: Caller;
  readonly kinds: KnownKinds;
  readonly lookup: KindLookup;
  readonly close: () => Promise<void>;
}

/** Where one object or collection is served. */
interface Place {
  readonly kind: Kind;
  readonly path: string;
}

const PAGE = 500;

/** The Client that `connect` makes. All that may lead to secrets is private, so printing one shows its server only. */
export class ClusterClient implements Client {
  readonly server: string;
  readonly #shared: Shared;
  /** Headers of every request, for impersonation. */
  readonly #headers: readonly string[];
  readonly #own: boolean;

  constructor(shared: Shared, headers: readonly string[] = [], own = true) {
    this.server = shared.server;
    this.#shared = shared;
    this.#headers = headers;
    this.#own = own;
  }

  async get<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    options: GetOptions = {},
  ): Promise<T> {
    this.#shared.kinds.meet(kind);
    const path = objectPath(kind, name, options.namespace, options.subresource);
    return this.#read<T>({ kind, path }, "get", options);
  }

  async find<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    options: GetOptions = {},
  ): Promise<T | undefined> {
    try {
      return await this.get(kind, name, options);
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined;
      throw thrown;
    }
  }

  async list<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<ObjectList<T>> {
    this.#shared.kinds.meet(kind);
    const { limit, continue: next, resourceVersion, resourceVersionMatch } = options;
    const { labelSelector, fieldSelector } = options;
    const query = queryString({
      labelSelector,
      fieldSelector,
      limit,
      continue: next,
      resourceVersion,
      resourceVersionMatch,
    });
    const path = collectionPath(kind, options.namespace) + query;
    return toList<T>(kind, await this.#read<unknown>({ kind, path }, "list", options));
  }

  async *pages<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): AsyncGenerator<ObjectList<T>, void, undefined> {
    const { resourceVersion, resourceVersionMatch, ...rest } = options;
    let page = await this.list(kind, { limit: PAGE, ...options });
    yield page;
    while (page.continue !== undefined) {
      page = await this.list(kind, { limit: PAGE, ...rest, continue: page.continue });
      yield page;
    }
  }

  async create<T extends KubeObject>(object: T, options: WriteOptions = {}): Promise<T> {
    const kind = await this.#kindOf(object);
    const { namespace, name, generateName } = object.metadata;
    requireNamespace(kind, name ?? generateName ?? "", namespace);
    const path = collectionPath(kind, namespace);
    return this.#write<T>("POST", { kind, path }, "create", object, options);
  }

  async update<T extends KubeObject>(object: T, options: WriteOptions = {}): Promise<T> {
    const place = await this.#placeOf(object, options);
    return this.#write<T>("PUT", place, "update", object, options);
  }

  async patch<T extends KubeObject>(
    object: ObjectRef & Partial<T>,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const place = await this.#placeOf(object, options);
    return this.#send<T>("PATCH", place, "patch", {
      body: JSON.stringify(patchBody(patch)),
      contentType: patchType(patch),
      safe: isSafePatch(patch),
      query: writeQuery(options),
      options,
    });
  }

  async apply<T extends KubeObject>(object: T, options: ApplyOptions): Promise<T> {
    const place = await this.#placeOf(object, options);
    return this.#send<T>("PATCH", place, "apply", {
      body: JSON.stringify(object),
      contentType: "application/apply-patch+yaml",
      // It says what is to be, not what to change: a second one leaves what a later first one would have left.
      safe: true,
      query: queryString({
        fieldManager: options.fieldManager,
        force: options.force ?? true,
        dryRun: options.dryRun ? "All" : undefined,
      }),
      options,
    });
  }

  async delete(object: ObjectRef, options: DeleteOptions = {}): Promise<boolean> {
    const place = await this.#placeOf(object, options);
    try {
      const body = deleteBody(options, object);
      await this.#delete(place, "delete", "", body, isSafeDelete(options, object), options);
      return true;
    } catch (thrown) {
      if (isNotFound(thrown)) return false;
      throw thrown;
    }
  }

  async deleteCollection(kind: Kind, options: DeleteCollectionOptions = {}): Promise<void> {
    this.#shared.kinds.meet(kind);
    const { labelSelector, fieldSelector, namespace } = options;
    const query = queryString({ labelSelector, fieldSelector });
    const place = { kind, path: collectionPath(kind, namespace) };
    await this.#delete(place, "deletecollection", query, deleteBody(options), false, options);
  }

  async request(request: RawRequest): Promise<RawResponse> {
    return this.#shared.caller.call(rawCall(request, this.#headers, false));
  }

  async stream(request: RawRequest): Promise<RawStream> {
    const { stream } = await this.#shared.caller.call(rawCall(request, this.#headers, true));
    if (stream === undefined) throw badRequest("the answer came without a stream");
    return stream;
  }

  as(impersonation: Impersonation): Client {
    return new ClusterClient(this.#shared, impersonationHeaders(impersonation), false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#own) await this.#shared.close();
  }

  async #kindOf({ apiVersion, kind }: ObjectRef): Promise<Kind> {
    const { kinds, lookup } = this.#shared;
    return kinds.find(apiVersion, kind) ?? lookup(apiVersion, kind);
  }

  async #placeOf(object: ObjectRef, { subresource, of }: WriteOptions): Promise<Place> {
    if (of === undefined && subresource === "scale" && object.kind === "Scale") {
      throw badRequest("a Scale is written with the option `of`: the kind of what it scales");
    }
    const known = of ?? this.#shared.kinds.find(object.apiVersion, object.kind);
    const kind = known ?? (await this.#kindOf(object));
    const { name, namespace } = object.metadata;
    return { kind, path: objectPath(kind, name, namespace, subresource) };
  }

  async #read<T>({ kind, path }: Place, verb: string, options: RequestOptions): Promise<T> {
    const call: Call = {
      method: "GET",
      path,
      verb,
      resource: resourceName(kind),
      headers: ["accept", "application/json", ...this.#headers],
      safe: true,
      signal: options.signal,
      timeout: options.timeout,
      beforeSend: options.beforeSend,
    };
    return parseObject<T>(call, this.server, await this.#shared.caller.call(call));
  }

  #write<T>(
    method: "POST" | "PUT",
    place: Place,
    verb: string,
    object: KubeObject,
    options: WriteOptions,
  ): Promise<T> {
    return this.#send<T>(method, place, verb, {
      body: JSON.stringify(object),
      contentType: "application/json",
      safe: method === "PUT" && isSafeUpdate(object),
      query: writeQuery(options),
      options,
    });
  }

  async #delete(
    place: Place,
    verb: string,
    query: string,
    body: string,
    safe: boolean,
    options: DeleteOptions,
  ): Promise<void> {
    const contentType = "application/json";
    await this.#send("DELETE", place, verb, { body, contentType, safe, query, options });
  }

  async #send<T>(
    method: Call["method"],
    { kind, path }: Place,
    verb: string,
    what: {
      readonly body: string;
      readonly contentType: string;
      readonly safe: boolean;
      readonly query: string;
      readonly options: RequestOptions;
    },
  ): Promise<T> {
    const type = ["accept", "application/json", "content-type", what.contentType];
    const call: Call = {
      method,
      path: path + what.query,
      verb,
      resource: resourceName(kind),
      headers: [...type, ...this.#headers],
      body: what.body,
      safe: what.safe,
      signal: what.options.signal,
      timeout: what.options.timeout,
      beforeSend: what.options.beforeSend,
    };
    return parseObject<T>(call, this.server, await this.#shared.caller.call(call));
  }
}

function writeQuery({ dryRun, fieldManager }: WriteOptions): string {
  return queryString({ fieldManager, dryRun: dryRun ? "All" : undefined });
}
