import type { AgentDeploymentCustomization } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import type { KubeObject } from "kopf-ts";
import type { DaemonSet, Deployment, PodDisruptionBudget } from "kopf-ts/kinds";
import { Confidential } from "../tokens/confidential.ts";
import { credentialsName } from "./credentials.ts";
import { agentInput } from "./input.ts";
import { agentObjects } from "./objects.ts";
import { factsWith, settingsWith } from "./testing.test.support.ts";

const titles = (objects: readonly KubeObject[]) =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
const find = <T extends KubeObject>(objects: readonly KubeObject[], kind: string): T =>
  objects.find((each) => each.kind === kind) as T;
const withSpec = (spec: object) => aCluster({ metadata: { name: "c-1" }, spec });
const podOf = (objects: readonly KubeObject[]) =>
  find<Deployment>(objects, "Deployment").spec?.template.spec;
const customized = (clusterAgentDeploymentCustomization: AgentDeploymentCustomization) =>
  agentObjects(
    agentInput(factsWith({ cluster: withSpec({ clusterAgentDeploymentCustomization }) })),
  );

describe("agentObjects", () => {
  it("are Rancher's, in its order", () => {
    const objects = agentObjects(agentInput(factsWith()));

    expect(titles(objects)).to.deep.equal([
      "ClusterRole proxy-clusterrole-kubeapiserver",
      "ClusterRoleBinding proxy-role-binding-kubernetes-master",
      "Namespace cattle-system",
      "ServiceAccount cattle",
      "ClusterRole cattle-admin",
      "ClusterRoleBinding cattle-admin-binding",
      "Secret cattle-credentials-8821c5f33b",
      "Deployment cattle-cluster-agent",
      "Service cattle-cluster-agent",
    ]);
  });

  it("name the credentials by what is in them, as Rancher does", () => {
    const empty = { serverUrl: "", token: new Confidential(""), cluster: "" };

    expect(credentialsName(empty)).to.equal("cattle-credentials-5ec1f7e700");
  });

  it("run the agent as Rancher does", () => {
    const objects = agentObjects(agentInput(factsWith()));
    const { metadata, spec } = find<Deployment>(objects, "Deployment");
    const { affinity, containers, ...pod } = spec?.template.spec ?? { containers: [] };

    expect(metadata.annotations).to.deep.equal({ "management.cattle.io/scale-available": "2" });
    expect(spec?.strategy).to.deep.equal({
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    });
    expect(Object.keys(affinity ?? {})).to.deep.equal(["nodeAffinity", "podAntiAffinity"]);
    expect(pod).to.deep.equal({
      serviceAccountName: "cattle",
      tolerations: [
        { effect: "NoSchedule", key: "node-role.kubernetes.io/controlplane", value: "true" },
        { effect: "NoSchedule", key: "node-role.kubernetes.io/control-plane", operator: "Exists" },
      ],
      volumes: [
        {
          name: "cattle-credentials",
          secret: { secretName: "cattle-credentials-8821c5f33b", defaultMode: 320 },
        },
      ],
    });
    expect(containers).to.deep.equal([
      {
        name: "cluster-register",
        image: "rancher/rancher-agent:head",
        imagePullPolicy: "IfNotPresent",
        env: [
          {
            name: "CATTLE_FEATURES",
            value:
              "fleet=false,managed-system-upgrade-controller=false,multi-cluster-management=false,multi-cluster-management-agent=true,provisioningprebootstrap=false,provisioningv2=false,rke2=false,turtles=false",
          },
          { name: "CATTLE_SERVER", value: "https://drover.test" },
          { name: "CATTLE_CA_CHECKSUM" },
          { name: "CATTLE_CLUSTER", value: "true" },
          { name: "CATTLE_K8S_MANAGED", value: "true" },
          { name: "CATTLE_SYSTEM_DEFAULT_REGISTRY" },
          { name: "CATTLE_CREDENTIAL_NAME", value: "cattle-credentials-8821c5f33b" },
          { name: "CATTLE_SUC_APP_NAME_OVERRIDE" },
          { name: "CATTLE_SERVER_VERSION", value: "dev" },
          { name: "CATTLE_INSTALL_UUID", value: "uuid-1" },
          { name: "CATTLE_INGRESS_IP_DOMAIN", value: "sslip.io" },
          { name: "STRICT_VERIFY", value: "true" },
        ],
        volumeMounts: [
          { name: "cattle-credentials", mountPath: "/cattle-credentials", readOnly: true },
        ],
      },
    ]);
  });

  it("tolerate the taints of the control plane, and what the cluster adds", () => {
    const added = { key: "mine", operator: "Exists" };
    const taints = [
      { key: "a", value: "1", effect: "NoSchedule" as const },
      { key: "b", effect: "NoExecute" as const },
    ];
    const cluster = withSpec({
      clusterAgentDeploymentCustomization: { appendTolerations: [added] },
    });

    expect(
      podOf(agentObjects(agentInput(factsWith({ cluster, taints }))))?.tolerations,
    ).to.deep.equal([
      { effect: "NoSchedule", key: "a", operator: "Equal", value: "1" },
      { effect: "NoExecute", key: "b", operator: "Exists" },
      added,
    ]);
  });

  it("let a variable of the cluster replace one of ours, once", () => {
    const cluster = withSpec({
      agentEnvVars: [
        { name: "STRICT_VERIFY", value: "false" },
        { name: "X", value: "1" },
        { name: "X", value: "2" },
        { value: "nameless" },
      ],
    });
    const env = podOf(agentObjects(agentInput(factsWith({ cluster }))))?.containers[0]?.env ?? [];

    expect(env.filter(({ name }) => /^(X|STRICT_VERIFY)?$/.test(name))).to.deep.equal([
      { name: "STRICT_VERIFY", value: "false" },
      { name: "X", value: "2" },
    ]);
  });

  it("follow what the cluster says about scheduling", () => {
    const resources = { requests: { cpu: "1" } };
    const objects = customized({
      overrideAffinity: { nodeAffinity: {} },
      overrideResourceRequirements: resources,
      schedulingCustomization: {
        priorityClass: { value: 7, preemptionPolicy: "Never" },
        podDisruptionBudget: { minAvailable: "1", maxUnavailable: "0" },
      },
    });
    const pod = podOf(objects);

    expect(titles(objects)).to.include.members([
      "PriorityClass cattle-cluster-agent-priority-class",
      "PodDisruptionBudget cattle-cluster-agent-pod-disruption-budget",
    ]);
    expect(pod?.priorityClassName).to.equal("cattle-cluster-agent-priority-class");
    expect(pod?.affinity).to.deep.equal({ nodeAffinity: {} });
    expect(pod?.containers[0]?.resources).to.deep.equal(resources);
  });

  for (const { budget, expected } of [
    { budget: { minAvailable: "1", maxUnavailable: "0" }, expected: { minAvailable: 1 } },
    { budget: { minAvailable: "0", maxUnavailable: 2 }, expected: { maxUnavailable: 2 } },
    { budget: { maxUnavailable: "50%" }, expected: { maxUnavailable: "50%" } },
    { budget: { minAvailable: "1", maxUnavailable: "1" }, expected: { minAvailable: 1 } },
    { budget: {}, expected: { minAvailable: 0 } },
  ]) {
    it(`bound disruptions by ${JSON.stringify(expected)} for ${JSON.stringify(budget)}`, () => {
      const objects = customized({ schedulingCustomization: { podDisruptionBudget: budget } });
      const { selector: _, ...spec } =
        find<PodDisruptionBudget>(objects, "PodDisruptionBudget").spec ?? {};

      expect(spec).to.deep.equal(expected);
    });
  }

  it("bring pull Secrets, charts and the authorized endpoint where they are asked for", () => {
    const cluster = withSpec({
      assetsImageOverride: "assets:1",
      desiredAuthImage: "auth:1",
      localClusterAuthEndpoint: { enabled: true },
    });
    const pullSecrets = [{ name: "pull", dockerConfigJson: "e30=" }];
    const objects = agentObjects(agentInput(factsWith({ cluster, pullSecrets })));
    const pod = podOf(objects);

    expect(titles(objects)).to.include.members(["Secret pull", "DaemonSet kube-api-auth"]);
    expect(pod?.imagePullSecrets).to.deep.equal([{ name: "pull" }]);
    expect(pod?.initContainers?.[0]?.image).to.equal("assets:1");
    expect(pod?.volumes).to.have.length(2);
    const auth = find<DaemonSet>(objects, "DaemonSet").spec?.template.spec;
    expect([auth?.containers[0]?.image, auth?.hostNetwork]).to.deep.equal(["auth:1", true]);
  });

  it("show the token in the Secret alone", () => {
    const objects = agentObjects(agentInput(factsWith()));
    const secret = find(objects, "Secret") as KubeObject & { data: Record<string, string> };
    const decoded = Object.entries(secret.data).map(([key, value]) => [
      key,
      Buffer.from(value, "base64").toString(),
    ]);

    expect(Object.fromEntries(decoded)).to.deep.equal({
      url: "https://drover.test",
      token: "secret-value",
      namespace: "c-1",
    });
    expect(JSON.stringify(objects.filter((each) => each !== secret))).to.not.contain(
      "secret-value",
    );
  });
});

describe("agentInput", () => {
  const imagesFor = (spec: object, status = {}, settings = {}) => {
    const cluster = { ...withSpec(spec), status };
    const input = agentInput(factsWith({ cluster, settings: settingsWith(settings) }));
    return [input.agentImage, input.assetsImage, input.authImage];
  };
  const registry = { "system-default-registry": "reg.test" };

  for (const { name, found, expected } of [
    { name: "the setting's", found: imagesFor({}), expected: "rancher/rancher-agent:head" },
    {
      name: "from the default registry",
      found: imagesFor({}, {}, registry),
      expected: "reg.test/rancher/rancher-agent:head",
    },
    {
      name: "from the cluster's registry",
      found: imagesFor({ importedConfig: { privateRegistryURL: "own.test" } }, {}, registry),
      expected: "own.test/rancher/rancher-agent:head",
    },
    { name: "what is asked for", found: imagesFor({ desiredAgentImage: "a:1" }), expected: "a:1" },
    {
      name: "what overrides that",
      found: imagesFor({ desiredAgentImage: "a:1", agentImageOverride: "b:1" }),
      expected: "b:1",
    },
    {
      name: "what runs, for fixed",
      found: imagesFor({ desiredAgentImage: "fixed" }, { agentImage: "old:1" }),
      expected: "old:1",
    },
    {
      name: "the setting's for fixed while nothing runs",
      found: imagesFor({ desiredAgentImage: "fixed" }),
      expected: "rancher/rancher-agent:head",
    },
  ]) {
    it(`takes an image: ${name}`, () => expect(found[0]).to.equal(expected));
  }

  it("has no image of the authorized endpoint while that is off", () => {
    expect(imagesFor({ desiredAuthImage: "auth:1" })[2]).to.equal(undefined);
  });

  it("verifies loosely in mode system-store", () => {
    const settings = settingsWith({ "agent-tls-mode": "system-store" });

    expect(agentInput(factsWith({ settings })).env).to.deep.include({
      name: "STRICT_VERIFY",
      value: "false",
    });
  });

  it("lets Pods go anywhere by an affinity that is none", () => {
    for (const text of ["no JSON", "[]", "null"]) {
      const settings = settingsWith({ "cluster-agent-default-affinity": text });
      expect(agentInput(factsWith({ settings })).affinity).to.equal(undefined);
    }
  });
});
