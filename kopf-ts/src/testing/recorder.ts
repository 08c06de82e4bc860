import { createHash } from "node:crypto";
import {
  apiVersionOf,
  type Client,
  collectionPath,
  type Kind,
  type KubeObject,
  type ObjectRef,
  objectPath,
  type RawRequest,
  RestMapper,
  type WriteOptions,
} from "../kube/index.ts";

/** A call as it was made. */
export interface RecordedCall {
  readonly verb:
    | "get"
    | "list"
    | "create"
    | "update"
    | "patch"
    | "apply"
    | "delete"
    | "deletecollection"
    | "request"
    | "stream";
  readonly method: RawRequest["method"];
  /** Below the server, without its query; a raw request's with it. */
  readonly path: string;
  /** What was sent, as it was at that moment; undefined for a call without a body. */
  readonly body: unknown;
  /** SHA-256 of the body in hexadecimal; two calls that send the same have the same. Empty without a body. */
  readonly digest: string;
}

/** A client and what went through it. */
export interface TransportRecording {
  readonly client: Client;
  /** In the order they were made, whether they succeeded or not. */
  readonly calls: readonly RecordedCall[];
  /** The calls that may change something. */
  readonly writes: readonly RecordedCall[];
  /** Forgets the calls so far. */
  clear(): void;
}

type Verb = RecordedCall["verb"];

const methods: Readonly<Record<Exclude<Verb, "request" | "stream">, RawRequest["method"]>> = {
  get: "GET",
  list: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  apply: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
};

/**
 * Wraps a client so that a test can assert the exact calls that were made. Clients made from it with `as` are recorded too. Paths of
 * objects whose kind was not used before are found by discovery on the wrapped client, which is not recorded.
 */
export function recordTransport(client: Client, kinds: readonly Kind[] = []): TransportRecording {
  const recorder = new Recorder(new Paths(client, kinds));
  return {
    client: recorder.wrap(client),
    calls: recorder.calls,
    get writes() {
      return recorder.calls.filter(({ method }) => method !== "GET");
    },
    clear: () => void recorder.calls.splice(0),
  };
}

/** Finds where objects are served. */
class Paths {
  readonly #kinds = new Map<string, Kind>();
  readonly #mapper: RestMapper;

  constructor(client: Client, kinds: readonly Kind[]) {
    this.#mapper = new RestMapper(client);
    for (const kind of kinds) this.meet(kind);
  }

  meet(kind: Kind): void {
    this.#kinds.set(`${apiVersionOf(kind)} ${kind.kind}`, kind);
  }

  async of(
    object: ObjectRef,
    { subresource, of }: Pick<WriteOptions, "subresource" | "of"> = {},
    collection = false,
  ): Promise<string> {
    const { apiVersion, kind: name, metadata } = object;
    const kind =
      of ??
      this.#kinds.get(`${apiVersion} ${name}`) ??
      (await this.#mapper.kindFor(apiVersion, name));
    this.meet(kind);
    if (collection) return collectionPath(kind, metadata.namespace);
    return objectPath(kind, metadata.name, metadata.namespace, subresource);
  }
}

class Recorder {
  readonly calls: RecordedCall[] = [];
  readonly #paths: Paths;

  constructor(paths: Paths) {
    this.#paths = paths;
  }

  wrap(client: Client): Client {
    const paths = this.#paths;
    const read = <T>(verb: "get" | "list", kind: Kind, path: string, call: () => T): T => {
      paths.meet(kind);
      this.#record(verb, path, undefined);
      return call();
    };
    return {
      server: client.server,
      get: (kind, name, options) =>
        read("get", kind, objectPath(kind, name, options?.namespace, options?.subresource), () =>
          client.get(kind, name, options),
        ),
      find: (kind, name, options) =>
        read("get", kind, objectPath(kind, name, options?.namespace, options?.subresource), () =>
          client.find(kind, name, options),
        ),
      list: (kind, options) =>
        read("list", kind, collectionPath(kind, options?.namespace), () =>
          client.list(kind, options),
        ),
      pages: (kind, options) =>
        read("list", kind, collectionPath(kind, options?.namespace), () =>
          client.pages(kind, options),
        ),
      create: async (object, options) => {
        this.#record("create", await paths.of(object, {}, true), object);
        return client.create(object, options);
      },
      update: async (object, options) => {
        this.#record("update", await paths.of(object, options), object);
        return client.update(object, options);
      },
      patch: async <T extends KubeObject>(
        object: Parameters<typeof client.patch<T>>[0],
        patch: Parameters<Client["patch"]>[1],
        options?: Parameters<Client["patch"]>[2],
      ) => {
        const body = Object.values(patch)[0];
        this.#record("patch", await paths.of(object, options), body);
        return client.patch<T>(object, patch, options);
      },
      apply: async (object, options) => {
        this.#record("apply", await paths.of(object, options), object);
        return client.apply(object, options);
      },
      delete: async (object, options) => {
        this.#record("delete", await paths.of(object, options), undefined);
        return client.delete(object, options);
      },
      deleteCollection: (kind, options) => {
        paths.meet(kind);
        this.#record("deletecollection", collectionPath(kind, options?.namespace), undefined);
        return client.deleteCollection(kind, options);
      },
      request: (request) => {
        this.#recordRaw("request", request);
        return client.request(request);
      },
      stream: (request) => {
        this.#recordRaw("stream", request);
        return client.stream(request);
      },
      as: (impersonation) => this.wrap(client.as(impersonation)),
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    };
  }

  #record(verb: keyof typeof methods, path: string, body: unknown): void {
    this.#keep(verb, methods[verb], path, body);
  }

  #recordRaw(verb: "request" | "stream", { method, path, body }: RawRequest): void {
    this.#keep(verb, method, path, body);
  }

  #keep(verb: Verb, method: RawRequest["method"], path: string, body: unknown): void {
    const digest = body === undefined ? "" : digestOf(body);
    this.calls.push({ verb, method, path, body: structuredClone(body), digest });
  }
}

function digestOf(body: unknown): string {
  const bytes =
    typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  return createHash("sha256").update(bytes).digest("hex");
}
