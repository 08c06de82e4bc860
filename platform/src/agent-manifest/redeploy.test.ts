import type { Cluster } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import type { Deployment } from "kopf-ts/kinds";
import { Confidential } from "../tokens/confidential.ts";
import { tokenHash } from "./credentials.ts";
import { deployment } from "./deployment.ts";
import { type AgentFacts, agentInput } from "./input.ts";
import { appliedAgent, redeployReasons } from "./redeploy.ts";
import { factsWith, settingsWith } from "./testing.test.support.ts";

const facts = factsWith();
const input = agentInput(facts);

/** As it is after a deployment. */
const deployed: Cluster = aCluster({
  metadata: {
    name: "c-1",
    annotations: { "io.cattle.agent.registration-token-hash": tokenHash(input) },
  },
  status: {
    ...appliedAgent(facts.cluster, input),
    conditions: [{ type: "AgentDeployed", status: "True" }],
  },
});

const annotated = (annotations: Record<string, string>): Cluster => ({
  ...deployed,
  metadata: {
    ...deployed.metadata,
    annotations: { ...deployed.metadata.annotations, ...annotations },
  },
});
const wanting = (spec: object): Cluster => ({ ...deployed, spec: { ...deployed.spec, ...spec } });

describe("redeployReasons", () => {
  const cases: readonly {
    readonly name: string;
    readonly cluster?: Cluster;
    readonly changes?: Partial<AgentFacts>;
    readonly live?: Deployment | undefined;
    readonly expected: readonly string[];
  }[] = [
    { name: "nothing changed", expected: [] },
    {
      name: "nothing was deployed",
      cluster: { ...deployed, status: { ...deployed.status, conditions: [] } },
      expected: ["AgentNotDeployed"],
    },
    { name: "the Deployment is gone", live: undefined, expected: ["AgentMissing"] },
    {
      name: "a person asks for it",
      cluster: annotated({ "io.cattle.agent.force.deploy": "true" }),
      expected: ["DeployForced"],
    },
    {
      name: "a person asked for it",
      cluster: annotated({ "io.cattle.agent.force.deploy": "false" }),
      expected: [],
    },
    {
      name: "the setting has another image",
      changes: {
        settings: settingsWith({ "server-url": "https://drover.test", "agent-image": "b:2" }),
      },
      expected: ["ImageChanged"],
    },
    {
      name: "another image runs",
      live: deployment({ ...input, agentImage: "other:1" }),
      expected: ["ImageChanged"],
    },
    {
      name: "the image is fixed",
      cluster: wanting({ desiredAgentImage: "fixed" }),
      changes: {
        settings: settingsWith({ "server-url": "https://drover.test", "agent-image": "b:2" }),
      },
      expected: [],
    },
    {
      name: "the charts come from another image",
      cluster: wanting({ assetsImageOverride: "assets:2" }),
      expected: ["ImageChanged"],
    },
    {
      name: "the authorized endpoint is switched on",
      cluster: wanting({
        desiredAuthImage: "auth:1",
        localClusterAuthEndpoint: { enabled: true },
      }),
      expected: ["ImageChanged"],
    },
    {
      name: "features differ",
      cluster: { ...deployed, status: { ...deployed.status, agentFeatures: { fleet: true } } },
      expected: ["FeaturesChanged"],
    },
    {
      name: "the control plane has other taints",
      changes: { taints: [{ key: "a", effect: "NoSchedule" }] },
      expected: ["TaintsChanged"],
    },
    {
      name: "variables differ",
      cluster: wanting({ agentEnvVars: [{ name: "A", value: "1" }] }),
      expected: ["VariablesChanged"],
    },
    {
      name: "scheduling differs",
      cluster: wanting({
        clusterAgentDeploymentCustomization: {
          schedulingCustomization: { podDisruptionBudget: { minAvailable: 1 } },
        },
      }),
      expected: ["SchedulingChanged"],
    },
    {
      name: "a pull Secret is new, or another",
      changes: { pullSecrets: [{ name: "pull", dockerConfigJson: "e30=" }] },
      expected: ["PullSecretsChanged"],
    },
    {
      name: "the token was replaced",
      changes: { token: new Confidential("new") },
      expected: ["RegistrationTokenChanged"],
    },
  ];

  for (const { name, cluster = deployed, changes = {}, expected, ...rest } of cases) {
    it(`are ${expected.join() || "none"} when ${name}`, () => {
      const live = "live" in rest ? rest.live : deployment(input);
      const wanted = agentInput({ ...facts, ...changes, cluster });

      const reasons = redeployReasons(cluster, wanted, live);

      expect(reasons).to.deep.equal(expected);
    });
  }

  it("are none any more for what was deployed last", () => {
    const cluster = wanting({
      agentEnvVars: [{ name: "A", value: "1" }],
      clusterAgentDeploymentCustomization: { appendTolerations: [{ key: "x" }] },
    });
    const wanted = agentInput({ ...facts, cluster });
    const status = { ...cluster.status, ...appliedAgent(cluster, wanted) };

    expect(redeployReasons({ ...cluster, status }, wanted, deployment(wanted))).to.deep.equal([]);
  });
});
