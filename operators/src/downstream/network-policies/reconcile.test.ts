import { Cluster, idOfProject, Project, ProjectNetworkPolicy } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type ObjectMeta, refTo } from "kopf-ts";
import { Namespace, NetworkPolicy, Node, Pod, Service, ServiceAccount } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eventsOf } from "../../testing/events.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { annotate, inside, newNamespace, newProject } from "../../testing/projects.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { networkIsolation, networkPolicies, projectNetworkPolicies } from "./index.ts";

const projectId = "field.cattle.io/projectId";
const annotation = "networking.management.cattle.io/enable-network-policy";
const within = { within: 15_000 };

describe("network-policies between a hub and a cluster", function () {
  this.timeout(60_000);
  let running: RunningDownstream;

  eachDownstream((opened) => {
    running = opened;
  });

  const aClusterThat = (enableNetworkPolicy: boolean | null) =>
    running.hub.create(
      aCluster({
        metadata: { name: running.name },
        spec: { displayName: "x", enableNetworkPolicy },
      }),
    );
  const turn = (enableNetworkPolicy: boolean | null) =>
    running.hub.patch(refTo(Cluster, running.name), { merge: { spec: { enableNetworkPolicy } } });
  const aProjectWith = (metadata: Partial<ObjectMeta> = {}, backingNamespace = "") =>
    newProject(running, { metadata, status: { backingNamespace } });
  const theSystemProject = () =>
    aProjectWith({ labels: { "authz.management.cattle.io/system-project": "true" } });
  const aMemberOf = (project: Project) => newNamespace(running, inside(project));
  const policiesIn = async ({ metadata: { name } }: Namespace) =>
    (await running.cluster.list(NetworkPolicy, { namespace: name })).items;
  /** Resolves when the namespace has exactly these, besides what nodes of other tests bring. */
  const untilNamed = (namespace: Namespace, ...names: readonly string[]) =>
    eventually(async () => {
      const found = (await policiesIn(namespace)).map(({ metadata }) => metadata.name);
      const rest = found.filter((name) => name !== "hn-nodes" || names.includes(name));
      return JSON.stringify(rest.toSorted()) === JSON.stringify(names.toSorted());
    }, within);
  const applied = async () =>
    (await running.hub.get(Cluster, running.name)).status?.appliedEnableNetworkPolicy;
  const aPolicy = (
    namespace: Namespace,
    name: string,
    labels: Readonly<Record<string, string>> = {},
  ) =>
    running.cluster.create<NetworkPolicy>({
      ...refTo(NetworkPolicy, name, namespace.metadata.name),
      metadata: { name, namespace: namespace.metadata.name, labels },
      spec: { podSelector: {}, policyTypes: ["Egress"] },
    });

  it("case 51: policies appear and vanish with the cluster's wish, and the status follows", async () => {
    await aClusterThat(true);
    const [system, project] = [await theSystemProject(), await aProjectWith()];
    const [own, member, outside] = [
      await aMemberOf(system),
      await aMemberOf(project),
      await newNamespace(running, {}),
    ];
    await running.run(networkPolicies);
    await untilNamed(member, "np-default");
    await untilNamed(own, "np-default-allow-all");
    await untilNamed(outside);
    await running.run(networkIsolation);
    await eventually(async () => (await applied()) === true, within);
    const live = await running.hub.get(Cluster, running.name);
    expect(live.metadata.annotations?.[annotation]).to.equal("true");

    await turn(false);
    await eventually(async () => {
      const { metadata } = await running.hub.get(Cluster, running.name);
      return metadata.annotations?.[annotation] === "false";
    }, within);
    await quiet(running);
    expect(await applied()).to.equal(true);
    await running.run(networkPolicies);
    await untilNamed(member);
    await untilNamed(own);
    await running.run(networkIsolation);

    await eventually(async () => (await applied()) === false, within);
  });

  it("let in the project and the System project, and follow a namespace that moves and leaves", async () => {
    await aClusterThat(true);
    const [first, second] = [await aProjectWith(), await aProjectWith()];
    const namespace = await aMemberOf(first);
    await running.run(networkPolicies);
    const peers = async () => {
      const found = (await policiesIn(namespace)).find(
        ({ metadata }) => metadata.name === "np-default",
      );
      return found?.spec?.ingress?.[0]?.from?.map(
        (peer) => peer.namespaceSelector?.matchLabels?.[projectId],
      );
    };
    const untilPeers = (...projects: readonly Project[]) =>
      eventually(async () => {
        const wanted = projects.map(({ metadata }) => metadata.name);
        return JSON.stringify(await peers()) === JSON.stringify(wanted);
      }, within);

    await untilPeers(first);
    const system = await theSystemProject();
    await untilPeers(first, system);
    await annotate(running, namespace, inside(second));
    await untilPeers(second, system);
    await annotate(running, namespace, inside(system));
    await untilNamed(namespace, "np-default-allow-all");
    await annotate(running, namespace, { [projectId]: null });

    await untilNamed(namespace);
  });

  it("leave the System project's namespaces alone where people have policies of their own", async () => {
    await aClusterThat(true);
    const namespace = await aMemberOf(await theSystemProject());
    await running.run(networkPolicies);
    await untilNamed(namespace, "np-default-allow-all");

    const theirs = await aPolicy(namespace, "theirs", { "cattle.io/creator": "norman" });
    await untilNamed(namespace, "theirs");
    await running.cluster.delete(theirs);

    await untilNamed(namespace, "np-default-allow-all");
  });

  it("open what Services open on the nodes, as long as they do", async () => {
    await aClusterThat(true);
    const namespace = await aMemberOf(await aProjectWith());
    await running.run(networkPolicies);
    const service = await running.cluster.create<Service>({
      ...refTo(Service, "web", namespace.metadata.name),
      spec: { type: "NodePort", selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
    });

    await untilNamed(namespace, "np-default", "np-web");
    const web = (await policiesIn(namespace)).find(({ metadata }) => metadata.name === "np-web");
    expect(web?.spec?.ingress).to.deep.equal([{ ports: [{ protocol: "TCP", port: 8080 }] }]);
    await running.cluster.patch(refTo(Service, service.metadata.name, namespace.metadata.name), {
      merge: { spec: { type: "ClusterIP" } },
    });

    await untilNamed(namespace, "np-default");
  });

  it("open what a Pod opens on its node, by a label on the Pod", async () => {
    await aClusterThat(true);
    const namespace = await aMemberOf(await aProjectWith());
    const { name } = namespace.metadata;
    await running.run(networkPolicies);
    await untilNamed(namespace, "np-default");
    const account = () => running.cluster.find(ServiceAccount, "default", { namespace: name });
    await eventually(account, within);
    await running.cluster.create<Pod>({
      ...refTo(Pod, "web", name),
      spec: {
        containers: [{ name: "web", image: "web", ports: [{ containerPort: 80, hostPort: 8080 }] }],
      },
    });

    await untilNamed(namespace, "hp-web", "np-default");
    await eventually(async () => {
      const { metadata } = await running.cluster.get(Pod, "web", { namespace: name });
      return metadata.labels?.["field.cattle.io/podName"] === "web";
    }, within);
    await running.cluster.delete(refTo(Pod, "web", name), { gracePeriodSeconds: 0 });

    await untilNamed(namespace, "np-default");
  });

  it("let in the nodes, which come and go", async () => {
    await aClusterThat(true);
    const namespace = await aMemberOf(await aProjectWith());
    await running.run(networkPolicies);
    const name = uniqueName("node");
    const octet = Math.floor(Math.random() * 200);
    await running.cluster.create<Node>({
      ...refTo(Node, name),
      spec: { podCIDR: `10.${octet}.7.0/24` },
    });
    const blocks = async () => {
      const found = (await policiesIn(namespace)).find(
        ({ metadata }) => metadata.name === "hn-nodes",
      );
      return found?.spec?.ingress?.[0]?.from?.map((peer) => peer.ipBlock?.cidr) ?? [];
    };

    await eventually(async () => (await blocks()).includes(`10.${octet}.7.0/32`), within);
    await running.cluster.delete(refTo(Node, name));

    await eventually(async () => !(await blocks()).includes(`10.${octet}.7.0/32`), within);
  });

  it("are put back when somebody deletes, changes or relabels them; those of others stay, and a start writes nothing", async () => {
    await aClusterThat(true);
    const namespace = await aMemberOf(await aProjectWith());
    await running.run(networkPolicies);
    await untilNamed(namespace, "np-default");
    const theirs = await aPolicy(namespace, "np-theirs", { "cattle.io/creator": "norman" });
    const ref = refTo(NetworkPolicy, "np-default", namespace.metadata.name);
    const live = () =>
      running.cluster.find(NetworkPolicy, "np-default", { namespace: namespace.metadata.name });
    const before = await live();
    const isRepaired = async () => {
      const found = await live();
      const isSame = JSON.stringify(found?.spec) === JSON.stringify(before?.spec);
      return isSame && found?.metadata.labels?.["cattle.io/creator"] === "norman";
    };

    await running.cluster.patch(ref, { merge: { metadata: { labels: null } } });
    await eventually(isRepaired, within);
    await running.cluster.patch(ref, { merge: { spec: { ingress: [{}] } } });
    await eventually(isRepaired, within);
    await running.cluster.delete(ref);
    await eventually(isRepaired, within);
    await quiet(running);
    await running.stop();
    const count = writes(running).length;
    await running.run(networkPolicies);
    await annotate(running, namespace, { "example.com/touched": "true" });
    await quiet(running);

    expect(writes(running).length).to.equal(count);
    await turn(false);
    await untilNamed(namespace, "np-theirs");
    const left = (await policiesIn(namespace))[0]?.metadata.resourceVersion;
    expect(left).to.equal(theirs.metadata.resourceVersion);
  });

  it("do not take over somebody else's policy of the name, and say so", async () => {
    await aClusterThat(true);
    const namespace = await newNamespace(running, {});
    const theirs = await aPolicy(namespace, "np-default");
    await running.run(networkPolicies);

    await annotate(running, namespace, inside(await aProjectWith()));

    await eventually(async () => {
      await running.flush();
      const events = await eventsOf(running.cluster, namespace.metadata.name);
      return events.some(
        ({ reason, note }) => reason === "NameTaken" && note.includes("np-default"),
      );
    }, within);
    const [left] = await policiesIn(namespace);
    expect(left?.metadata.resourceVersion).to.equal(theirs.metadata.resourceVersion);
  });

  it("take over and remove what a Rancher made", async () => {
    await aClusterThat(true);
    const [member, former] = [
      await aMemberOf(await aProjectWith()),
      await newNamespace(running, {}),
    ];
    const norman = { "cattle.io/creator": "norman" };
    const taken = await aPolicy(member, "np-default", norman);
    await aPolicy(member, "np-default-allow-all", norman);
    await aPolicy(former, "np-default", norman);

    await running.run(networkPolicies);

    await untilNamed(member, "np-default");
    await untilNamed(former);
    const [left] = await policiesIn(member);
    expect(left?.metadata.uid).to.equal(taken.metadata.uid);
    expect(left?.spec?.policyTypes).to.deep.equal(["Ingress"]);
  });

  it("leave alone what another hub looks after", async () => {
    await aClusterThat(false);
    const namespace = await newNamespace(running, { [projectId]: "c-other:p-1" });
    const theirs = await aPolicy(namespace, "np-default", { "cattle.io/creator": "norman" });

    await running.run(networkPolicies);
    await quiet(running);

    const [left] = await policiesIn(namespace);
    expect(left?.metadata.resourceVersion).to.equal(theirs.metadata.resourceVersion);
  });

  it("mark the project on the hub, once its namespace is there, and unmark it", async () => {
    await aClusterThat(true);
    const backing = uniqueName("backing");
    const project = await aProjectWith({}, backing);
    await running.run(projectNetworkPolicies);
    await running.hub.create({ ...refTo(Namespace, backing) });
    const found = () =>
      running.hub.find(ProjectNetworkPolicy, `pnp-${project.metadata.name}`, {
        namespace: backing,
      });

    const made = await eventually(found, within);
    await eventually(async () => {
      const { status } = await running.hub.get(Project, project.metadata.name, {
        namespace: running.name,
      });
      return status?.conditions?.some(
        (each) => each.type === "DefaultNetworkPolicyCreated" && each.status === "True",
      );
    }, within);
    expect(made.spec?.projectName).to.equal(idOfProject(project));
    await quiet(running);
    await running.stop();
    const count = writes(running).length;
    await running.run(projectNetworkPolicies);
    await quiet(running);
    expect(writes(running).length).to.equal(count);
    await running.hub.delete(made);
    await eventually(found, within);
    await turn(null);

    await eventually(async () => (await found()) === undefined, within);
  });
});
