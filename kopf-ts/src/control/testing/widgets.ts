/** Two kinds with a status, one in namespaces and one outside, on the shared control plane, and controllers that run against them. */

import { type ControlPlane, freshNamespace, testEnv, uniqueName } from "@drover/env";
import { type Clock, type Logger, systemClock } from "../../base/index.ts";
import { Informers } from "../../cache/index.ts";
import {
  type Client,
  connect,
  defineKind,
  type Kind,
  type KubeObject,
  loadConfig,
} from "../../kube/index.ts";
import { eventually, type FaultProxy, startFaultProxy } from "../../testing/index.ts";
import { type Controller, ControllerRunner, type RunnerDeps } from "../index.ts";

/** An object with something to want and something to tell. */
export interface Widget extends KubeObject {
  readonly spec?: { readonly size?: number; readonly team?: string };
  readonly status?: { readonly size?: number; readonly note?: string };
}

const group = "control.kopf-ts.dev";

export const Widget: Kind<Widget> = defineKind<Widget>({
  group,
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});

/** As Widget, outside of namespaces. */
export const Team: Kind<Widget> = defineKind<Widget>({
  ...Widget,
  plural: "teams",
  kind: "Team",
  scope: "Cluster",
});

/** A ConfigMap. */
export type Data = KubeObject & { readonly data?: Readonly<Record<string, string>> };

export const ConfigMap: Kind<Data> = defineKind<Data>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

const served = new WeakMap<ControlPlane, Promise<void>>();

/** Creates the CRDs once per control plane. */
function serveOnce(plane: ControlPlane): Promise<void> {
  const serving = served.get(plane) ?? serve(plane);
  served.set(plane, serving);
  return serving;
}

async function serve(plane: ControlPlane): Promise<void> {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } };
  const crds = [Widget, Team].map(({ plural, kind, scope, version }) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind },
      versions: [
        { name: version, served: true, storage: true, subresources: { status: {} }, schema },
      ],
    },
  }));
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: crds });
  const applied = await plane.kubectl(["apply", "-f", "-"], { input });
  const names = crds.map(({ metadata }) => `crd/${metadata.name}`);
  const waited = await plane.kubectl(["wait", "--for=condition=Established", ...names]);
  if (applied.code !== 0 || waited.code !== 0) throw new Error(applied.stderr + waited.stderr);
}

/** A controller that runs until it is disposed. */
export interface Running extends AsyncDisposable {
  readonly runner: ControllerRunner;
  readonly running: Promise<void>;
  /** Cuts it off, as the loss of a lease does. */
  stop(reason?: unknown): Promise<void>;
}

/** Where a workshop is, and what time it is there. */
export interface WorkshopOptions {
  readonly clock?: Clock;
  readonly on?: ControlPlane;
}

/** A namespace of the test's own, with a client and informers. */
export class Workshop implements AsyncDisposable {
  readonly client: Client;
  readonly namespace: string;
  readonly informers: Informers;
  /** Between the informers and the server; the client does without. */
  readonly proxy: FaultProxy;
  readonly #watching: Client;

  private constructor(client: Client, namespace: string, proxy: FaultProxy, clock: Clock) {
    this.client = client;
    this.namespace = namespace;
    this.proxy = proxy;
    this.#watching = connect(proxy.config);
    const timing = { backoffMin: 20, backoffMax: 100 };
    this.informers = new Informers(this.#watching, { freeze: true, timing, clock });
  }

  /** `clock` is that of the caches; the runners have their own. On the control plane of the test run unless told. */
  static async open({ clock = systemClock, on }: WorkshopOptions = {}): Promise<Workshop> {
    const plane = on ?? (await testEnv());
    await serveOnce(plane);
    const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
    const client = connect(config, { kinds: [Widget, Team, ConfigMap] });
    const proxy = await startFaultProxy(config, { seed: 1 });
    return new Workshop(client, await freshNamespace(plane, "control"), proxy, clock);
  }

  /** A Widget to create. */
  widget(
    name: string,
    spec: Widget["spec"] = {},
    metadata: Partial<Widget["metadata"]> = {},
  ): Widget {
    return {
      apiVersion: `${group}/v1`,
      kind: "Widget",
      metadata: { name, namespace: this.namespace, ...metadata },
      spec,
    };
  }

  /** A Team to create; its name is unique. */
  team(spec: Widget["spec"] = {}): Widget {
    return {
      apiVersion: `${group}/v1`,
      kind: "Team",
      metadata: { name: uniqueName("team") },
      spec,
    };
  }

  /** A ConfigMap to create. */
  configMap(name: string, data: Data["data"] = {}, metadata: Partial<Data["metadata"]> = {}): Data {
    return {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: this.namespace, ...metadata },
      data,
    };
  }

  /** A runner for a controller, not started; it sees this namespace only unless the controller selects something. */
  runner<T extends KubeObject>(
    controller: Controller<T>,
    deps: Partial<RunnerDeps> = {},
  ): ControllerRunner<T> {
    const select = { namespace: this.namespace };
    const narrowed =
      controller.watches.scope === "Cluster" ? controller : { select, ...controller };
    const { client, informers } = this;
    return new ControllerRunner(narrowed, { client, informers, ...deps });
  }

  /** A controller that is warm and at work. */
  async run<T extends KubeObject>(
    controller: Controller<T>,
    deps: Partial<RunnerDeps> = {},
  ): Promise<Running> {
    const runner = this.runner(controller, deps);
    const abort = new AbortController();
    await runner.warm(abort.signal);
    const running = runner.start(abort.signal);
    const stop = async (
      reason: unknown = new DOMException("stopped", "AbortError"),
    ): Promise<void> => {
      abort.abort(reason);
      await running;
    };
    return {
      runner: runner as unknown as ControllerRunner,
      running,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  }

  /** The Widget as the server has it, once it satisfies `condition`. */
  async widgetWhich(
    name: string,
    condition: (widget: Widget) => boolean,
    what: string,
  ): Promise<Widget> {
    const find = async (): Promise<Widget | undefined> => {
      const found = await this.client.find(Widget, name, { namespace: this.namespace });
      return found !== undefined && condition(found) ? found : undefined;
    };
    return eventually(find, { what, within: 20_000 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.informers.dispose();
    await this.#watching[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
    await this.client[Symbol.asyncDispose]();
  }
}

/** Keeps the lines that a controller logs. */
export function recordedLog(): { readonly log: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const logger = (bound: Readonly<Record<string, unknown>>): Logger => {
    const at =
      (level: LogLine["level"]) =>
      (message: string, fields: object = {}) =>
        void lines.push({ level, message, fields: { ...bound, ...fields } });
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      isEnabled: () => true,
      child: (fields) => logger({ ...bound, ...fields }),
    };
  };
  return { log: logger({}), lines };
}

/** One line of a log. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}
