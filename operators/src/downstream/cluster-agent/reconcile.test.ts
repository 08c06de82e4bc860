import { Cluster, ClusterRegistrationToken, Node, Setting } from "@drover/crds";
import { aCluster, aClusterRegistrationToken, aNode } from "@drover/crds/testing";
import { type ControlPlane, startControlPlane, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Kind, patchStatus, refTo } from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  Deployment,
  Namespace,
  Secret,
  Service,
  ServiceAccount,
} from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster as hubPlane } from "../../testing/concern.ts";
import { RunningDownstream } from "../../testing/downstream.ts";
import { eventsAbout } from "../../testing/events.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { clusterAgent } from "./index.ts";

const env = { CATTLE_SERVER_URL: "https://drover.test" };
const agent = () => clusterAgent({ env });
const namespace = "cattle-system";
const runs = 'controller_runtime_reconcile_total{controller="cluster-agent",result="success"}';

describe("cluster-agent on two API servers", function () {
  this.timeout(60_000);

  let concern: RunningDownstream;
  let plane: ControlPlane;

  before(async function () {
    this.timeout(180_000);
    await hubPlane();
    plane = await startControlPlane({ name: "agent" });
  });
  after(() => plane[Symbol.asyncDispose]());
  beforeEach(async () => {
    concern = await RunningDownstream.open({ plane });
  });
  afterEach(async () => {
    await concern.stop();
    await clean();
    await concern[Symbol.asyncDispose]();
  });

  /** The tests of this file share the cluster, and names of agents are always the same. */
  async function clean(): Promise<void> {
    const named: readonly (readonly [Kind, string])[] = [
      [ClusterRole, "proxy-clusterrole-kubeapiserver"],
      [ClusterRoleBinding, "proxy-role-binding-kubernetes-master"],
      [ClusterRole, "cattle-admin"],
      [ClusterRoleBinding, "cattle-admin-binding"],
    ];
    for (const [kind, name] of named) await concern.cluster.delete(refTo(kind, name));
    const inNamespace: readonly (readonly [Kind, string])[] = [
      [ServiceAccount, "cattle"],
      [Deployment, "cattle-cluster-agent"],
      [Service, "cattle-cluster-agent"],
    ];
    for (const [kind, name] of inNamespace) {
      await concern.cluster.delete(refTo(kind, name, namespace));
    }
    for (const secret of await credentials()) await concern.cluster.delete(secret);
  }

  /** A provisioned cluster with a node and a registration token. */
  async function ready(overrides: Parameters<typeof aCluster>[0] = {}): Promise<Cluster> {
    const metadata = { ...overrides.metadata, name: concern.name };
    const created = await concern.hub.create(aCluster({ ...overrides, metadata }));
    await concern.hub.create(
      aNode({ metadata: { namespace: concern.name, name: "m-1" }, spec: { controlPlane: true } }),
    );
    await register("first");
    const conditions = [{ type: "Provisioned", status: "True" as const }];
    return patchStatus(concern.hub, created, { conditions });
  }

  async function register(value: string): Promise<void> {
    const where = { name: "system", namespace: concern.name };
    const status = { tokenSecretName: "crt-token-system" };
    const token = await concern.hub.create(aClusterRegistrationToken({ metadata: where, status }));
    const { uid = "" } = token.metadata;
    const owner = { apiVersion: token.apiVersion, kind: token.kind, name: "system", uid };
    await concern.hub.create({
      ...refTo(Secret, status.tokenSecretName, concern.name),
      metadata: {
        name: status.tokenSecretName,
        namespace: concern.name,
        labels: { "drover.dev/registration-token": "true" },
        ownerReferences: [owner],
      },
      stringData: { token: value },
    } as Secret);
  }

  const stored = () => concern.hub.get(Cluster, concern.name);
  const condition = async () =>
    (await stored()).status?.conditions?.find(({ type }) => type === "AgentDeployed");
  const deployed = () =>
    until(async () => {
      const found = await stored();
      const isTold = (await condition())?.status === "True";
      return isTold && found.status?.agentImage ? found : undefined;
    });
  const find = () => concern.cluster.find(Deployment, "cattle-cluster-agent", { namespace });
  const containerOf = (deployment: Deployment | undefined) =>
    deployment?.spec?.template.spec.containers[0];
  const credentials = async () =>
    (await concern.cluster.list(Secret, { namespace })).items.filter(({ metadata }) =>
      metadata.name.startsWith("cattle-credentials-"),
    );

  it("deploys the agent and tells in the Cluster what runs", async () => {
    await ready();
    await concern.run(agent());

    const { status, metadata } = await deployed();
    const deployment = await find();
    const [secret] = await credentials();

    expect(containerOf(deployment)?.image).to.equal("rancher/rancher-agent:head");
    expect(status).to.include({ agentImage: "rancher/rancher-agent:head" });
    expect(status?.agentFeatures).to.include({ "multi-cluster-management-agent": true });
    expect(metadata.annotations?.["io.cattle.agent.registration-token-hash"]).to.match(
      /^[0-9a-f]{10}$/,
    );
    expect(Buffer.from(secret?.data?.token ?? "", "base64").toString()).to.equal("first");
    expect(await concern.cluster.find(Service, "cattle-cluster-agent", { namespace })).to.not.equal(
      undefined,
    );
    await concern.flush();
    const told = await eventsAbout(concern.hub, concern.name);
    expect(told.join()).to.contain("AgentDeployed: deployed the agent: AgentNotDeployed");
    expect(JSON.stringify([concern.lines, told])).to.not.contain("first");
  });

  it("asks nothing of either server when it starts again", async () => {
    await ready();
    await concern.run(agent());
    await deployed();
    await quiet(concern);
    await concern.stop();
    const [before, ran] = [concern.sent.length, await concern.metric(runs)];

    await concern.run(agent());
    await until(async () => (await concern.metric(runs)) > ran);
    await quiet(concern);

    const after = concern.sent.slice(before).filter(({ verb }) => !/list|watch/.test(verb));
    expect(after).to.deep.equal([]);
  });

  it("gives the agent a new token, by other credentials", async () => {
    await ready();
    await concern.run(agent());
    const first = await deployed();
    const hash = "io.cattle.agent.registration-token-hash";

    await concern.hub.patch(refTo(Secret, "crt-token-system", concern.name), {
      merge: { stringData: { token: "second" } },
    });
    await until(async () => {
      const { metadata } = await stored();
      return metadata.annotations?.[hash] !== first.metadata.annotations?.[hash];
    });

    const used = containerOf(await find())?.env?.find(
      ({ name }) => name === "CATTLE_CREDENTIAL_NAME",
    );
    const secret = await concern.cluster.get(Secret, used?.value ?? "", { namespace });
    expect(Buffer.from(secret.data?.token ?? "", "base64").toString()).to.equal("second");
    expect(await credentials()).to.have.length(2);
  });

  it("brings the pull Secrets that the cluster names, and tells of one that is missing", async () => {
    const name = uniqueName("pull");
    await concern.hub
      .create({ ...refTo(Namespace, "fleet-default") } as Namespace)
      .catch(() => undefined);
    await ready({ spec: { importedConfig: { privateRegistryPullSecrets: [name] } } });
    await concern.run(agent());
    await deployed();
    const without = (await find())?.spec?.template.spec.imagePullSecrets;

    await concern.hub.create({
      ...refTo(Secret, name, "fleet-default"),
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": '{"auths":{}}' },
    } as Secret);
    await until(async () =>
      Boolean((await stored()).status?.appliedClusterAgentImagePullSecretsHash),
    );

    const copy = await concern.cluster.get(Secret, name, { namespace });
    expect(without).to.equal(undefined);
    expect((await find())?.spec?.template.spec.imagePullSecrets).to.deep.equal([{ name }]);
    expect(copy.type).to.equal("kubernetes.io/dockerconfigjson");
    await concern.flush();
    expect((await eventsAbout(concern.hub, concern.name)).join()).to.contain(
      `PullSecretNotFound: no pull Secret in namespace fleet-default: ${name}`,
    );
    await concern.hub.delete(refTo(Secret, name, "fleet-default"));
    await concern.cluster.delete(copy);
  });

  it("deploys again when a person asks for it, and says that it did", async () => {
    await ready();
    await concern.run(agent());
    await deployed();
    const force = "io.cattle.agent.force.deploy";

    await concern.hub.patch(await stored(), {
      merge: { metadata: { annotations: { [force]: "true" } } },
    });

    await until(async () => (await stored()).metadata.annotations?.[force] === "false");
  });

  it("follows image, variables and taints", async () => {
    await ready();
    await concern.run(agent());
    await deployed();

    const spec = { desiredAgentImage: "agent:2", agentEnvVars: [{ name: "A", value: "1" }] };
    await concern.hub.patch(refTo(Cluster, concern.name), { merge: { spec } });
    await until(async () => (await stored()).status?.agentImage === "agent:2");
    await concern.hub.patch(refTo(Node, "m-1", concern.name), {
      merge: { status: { nodeTaints: [{ key: "own", effect: "NoSchedule" }] } },
    });
    await until(async () => {
      const tolerations = (await find())?.spec?.template.spec.tolerations ?? [];
      return tolerations.some(({ key }) => key === "own");
    });

    const container = containerOf(await find());
    expect(container?.image).to.equal("agent:2");
    expect(container?.env).to.deep.include({ name: "A", value: "1" });
    expect((await stored()).status?.appliedAgentEnvVars).to.deep.equal(spec.agentEnvVars);
  });

  it("puts back what people change or delete, and leaves what is not the agent's", async () => {
    await ready();
    await concern.run(agent());
    await deployed();
    const foreign = { ...refTo(ServiceAccount, "foreign", namespace) } as ServiceAccount;
    await concern.cluster.create(foreign);

    const first = (await find()) as Deployment;
    await concern.cluster.patch(first, {
      json: [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "evil:1" }],
    });
    await until(async () => containerOf(await find())?.image === "rancher/rancher-agent:head");
    await concern.cluster.patch(first, {
      merge: { metadata: { labels: null, annotations: null } },
    });
    await until(async () => (await find())?.metadata.labels !== undefined);
    await concern.cluster.delete(refTo(Deployment, "cattle-cluster-agent", namespace));
    await until(find);
    await concern.cluster.delete(refTo(ClusterRole, "cattle-admin"));
    await until(() => concern.cluster.find(ClusterRole, "cattle-admin"));
    await concern.cluster.delete(refTo(ServiceAccount, "cattle", namespace));
    await until(() => concern.cluster.find(ServiceAccount, "cattle", { namespace }));

    const left = await concern.cluster.find(ServiceAccount, "foreign", { namespace });
    expect(left).to.not.equal(undefined);
    await concern.cluster.delete(foreign);
  });

  it("takes over what `kubectl apply` of the import manifest made", async () => {
    await ready();
    const name = "cattle-cluster-agent";
    const labels = { app: name };
    const containers = [{ name: "cluster-register", image: "old:1" }];
    await concern.cluster
      .create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } })
      .catch(() => undefined);
    await concern.cluster.create({
      ...refTo(Deployment, name, namespace),
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    } as Deployment);

    await concern.run(agent());
    await deployed();

    expect(containerOf(await find())?.image).to.equal("rancher/rancher-agent:head");
  });

  it("tells that it waits for server-url, and for the token", async () => {
    await ready();
    await concern.run(clusterAgent({ env: { CATTLE_SERVER_URL: undefined } }));
    if ((await concern.hub.find(Setting, "server-url")) === undefined) {
      const told = await until(condition);
      expect(told).to.include({ status: "False", reason: "ServerUrlNotSet" });
    }

    await concern.hub.delete(refTo(ClusterRegistrationToken, "system", concern.name));
    await concern.run(agent());
    const told = await until(async () => {
      const found = await condition();
      return found?.reason === "WaitingForRegistrationToken" ? found : undefined;
    });
    await concern.hub.delete(refTo(Secret, "crt-token-system", concern.name));
    await register("late");
    await deployed();

    expect(told.message).to.equal("ClusterRegistrationToken system has no value yet");
  });

  it("tells when the cluster refuses an object, and tries again", async () => {
    const resources = { requests: { cpu: "much" } };
    const clusterAgentDeploymentCustomization = { overrideResourceRequirements: resources };
    await ready({ spec: { clusterAgentDeploymentCustomization } });
    await concern.run(agent());

    const told = await until(async () => {
      const found = await condition();
      return found?.status === "False" ? found : undefined;
    });
    await concern.hub.patch(refTo(Cluster, concern.name), {
      merge: { spec: { clusterAgentDeploymentCustomization: null } },
    });
    await deployed();

    expect(told).to.include({ reason: "DeployFailed" });
    expect(told.message).to.contain("cattle-cluster-agent");
  });

  it("tells once of what the cluster will never take, and goes on when it is another", async () => {
    await ready({ spec: { agentEnvVars: [{ name: "A=B", value: "1" }] } });
    await concern.run(agent());
    const told = await until(async () => {
      const found = await condition();
      return found?.status === "False" ? found : undefined;
    });
    await quiet(concern);
    const failed = concern.lines.filter((line) => line.includes('"level":"error"'));
    await concern.hub.patch(refTo(Cluster, concern.name), {
      merge: { spec: { agentEnvVars: null } },
    });
    await deployed();

    expect(told).to.include({ reason: "DeployFailed" });
    expect(told.message).to.contain("A=B");
    expect(failed).to.deep.equal([]);
  });

  for (const { name, overrides } of [
    { name: "the server's own", overrides: { spec: { internal: true } } },
    {
      name: "one that a kubeconfig leads to",
      overrides: { metadata: { annotations: { "drover.dev/kubeconfig-secret": "x" } } },
    },
  ]) {
    it(`leaves ${name} alone`, async () => {
      await ready(overrides);
      await concern.run(agent());
      await until(async () => (await concern.metric(runs)) >= 1);
      await quiet(concern);

      expect(writes(concern)).to.deep.equal([]);
    });
  }
});

/** The suite shares a slow machine. */
function until<T>(check: () => T | Promise<T>): ReturnType<typeof eventually<T>> {
  return eventually(check, { within: 15_000 });
}
