import { annotations, Cluster, type Project, ProjectNetworkPolicy } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Namespace, NetworkPolicy, Pod, Service, ServiceAccount } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { inside, newNamespace, newProject } from "../../testing/projects.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { networkIsolation, networkPolicies, projectNetworkPolicies } from "./index.ts";

const patient = { within: 20_000 };

describe("network-policies and names, annotations and policies that people chose", function () {
  this.timeout(60_000);
  let running: RunningDownstream;

  eachDownstream(async (opened) => {
    running = opened;
    await running.hub.create(
      aCluster({
        metadata: { name: running.name },
        spec: { displayName: "x", enableNetworkPolicy: true },
      }),
    );
  });

  const turn = (enableNetworkPolicy: boolean | null) =>
    running.hub.patch(refTo(Cluster, running.name), { merge: { spec: { enableNetworkPolicy } } });
  const aProjectWith = (backingNamespace = "") =>
    newProject(running, { status: { backingNamespace } });
  const aMemberOf = async (project: Project) =>
    (await newNamespace(running, inside(project))).metadata.name;
  const policyNamesIn = async (namespace: string) =>
    (await running.cluster.list(NetworkPolicy, { namespace })).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== "hn-nodes");

  it("open a Pod whose name is as long as names may be", async () => {
    const namespace = await aMemberOf(await aProjectWith());
    await running.run(networkPolicies);
    await eventually(() => running.cluster.find(ServiceAccount, "default", { namespace }), patient);
    const name = "w".repeat(253);
    await running.cluster.create<Pod>({
      ...refTo(Pod, name, namespace),
      spec: {
        containers: [{ name: "web", image: "web", ports: [{ containerPort: 80, hostPort: 8080 }] }],
      },
    });

    await eventually(async () => {
      const { metadata } = await running.cluster.get(Pod, name, { namespace });
      const label = metadata.labels?.["field.cattle.io/podName"];
      return label !== undefined && (await policyNamesIn(namespace)).length === 2;
    }, patient);
    expect(running.lines.filter((line) => line.includes('"level":"error"'))).to.deep.equal([]);
  });

  it("tell Services apart whose names look like those of policies, and come to rest", async () => {
    const namespace = await aMemberOf(await aProjectWith());
    await running.run(networkPolicies);
    for (const name of ["default", "service-default"]) {
      await running.cluster.create<Service>({
        ...refTo(Service, name, namespace),
        spec: { type: "NodePort", selector: { app: name }, ports: [{ port: 80 }] },
      });
    }

    await eventually(async () => (await policyNamesIn(namespace)).length === 3, patient);
    await quiet(running);
  });

  it("are reported as gone though a namespace that names no project kept its own", async () => {
    const project = await aProjectWith();
    const [namespace, other] = [await aMemberOf(project), await aMemberOf(project)];
    await running.run(networkPolicies);
    for (const each of [namespace, other]) {
      await eventually(async () => (await policyNamesIn(each)).length === 1, patient);
    }
    await running.run(networkIsolation);
    const applied = async () =>
      (await running.hub.get(Cluster, running.name)).status?.appliedEnableNetworkPolicy;
    await eventually(async () => (await applied()) === true, patient);

    const unknown = { [annotations.projectId]: `${running.name}:${uniqueName("never")}` };
    await running.cluster.patch(refTo(Namespace, namespace), {
      merge: { metadata: { annotations: unknown } },
    });
    await turn(false);
    await running.run(networkPolicies);
    await eventually(async () => (await policyNamesIn(other)).length === 0, patient);
    await running.run(networkIsolation);

    await eventually(async () => (await applied()) === false, patient);
    expect(await policyNamesIn(namespace)).to.deep.equal(["np-default"]);
  });

  it("delete no ProjectNetworkPolicy that somebody else made", async () => {
    const backing = uniqueName("backing");
    await running.hub.create({ ...refTo(Namespace, backing) });
    const project = await aProjectWith(backing);
    const name = `pnp-${project.metadata.name}`;
    const theirs = await running.hub.create<ProjectNetworkPolicy>({
      ...refTo(ProjectNetworkPolicy, name, backing),
      spec: { projectName: `${running.name}:${project.metadata.name}`, description: "mine" },
    });
    await running.run(projectNetworkPolicies);
    await quiet(running);

    await turn(false);
    await running.run(projectNetworkPolicies);
    await quiet(running);

    const left = await running.hub.find(ProjectNetworkPolicy, name, { namespace: backing });
    expect(left?.metadata.resourceVersion).to.equal(theirs.metadata.resourceVersion);
    expect(writes(running).filter(({ verb }) => verb === "delete")).to.deep.equal([]);
  });

  it("put a project's own policy back when somebody changes or relabels it", async () => {
    const backing = uniqueName("backing");
    await running.hub.create({ ...refTo(Namespace, backing) });
    const project = await aProjectWith(backing);
    const ref = refTo(ProjectNetworkPolicy, `pnp-${project.metadata.name}`, backing);
    const projectName = `${running.name}:${project.metadata.name}`;
    const live = () =>
      running.hub.find(ProjectNetworkPolicy, ref.metadata.name, { namespace: backing });
    const isRepaired = async () => {
      const { metadata, spec } = (await live()) ?? {};
      return spec?.projectName === projectName && metadata?.labels !== undefined;
    };
    await running.run(projectNetworkPolicies);
    await eventually(isRepaired, patient);

    await running.hub.patch(ref, { merge: { metadata: { labels: null } } });
    await eventually(isRepaired, patient);
    await running.hub.patch(ref, { merge: { spec: { projectName: "c-x:p-x" } } });
    await eventually(isRepaired, patient);
    await quiet(running);
    await turn(false);

    await eventually(async () => (await live()) === undefined, patient);
  });
});
