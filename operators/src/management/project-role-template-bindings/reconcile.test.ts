import {
  clusterRoleBindingName,
  membershipRoles,
  type PolicyRule,
  type Project,
  ProjectRoleTemplateBinding,
  projectBindingOwnerKey,
  type RoleTemplate,
  roleBindingName,
  roleTemplateLabels,
  roleTemplateNames,
  type User,
} from "@drover/crds";
import { aProject, aProjectRoleTemplateBinding, aRoleTemplate, aUser } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { clusterRoleRef, roleRef, userNameFor } from "@drover/platform";
import { expect } from "chai";
import { type Kind, type KubeObject, refTo } from "kopf-ts";
import {
  ClusterRoleBinding,
  Namespace,
  RoleBinding,
  type RoleRef,
  type Subject,
} from "kopf-ts/kinds";
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
import { projectRoleTemplateBindings } from "./index.ts";

const own: PolicyRule = {
  verbs: ["own"],
  apiGroups: ["management.cattle.io"],
  resources: ["projects"],
};
const runs =
  'controller_runtime_reconcile_total{controller="project-role-template-bindings",result="success"}';
type Fields = Partial<Omit<ProjectRoleTemplateBinding, "metadata">>;

describe("project-role-template-bindings on an API server", function () {
  this.timeout(60_000);

  let concern: RunningConcern;
  let cluster: string;
  let project: Project;
  let user: User;
  let template: RoleTemplate;

  const homeOf = ({ status }: Project): string => status?.backingNamespace ?? "";
  const newProject = async (): Promise<Project> => {
    const backingNamespace = uniqueName("home");
    await concern.client.create(refTo(Namespace, backingNamespace));
    return concern.client.create(
      aProject({
        metadata: { namespace: cluster },
        spec: { displayName: "x", clusterName: cluster },
        status: { backingNamespace },
      }),
    );
  };

  before(() => controlPlane());
  beforeEach(async () => {
    concern = await RunningConcern.open();
    cluster = await aClusterWithNamespace(concern.client);
    project = await newProject();
    user = await concern.client.create(aUser({ principalIds: ["x_user://1"] }));
    template = await concern.client.create(aRoleTemplate({ context: "project" }));
    await concern.run(projectRoleTemplateBindings);
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  const bind = (fields: Fields = {}, to: Project = project) =>
    concern.create(
      aProjectRoleTemplateBinding({
        metadata: { namespace: homeOf(to) },
        userName: user.metadata.name,
        projectName: `${cluster}:${to.metadata.name}`,
        roleTemplateName: template.metadata.name,
        ...fields,
      }),
    );
  const remove = ({ metadata }: KubeObject) =>
    concern.client.delete(refTo(ProjectRoleTemplateBinding, metadata.name, metadata.namespace));
  const ada = () => subjectOf(user);
  const inCluster = (subject = ada()) => {
    const role = clusterRoleRef(membershipRoles.clusterMember(cluster));
    return concern.client.find(ClusterRoleBinding, clusterRoleBindingName(role, subject));
  };
  const binding = (name: string, namespace: string) =>
    concern.client.find(RoleBinding, name, { namespace });
  const inProject = (
    name: (project: string) => string = membershipRoles.projectMember,
    { metadata }: Project = project,
  ) => {
    const role: RoleRef = roleRef(name(metadata.name));
    return binding(roleBindingName(metadata.name, role, ada()), cluster);
  };
  const rights = () => {
    const name = roleTemplateNames.projectManagementAggregator(template.metadata.name);
    const role = clusterRoleRef(name);
    return binding(roleBindingName(homeOf(project), role, ada()), homeOf(project));
  };
  const aRole = (name: (template: string) => string, rules?: readonly PolicyRule[]) =>
    aTemplateRole(concern.client, template, name, rules);
  const tells = (object: KubeObject, reason: string) =>
    until(async () => {
      await concern.flush();
      const { name, namespace = "" } = object.metadata;
      const events = await eventsIn(concern.client, namespace, name);
      return events.some((each) => each.startsWith(`${reason}:`));
    });

  it("case 57: makes memberships of cluster and project with the label of the binding, which go with it", async () => {
    const made = await bind();

    const ofCluster = await until(() => inCluster());
    const ofProject = await until(() => inProject());

    for (const each of [ofCluster, ofProject]) {
      expect(each.metadata.labels).to.deep.equal({ [membershipKeyOf(made)]: "true" });
      expect(each.subjects).to.deep.equal([ada()]);
    }
    await remove(made);
    await untilGone(() => inCluster());
    await untilGone(() => inProject());
  });

  it("binds the role of the management plane in the project's namespace once it is there", async () => {
    const made = await bind();
    await until(() => inProject());
    expect(await rights()).to.equal(undefined);

    const role = await aRole(roleTemplateNames.projectManagementAggregator);

    const found = await until(rights);
    expect(found.metadata.labels).to.deep.equal({
      [projectBindingOwnerKey(made.metadata.name)]: "true",
      [roleTemplateLabels.managementAggregation]: "true",
    });
    await concern.client.delete(role);
    await untilGone(rights);
  });

  it("makes an owner once the aggregated rules say so, and a member again", async () => {
    await bind();
    await until(() => inProject());
    const aggregator = await aRole(roleTemplateNames.aggregator, [own]);

    await until(() => inProject(membershipRoles.projectOwner));
    await untilGone(() => inProject());
    await concern.client.patch(aggregator, { merge: { rules: [{ ...own, verbs: ["get"] }] } });

    await until(() => inProject());
    await untilGone(() => inProject(membershipRoles.projectOwner));
  });

  it("costs three writes, and none after a restart", async () => {
    const made = await bind();
    await until(() => inProject());
    await until(() => writes(concern).length >= 3);
    await quiet(concern);
    const first = writes(concern).map(({ verb, resource }) => `${verb} ${resource.split(".")[0]}`);

    await using again = await RunningConcern.open();
    const metadata = { labels: { test: again.label } };
    await concern.client.patch(made, { merge: { metadata } });
    await again.run(projectRoleTemplateBindings);
    await until(async () => (await again.metric(runs)) >= 1);
    await quiet(again);

    expect(first.toSorted()).to.deep.equal([
      "create clusterrolebindings",
      "create rolebindings",
      "patch projectroletemplatebindings",
    ]);
    expect(writes(again)).to.deep.equal([]);
  });

  it("case 56: keeps the membership of the cluster and of the other project when one of two bindings goes", async () => {
    const other = await newProject();
    const first = await bind();
    const second = await bind({}, other);
    await until(() => inProject());
    await until(() => inProject(membershipRoles.projectMember, other));
    await until(async () => Object.keys((await inCluster())?.metadata.labels ?? {}).length === 2);

    await remove(first);

    await untilGone(() => inProject());
    const left = await until(async () => {
      const found = await inCluster();
      return found?.metadata.labels?.[membershipKeyOf(first)] === undefined ? found : undefined;
    });
    expect(left?.metadata.labels).to.deep.equal({ [membershipKeyOf(second)]: "true" });
    expect(await inProject(membershipRoles.projectMember, other)).not.to.equal(undefined);
  });

  it("shares what two equal bindings grant, so that the first that goes takes nothing along", async () => {
    await aRole(roleTemplateNames.projectManagementAggregator);
    const [first, second] = [await bind(), await bind()];
    await until(async () => Object.keys((await rights())?.metadata.labels ?? {}).length === 3);

    await remove(first);
    await until(async () => Object.keys((await rights())?.metadata.labels ?? {}).length === 2);
    await remove(second);

    await untilGone(rights);
  });

  it("takes back what a binding granted that was deleted while no process ran", async () => {
    const made = await bind();
    await until(() => inProject());
    await concern[Symbol.asyncDispose]();
    concern = await RunningConcern.open();
    await remove(made);

    await concern.run(projectRoleTemplateBindings);

    await untilGone(() => inCluster());
    await untilGone(() => inProject());
  });

  it("case 63: replaces a binding of somebody else, and puts back what is deleted or relabelled", async () => {
    await bind();
    const first = await until(() => inProject());

    await concern.client.patch(first, { merge: { subjects: [{ ...ada(), name: "u-eve" }] } });
    const second = await until(async () => {
      const found = await inProject();
      return found?.metadata.uid !== first.metadata.uid ? found : undefined;
    });
    expect(second.subjects).to.deep.equal([ada()]);

    const labels = Object.fromEntries(
      Object.keys(second.metadata.labels ?? {}).map((key) => [key, null]),
    );
    await concern.client.patch(second, { merge: { metadata: { labels } } });
    await until(async () => (await inProject())?.metadata.labels);
    await concern.client.delete(refTo(RoleBinding, second.metadata.name, cluster));
    await until(async () => {
      const found = await inProject();
      return found?.metadata.uid !== second.metadata.uid ? found : undefined;
    });
  });

  it("leaves a stranger's binding of its name alone, and says so", async () => {
    const role = roleRef(membershipRoles.projectMember(project.metadata.name));
    const name = roleBindingName(project.metadata.name, role, ada());
    const theirs = await concern.client.create({
      ...refTo(RoleBinding, name, cluster),
      roleRef: role,
      subjects: [ada()],
    });

    const made = await bind();

    await tells(made, "NameTaken");
    await remove(made);
    await untilGone(() => inCluster());
    expect((await binding(name, cluster))?.metadata.resourceVersion).to.equal(
      (theirs as KubeObject).metadata.resourceVersion,
    );
  });

  it("makes the user of a principal, and fills in the principal of a user", async () => {
    const principal = `x_user://${uniqueName("id")}`;

    const [byPrincipal, byName] = [
      await bind({ userName: "", userPrincipalName: principal }),
      await bind(),
    ];

    const find = (object: ProjectRoleTemplateBinding) =>
      concern.find(ProjectRoleTemplateBinding, object);
    await until(async () => (await find(byPrincipal))?.userName === userNameFor(principal));
    await until(
      async () => (await find(byName))?.userPrincipalName === `local://${user.metadata.name}`,
    );
    await until(() => inCluster({ ...ada(), name: userNameFor(principal) }));
  });

  it("binds a service account", async () => {
    await bind({ userName: "", serviceAccount: "default:robot" });

    const subject: Subject = { kind: "ServiceAccount", name: "robot", namespace: "default" };
    const found = await until(() => inCluster(subject));
    expect(found.subjects).to.deep.equal([subject]);
  });

  for (const { name, fields, reason } of [
    {
      name: "a template that is missing",
      fields: { roleTemplateName: "nowhere" },
      reason: "RoleTemplateNotFound",
    },
    { name: "no project", fields: { projectName: "p-1" }, reason: "ProjectNotFound" },
    {
      name: "a cluster that is missing",
      fields: { projectName: "c:p" },
      reason: "ClusterNotFound",
    },
    { name: "a user and a group", fields: { groupName: "x" }, reason: "AmbiguousSubject" },
    { name: "nobody", fields: { userName: "" }, reason: "NoSubject" },
    {
      name: "no account",
      fields: { userName: "", serviceAccount: "robot" },
      reason: "MalformedSubject",
    },
  ]) {
    it(`grants nothing to a binding of ${name}, and says why`, async () => {
      const made = await bind(fields);

      await tells(made, reason);
      expect(await inCluster()).to.equal(undefined);
    });
  }

  it("grants nothing in a project whose namespace the binding is not in", async () => {
    const other = await newProject();

    const made = await bind({ projectName: `${cluster}:${other.metadata.name}` });

    await tells(made, "ProjectMismatch");
    expect(await inCluster()).to.equal(undefined);
  });

  it("binds the name of a user that is missing, and says so", async () => {
    const name = uniqueName("u");

    const made = await bind({ userName: name });

    await tells(made, "UserNotFound");
    await until(() => inCluster({ ...ada(), name }));
  });

  it("takes back what it granted when the project is deleted", async () => {
    await bind();
    await until(() => inProject());

    await concern.client.delete(project);

    await untilGone(() => inCluster());
    await untilGone(() => inProject());
  });

  it("case 57, 67: takes away what the legacy model made, and takes over what has the right name", async () => {
    await concern[Symbol.asyncDispose]();
    concern = await RunningConcern.open();
    const made = await bind();
    const { apiVersion, kind, metadata } = made;
    const { name: owner, namespace: home = "", uid = "" } = metadata;
    const name = uniqueName("legacy");
    const member = clusterRoleRef(membershipRoles.clusterMember(cluster));
    const projectMember = roleRef(membershipRoles.projectMember(project.metadata.name));
    const label = (value: string) => ({ labels: { [membershipKeyOf(made)]: value } });
    const put = (kind: Kind, role: RoleRef, metadata: KubeObject["metadata"]) =>
      concern.client.create<RoleBinding>({
        ...refTo(kind, ""),
        metadata,
        roleRef: role,
        subjects: [ada()],
      });
    const ownerReferences = [{ apiVersion, kind, name: owner, uid }];
    const view = clusterRoleRef("view");
    const inside = label("prtb-in-cluster-binding-owner");
    await put(RoleBinding, view, { name, namespace: cluster, ...inside });
    await put(RoleBinding, roleRef(name), { name, namespace: home, ownerReferences });
    const kept = [
      await put(ClusterRoleBinding, member, {
        name: clusterRoleBindingName(member, ada()),
        ...label("membership-binding-owner"),
      }),
      await put(RoleBinding, projectMember, {
        name: roleBindingName(project.metadata.name, projectMember, ada()),
        namespace: cluster,
        ...label("membership-binding-owner"),
      }),
    ];

    await concern.run(projectRoleTemplateBindings);

    await untilGone(() => binding(name, cluster));
    await untilGone(() => binding(name, home));
    const isOurs = (found: KubeObject | undefined) =>
      found?.metadata.labels?.[membershipKeyOf(made)] === "true" && found;
    const now = [
      await until(async () => isOurs(await inCluster())),
      await until(async () => isOurs(await inProject())),
    ];
    expect(now.map(({ metadata }) => metadata.uid)).to.deep.equal(
      kept.map(({ metadata }) => metadata.uid),
    );
    await remove(made);
    await untilGone(() => inCluster());
    await untilGone(() => inProject());
  });

  it("grants nothing while others hold it, and lets go of finalizers that Rancher left", async () => {
    const finalizers = [
      "example.com/other",
      "controller.cattle.io/mgmt-auth-prtb-controller",
      "wrangler.cattle.io/mgmt-prtb-remove-handler",
      `clusterscoped.controller.cattle.io/cluster-prtb-sync_${cluster}`,
    ];
    const made = await bind();
    await until(() => inProject());
    const { name, namespace } = made.metadata;
    const ref = refTo(ProjectRoleTemplateBinding, name, namespace);
    await concern.client.patch(ref, { merge: { metadata: { finalizers } } });

    await remove(made);

    await untilGone(() => inProject());
    await until(async () => {
      const held = await concern.find(ProjectRoleTemplateBinding, made);
      return held?.metadata.finalizers?.length === 1;
    });
    await concern.client.patch(ref, { merge: { metadata: { finalizers: null } } });
  });
});
