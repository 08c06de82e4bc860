import type {
  ApplyOptions,
  Client,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  Impersonation,
  Kind,
  KubeObject,
  ListOptions,
  ObjectList,
  ObjectRef,
  Patch,
  RawRequest,
  RawResponse,
  RawStream,
  SetDefaults,
  WriteOptions,
} from "../kube/index.ts";

/** What the requests of a run carry unless they say otherwise. */
export interface RunDefaults {
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  readonly sets?: SetDefaults | undefined;
}

/** A client whose requests end with the run's signal and whose writes carry the controller's field manager. */
export class RunClient implements Client {
  readonly server: string;
  readonly fieldManager: string;
  readonly sets: SetDefaults | undefined;
  readonly #client: Client;
  readonly #write: Omit<RunDefaults, "sets">;
  readonly #read: Pick<RunDefaults, "signal">;

  constructor(client: Client, { sets, ...defaults }: RunDefaults) {
    this.server = client.server;
    this.fieldManager = defaults.fieldManager;
    this.sets = sets;
    this.#client = client;
    this.#write = defaults;
    this.#read = { signal: defaults.signal };
  }

  get<T extends KubeObject>(kind: Kind<T>, name: string, options?: GetOptions): Promise<T> {
    return this.#client.get(kind, name, { ...this.#read, ...options });
  }

  find<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    options?: GetOptions,
  ): Promise<T | undefined> {
    return this.#client.find(kind, name, { ...this.#read, ...options });
  }

  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<ObjectList<T>> {
    return this.#client.list(kind, { ...this.#read, ...options });
  }

  pages<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncIterable<ObjectList<T>> {
    return this.#client.pages(kind, { ...this.#read, ...options });
  }

  create<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T> {
    return this.#client.create(object, { ...this.#write, ...options });
  }

  update<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T> {
    return this.#client.update(object, { ...this.#write, ...options });
  }

  patch<T extends KubeObject>(
    object: ObjectRef & Partial<T>,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T> {
    return this.#client.patch<T>(object, patch, { ...this.#write, ...options });
  }

  apply<T extends KubeObject>(object: T, options?: Partial<ApplyOptions>): Promise<T> {
    return this.#client.apply(object, { ...this.#write, ...options });
  }

  delete(object: ObjectRef, options?: DeleteOptions): Promise<boolean> {
    return this.#client.delete(object, { ...this.#write, ...options });
  }

  deleteCollection(kind: Kind, options?: DeleteCollectionOptions): Promise<void> {
    return this.#client.deleteCollection(kind, { ...this.#write, ...options });
  }

  request(request: RawRequest): Promise<RawResponse> {
    return this.#client.request({ ...this.#read, ...request });
  }

  stream(request: RawRequest): Promise<RawStream> {
    return this.#client.stream({ ...this.#read, ...request });
  }

  as(impersonation: Impersonation): Client {
    return new RunClient(this.#client.as(impersonation), { ...this.#write, sets: this.sets });
  }

  /** The connections belong to whoever made them. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
