/** What can be asked of an API server. `connect` (connect.ts) makes one; everything above kube sees only this. */

import type { Duplex } from "node:stream";
import type { Kind } from "./kind.ts";
import type { KubeObject, ObjectRef } from "./object.ts";

/** Options of every request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole call with its retries; 30,000 unless told. */
  readonly timeout?: number;
  /**
   * Bytes of the answer at most, for one that must be small whoever gives it; 256 MiB unless told, and never more. A longer one ends its
   * connection and fails the call with `BadAnswer`; of an error so much is read. Does not count for the body of a stream.
   */
  readonly answerLimit?: number | undefined;
  /**
   * Called right before each attempt is written to its connection; what it throws ends the call, and nothing is sent. A check made when the
   * call began (do we still lead?) may be old by then: the call waited for a connection, or between attempts, or the process was stopped.
   */
  readonly beforeSend?: (() => void) | undefined;
}

/** Where to look: `namespace` is required for one namespaced object and narrows a list. */
export interface NamespaceOptions {
  readonly namespace?: string | undefined;
}

/** Options of a get; the scale subresource answers an autoscaling/v1 Scale. */
export interface GetOptions extends RequestOptions, NamespaceOptions {
  readonly subresource?: "status" | "scale";
}

/** Selects what a list, watch or deletecollection covers. */
export interface SelectorOptions extends NamespaceOptions {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Options of a list; `limit` and `continue` page through it. */
export interface ListOptions extends RequestOptions, SelectorOptions {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

/** One page of objects; `continue` is there while more follow. Items carry apiVersion and kind. */
export interface ObjectList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Options of every write. */
export interface WriteOptions extends RequestOptions {
  /** Validates and admits, stores nothing. */
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly subresource?: "status" | "scale";
  /** For a Scale that is updated or applied: the kind of the object that it scales. A Scale itself is served nowhere. */
  readonly of?: Kind;
}

/** Options of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes over fields that other managers own; true unless told. */
  readonly force?: boolean;
}

/** Options of a delete. The object's own uid and resourceVersion, when it has them, are sent as preconditions. */
export interface DeleteOptions extends WriteOptions {
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly gracePeriodSeconds?: number;
  /** Which of the reference's fields become preconditions; both unless told. */
  readonly preconditions?: "uid" | "uid+resourceVersion" | "none";
}

/** Options of a deletecollection. */
export interface DeleteCollectionOptions extends DeleteOptions, SelectorOptions {}

/** A change to one object: a merge patch, a JSON patch (RFC 6902) or a strategic merge patch. */
export type Patch =
  | { readonly merge: unknown }
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly strategic: unknown };

/** One step of a JSON patch. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** Who a request is made for (Impersonate-User, -Group, -Uid, -Extra-*). */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A request below the level of objects. `path` begins with `/` and carries its query. */
export interface RawRequest extends RequestOptions {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A header's values by its name in lower case. */
export type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A whole answer. */
export interface RawResponse {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: Buffer;
}

/**
 * An answer that is read as it comes, once: with `body` or, cheaper by a promise per chunk, with `pipe`. Nothing is read
 * before. Chunks are the connection's own buffers, uncopied, and may be kept. An answer that breaks off fails the reader
 * with an ApiError (code 0), the request's signal with its reason; `close` ends the reader quietly.
 */
export interface RawStream {
  readonly status: number;
  readonly headers: RawHeaders;
  /** Chunks in order; leaving the loop closes the stream. */
  readonly body: AsyncIterable<Buffer>;
  /** Hands each chunk to `onData` as it arrives; resolves at the end of the answer. An exception of `onData` closes the stream and rejects. */
  pipe(onData: (chunk: Buffer) => void): Promise<void>;
  /** Asks the connection to wait; a few chunks that are on their way still come. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Somebody else's request, to be passed on as it is. */
export interface ForwardRequest {
  /** Any but CONNECT and TRACE. */
  readonly method: string;
  /** Begins with `/` and carries its query. */
  readonly path: string;
  /** Names and values in turn, as node:http has them. Headers that say who asks, and those of the connection, do not go on. */
  readonly rawHeaders: readonly string[];
  /** Read once, as fast as the server takes it; absent for none. */
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The Authorization of whoever asks, to go in place of all that proves who we are. Not together with `as`. */
  readonly authorization?: string | undefined;
}

/** A connection whose protocol both sides have changed. Whoever gets it ends it; closing the client does, too. */
export interface UpgradedConnection {
  readonly status: number;
  readonly headers: RawHeaders;
  /** Begins with what the server sent behind its answer. */
  readonly socket: Duplex;
}

/** What holds for the sets that applySet of apply makes through a client, where its writer works for one of several clusters. */
export interface SetDefaults {
  /** Becomes a part of every set's id: the name of the cluster. */
  readonly scope: string;
  /** Owners are in another cluster, to which no reference can point. */
  readonly ownersElsewhere: boolean;
}

/**
 * Talks to one API server over pooled connections. Every failure is an ApiError, but an aborted signal rejects with
 * its own reason; a write that found its object changed is an ApiError with code 409. Within the timeout, requests are repeated that the
 * server turned away (429, 503 with Retry-After) or that cannot have reached it; those that may have been carried out (5xx, a lost
 * connection) only where a second time does no harm, above all with a uid or resourceVersion to compare (README: "What is repeated").
 */
export interface Client extends AsyncDisposable {
  /** Where requests go, without a trailing slash; for messages. */
  readonly server: string;
  /** Under which name writes go that name none; only clients made for one writer, as those of reconcilers, have one. */
  readonly fieldManager?: string | undefined;
  /** What applySet goes by; only clients of reconcilers that watch another cluster have it. */
  readonly sets?: SetDefaults | undefined;

  /** The object; ApiError 404 when there is none, `UnknownKind` when the server does not even serve the kind (as all verbs on objects). */
  get<T extends KubeObject>(kind: Kind<T>, name: string, options?: GetOptions): Promise<T>;
  /** The object, or undefined when there is none. Rejects when the kind is not served: its objects may well be there again in a moment. */
  find<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    options?: GetOptions,
  ): Promise<T | undefined>;
  /** One page, or everything when `limit` is absent. */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<ObjectList<T>>;
  /** Every object, page by page (500 unless `limit` says otherwise), without holding more than one page. */
  pages<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncIterable<ObjectList<T>>;
  /** Makes a whole object; `subresource` and `of` are refused. */
  create<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  /** Replaces the object; 409 unless its resourceVersion, when it has one, is the stored one. */
  update<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(
    object: ObjectRef & Partial<T>,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /** Server-side apply of exactly the fields given. */
  apply<T extends KubeObject>(object: T, options: ApplyOptions): Promise<T>;
  /** True when it was deleted or marked so, false when there was nothing to delete. Rejects when the kind is not served. */
  delete(object: ObjectRef, options?: DeleteOptions): Promise<boolean>;
  deleteCollection(kind: Kind, options?: DeleteCollectionOptions): Promise<void>;

  /** A request as it is; answers of 400 and above are thrown as ApiError. */
  request(request: RawRequest): Promise<RawResponse>;
  /** As request, with the answer read as it comes; the timeout covers only its head. */
  stream(request: RawRequest): Promise<RawStream>;

  /** A client on the same connections that acts for somebody else. Disposing it is not needed. */
  as(impersonation: Impersonation): Client;
}

/** A client that also passes on requests of others; what `connect` gives. Clients with hooks or limits of their own cannot. */
export interface ForwardingClient extends Client {
  /**
   * Passes somebody else's request on, as whom this client acts, and gives the answer whatever its status, read as it comes. Sent once (README: "Passing
   * requests on"), without a timeout. Rejects with an ApiError of code 0, whose `unsent` tells whether it was surely not carried out.
   */
  forward(request: ForwardRequest): Promise<RawStream>;
  /** As forward, asking to change the protocol (`websocket`, `SPDY/3.1`): the connection if the server does, its answer otherwise. */
  forwardUpgrade(
    request: ForwardRequest,
    protocol: string,
  ): Promise<RawStream | UpgradedConnection>;

  as(impersonation: Impersonation): ForwardingClient;
}
