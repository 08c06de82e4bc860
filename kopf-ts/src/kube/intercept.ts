import type { Client, RequestOptions, WriteOptions } from "./client.ts";
import { apiVersionOf, refTo } from "./kind.ts";
import type { KubeObject, ObjectRef } from "./object.ts";

/** A verb that changes something; `request` is a raw request other than GET. */
export type WriteVerb =
  | "create"
  | "update"
  | "patch"
  | "apply"
  | "delete"
  | "deletecollection"
  | "request";

/** Called around every write of an intercepted client. */
export interface WriteHooks {
  /**
   * Before the write is sent; when it throws, the write is not. A deletecollection comes with a reference of an empty name,
   * a raw request with none, the update of a Scale with the object that it scales.
   */
  beforeWrite?(verb: WriteVerb, ref: ObjectRef | undefined): void | Promise<void>;
  /** Right before each attempt of a write is sent, its repetitions too; when it throws, the attempt is not made and the write fails. */
  beforeSend?(): void;
  /** After the server has stored the write, with its answer; for a delete with the reference that was given, for a Scale under apiVersion and kind of what it scales. Not for dry runs, nor for raw requests. */
  afterWrite?(verb: WriteVerb, object: KubeObject | ObjectRef): void;
}

/** A client whose writes pass the hooks; so do those of clients made from it with `as`. Reads pass untouched. */
export function intercept(client: Client, hooks: WriteHooks): Client {
  const run = runnerOf(hooks);
  const sending = senderOf(hooks);

  return {
    server: client.server,
    fieldManager: client.fieldManager,
    sets: client.sets,
    get: (kind, name, options) => client.get(kind, name, options),
    find: (kind, name, options) => client.find(kind, name, options),
    list: (kind, options) => client.list(kind, options),
    pages: (kind, options) => client.pages(kind, options),
    create: (object, options) =>
      run(
        "create",
        object,
        options?.dryRun,
        () => client.create(object, sending(options ?? {})),
        itself,
      ),
    update: (object, options) => {
      const subject = subjectOf(object, options);
      const write = (): Promise<typeof object> => client.update(object, sending(options ?? {}));
      return run("update", subject, options?.dryRun, write, answerOf(subject, options));
    },
    patch: <T extends KubeObject>(
      object: Parameters<typeof client.patch<T>>[0],
      ...rest: [Parameters<Client["patch"]>[1], Parameters<Client["patch"]>[2]?]
    ) => {
      const [patch, options] = rest;
      const subject = subjectOf(object, options);
      const write = (): Promise<T> => client.patch<T>(object, patch, sending(options ?? {}));
      return run("patch", subject, options?.dryRun, write, answerOf(subject, options));
    },
    apply: (object, options) => {
      const subject = subjectOf(object, options);
      const write = (): Promise<typeof object> => client.apply(object, sending(options));
      return run("apply", subject, options.dryRun, write, answerOf(subject, options));
    },
    delete: (ref, options) =>
      run(
        "delete",
        ref,
        options?.dryRun,
        () => client.delete(ref, sending(options ?? {})),
        (deleted) => (deleted ? ref : undefined),
      ),
    deleteCollection: (kind, options) =>
      run(
        "deletecollection",
        refTo(kind, "", options?.namespace),
        options?.dryRun,
        () => client.deleteCollection(kind, sending(options ?? {})),
        () => refTo(kind, "", options?.namespace),
      ),
    request: (request) =>
      request.method === "GET"
        ? client.request(request)
        : run("request", undefined, true, () => client.request(sending(request)), none),
    stream: (request) =>
      request.method === "GET"
        ? client.stream(request)
        : run("request", undefined, true, () => client.stream(sending(request)), none),
    as: (impersonation) => intercept(client.as(impersonation), hooks),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Makes a write with the hooks around it. */
function runnerOf(hooks: WriteHooks) {
  return async <T>(
    verb: WriteVerb,
    ref: ObjectRef | undefined,
    dryRun: boolean | undefined,
    write: () => Promise<T>,
    answer: (written: T) => KubeObject | ObjectRef | undefined,
  ): Promise<T> => {
    const waiting = hooks.beforeWrite?.(verb, ref);
    if (waiting !== undefined) await waiting;
    const written = await write();
    const object = answer(written);
    if (object !== undefined && dryRun !== true) hooks.afterWrite?.(verb, object);
    return written;
  };
}

/** Adds the hook to a write's options. */
function senderOf(hooks: WriteHooks): <O extends RequestOptions>(options: O) => O {
  if (hooks.beforeSend === undefined) return (options) => options;
  return (options) => {
    const beforeSend = (): void => {
      options.beforeSend?.();
      hooks.beforeSend?.();
    };
    return { ...options, beforeSend };
  };
}

/** Which object a write changes: for a Scale the one that it scales. */
function subjectOf(object: ObjectRef, { of }: WriteOptions = {}): ObjectRef {
  const { metadata } = object;
  return of === undefined ? object : { apiVersion: apiVersionOf(of), kind: of.kind, metadata };
}

/** Tells the Scale that a write was answered with as a change of its subject, whose uid and resourceVersion it has. */
function answerOf<T extends KubeObject>(
  { apiVersion, kind }: ObjectRef,
  { subresource }: WriteOptions = {},
): (written: T) => KubeObject {
  return (written) => (subresource === "scale" ? { ...written, apiVersion, kind } : written);
}

function itself<T>(written: T): T {
  return written;
}

function none(): undefined {
  return undefined;
}
