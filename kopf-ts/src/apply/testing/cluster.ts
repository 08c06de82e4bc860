/** A client of the test cluster that tells what it sent. */

import { freshNamespace, testEnv } from "@drover/env";
import { type Clock, systemClock } from "../../base/index.ts";
import {
  type Client,
  connect,
  defineKind,
  type Kind,
  type KubeObject,
  loadConfig,
} from "../../kube/index.ts";

/** A ConfigMap or a Secret. */
export type Data = KubeObject & { readonly data?: Readonly<Record<string, string>> };

export const ConfigMap: Kind<Data> = defineKind<Data>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});
export const Secret: Kind<Data> = defineKind<Data>({
  ...ConfigMap,
  plural: "secrets",
  kind: "Secret",
});
export const ResourceQuota: Kind = defineKind({
  ...ConfigMap,
  plural: "resourcequotas",
  kind: "ResourceQuota",
});
export const Namespace: Kind = defineKind({
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  scope: "Cluster",
});
export const ClusterRole: Kind = defineKind({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural: "clusterroles",
  kind: "ClusterRole",
  scope: "Cluster",
});
/** HorizontalPodAutoscaler, which is served in two versions. */
export const Scaler: Kind = defineKind({
  group: "autoscaling",
  version: "v2",
  plural: "horizontalpodautoscalers",
  kind: "HorizontalPodAutoscaler",
  scope: "Namespaced",
});
const kinds = [ConfigMap, Secret, ResourceQuota, Namespace, ClusterRole, Scaler];

/** A namespace of the test's own and a client whose requests are recorded as `verb resource code`. */
export class TestCluster implements AsyncDisposable {
  readonly client: Client;
  readonly namespace: string;
  readonly #requests: string[];

  private constructor(client: Client, namespace: string, requests: string[]) {
    this.client = client;
    this.namespace = namespace;
    this.#requests = requests;
  }

  static async open({
    clock = systemClock,
  }: {
    readonly clock?: Clock;
  } = {}): Promise<TestCluster> {
    const env = await testEnv();
    const requests: string[] = [];
    const metrics = {
      observe: (verb: string, code: number, resource: string) =>
        void requests.push(`${verb} ${resource} ${code}`),
    };
    const config = await loadConfig({ kubeconfig: env.kubeconfigPath });
    return new TestCluster(
      connect(config, { kinds, metrics, clock }),
      await freshNamespace(env, "apply"),
      requests,
    );
  }

  /** What was sent since the last call. */
  requests(): readonly string[] {
    return this.#requests.splice(0);
  }

  /** A ConfigMap to want. */
  configMap(name: string, data: Data["data"] = {}, namespace: string = this.namespace): Data {
    return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
  }
}
