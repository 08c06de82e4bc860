import {
  Cluster,
  ClusterRoleTemplateBinding,
  clusterBindingOwnerKey,
  clusterRoleBindingName,
  membershipRoles,
  type PolicyRule,
  type RoleTemplate,
  roleBindingName,
  roleTemplateLabels,
  roleTemplateNames,
  User,
} from "@drover/crds";
import { aClusterRoleTemplateBinding, aProject, aRoleTemplate, aUser } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { clusterRoleRef, mayDo, noUserMessage, roleRef, userNameFor } from "@drover/platform";
import { expect } from "chai";
import { type Kind, type KubeObject, refTo } from "kopf-ts";
import { ClusterRoleBinding, Namespace, RoleBinding, type RoleRef } from "kopf-ts/kinds";
import { cluster as controlPlane, RunningConcern } from "../../testing/concern.ts";
import { eventsIn } from "../../testing/events.ts";
import {
  aClusterWithNamespace,
  aTemplateRole,
  membershipKeyOf,
  subjectOf,
} from "../../testing/template-bindings.ts";
import { until, untilGone } from "../../testing/until.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { roleTemplates } from "../role-templates/index.ts";
import { clusterRoleTemplateBindings } from "./index.ts";

const management = "management.cattle.io";
const own: PolicyRule = { verbs: ["own"], apiGroups: [management], resources: ["clusters"] };
const runs =
  'controller_runtime_reconcile_total{controller="cluster-role-template-bindings",result="success"}';
type Fields = Partial<Omit<ClusterRoleTemplateBinding, "metadata">>;

describe("cluster-role-template-bindings on an API server", function () {
  this.timeout(60_000);

  let concern: RunningConcern;
  let cluster: string;
  let user: User;
  let template: RoleTemplate;

  before(() => controlPlane());
  beforeEach(async () => {
    concern = await RunningConcern.open();
    cluster = await aClusterWithNamespace(concern.client);
    user = await concern.client.create(aUser({ principalIds: [] }));
    await concern.client.patch(user, {
      merge: { principalIds: ["x_user://1", `local://${user.metadata.name}`] },
    });
    template = await concern.client.create(aRoleTemplate());
    await concern.run(clusterRoleTemplateBindings);
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  const bind = (fields: Fields = {}, name = uniqueName("crtb")) =>
    concern.create(
      aClusterRoleTemplateBinding({
        metadata: { name, namespace: cluster },
        userName: user.metadata.name,
        clusterName: cluster,
        roleTemplateName: template.metadata.name,
        ...fields,
      }),
    );
  const settled = (binding: ClusterRoleTemplateBinding, summary = "Completed") =>
    until(async () => {
      const found = await concern.find(ClusterRoleTemplateBinding, binding);
      const isSeen = found?.status?.observedGenerationLocal === found?.metadata.generation;
      return isSeen && found?.status?.summaryLocal === summary ? found : undefined;
    });
  const ada = () => subjectOf(user);
  const asMember = () => clusterRoleRef(membershipRoles.clusterMember(cluster));
  const asOwner = () => clusterRoleRef(membershipRoles.clusterOwner(cluster));
  const membership = (role: RoleRef, subject = ada()) =>
    concern.client.find(ClusterRoleBinding, clusterRoleBindingName(role, subject));
  const right = (namespace: string, role: RoleRef) =>
    concern.client.find(RoleBinding, roleBindingName(namespace, role, ada()), { namespace });
  const remove = ({ metadata }: KubeObject) =>
    concern.client.delete(refTo(ClusterRoleTemplateBinding, metadata.name, metadata.namespace));
  const aRole = (name: (template: string) => string, rules?: readonly PolicyRule[]) =>
    aTemplateRole(concern.client, template, name, rules);
  const connect = (status: "True" | "False") =>
    concern.client.patch(
      refTo(Cluster, cluster),
      { merge: { status: { conditions: [{ type: "Connected", status }] } } },
      { subresource: "status" },
    );
  const condition = ({ status }: ClusterRoleTemplateBinding, type: string) =>
    status?.localConditions?.find((each) => each.type === type);

  it("case 57: makes a membership binding with the label of the binding, which goes with it", async () => {
    const binding = await settled(await bind());
    const found = await membership(asMember());
    expect(found?.subjects).to.deep.equal([ada()]);
    expect(found?.metadata.labels).to.deep.equal({ [membershipKeyOf(binding)]: "true" });

    await remove(binding);

    await untilGone(() => membership(asMember()));
  });

  it("tells in the status that all is there, and fills in what is missing in one write", async () => {
    const binding = await bind();

    const { status, userPrincipalName, metadata } = await settled(binding);

    expect(userPrincipalName).to.equal(`local://${user.metadata.name}`);
    expect(metadata.labels?.[roleTemplateLabels.aggregation]).to.equal("true");
    expect(status).to.deep.include({ summary: "InProgress", summaryLocal: "Completed" });
    expect(status?.localConditions?.map(({ type, status }) => [type, status])).to.deep.equal([
      ["ReconcileSubject", "True"],
      ["ReconcileMembershipBindings", "True"],
      ["ReconcileBindings", "True"],
      ["ReachCluster", "Unknown"],
    ]);
  });

  it("tells that it waits for a cluster that is not connected, until that tells, and never again however often it comes and goes", async () => {
    const waits = async (binding: ClusterRoleTemplateBinding) => {
      const found = await concern.find(ClusterRoleTemplateBinding, binding);
      return found !== undefined && condition(found, "ReachCluster") !== undefined;
    };
    const binding = await settled(await bind());
    expect(condition(binding, "ReachCluster")?.reason).to.equal("WaitsForCluster");

    await connect("True");
    const status = { observedGenerationRemote: binding.metadata.generation };
    await concern.client.patch(binding, { merge: { status } }, { subresource: "status" });
    await until(async () => !(await waits(binding)));
    await quiet(concern);
    const before = writes(concern).length;
    await connect("False");
    await concern.client.patch(binding, { merge: { metadata: { labels: { touched: "true" } } } });
    await quiet(concern);

    expect(writes(concern).length).to.equal(before);
    expect(await waits(binding)).to.equal(false);
  });

  it("tells of no wait where the cluster is connected", async () => {
    await concern[Symbol.asyncDispose]();
    concern = await RunningConcern.open();
    await connect("True");
    await concern.run(clusterRoleTemplateBindings);

    const binding = await settled(await bind());

    expect(condition(binding, "ReachCluster")).to.equal(undefined);
  });

  it("costs three writes, and none after a restart", async () => {
    const binding = await settled(await bind());
    await quiet(concern);
    const first = writes(concern).map(({ verb, resource }) => `${verb} ${resource.split(".")[0]}`);

    await using again = await RunningConcern.open();
    const metadata = { labels: { test: again.label } };
    await concern.client.patch(binding, { merge: { metadata } });
    await again.run(clusterRoleTemplateBindings);
    await until(async () => (await again.metric(runs)) >= 1);
    await quiet(again);

    expect(first).to.deep.equal([
      "patch clusterroletemplatebindings",
      "create clusterrolebindings",
      "patch clusterroletemplatebindings",
    ]);
    expect(writes(again)).to.deep.equal([]);
  });

  it("makes an owner once the aggregated rules say so, and a member again", async () => {
    const binding = await settled(await bind());
    const aggregator = await aRole(roleTemplateNames.aggregator, [own]);

    await until(() => membership(asOwner()));
    await untilGone(() => membership(asMember()));
    await concern.client.patch(aggregator, { merge: { rules: [{ ...own, verbs: ["get"] }] } });

    await until(() => membership(asMember()));
    await untilGone(() => membership(asOwner()));
    await settled(binding);
  });

  it("makes an owner by the templates' rules while nothing is aggregated, as they change", async () => {
    const inherited = await concern.client.create(aRoleTemplate());
    const inherits = [inherited.metadata.name];
    const inheriting = await concern.client.create(aRoleTemplate({ roleTemplateNames: inherits }));
    await settled(await bind({ roleTemplateName: inheriting.metadata.name }));
    expect(await membership(asOwner())).to.equal(undefined);

    await concern.client.patch(inherited, { merge: { rules: [own] } });

    await until(() => membership(asOwner()));
    await untilGone(() => membership(asMember()));
  });

  it("case 65: shares the membership binding among bindings of one subject", async () => {
    const other = await concern.client.create(aRoleTemplate());
    const first = await settled(await bind());
    const second = await settled(await bind({ roleTemplateName: other.metadata.name }));
    const shared = await membership(asMember());
    expect(shared?.metadata.labels).to.deep.equal({
      [membershipKeyOf(first)]: "true",
      [membershipKeyOf(second)]: "true",
    });

    await remove(first);
    const left = await until(async () => {
      const found = await membership(asMember());
      return found?.metadata.labels?.[membershipKeyOf(first)] === undefined ? found : undefined;
    });
    expect(left?.metadata.uid).to.equal(shared?.metadata.uid);
    expect(left?.metadata.labels).to.deep.equal({ [membershipKeyOf(second)]: "true" });

    await remove(second);
    await untilGone(() => membership(asMember()));
  });

  it("takes back what a binding granted that was deleted while no process ran", async () => {
    const binding = await settled(await bind());
    await concern[Symbol.asyncDispose]();
    concern = await RunningConcern.open();
    await remove(binding);

    await concern.run(clusterRoleTemplateBindings);

    await untilGone(() => membership(asMember()));
  });

  it("binds the roles of the management plane in the cluster and in its projects, also later ones", async () => {
    await aRole(roleTemplateNames.clusterManagementAggregator);
    await aRole(roleTemplateNames.projectManagementAggregator);
    const ofCluster = clusterRoleRef(
      roleTemplateNames.clusterManagementAggregator(template.metadata.name),
    );
    const ofProjects = clusterRoleRef(
      roleTemplateNames.projectManagementAggregator(template.metadata.name),
    );
    const binding = await settled(await bind());
    const found = await right(cluster, ofCluster);
    expect(found?.metadata.labels).to.deep.equal({
      [clusterBindingOwnerKey(binding.metadata.name)]: "true",
      [roleTemplateLabels.managementAggregation]: "true",
    });

    const backingNamespace = uniqueName("p");
    const project = await concern.client.create(
      aProject({
        metadata: { namespace: cluster },
        spec: { displayName: "x", clusterName: cluster },
        status: { backingNamespace },
      }),
    );
    await concern.client.create(refTo(Namespace, backingNamespace));
    await until(() => right(backingNamespace, ofProjects));

    await concern.client.delete(project);
    await untilGone(() => right(backingNamespace, ofProjects));
    await remove(binding);
    await untilGone(() => right(cluster, ofCluster));
  });

  it("lets a member do in the cluster's namespace what the template inherits, as it changes, and nothing once the binding is gone", async () => {
    await using templates = await RunningConcern.open();
    const caller = { username: user.metadata.name, groups: [] };
    const may = (verb: string, resource: string, namespace = cluster) =>
      mayDo(concern.client, caller, { verb, group: management, resource, namespace });
    const within = (expected: boolean, ...what: readonly [string, string]) =>
      until(async () => (await may(...what)) === expected);
    const rules = [{ verbs: ["list"], apiGroups: [management], resources: ["nodes"] }];
    const inherited = await templates.create(aRoleTemplate({ rules }));
    const roleTemplateName = uniqueName("rt");
    const metadata = { name: roleTemplateName };
    const roleTemplateNames = [inherited.metadata.name];
    await templates.create(aRoleTemplate({ metadata, rules: [], roleTemplateNames }));
    await templates.run(roleTemplates);
    expect(await may("list", "nodes")).to.equal(false);

    const binding = await bind({ roleTemplateName });

    await within(true, "list", "nodes");
    expect(await may("delete", "nodes")).to.equal(false);
    expect(await may("list", "nodes", "default")).to.equal(false);
    const more = [...rules, { verbs: ["get"], apiGroups: [management], resources: ["projects"] }];
    await concern.client.patch(inherited, { merge: { rules: more } });
    await within(true, "get", "projects");
    await remove(binding);
    await within(false, "list", "nodes");
    await within(false, "get", "projects");
  });

  it("takes a name of 253 characters", async () => {
    const name = `${uniqueName("crtb")}-${"x".repeat(253)}`.slice(0, 253);
    await aRole(roleTemplateNames.clusterManagementAggregator);

    const binding = await settled(await bind({}, name));

    expect((await membership(asMember()))?.metadata.labels).to.have.property(
      membershipKeyOf(binding),
    );
    await remove(binding);
    await untilGone(() => membership(asMember()));
  });

  it("lets those read tokens of nodes who may list registration tokens", async () => {
    const rules = [
      { verbs: ["list"], apiGroups: [management], resources: ["clusterregistrationtokens"] },
    ];
    const reading = await concern.client.create(aRoleTemplate({ rules }));

    await settled(await bind({ roleTemplateName: reading.metadata.name }));

    await until(() => right(cluster, roleRef("crt-token-reader")));
  });

  it("case 63: replaces a binding of somebody else, puts back labels, and leaves a good one alone", async () => {
    await settled(await bind());
    const first = await until(() => membership(asMember()));

    await concern.client.patch(first, { merge: { subjects: [{ ...ada(), name: "u-eve" }] } });
    const second = await until(async () => {
      const found = await membership(asMember());
      return found?.metadata.uid !== first.metadata.uid ? found : undefined;
    });
    expect(second?.subjects).to.deep.equal([ada()]);
    expect(second?.metadata.labels).to.deep.equal(first.metadata.labels);

    const labels = Object.fromEntries(
      Object.keys(first.metadata.labels ?? {}).map((key) => [key, null]),
    );
    await concern.client.patch(second ?? first, { merge: { metadata: { labels } } });
    await until(async () => {
      const found = await membership(asMember());
      return Object.keys(found?.metadata.labels ?? {}).length === 1 ? found : undefined;
    });
    expect((await membership(asMember()))?.metadata.uid).to.equal(second?.metadata.uid);

    await concern.client.delete(refTo(ClusterRoleBinding, first.metadata.name));
    await until(() => membership(asMember()));
  });

  it("leaves a stranger's binding of its name alone, and says so", async () => {
    const name = clusterRoleBindingName(asMember(), ada());
    const theirs = { ...refTo(ClusterRoleBinding, name), roleRef: asMember(), subjects: [ada()] };
    const made = await concern.client.create(theirs);

    const binding = await settled(await bind(), "Error");

    expect(condition(binding, "ReconcileMembershipBindings")?.reason).to.equal("NameTaken");
    await remove(binding);
    await quiet(concern);
    const live = await concern.client.find(ClusterRoleBinding, name);
    expect(live?.metadata.resourceVersion).to.equal(made.metadata.resourceVersion);
  });

  it("case 64: keeps the oldest of equal bindings", async () => {
    await concern[Symbol.asyncDispose]();
    concern = await RunningConcern.open();
    const names = ["b", "a", "c"].map((letter) => `${letter}-${uniqueName("crtb")}`);
    const made: ClusterRoleTemplateBinding[] = [];
    for (const name of names) made.push(await bind({}, name));
    const oldest = made.toSorted((x, y) => ageOf(x).localeCompare(ageOf(y)))[0];

    await concern.run(clusterRoleTemplateBindings);

    const left = await until(async () => {
      const { items } = await concern.client.list(ClusterRoleTemplateBinding, {
        namespace: cluster,
      });
      return items.length === 1 ? items[0] : undefined;
    });
    expect(left?.metadata.name).to.equal(oldest?.metadata.name);
  });

  it("makes the user of a principal", async () => {
    const principal = `x_user://${uniqueName("id")}`;

    const binding = await concern.create(
      aClusterRoleTemplateBinding({
        metadata: {
          namespace: cluster,
          annotations: { "auth.cattle.io/principal-display-name": "Ada L." },
        },
        userName: "",
        userPrincipalName: principal,
        clusterName: cluster,
        roleTemplateName: template.metadata.name,
      }),
    );

    const { userName } = await settled(binding);
    expect(userName).to.equal(userNameFor(principal));
    const made = await concern.client.get(User, userNameFor(principal));
    expect(made.displayName).to.equal("Ada L.");
    expect(await membership(asMember(), { ...ada(), name: userNameFor(principal) })).not.to.equal(
      undefined,
    );
  });

  it("binds a group", async () => {
    const group = "x_group://1";
    await settled(await bind({ userName: "", groupPrincipalName: group }));

    expect(await membership(asMember(), { ...ada(), kind: "Group", name: group })).not.to.equal(
      undefined,
    );
  });

  for (const { name, fields, type, reason } of [
    {
      name: "a template that is missing",
      fields: { roleTemplateName: "nowhere" },
      type: "ReconcileBindings",
      reason: "RoleTemplateNotFound",
    },
    {
      name: "another cluster than that of its namespace",
      fields: { clusterName: "local" },
      type: "ReconcileBindings",
      reason: "ClusterMismatch",
    },
    {
      name: "a user and a group",
      fields: { groupName: "admins" },
      type: "ReconcileSubject",
      reason: "AmbiguousSubject",
    },
    { name: "nobody", fields: { userName: "" }, type: "ReconcileSubject", reason: "NoSubject" },
  ]) {
    it(`grants nothing to a binding of ${name}, and says why`, async () => {
      const binding = await settled(await bind(fields), "Error");

      expect(condition(binding, type)).to.include({ status: "False", reason });
      expect(await membership(asMember())).to.equal(undefined);
      await until(async () => {
        await concern.flush();
        const events = await eventsIn(concern.client, cluster, binding.metadata.name);
        return events.some((each) => each.startsWith(`${reason}:`));
      });
    });
  }

  it("binds the name of a user that is missing, and says so until there is one", async () => {
    const name = uniqueName("u");
    const binding = await settled(await bind({ userName: name }), "Error");
    expect(condition(binding, "ReconcileSubject")).to.include({
      ...{ reason: "UserNotFound", message: noUserMessage(name) },
    });
    expect(await membership(asMember(), { ...ada(), name })).not.to.equal(undefined);

    await concern.client.create(aUser({ metadata: { name } }));

    await settled(binding);
  });

  it("grants nothing in a cluster that is missing, and takes back what a deleted template granted", async () => {
    const elsewhere = uniqueName("c");
    await concern.client.create(refTo(Namespace, elsewhere));
    const lost = await concern.create(
      aClusterRoleTemplateBinding({
        metadata: { namespace: elsewhere },
        userName: user.metadata.name,
        clusterName: elsewhere,
        roleTemplateName: template.metadata.name,
      }),
    );
    const missing = await settled(lost, "Error");
    expect(condition(missing, "ReconcileBindings")?.reason).to.equal("ClusterNotFound");

    const binding = await settled(await bind());
    await concern.client.delete(template);

    await settled(binding, "Error");
    await untilGone(() => membership(asMember()));
  });

  it("case 57, 67: takes away what the legacy model made, and takes over what has the right name", async () => {
    await concern[Symbol.asyncDispose]();
    concern = await RunningConcern.open();
    const binding = await bind();
    const project = uniqueName("p");
    await concern.client.create(refTo(Namespace, project));
    const { apiVersion, kind, metadata } = binding;
    const { name: owner, uid = "" } = metadata;
    const membershipLabel = { [membershipKeyOf(binding)]: "membership-binding-owner" };
    const inProject = { [membershipKeyOf(binding)]: "crtb-in-project-binding-owner" };
    const put = (kind: Kind, metadata: KubeObject["metadata"]) =>
      concern.client.create<ClusterRoleBinding>({
        ...refTo(kind, ""),
        metadata,
        roleRef: kind.kind === "RoleBinding" ? roleRef(owner) : asMember(),
        subjects: [ada()],
      });
    const name = uniqueName("legacy");
    const ownerReferences = [{ apiVersion, kind, name: owner, uid }];
    await put(ClusterRoleBinding, { name, labels: membershipLabel });
    await put(RoleBinding, { name, namespace: cluster, ownerReferences });
    await put(RoleBinding, { name, namespace: project, labels: inProject });
    const kept = await put(ClusterRoleBinding, {
      name: clusterRoleBindingName(asMember(), ada()),
      labels: membershipLabel,
    });

    await concern.run(clusterRoleTemplateBindings);

    await untilGone(() => concern.client.find(ClusterRoleBinding, name));
    await untilGone(() => concern.client.find(RoleBinding, name, { namespace: cluster }));
    await untilGone(() => concern.client.find(RoleBinding, name, { namespace: project }));
    await settled(binding);
    const found = await membership(asMember());
    expect(found?.metadata.uid).to.equal(kept.metadata.uid);
    expect(found?.metadata.labels).to.deep.equal({ [membershipKeyOf(binding)]: "true" });
    await remove(binding);
    await untilGone(() => membership(asMember()));
  });

  it("takes over the membership binding that a Rancher made", async () => {
    await concern[Symbol.asyncDispose]();
    concern = await RunningConcern.open();
    const binding = await bind();
    const name = clusterRoleBindingName(asMember(), ada());
    const theirs = await concern.client.create<ClusterRoleBinding>({
      ...refTo(ClusterRoleBinding, name),
      metadata: { name, labels: { [membershipKeyOf(binding)]: "true" } },
      roleRef: asMember(),
      subjects: [ada()],
    });

    await concern.run(clusterRoleTemplateBindings);
    await settled(binding);
    expect((await membership(asMember()))?.metadata.uid).to.equal(theirs.metadata.uid);
    await remove(binding);

    await untilGone(() => membership(asMember()));
  });

  it("grants nothing while others hold it, and lets go of finalizers that Rancher left", async () => {
    const finalizers = [
      "example.com/other",
      "controller.cattle.io/mgmt-auth-crtb-controller",
      "wrangler.cattle.io/mgmt-crtb-remove-handler",
      `clusterscoped.controller.cattle.io/cluster-crtb-sync_${cluster}`,
    ];
    const binding = await settled(await bind());
    await concern.client.patch(binding, { merge: { metadata: { finalizers } } });

    await remove(binding);

    await untilGone(() => membership(asMember()));
    const held = await settled(binding, "Terminating");
    expect(held.metadata.finalizers).to.deep.equal(["example.com/other"]);
    await concern.client.patch(held, { merge: { metadata: { finalizers: null } } });
  });
});

function ageOf({ metadata }: KubeObject): string {
  return `${metadata.creationTimestamp} ${metadata.name}`;
}
