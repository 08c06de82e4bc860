/** What the tests of a watch stand on: a real API server behind a fault proxy, and a sink that remembers. */

import { type ControlPlane, freshNamespace, testEnv } from "@drover/env";
import {
  type Client,
  connect,
  defineKind,
  type Kind,
  type KubeObject,
  keyOf,
  loadConfig,
} from "../../kube/index.ts";
import {
  type EventuallyOptions,
  eventually as eventuallyWithin,
  type FaultProxy,
  type FaultProxyOptions,
  startFaultProxy,
} from "../../testing/index.ts";
import type { ScannedObject } from "../scan.ts";
import type { ChangeType, WatchSink, WatchState } from "../sink.ts";
import type { WatchTiming } from "../timing.ts";
import { Watch, type WatchOptions } from "../watch.ts";

/** A ConfigMap, as far as the tests look at it. */
export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const ConfigMaps: Kind<ConfigMap> = defineKind<ConfigMap>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

/** The times of production, a hundred times faster where they matter; silence is no fault unless a test says so. */
export const quick: Partial<WatchTiming> = {
  answer: 1_000,
  backoffMin: 8,
  backoffMax: 100,
  backoffReset: 1_200,
  slowRetry: 200,
  shortWatch: 50,
};

/** Waits with the patience that a busy machine asks for. */
export function eventually<T>(
  look: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Exclude<T, undefined | false>> {
  return eventuallyWithin(look, { within: 10_000, what: String(look), ...options });
}

/** One thing a sink was told, in short: `begin`, `item a`, `end`, `ADDED b`, `bookmark`, `listing`, `live`, `degraded Forbidden`. */
export type Told = string;

/** A consumer as a cache is one: keys with their versions, marked and swept. It fails when calls come out of order. */
export class RecordingSink implements WatchSink {
  readonly told: Told[] = [];
  readonly states: WatchState[] = [];
  /** Key to resourceVersion. */
  readonly objects: Map<string, string> = new Map();
  /** The bytes of each object, copied, as text. */
  readonly texts: Map<string, string> = new Map();
  typed: boolean | undefined;
  lists = 0;
  resourceVersion = "";
  /** Called at the beginning of each call, to fail on purpose. */
  trap: (call: Told) => void = () => undefined;
  #marked: Set<string> | undefined;

  begin(): void {
    this.#tell("begin");
    this.#marked = new Set();
  }

  item(object: ScannedObject): void {
    this.#tell(`item ${object.name}`);
    if (this.#marked === undefined) throw new Error(`item ${object.name} outside of a list`);
    this.#marked.add(this.#put(object));
  }

  end(resourceVersion: string): void {
    this.#tell("end");
    if (this.#marked === undefined) throw new Error("the end of no list");
    this.lists++;
    this.resourceVersion = resourceVersion;
    for (const key of this.objects.keys()) if (!this.#marked.has(key)) this.objects.delete(key);
    this.#marked = undefined;
  }

  change(type: ChangeType, object: ScannedObject): void {
    this.#tell(`${type} ${object.name}`);
    if (this.#marked !== undefined && type !== "DELETED") throw new Error(`${type} in a list`);
    this.resourceVersion = object.resourceVersion;
    if (type !== "DELETED") this.#put(object);
    else this.objects.delete(keyOfScanned(object));
  }

  bookmark(resourceVersion: string): void {
    this.#tell("bookmark");
    this.resourceVersion = resourceVersion;
  }

  state(state: WatchState): void {
    this.#tell(state.phase === "degraded" ? `degraded ${state.reason}` : state.phase);
    this.states.push(state);
  }

  /** A list has begun and is not complete. */
  get isListing(): boolean {
    return this.#marked !== undefined;
  }

  get phase(): WatchState["phase"] | undefined {
    return this.states.at(-1)?.phase;
  }

  /** Reasons of the degraded states so far. */
  get reasons(): readonly string[] {
    return this.states.flatMap((state) => (state.phase === "degraded" ? [state.reason] : []));
  }

  #put(object: ScannedObject): string {
    const key = keyOfScanned(object);
    const text = object.bytes.toString("utf8", object.start, object.end);
    if (keyOf(JSON.parse(text)) !== key) throw new Error(`${key} came with other bytes: ${text}`);
    this.objects.set(key, object.resourceVersion);
    this.texts.set(key, text);
    this.typed = object.typed;
    return key;
  }

  #tell(call: Told): void {
    this.trap(call);
    this.told.push(call);
  }
}

function keyOfScanned({ name, namespace }: ScannedObject): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** One watch under test, with all that is around it. */
export class WatchTest implements AsyncDisposable {
  readonly controlPlane: ControlPlane;
  /** Of this test alone. */
  readonly namespace: string;
  readonly proxy: FaultProxy;
  /** Straight to the API server. */
  readonly direct: Client;
  /** Through the proxy. */
  readonly client: Client;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  constructor(
    parts: Pick<WatchTest, "controlPlane" | "namespace" | "proxy" | "direct" | "client">,
  ) {
    this.controlPlane = parts.controlPlane;
    this.namespace = parts.namespace;
    this.proxy = parts.proxy;
    this.direct = parts.direct;
    this.client = parts.client;
  }

  /** Starts a watch of the test's ConfigMaps unless the options say otherwise. */
  watch({
    kind = ConfigMaps,
    sink = new RecordingSink(),
    client = this.client,
    timing = {},
    ...options
  }: WatchOptions & { kind?: Kind; sink?: RecordingSink; client?: Client } = {}): {
    readonly sink: RecordingSink;
    readonly watch: Watch;
    readonly done: Promise<void>;
  } {
    const watch = new Watch(client, kind, sink, {
      namespace: this.namespace,
      ...options,
      timing: { ...quick, answer: 5_000, ...timing }, // of a server that may be busy
    });
    const done = watch.start(this.#stop.signal);
    this.#running.push(done.catch(() => undefined));
    return { sink, watch, done };
  }

  /** A watch that is live already. */
  async liveWatch(
    options: Parameters<WatchTest["watch"]>[0] = {},
  ): Promise<ReturnType<WatchTest["watch"]>> {
    const started = this.watch(options);
    await this.live(started.sink);
    return started;
  }

  async live(sink: RecordingSink, options: EventuallyOptions = {}): Promise<void> {
    await eventually(() => sink.phase === "live", {
      what: `live after ${sink.told.join(", ")}`,
      ...options,
    });
  }

  /** Waits until the sink holds exactly what the API server has (of what is selected). */
  async agrees(
    sink: RecordingSink,
    { labelSelector, ...options }: EventuallyOptions & { readonly labelSelector?: string } = {},
  ): Promise<void> {
    await eventually(
      async () => {
        const expected = describe(await this.stored(labelSelector));
        const found = describe(sink.objects);
        if (found !== expected) throw new Error(`the server has ${expected}, the sink ${found}`);
        return !sink.isListing;
      },
      { what: "sink and server agree", ...options },
    );
  }

  /** Keys and versions on the API server. */
  async stored(labelSelector?: string): Promise<ReadonlyMap<string, string>> {
    const selected = { namespace: this.namespace, labelSelector };
    const { items } = await this.direct.list(ConfigMaps, selected);
    return new Map(items.map((each) => [keyOf(each), each.metadata.resourceVersion ?? ""]));
  }

  async create(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.direct.create(this.configMap(name));
  }

  async touch(name: string, value = "x"): Promise<void> {
    await this.direct.patch(this.configMap(name), { merge: { data: { value } } });
  }

  async remove(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.direct.delete(this.configMap(name));
  }

  configMap(name: string): ConfigMap {
    return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: this.namespace } };
  }

  /** Ends the watches and resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await Promise.all(this.#running);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.client[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
    await this.direct[Symbol.asyncDispose]();
  }
}

/** A namespace of its own on the shared API server (or on the one that is given), seen through a fault proxy of its own. */
export async function startWatchTest(
  options: FaultProxyOptions & {
    readonly controlPlane?: ControlPlane;
    /** It has no controller manager. */
    readonly isBare?: boolean;
  } = {},
): Promise<WatchTest> {
  const controlPlane = options.controlPlane ?? (await testEnv());
  const config = await loadConfig({ kubeconfig: controlPlane.kubeconfigPath });
  const direct = connect(config, { kinds: [ConfigMaps] });
  // The controller manager publishes its CA into every new namespace; it would be in the way of exact expectations.
  const namespace = await freshNamespace(controlPlane);
  const published = () => direct.find(ConfigMaps, "kube-root-ca.crt", { namespace });
  if (options.isBare !== true) await eventually(published, { within: 5_000 });
  const proxy = await startFaultProxy(config, options);
  return new WatchTest({ controlPlane, namespace, proxy, direct, client: connect(proxy.config) });
}

/** What a sink was told about the objects of the test itself. */
export function story(sink: RecordingSink): readonly Told[] {
  return sink.told.filter((each) => !each.endsWith("kube-root-ca.crt"));
}

/** The kinds of requests that came, in their order. */
export function forms({ proxy }: WatchTest): readonly string[] {
  return proxy.requests.map(({ form }) => form);
}

function describe(objects: ReadonlyMap<string, string>): string {
  return [...objects]
    .map(([key, version]) => `${key}@${version}`)
    .sort()
    .join(" ");
}
