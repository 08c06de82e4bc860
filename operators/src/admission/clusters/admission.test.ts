import { annotations, Cluster } from "@drover/crds";
import { aCluster, aUser } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { parseFeatures } from "@drover/platform";
import { expect } from "chai";
import { RunningAdmission } from "../../testing/admission.ts";
import { give } from "../../testing/give.ts";
import { refusal } from "../../testing/refusal.ts";
import { versionManagementAnnotation } from "../names.ts";
import { clusterDefaults, clusters } from "./index.ts";
import { schedulingFeature } from "./scheduling.ts";

describe("admission of clusters", function () {
  this.timeout(60_000);

  let running: RunningAdmission;
  before(async () => {
    const validator = clusters({ features: parseFeatures(`${schedulingFeature}=true`) });
    running = await RunningAdmission.open({ webhooks: [validator, clusterDefaults] });
  });
  after(() => running[Symbol.asyncDispose]());

  const create = (overrides: Parameters<typeof aCluster>[0]): Promise<string> =>
    refusal(running.client.create(aCluster(overrides)));
  const patch = (cluster: Cluster, merge: object): Promise<string> =>
    refusal(running.client.patch(cluster, { merge }));
  const marked = (given: object) => ({ metadata: { annotations: { ...given } } });

  it("lets requests pass while nobody answers, but for those that name a kubeconfig", () => {
    const rules = [...clusters({ features: parseFeatures("") }).rules, ...clusterDefaults.rules];

    const closed = rules.filter(({ failurePolicy }) => failurePolicy !== "Ignore");
    expect(closed.map(({ suffix }) => suffix)).to.deep.equal(["kubeconfig"]);
  });

  it("lets only those name a kubeconfig who may read it, and tells nobody else whether it exists", async () => {
    const [ada, oscar] = [uniqueName("ada"), uniqueName("oscar")];
    const verbs = ["create", "patch"];
    const mine = { verbs, apiGroups: ["management.cattle.io"], resources: ["clusters"] };
    const namespace = "cattle-global-data";
    const there = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    await refusal(running.own.create(there));
    const name = uniqueName("kubeconfig");
    await running.own.create({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace } });
    const reading = { verbs: ["get"], apiGroups: [""], resources: ["secrets"] };
    for (const user of [ada, oscar]) await give(running.own, user, [mine]);
    await give(running.own, ada, [{ ...reading, resourceNames: [name] }], namespace);
    const naming = (secret: string | null) => marked({ [annotations.kubeconfigSecret]: secret });
    const made = await running.own.create(aCluster());
    const patchAs = (user: string, merge: object): Promise<string> =>
      refusal(running.as(user).patch(made, { merge }));
    const told = (secret: string): string =>
      `403 annotation drover.dev/kubeconfig-secret must not become ${secret}: it takes verb get on this secret in cattle-global-data`;

    expect(await patchAs(oscar, naming(name))).to.equal(told(name));
    expect(await patchAs(oscar, naming("missing"))).to.equal(told("missing"));
    const whole = aCluster({ metadata: { annotations: naming(name).metadata.annotations } });
    expect(await refusal(running.as(oscar).create(whole))).to.equal(told(name));
    expect(await patchAs(ada, naming("missing"))).to.equal(told("missing"));
    expect(await patchAs(ada, naming(name))).to.equal("accepted");
    expect(await patchAs(oscar, { spec: { description: "x" } })).to.equal("accepted");
    expect(await patchAs(oscar, naming(null))).to.equal("accepted");
  });

  it("keeps the local cluster, and no other", async () => {
    const local = aCluster({ metadata: { name: "local" } });
    const other = await running.own.create(aCluster());
    await refusal(running.own.create(local));

    const all = { dryRun: true, fieldSelector: "metadata.name=local" };
    const told = "400 cluster local cannot be deleted: it is the one that the server runs in";
    expect(await refusal(running.client.delete(local))).to.equal(told);
    expect(await refusal(running.client.deleteCollection(Cluster, all))).to.equal(told);
    expect(await refusal(running.client.delete(other))).to.equal("accepted");
  });

  it("says who made a cluster", async () => {
    const ada = uniqueName("u-ada");
    const rules = [
      { verbs: ["create"], apiGroups: ["management.cattle.io"], resources: ["clusters"] },
    ];
    await give(running.own, ada, rules);
    await running.own.create(aUser({ metadata: { name: ada } }));
    const tool = uniqueName("gitops");
    await give(running.own, tool, rules);

    const made = await running.as(ada).create(aCluster());
    const synced = await running.as(tool).create(aCluster());
    const named = await running.client.create(aCluster(marked({ [annotations.creatorId]: "u-b" })));
    const unbound = await running.client.create(
      aCluster(marked({ [annotations.noCreatorRbac]: "true" })),
    );

    expect(made.metadata.annotations?.[annotations.creatorId]).to.equal(ada);
    expect(synced.metadata.annotations ?? {}).not.to.have.property(annotations.creatorId);
    expect(named.metadata.annotations?.[annotations.creatorId]).to.equal("u-b");
    expect(unbound.metadata.annotations).not.to.have.property(annotations.creatorId);
  });

  it("takes only a principal of the maker", async () => {
    const user = await running.own.create(aUser({ principalIds: ["local://ada"] }));
    const by = (principal: string) =>
      marked({
        [annotations.creatorId]: user.metadata.name,
        [annotations.creatorPrincipalName]: principal,
      });

    expect(await create(by("local://ada"))).to.equal("accepted");
    expect(await create(by("local://bob"))).to.match(/^400 annotation .*must be a principal/);
  });

  it("keeps annotations about the maker, which may go", async () => {
    const made = await running.own.create(aCluster(marked({ [annotations.creatorId]: "u-a" })));

    expect(await patch(made, marked({ [annotations.creatorId]: "u-b" }))).to.equal(
      `400 annotation ${annotations.creatorId} may be removed but not changed`,
    );
    expect(await patch(made, marked({ [annotations.creatorId]: null }))).to.equal("accepted");
    expect(
      await create(marked({ [annotations.creatorId]: "u-a", [annotations.noCreatorRbac]: "true" })),
    ).to.match(/^400 annotations .* exclude each other$/);
  });

  it("asks for a verb on the workspace that a cluster is put in", async () => {
    const ada = uniqueName("ada");
    const group = ["management.cattle.io"];
    await give(running.own, ada, [
      { verbs: ["patch"], apiGroups: group, resources: ["clusters"] },
      {
        verbs: ["fleetaddcluster"],
        apiGroups: group,
        resources: ["fleetworkspaces"],
        resourceNames: ["mine"],
      },
    ]);
    const cluster = await running.own.create(aCluster());
    const move = (fleetWorkspaceName: string) =>
      refusal(running.as(ada).patch(cluster, { merge: { spec: { fleetWorkspaceName } } }));

    expect(await move("theirs")).to.equal(
      "401 spec.fleetWorkspaceName must not become theirs: it takes verb fleetaddcluster on this fleetworkspace",
    );
    expect(await move("mine")).to.equal("accepted");
    expect(await move("")).to.equal("400 spec.fleetWorkspaceName must not become empty");
  });

  it("asks for that verb whatever the annotations say", async () => {
    const oscar = uniqueName("u-oscar");
    await give(running.own, oscar, [
      { verbs: ["create"], apiGroups: ["management.cattle.io"], resources: ["clusters"] },
    ]);
    const marks = { [annotations.creatorId]: "a/b", [annotations.creatorPrincipalName]: "x" };
    const cluster = aCluster({ ...marked(marks), spec: { fleetWorkspaceName: "theirs" } });

    expect(await refusal(running.as(oscar).create(cluster))).to.equal(
      `400 annotation ${annotations.creatorPrincipalName} must be a principal of the user in ${annotations.creatorId}`,
    );
  });

  it("fills in and judges version management of an imported k3s cluster", async () => {
    const cluster = await running.own.create(aCluster());
    const status = { driver: "k3s" };
    await running.own.patch(cluster, { merge: { status } }, { subresource: "status" });

    const touched = await running.client.patch(cluster, { merge: { spec: { description: "x" } } });

    expect(touched.metadata.annotations?.[versionManagementAnnotation]).to.equal("system-default");
    expect(await patch(cluster, marked({ [versionManagementAnnotation]: "yes" }))).to.equal(
      `400 annotation ${versionManagementAnnotation} must be true, false or system-default`,
    );
    expect(await patch(cluster, marked({ [versionManagementAnnotation]: "true" }))).to.equal(
      "accepted",
    );
  });

  it("judges how agents are scheduled, as the feature allows", async () => {
    const scheduled = (value: number) => ({
      spec: {
        clusterAgentDeploymentCustomization: {
          schedulingCustomization: { priorityClass: { value } },
        },
      },
    });
    const cluster = await running.client.create(aCluster(scheduled(5)));
    expect(await patch(cluster, scheduled(2_000_000_000))).to.match(/priorityClass.value must be/);

    await using off = await RunningAdmission.open({
      webhooks: [clusters({ features: parseFeatures(`${schedulingFeature}=false`) })],
    });
    const answer = await refusal(off.client.patch(cluster, { merge: scheduled(6) }));

    expect(answer).to.match(/can only be removed while feature cluster-agent-scheduling-custom/);
    const other = { merge: { spec: { description: "y" } } };
    expect(await refusal(off.client.patch(cluster, other))).to.equal("accepted");
  });

  it("refuses tolerations that Kubernetes would not take", async () => {
    const appendTolerations = [{ key: "a", effect: "Sometimes" }];

    expect(
      await create({ spec: { clusterAgentDeploymentCustomization: { appendTolerations } } }),
    ).to.equal(
      "400 spec.clusterAgentDeploymentCustomization.appendTolerations[0].effect must be NoSchedule, PreferNoSchedule or NoExecute",
    );
  });

  it("judges nothing in a cluster that is being deleted", async () => {
    const metadata = { finalizers: ["drover.test/hold"] };
    const cluster = await running.own.create(
      aCluster({ metadata, spec: { fleetWorkspaceName: "a" } }),
    );
    await running.client.delete(cluster);

    const merge = { metadata: { finalizers: null }, spec: { fleetWorkspaceName: "" } };
    expect(await patch(cluster, merge)).to.equal("accepted");
  });
});
