import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  ForwardingClient,
  ForwardRequest,
  GetOptions,
  Impersonation,
  ListOptions,
  ObjectList,
  Patch,
  RawRequest,
  RawResponse,
  RawStream,
  RequestOptions,
  UpgradedConnection,
  WriteOptions,
} from "./client.ts";
import { versionPath } from "./discovery/discover.ts";
import { isNotFound } from "./errors.ts";
import type { Call, Caller, Span } from "./http/caller.ts";
import type { Deadline } from "./http/deadline.ts";
import { impersonationHeaders } from "./impersonation.ts";
import { type Kind, resourceName } from "./kind.ts";
import type { KnownKinds } from "./known-kinds.ts";
import type { KubeObject, ObjectRef } from "./object.ts";
import { parseObject, toList } from "./parse.ts";
import { badRequest, collectionPath, objectPath, queryString, requireNamespace } from "./paths.ts";
import {
  deleteBody,
  forwardCall,
  isSafeDelete,
  isSafePatch,
  isSafeUpdate,
  patchBody,
  patchType,
  rawCall,
} from "./requests.ts";
import { isMisplaced, served } from "./served.ts";

/** What the clients on the same connections share. */
export interface Shared {
  readonly server: string;
  readonly caller: Caller;
  readonly kinds: KnownKinds;
  readonly close: () => Promise<void>;
}

/** Where one object or collection is served. */
interface Place {
  readonly kind: Kind;
  readonly path: string;
  /** Of a call that had to ask for the kind first. */
  readonly deadline?: Deadline | undefined;
}

/** What goes with a request besides its place. */
interface Sending {
  readonly body: string;
  readonly contentType: string;
  readonly safe: boolean;
  readonly query: string;
  readonly options: RequestOptions;
}

const PAGE = 500;

/** The Client that `connect` makes. All that may lead to secrets is private, so printing one shows its server only. */
export class ClusterClient implements ForwardingClient {
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
    return served(kind, this.server, this.#read<T>({ kind, path }, "get", options));
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
    if (options.subresource !== undefined || options.of !== undefined) {
      throw badRequest(
        "create makes whole objects; write a subresource with update, patch or apply",
      );
    }
    return this.#withKind(object, options, (kind, deadline) => {
      const { namespace, name, generateName } = object.metadata;
      requireNamespace(kind, name ?? generateName ?? "", namespace);
      const place = { kind, path: collectionPath(kind, namespace), deadline };
      return this.#write<T>("POST", place, "create", object, options);
    });
  }

  async update<T extends KubeObject>(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#withPlace(object, options, (place) =>
      this.#write<T>("PUT", place, "update", object, options),
    );
  }

  async patch<T extends KubeObject>(
    object: ObjectRef & Partial<T>,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const what: Sending = {
      body: JSON.stringify(patchBody(patch)),
      contentType: patchType(patch),
      safe: isSafePatch(patch),
      query: writeQuery(options),
      options,
    };
    return this.#withPlace(object, options, (place) => this.#one<T>("PATCH", place, "patch", what));
  }

  async apply<T extends KubeObject>(object: T, options: ApplyOptions): Promise<T> {
    const what: Sending = {
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
    };
    return this.#withPlace(object, options, (place) => this.#one<T>("PATCH", place, "apply", what));
  }

  async delete(object: ObjectRef, options: DeleteOptions = {}): Promise<boolean> {
    const what: Sending = {
      body: deleteBody(options, object),
      contentType: "application/json",
      safe: isSafeDelete(options, object),
      query: "",
      options,
    };
    try {
      await this.#withPlace(object, options, (place) => this.#one("DELETE", place, "delete", what));
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
    const body = deleteBody(options);
    const what: Sending = { body, contentType: "application/json", safe: false, query, options };
    await this.#send("DELETE", place, "deletecollection", what);
  }

  async request(request: RawRequest): Promise<RawResponse> {
    return this.#shared.caller.call(rawCall(request, this.#headers, false));
  }

  async stream(request: RawRequest): Promise<RawStream> {
    const { stream } = await this.#shared.caller.call(rawCall(request, this.#headers, true));
    if (stream === undefined) throw badRequest("the answer came without a stream");
    return stream;
  }

  async forward(request: ForwardRequest): Promise<RawStream> {
    const { stream } = await this.#shared.caller.forward(forwardCall(request, this.#headers));
    if (stream === undefined) throw badRequest("the server changed the protocol, unasked");
    return stream;
  }

  async forwardUpgrade(
    request: ForwardRequest,
    protocol: string,
  ): Promise<RawStream | UpgradedConnection> {
    const call = forwardCall(request, this.#headers, protocol);
    const { status, headers, stream, socket } = await this.#shared.caller.forward(call);
    if (socket === undefined && stream === undefined) throw badRequest("there is no answer");
    return socket === undefined ? (stream as RawStream) : { status, headers, socket };
  }

  as(impersonation: Impersonation): ForwardingClient {
    return new ClusterClient(this.#shared, impersonationHeaders(impersonation), false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#own) await this.#shared.close();
  }

  /** As #withKind, with the path of the object or its subresource. */
  async #withPlace<T>(
    object: ObjectRef,
    options: WriteOptions,
    act: (place: Place) => Promise<T>,
  ): Promise<T> {
    const { subresource, of } = options;
    if (of === undefined && subresource === "scale" && object.kind === "Scale") {
      throw badRequest("a Scale is written with the option `of`: the kind of what it scales");
    }
    return this.#withKind(object, options, (kind, deadline) => {
      const { name, namespace } = object.metadata;
      return act({ kind, path: objectPath(kind, name, namespace, subresource), deadline });
    });
  }

  /** Acts with an object's kind. One that must be learned first shares the deadline, and is learned anew when it turns out to be old. */
  async #withKind<T>(
    { apiVersion, kind }: ObjectRef,
    { of, signal, timeout }: WriteOptions,
    act: (kind: Kind, deadline?: Deadline) => Promise<T>,
  ): Promise<T> {
    const { kinds, caller } = this.#shared;
    const known = of ?? kinds.find(apiVersion, kind);
    if (known !== undefined) return act(known);
    const span: Span = { method: "GET", path: versionPath(apiVersion), signal, timeout };
    return caller.within(span, async (deadline) => {
      const asked = <K>(kind: Promise<K>): Promise<K> =>
        caller.wait(span, deadline, kind, "asking which kinds are served");
      const learned = await asked(kinds.learn(apiVersion, kind));
      try {
        return await act(learned, deadline);
      } catch (thrown) {
        if (!isMisplaced(thrown)) throw thrown;
        const other = await asked(kinds.relearn(apiVersion, learned));
        if (other === undefined) throw thrown;
        return act(other, deadline);
      }
    });
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
      answerLimit: options.answerLimit,
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
    return this.#one<T>(method, place, verb, {
      body: JSON.stringify(object),
      contentType: "application/json",
      safe: method === "PUT" && isSafeUpdate(object),
      query: writeQuery(options),
      options,
    });
  }

  /** Sends what is about one object. */
  #one<T>(method: Call["method"], place: Place, verb: string, what: Sending): Promise<T> {
    return served(place.kind, this.server, this.#send<T>(method, place, verb, what));
  }

  async #send<T>(
    method: Call["method"],
    { kind, path, deadline }: Place,
    verb: string,
    what: Sending,
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
      answerLimit: what.options.answerLimit,
      beforeSend: what.options.beforeSend,
      deadline,
    };
    return parseObject<T>(call, this.server, await this.#shared.caller.call(call));
  }
}

function writeQuery({ dryRun, fieldManager }: WriteOptions): string {
  return queryString({ fieldManager, dryRun: dryRun ? "All" : undefined });
}
