/** Webhooks that the shared control plane asks, with whatever the test wants to happen to them. */

import { type ControlPlane, testEnv, uniqueName } from "@drover/env";
import { systemClock } from "../../base/index.ts";
import { Informers } from "../../cache/index.ts";
import { ControllerRunner } from "../../control/index.ts";
import { Secret, ValidatingWebhookConfiguration } from "../../kinds/index.ts";
import {
  type Client,
  connect,
  defineKind,
  type Kind,
  type KubeObject,
  loadConfig,
  refTo,
} from "../../kube/index.ts";
import { Metrics } from "../../observe/index.ts";
import { eventually } from "../../testing/index.ts";
import { type AdmissionOptions, AdmissionServer, type AnyWebhook } from "../index.ts";
import type { Phase } from "../names.ts";
import { type Configuration, configurationKinds } from "../registration/configurations.ts";
import { type KeptLog, keptLog } from "./lines.ts";

/** A ConfigMap. */
export interface Data extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const ConfigMap: Kind<Data> = defineKind<Data>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

/** What a test decides about its webhooks. */
export interface PlantOptions extends Partial<Omit<AdmissionOptions, "webhooks" | "name">> {
  readonly webhooks: readonly AnyWebhook[];
}

/** A replica that serves webhooks, and leads if it was told to. */
export interface Replica extends AsyncDisposable {
  readonly server: AdmissionServer;
  readonly log: KeptLog;
  readonly metrics: Metrics;
  /** What it wrote, as `verb resource`. */
  readonly writes: readonly string[];
  /** Keeps configurations and certificates from now on, or just one of them. */
  lead(what?: "certificates" | "configurations"): Promise<void>;
  /** What a clean stop of the leader does; it goes on to listen. */
  abdicate(): Promise<void>;
}

/** A namespace with a label by which the API server asks our webhooks and nobody else's. */
export class Plant implements AsyncDisposable {
  readonly client: Client;
  readonly plane: ControlPlane;
  readonly name: string = `${uniqueName("hooks")}.kopf-ts.dev`;
  readonly namespace: string = uniqueName("hooks");
  readonly #options: PlantOptions;
  readonly #replicas: Replica[] = [];

  private constructor(client: Client, plane: ControlPlane, options: PlantOptions) {
    this.client = client;
    this.plane = plane;
    this.#options = options;
  }

  static async open(options: PlantOptions): Promise<Plant> {
    const plane = await testEnv();
    const client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }), {
      kinds: [ConfigMap, Secret],
    });
    const plant = new Plant(client, plane, options);
    const metadata = { name: plant.namespace, labels: { plant: plant.namespace } };
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata });
    await settled(plant);
    return plant;
  }

  /** Another replica that listens. */
  async replica(more: Partial<AdmissionOptions> = {}): Promise<Replica> {
    const started = await startReplica(this, { ...this.#defaults, ...this.#options, ...more });
    this.#replicas.push(started);
    return started;
  }

  /** A replica that leads, once the API server asks it: `asks` shows that by what a request is answered. */
  async leader(asks: () => Promise<boolean>, more?: Partial<AdmissionOptions>): Promise<Replica> {
    const replica = await this.replica(more);
    await replica.lead();
    await eventually(asks, { within: 10_000, what: "the API server asks" });
    return replica;
  }

  /** A ConfigMap to create. */
  configMap(data: Data["data"] = {}, name: string = uniqueName("data")): Data {
    const metadata = { name, namespace: this.namespace };
    return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  }

  /** The configuration as the server has it. */
  configuration(phase: Phase = "validation"): Promise<Configuration | undefined> {
    return this.client.find(configurationKinds[phase], this.name);
  }

  /** A Secret of the plant's. */
  secret(what: "ca" | "tls"): Promise<Secret | undefined> {
    return this.client.find(Secret, `${this.name}-${what}`, { namespace: this.namespace });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const kind of Object.values(configurationKinds)) {
      await this.client.delete(refTo(kind, this.name));
    }
    for (const replica of this.#replicas) await replica[Symbol.asyncDispose]();
    await this.client.delete({
      ...{ apiVersion: "v1", kind: "Namespace", metadata: { name: this.namespace } },
    });
    await this.client[Symbol.asyncDispose]();
  }

  get #defaults(): Omit<AdmissionOptions, "webhooks"> {
    return {
      name: this.name,
      host: "127.0.0.1",
      port: 0,
      clientConfig: (port) => ({ url: `https://127.0.0.1:${port}` }),
      secrets: { namespace: this.namespace },
      matchConditions: [
        { name: "of-this-test", expression: `request.namespace == '${this.namespace}'` },
      ],
    };
  }
}

/** Once the controller manager has put its ConfigMap into the namespace: webhooks would be asked for it at any moment of a test. */
async function settled({ client, namespace }: Plant): Promise<void> {
  const name = "kube-root-ca.crt";
  await eventually(() => client.find(ConfigMap, name, { namespace }), { within: 20_000 });
}

async function startReplica(plant: Plant, options: AdmissionOptions): Promise<Replica> {
  const writes: string[] = [];
  const log = keptLog();
  const metrics = new Metrics({ process: false });
  const observe = (verb: string, _code: number, resource: string): void => {
    if (!["get", "list", "watch"].includes(verb)) writes.push(`${verb} ${resource}`);
  };
  const config = await loadConfig({ kubeconfig: plant.plane.kubeconfigPath });
  const client = connect(config, {
    kinds: [ConfigMap, Secret, ValidatingWebhookConfiguration],
    metrics: { observe },
  });
  const informers = new Informers(client, { freeze: true });
  const { logger } = log;
  const stop = new AbortController();
  let leading = new AbortController();
  let running: readonly Promise<unknown>[] = [];
  let server: AdmissionServer;
  try {
    server = new AdmissionServer(options, { client, informers, logger, metrics });
    await server.listen(stop.signal);
  } catch (error) {
    await informers.dispose();
    await client[Symbol.asyncDispose]();
    throw error;
  }
  const abdicate = async (): Promise<void> => {
    leading.abort();
    await Promise.all(running);
    leading = new AbortController();
    running = [];
  };
  const keepConfigurations = async (signal: AbortSignal): Promise<readonly Promise<void>[]> => {
    const runners = server.controllers.map(
      (controller) => new ControllerRunner(controller, { client, informers, logger }),
    );
    await Promise.all(runners.map((runner) => runner.warm(signal)));
    return runners.map((runner) => runner.start(signal));
  };
  const keepCertificates = (signal: AbortSignal): readonly Promise<void>[] =>
    server.tasks.map((task) =>
      task.run({ client, clock: systemClock, log: logger, signal }).catch((error) => {
        if (!signal.aborted) throw error;
      }),
    );
  return {
    ...{ server, log, metrics, writes, abdicate },
    lead: async (what) => {
      const { signal } = leading;
      if (what !== "configurations") running = [...running, ...keepCertificates(signal)];
      if (what !== "certificates") running = [...running, ...(await keepConfigurations(signal))];
    },
    [Symbol.asyncDispose]: async () => {
      await abdicate();
      stop.abort();
      await server.close(1000);
      await informers.dispose();
      await client[Symbol.asyncDispose]();
    },
  };
}
