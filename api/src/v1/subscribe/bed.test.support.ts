/** What tests of subscriptions share: a server, a namespace per test, and people with rights in it. */

import { type ControlPlane, freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, type KubeObject, type Logger, loadConfig } from "kopf-ts";
import { ConfigMap, type PolicyRule } from "kopf-ts/kinds";
import { eventually, type FaultProxy, type SeenRequest } from "kopf-ts/testing";
import { type HarnessOptions, SubscribeServer } from "./harness.test.support.ts";
import { loudLogger } from "./loud-logger.test.support.ts";

/** How long tests wait for a real server. */
export const within = { within: 20_000 };

/** Lets somebody list ConfigMaps. */
export const lists: PolicyRule = { apiGroups: [""], resources: ["configmaps"], verbs: ["list"] };

/** Lets something happen that caches behind the proxy cannot watch: they list anew, for as long as what is returned is held. */
export async function unseen(
  proxy: FaultProxy,
  path: string,
  happen: () => Promise<void>,
): Promise<Disposable> {
  const isOfKind = (seen: SeenRequest): boolean => seen.path.startsWith(path);
  const tooOld = proxy.always(
    { kind: "status", code: 410 },
    (each) => each.form === "watch" && isOfKind(each),
  );
  const outage = proxy.always({ kind: "status", code: 503 }, isOfKind);
  proxy.now({ kind: "cut" }, isOfKind);
  await happen();
  outage[Symbol.dispose]();
  return tooOld;
}

/** Prepares a bed for the tests of a `describe`. */
export function subscribeBed(): Bed {
  const bed = new Bed();
  before(() => bed.begin());
  after(() => bed.end());
  beforeEach(() => bed.beginTest());
  afterEach(() => bed.endTest());
  return bed;
}

/** See subscribeBed. What it holds is there while tests run. */
class Bed {
  readonly log: Logger;
  readonly #loud: string[];
  #plane: ControlPlane | undefined;
  #client: Client | undefined;
  #server: SubscribeServer | undefined;
  /** Objects of the test outside its namespace. */
  readonly #owned: KubeObject[] = [];
  /** Of the test. */
  namespace = "";

  constructor() {
    const { log, loud } = loudLogger();
    this.log = log;
    this.#loud = loud;
  }

  get plane(): ControlPlane {
    return there(this.#plane);
  }

  get client(): Client {
    return there(this.#client);
  }

  get server(): SubscribeServer {
    return there(this.#server);
  }

  async begin(): Promise<void> {
    this.#plane = await testEnv();
    this.#client = connect(await loadConfig({ kubeconfig: this.plane.kubeconfigPath }));
    this.#server = await this.serve();
  }

  async end(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    await this.#client?.[Symbol.asyncDispose]();
  }

  async beginTest(): Promise<void> {
    this.namespace = await freshNamespace(this.plane, "subscribe");
    await this.revisionWith("kube-root-ca.crt"); // the controller manager makes one in each namespace
  }

  async endTest(): Promise<void> {
    await this.server.closeAll();
    const metadata = { name: this.namespace };
    await this.client.delete({ apiVersion: "v1", kind: "Namespace", metadata });
    for (const object of this.#owned.splice(0)) await this.client.delete(object);
    expect(this.#loud.splice(0), "lines at error level").to.deep.equal([]);
  }

  /** Another server, of a test's own. */
  async serve(
    options: Partial<HarnessOptions> = {},
    client: Client = this.client,
  ): Promise<SubscribeServer> {
    const server = new SubscribeServer(client, { log: this.log, ...options });
    await server.start();
    return server;
  }

  /** A message about ConfigMaps of the test's namespace. */
  configMaps(more: object = {}): object {
    return { resourceType: "configmap", namespace: this.namespace, ...more };
  }

  /** Makes a ConfigMap. */
  make(name: string, extra: object = {}, data: object = { n: "0" }): Promise<KubeObject> {
    const metadata = { name, namespace: this.namespace, ...extra };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
    return this.client.create<KubeObject>(object);
  }

  change(name: string, merge: object): Promise<KubeObject> {
    return this.client.patch(this.#ref(name), { merge });
  }

  remove(name: string): Promise<boolean> {
    return this.client.delete(this.#ref(name));
  }

  /** How far the cache of ConfigMaps has come; it has at least the object. */
  async revisionWith(name: string, namespace: string = this.namespace): Promise<string> {
    const type = there(this.server.types.find("configmap"));
    const { signal } = new AbortController();
    using collection = await this.server.collections.use(type, signal);
    const { cache } = collection;
    await eventually(() => cache.has(`${namespace}/${name}`), within);
    return cache.resourceVersion;
  }

  /** Somebody who is bound to rules in the namespace; resolves when that is known. */
  async somebody(rules: readonly object[] = [lists]): Promise<string> {
    const name = uniqueName("somebody");
    await this.bind(name, rules);
    await eventually(() => {
      const reach = this.accessOf(name).listed({ group: "", plural: "configmaps" });
      return reach === "all" || reach.namespaces.size + reach.names.size > 0;
    }, within);
    return name;
  }

  /** Binds somebody to rules in a namespace. */
  async bind(
    name: string,
    rules: readonly object[],
    namespace: string = this.namespace,
  ): Promise<void> {
    const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name, namespace } };
    await this.client.create({ ...rbac, kind: "Role", rules });
    await this.client.create({
      ...{ ...rbac, kind: "RoleBinding", subjects: [{ kind: "User", name }] },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    });
  }

  /** Takes the rights away that somebody has in a namespace. */
  unbind(name: string, namespace: string): Promise<boolean> {
    const apiVersion = "rbac.authorization.k8s.io/v1";
    return this.client.delete({ apiVersion, kind: "RoleBinding", metadata: { name, namespace } });
  }

  /** Gives somebody other rules than they had. */
  changeRules(name: string, rules: readonly object[]): Promise<KubeObject> {
    const apiVersion = "rbac.authorization.k8s.io/v1";
    const metadata = { name, namespace: this.namespace };
    return this.client.patch({ apiVersion, kind: "Role", metadata }, { merge: { rules } });
  }

  /** Somebody who is bound to rules in all namespaces; resolves when that is known. Ends with the test. */
  async everywhere(rules: readonly object[]): Promise<string> {
    const name = uniqueName("somebody");
    const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name } };
    const before = this.accessOf(name).fingerprint;
    await this.#own({ ...rbac, kind: "ClusterRole", rules });
    await this.#own({
      ...{ ...rbac, kind: "ClusterRoleBinding", subjects: [{ kind: "User", name }] },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    });
    await eventually(() => this.accessOf(name).fingerprint !== before, within);
    return name;
  }

  /** Gives somebody who is bound everywhere other rules than they had. */
  changeRulesEverywhere(name: string, rules: readonly object[]): Promise<KubeObject> {
    const apiVersion = "rbac.authorization.k8s.io/v1";
    return this.client.patch(
      { apiVersion, kind: "ClusterRole", metadata: { name } },
      { merge: { rules } },
    );
  }

  /** Creates what no namespace takes with it. */
  async #own<T extends KubeObject>(object: T): Promise<void> {
    await this.client.create(object);
    const { apiVersion, kind, metadata } = object;
    this.#owned.push({ apiVersion, kind, metadata });
  }

  accessOf(username: string): ReturnType<SubscribeServer["access"]["of"]> {
    return this.server.access.of({ username, groups: ["system:authenticated"] });
  }

  #ref(name: string): KubeObject {
    const metadata = { name, namespace: this.namespace };
    return { apiVersion: "v1", kind: ConfigMap.kind, metadata };
  }
}

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("not while no test runs");
  return value;
}
