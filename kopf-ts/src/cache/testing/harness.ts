/** What the cluster tests of caches stand on: a namespace of their own on a real API server, and what they make there. */

import { freshNamespace, testEnv } from "@drover/env";
import {
  type Client,
  type ClusterConfig,
  connect,
  defineKind,
  type Kind,
  type KubeObject,
  loadConfig,
} from "../../kube/index.ts";
import { type EventuallyOptions, eventually as eventuallyWithin } from "../../testing/index.ts";
import type { Cache } from "../cache.ts";

/** A ConfigMap, as far as the tests look at it. */
export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const core = { group: "", version: "v1", scope: "Namespaced" } as const;
export const ConfigMap: Kind<ConfigMap> = defineKind({
  ...{ ...core, plural: "configmaps", kind: "ConfigMap" },
});
export const Secret: Kind = defineKind({ ...core, plural: "secrets", kind: "Secret" });
export const ServiceAccount: Kind = defineKind({
  ...{ ...core, plural: "serviceaccounts", kind: "ServiceAccount" },
});

/** A kind that no server serves. */
export const Nothing: Kind = defineKind({ ...core, plural: "nothings", kind: "Nothing" });

/** Waits with the patience that a busy machine asks for. */
export function eventually<T>(
  look: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Exclude<T, undefined | false>> {
  return eventuallyWithin(look, { within: 10_000, what: String(look), ...options });
}

/** The namespace of one test, and a client to it. */
export class CacheTest implements AsyncDisposable {
  readonly config: ClusterConfig;
  readonly client: Client;
  readonly namespace: string;

  constructor(config: ClusterConfig, client: Client, namespace: string) {
    this.config = config;
    this.client = client;
    this.namespace = namespace;
  }

  /** Labelled `made: here`, so that a selector leaves out what others put into the namespace. */
  configMap(name: string, data: Readonly<Record<string, string>> = {}): ConfigMap {
    const { namespace } = this;
    return {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace, labels: { made: "here" } },
      data,
    };
  }

  create(name: string, data: Readonly<Record<string, string>> = {}): Promise<ConfigMap> {
    return this.client.create(this.configMap(name, data));
  }

  remove(name: string): Promise<unknown> {
    return this.client.delete(this.configMap(name));
  }

  /** The key of an object of this test. */
  key(name: string): string {
    return `${this.namespace}/${name}`;
  }

  /** Keys and resourceVersions of the ConfigMaps on the server that a test made. */
  async stored(): Promise<ReadonlyMap<string, string>> {
    const options = { namespace: this.namespace, labelSelector: "made=here" };
    const { items } = await this.client.list(ConfigMap, options);
    return sorted(
      items.map(({ metadata: { name, resourceVersion } }) => [this.key(name), resourceVersion]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
  }
}

/** A test in a namespace of its own, once the controller manager has put its CA there and is done with it. */
export async function startCacheTest(): Promise<CacheTest> {
  const env = await testEnv();
  const config = await loadConfig({ kubeconfig: env.kubeconfigPath });
  const client = connect(config);
  const namespace = await freshNamespace(env);
  await eventually(() => client.find(ConfigMap, "kube-root-ca.crt", { namespace }));
  return new CacheTest(config, client, namespace);
}

/** Keys and resourceVersions that a cache shows. */
export function shown(
  cache: Pick<Cache, "keys" | "resourceVersionOf">,
): ReadonlyMap<string, string> {
  return sorted([...cache.keys()].map((key) => [key, cache.resourceVersionOf(key)]));
}

function sorted(
  entries: readonly (readonly [string, string | undefined])[],
): ReadonlyMap<string, string> {
  const complete = entries.map(([key, version]) => [key, version ?? ""] as const);
  return new Map(complete.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** For `before`: the API server takes longer to start than a test may. */
export async function apiServer(this: Mocha.Context): Promise<void> {
  this.timeout(120_000);
  await testEnv();
}
