import {
  ClusterRoleTemplateBinding,
  FleetWorkspace,
  GlobalRole,
  GlobalRoleBinding,
  globalRoleBindingNames,
  globalRoleNames,
  User,
} from "@drover/crds";
import {
  aCluster,
  aClusterRoleTemplateBinding,
  aFleetWorkspace,
  aGlobalRole,
  aGlobalRoleBinding,
  aUser,
} from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { userNameFor } from "@drover/platform";
import { expect } from "chai";
import { apiVersionOf, type Client, intercept, type KubeObject, refTo } from "kopf-ts";
import { ClusterRoleBinding, Namespace, RoleBinding, SubjectAccessReview } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { globalRoles as builtinRoles } from "../../bootstrap/roles/data/global-roles.ts";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { globalRoles } from "../global-roles/index.ts";
import { globalRoleBindings } from "./index.ts";

const rbac = "rbac.authorization.k8s.io";
const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const ownerLabel = "authz.management.cattle.io/grb-owner";
const crbName = "authz.management.cattle.io/crb-name";
const runs =
  'controller_runtime_reconcile_total{controller="global-role-bindings",result="success"}';

const aNamespace = (name = uniqueName("grb")): Namespace => ({
  apiVersion: apiVersionOf(Namespace),
  kind: Namespace.kind,
  metadata: { name },
});

const conditionsOf = ({ status }: GlobalRoleBinding) =>
  Object.fromEntries(status?.localConditions?.map((each) => [each.type, each.status]) ?? []);
const condition = ({ status }: GlobalRoleBinding, type: string) =>
  status?.localConditions?.find((each) => each.type === type);

describe("global-role-bindings on an API server", function () {
  this.timeout(60_000);

  let concern: RunningConcern;

  before(() => cluster());
  beforeEach(async () => {
    concern = await RunningConcern.open();
    await concern.run(globalRoleBindings);
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  /** The binding once its status is of its present generation and says this. */
  const settled = (binding: GlobalRoleBinding, summary = "Completed") =>
    eventually(
      async () => {
        const found = await concern.find(GlobalRoleBinding, binding);
        const isSeen = found?.status?.observedGenerationLocal === found?.metadata.generation;
        return isSeen && found?.status?.summaryLocal === summary ? found : undefined;
      },
      { within: 5_000 },
    );
  const aRole = (fields: Partial<GlobalRole> = {}): Promise<GlobalRole> =>
    concern.client.create(aGlobalRole(fields));
  /** A binding of a user that exists to a role that exists. */
  const bind = async (
    role: GlobalRole,
    fields: Partial<GlobalRoleBinding> = {},
  ): Promise<GlobalRoleBinding> => {
    const user = await concern.client.create(aUser({ principalIds: ["x_user://1"] }));
    const to = { userName: user.metadata.name, globalRoleName: role.metadata.name };
    return concern.create(aGlobalRoleBinding({ ...to, ...fields }));
  };
  const crbOf = ({ metadata }: GlobalRoleBinding) =>
    concern.client.find(
      ClusterRoleBinding,
      globalRoleBindingNames.clusterRoleBinding(metadata.name),
    );
  const roleBindingIn = ({ metadata }: GlobalRoleBinding, namespace: string) =>
    concern.client.find(RoleBinding, globalRoleBindingNames.roleBinding(metadata.name, namespace), {
      namespace,
    });
  const templateBindingsOf = async ({ metadata }: GlobalRoleBinding) =>
    (
      await concern.client.list(ClusterRoleTemplateBinding, {
        labelSelector: `${ownerLabel}=${metadata.name}`,
      })
    ).items;

  it("binds the ClusterRole, fills in what is missing and tells that all is there", async () => {
    const role = await aRole();
    const binding = await bind(role);

    const done = await settled(binding);

    const made = await crbOf(binding);
    expect(made?.roleRef).to.deep.equal({
      apiGroup: rbac,
      kind: "ClusterRole",
      name: globalRoleNames.clusterRole(role.metadata.name),
    });
    expect(made?.subjects).to.deep.equal([
      { kind: "User", name: binding.userName, apiGroup: rbac },
    ]);
    expect(made?.metadata.labels).to.include({
      "authz.management.cattle.io/globalrolebinding": "true",
      [ownerLabel]: binding.metadata.name,
    });
    expect(made?.metadata.ownerReferences?.[0]).to.include({
      kind: "GlobalRoleBinding",
      uid: binding.metadata.uid,
    });
    expect(done.metadata.annotations?.[crbName]).to.equal(made?.metadata.name);
    expect(done.metadata.ownerReferences).to.deep.equal([
      {
        apiVersion: "management.cattle.io/v3",
        kind: "GlobalRole",
        name: role.metadata.name,
        uid: role.metadata.uid,
      },
    ]);
    expect(done.status?.summary).to.equal("Completed");
    expect(conditionsOf(done)).to.deep.equal({
      SubjectReconciled: "True",
      ClusterPermissionsReconciled: "True",
      GlobalRoleBindingReconciled: "True",
      NamespacedRoleBindingReconciled: "True",
    });
  });

  it("costs three writes, and none after a restart", async () => {
    const binding = await bind(await aRole());
    await settled(binding);
    await quiet(concern);
    const first = writes(concern).map(({ verb, resource }) => `${verb} ${resource}`);

    await using again = await RunningConcern.open();
    await concern.client.patch(binding, { merge: { metadata: { labels: { test: again.label } } } });
    await again.run(globalRoleBindings);
    await eventually(async () => (await again.metric(runs)) >= 1);
    await quiet(again);

    expect(first).to.deep.equal([
      "patch globalrolebindings.management.cattle.io",
      `apply clusterrolebindings.${rbac}`,
      "patch globalrolebindings.management.cattle.io",
    ]);
    // Objects of other tests have owners that this one does not see: it asks whether these are gone.
    const asked = again.sent.filter(
      ({ resource }) => resource !== "globalrolebindings.management.cattle.io",
    );
    expect(asked.filter(({ verb }) => !["list", "watch"].includes(verb))).to.deep.equal([]);
    expect(writes(again)).to.deep.equal([]);
  });

  it("puts back what people change, relabel, replace or delete", async () => {
    const binding = await bind(await aRole({ namespacedRules: { default: [rule] } }));
    await settled(binding);
    const made = (await crbOf(binding)) as ClusterRoleBinding;
    const inDefault = (await roleBindingIn(binding, "default")) as RoleBinding;

    const eve = { kind: "User", name: "eve", apiGroup: rbac };
    const labels = { [ownerLabel]: null };
    await concern.client.patch(made, { merge: { subjects: [eve], metadata: { labels } } });
    await concern.client.delete(refTo(RoleBinding, inDefault.metadata.name, "default"));
    await concern.client
      .create({
        ...inDefault,
        metadata: {
          name: inDefault.metadata.name,
          namespace: "default",
          labels: { [ownerLabel]: binding.metadata.name },
        },
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
      })
      .catch(() => undefined); // ours was there again sooner

    await eventually(async () => {
      const { subjects = [], metadata } = (await crbOf(binding)) ?? made;
      return subjects[0]?.name === binding.userName && metadata.labels?.[ownerLabel];
    });
    await eventually(async () => {
      const repaired = await roleBindingIn(binding, "default");
      return repaired?.roleRef.name === inDefault.roleRef.name;
    });
    await concern.client.delete(refTo(ClusterRoleBinding, made.metadata.name));
    await eventually(() => crbOf(binding));
  });

  it("replaces a binding of its own that grants another role, as a Rancher may have left it", async () => {
    const role = await aRole();
    const binding = aGlobalRoleBinding({
      userName: "somebody",
      globalRoleName: role.metadata.name,
    });
    const { name } = binding.metadata;
    await concern.client.create({
      ...refTo(ClusterRoleBinding, globalRoleBindingNames.clusterRoleBinding(name)),
      metadata: {
        name: globalRoleBindingNames.clusterRoleBinding(name),
        labels: { [ownerLabel]: name },
      },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
    } as ClusterRoleBinding);

    await concern.create(binding);

    const expected = globalRoleNames.clusterRole(role.metadata.name);
    await eventually(async () => (await crbOf(binding))?.roleRef.name === expected);
  });

  it("leaves a stranger's object of its name alone, and tells so", async () => {
    const binding = aGlobalRoleBinding({ globalRoleName: (await aRole()).metadata.name });
    const name = globalRoleBindingNames.clusterRoleBinding(binding.metadata.name);
    const roleRef = { apiGroup: rbac, kind: "ClusterRole", name: "view" };
    await concern.client.create({ ...refTo(ClusterRoleBinding, name), roleRef });

    const done = await settled(await concern.create(binding), "Error");

    expect((await crbOf(binding))?.roleRef.name).to.equal("view");
    expect(condition(done, "GlobalRoleBindingReconciled")).to.include({
      reason: "NameTaken",
      message: `ClusterRoleBinding ${name} was made by somebody else: rename or delete it`,
    });
  });

  it("waits for its GlobalRole, and says so", async () => {
    const role = aGlobalRole();
    const binding = await bind(role);

    const waiting = await settled(binding, "Error");
    const before = await crbOf(binding);
    await concern.client.create(role);
    const done = await settled(binding);

    expect(condition(waiting, "GlobalRoleBindingReconciled")).to.include({
      status: "False",
      reason: "FailedToGetGlobalRole",
      message: `globalroles.management.cattle.io "${role.metadata.name}" not found`,
    });
    expect(condition(waiting, "SubjectReconciled")?.status).to.equal("True");
    expect(before).to.equal(undefined);
    expect(done.metadata.ownerReferences?.[0]?.name).to.equal(role.metadata.name);
    expect(await crbOf(binding)).not.to.equal(undefined);
  });

  it("lets what it granted stay when whoever deletes it says so", async () => {
    const binding = await bind(await aRole());
    await settled(binding);
    await quiet(concern); // the garbage collector has to know the references, too

    const { name } = binding.metadata;
    const options = { propagationPolicy: "Orphan" } as const;
    await concern.client.delete(refTo(GlobalRoleBinding, name), options);
    const within = 50_000; // the garbage collector learns of new kinds every 30 s
    await eventually(async () => !(await concern.find(GlobalRoleBinding, binding)), { within });
    await quiet(concern);

    expect((await crbOf(binding))?.metadata.ownerReferences).to.equal(undefined);
  });

  it("takes everything away when its GlobalRole goes and leaves it behind", async () => {
    const role = await aRole({ namespacedRules: { default: [rule] } });
    const binding = await bind(role);
    await settled(binding);
    await quiet(concern); // the garbage collector has to know the references, too

    await concern.client.delete(refTo(GlobalRole, role.metadata.name), {
      propagationPolicy: "Orphan",
    });

    await eventually(async () => !(await crbOf(binding)), { within: 50_000 });
    await eventually(async () => !(await roleBindingIn(binding, "default")));
    await settled(binding, "Error");
  });

  it("case 69: each inherited role is granted in every cluster but the local one, and comes back", async () => {
    const clusters = [aCluster(), aCluster()];
    for (const each of clusters) {
      await concern.client.create(aNamespace(each.metadata.name));
      await concern.client.create(each);
    }
    const [first = "", second = ""] = clusters.map(({ metadata }) => metadata.name);
    const role = await aRole({ inheritedClusterRoles: ["cluster-member"] });
    const binding = await bind(role);
    const grants = async (): Promise<readonly string[]> =>
      (await templateBindingsOf(binding))
        .filter(({ clusterName }) => [first, second, "local"].includes(clusterName))
        .map(({ clusterName, roleTemplateName }) => `${clusterName} ${roleTemplateName}`)
        .sort();
    const both = (template: string) => [`${first} ${template}`, `${second} ${template}`].sort();
    const become = (expected: readonly string[]) =>
      eventually(async () => JSON.stringify(await grants()) === JSON.stringify(expected), {
        within: 10_000,
      });

    await settled(binding);
    await become(both("cluster-member"));
    const [one] = (await templateBindingsOf(binding)).filter((each) => each.clusterName === first);
    await concern.client.delete(refTo(ClusterRoleTemplateBinding, one?.metadata.name ?? "", first));
    await eventually(async () => {
      const uids = (await templateBindingsOf(binding)).map(({ metadata }) => metadata.uid);
      return !uids.includes(one?.metadata.uid ?? "") && (await grants()).length === 2;
    });
    await concern.client.create(aNamespace("local")).catch(() => undefined);
    const own = { [ownerLabel]: binding.metadata.name };
    const by = (namespace: string, fields: Partial<ClusterRoleTemplateBinding>) => ({
      ...aClusterRoleTemplateBinding({
        metadata: { name: uniqueName("crtb-grb-z"), namespace, labels: own },
        clusterName: namespace,
        roleTemplateName: "cluster-member",
        ...fields,
      }),
    });
    const { userName = "" } = binding;
    const wrong = [
      by(first, { userName: "u-eve" }),
      by(first, { userName }),
      by("local", { userName }),
    ];
    for (const each of wrong) await concern.client.create(each);
    await eventually(async () => {
      const names = (await templateBindingsOf(binding)).map(({ metadata }) => metadata.name);
      return wrong.every(({ metadata }) => !names.includes(metadata.name));
    });
    expect(await grants()).to.deep.equal(both("cluster-member"));
    await concern.client.patch(role, { merge: { inheritedClusterRoles: ["cluster-owner"] } });
    await become(both("cluster-owner"));

    const late = aCluster();
    await concern.client.create(late);
    await concern.client.create(aNamespace(late.metadata.name));
    await eventually(async () =>
      (await templateBindingsOf(binding)).some((each) => each.clusterName === late.metadata.name),
    );
    await eventually(async () => (await settled(binding)).status?.summary === "Completed");
  });

  it("case 70: a principal gets its user, and a user its principal", async () => {
    const role = (await aRole()).metadata.name;
    const principal = `x_user://${uniqueName("principal")}`;
    const user = await concern.client.create(aUser({ principalIds: ["y_user://2"] }));
    const { name } = user.metadata;
    await concern.client.patch(user, {
      merge: { principalIds: ["y_user://2", `local://${name}`] },
    });
    const annotations = { "auth.cattle.io/principal-display-name": "Ada" };

    const byPrincipal = await concern.create({
      ...aGlobalRoleBinding({ metadata: { annotations }, globalRoleName: role }),
      userName: "",
      userPrincipalName: principal,
    });
    const byName = await concern.create(
      aGlobalRoleBinding({ userName: name, globalRoleName: role }),
    );
    const [first, second] = [await settled(byPrincipal), await settled(byName)];

    expect(first.userName).to.equal(userNameFor(principal));
    const made = await concern.client.get(User, userNameFor(principal));
    expect(made).to.deep.include({ displayName: "Ada", principalIds: [principal] });
    expect((await crbOf(first))?.subjects?.[0]?.name).to.equal(first.userName);
    expect(second.userPrincipalName).to.equal(`local://${name}`);
  });

  for (const { name, fields, reason } of [
    { name: "neither user nor group", fields: { userName: "" }, reason: "NoSubject" },
    {
      name: "a user and a group",
      fields: { userName: "u-ada", groupPrincipalName: "x_group://1" },
      reason: "AmbiguousSubject",
    },
  ]) {
    it(`case 70: ${name} is no subject, and nothing is granted`, async () => {
      const globalRoleName = (await aRole()).metadata.name;

      const binding = await concern.create(aGlobalRoleBinding({ ...fields, globalRoleName }));
      const done = await settled(binding, "Error");

      expect(condition(done, "SubjectReconciled")).to.include({ status: "False", reason });
      expect(condition(done, "GlobalRoleBindingReconciled")?.status).to.equal("False");
      expect(await crbOf(binding)).to.equal(undefined);
    });
  }

  it("binds a name that no User has yet, and completes the binding when it comes", async () => {
    const user = aUser({ principalIds: ["z_user://3"] });
    const { name } = user.metadata;
    const globalRoleName = (await aRole()).metadata.name;

    const binding = await concern.create(aGlobalRoleBinding({ userName: name, globalRoleName }));
    const waiting = await settled(binding, "Error");
    const bound = await crbOf(binding);
    await concern.client.create(user);
    const done = await settled(binding);

    expect(condition(waiting, "SubjectReconciled")).to.include({
      reason: "UserNotFound",
      message: `users.management.cattle.io "${name}" not found: what it is granted waits for a user of that name; make it, or delete the binding`,
    });
    expect(bound?.subjects?.[0]?.name).to.equal(name);
    expect(done.userPrincipalName).to.equal(`local://${name}`);
  });

  it("binds a group without looking for any user", async () => {
    const globalRoleName = (await aRole()).metadata.name;
    const groupPrincipalName = "x_group://7";
    const { userName: _, ...group } = aGlobalRoleBinding({ groupPrincipalName, globalRoleName });

    const binding = await concern.create(group);
    await settled(binding);

    expect((await crbOf(binding))?.subjects).to.deep.equal([
      { kind: "Group", name: groupPrincipalName, apiGroup: rbac },
    ]);
  });

  it("binds Roles where their namespaces are, now or later, and only as long as there are rules", async () => {
    const later = aNamespace();
    const namespacedRules = { default: [rule], [later.metadata.name]: [rule] };
    const role = await aRole({ namespacedRules });
    const binding = await bind(role);
    await settled(binding);
    const [here, notYet] = [
      await roleBindingIn(binding, "default"),
      await roleBindingIn(binding, later.metadata.name),
    ];

    await concern.client.create(later);
    await eventually(() => roleBindingIn(binding, later.metadata.name));
    await concern.client.patch(role, { merge: { namespacedRules: { default: null } } });
    await eventually(async () => !(await roleBindingIn(binding, "default")));

    expect(here?.roleRef).to.deep.equal({
      apiGroup: rbac,
      kind: "Role",
      name: globalRoleNames.role(role.metadata.name, "default"),
    });
    expect(notYet).to.equal(undefined);
  });

  it("grants what fleet workspaces inherit", async () => {
    const workspace = await concern.client.create(aFleetWorkspace());
    const { name } = workspace.metadata;
    await concern.client.create(aNamespace(name));
    const permissions = { resourceRules: [rule], workspaceVerbs: ["get"] };
    const binding = await bind(await aRole({ inheritedFleetWorkspacePermissions: permissions }));
    const inWorkspace = () =>
      concern.client.find(RoleBinding, binding.metadata.name, { namespace: name });

    const done = await settled(binding);
    const rules = await eventually(inWorkspace);
    const verbs = await eventually(() =>
      concern.client.find(
        ClusterRoleBinding,
        globalRoleBindingNames.fleetVerbs(binding.metadata.name),
      ),
    );

    expect(conditionsOf(done).FleetWorkspacePermissionReconciled).to.equal("True");
    expect(rules.roleRef.name).to.match(/-fwcr$/);
    expect(verbs.roleRef.name).to.match(/-fwv$/);
    await concern.client.delete(refTo(FleetWorkspace, name));
    await eventually(async () => !(await inWorkspace()));
  });

  it("grants nothing any more while others hold a binding that is being deleted", async () => {
    const legacy = "controller.cattle.io/mgmt-auth-grb-controller";
    const binding = aGlobalRoleBinding({ globalRoleName: (await aRole()).metadata.name });
    const held = { ...binding.metadata, finalizers: ["test.dev/hold", legacy] };
    await concern.create({ ...binding, metadata: held });
    await eventually(() => crbOf(binding));

    await concern.client.delete(refTo(GlobalRoleBinding, binding.metadata.name));
    const found = await eventually(async () => {
      const now = await concern.find(GlobalRoleBinding, binding);
      return now?.metadata.finalizers?.length === 1 ? now : undefined;
    });

    expect(found.status).to.include({ summary: "Terminating", summaryLocal: "Terminating" });
    expect(await crbOf(binding)).to.equal(undefined);
    await concern.client.patch(binding, { merge: { metadata: { finalizers: null } } });
  });

  it("makes nothing twice when it is killed after any of its writes", async () => {
    const one = aCluster();
    await concern.client.create(one);
    await concern.client.create(aNamespace(one.metadata.name));
    const fields = {
      inheritedClusterRoles: ["cluster-member"],
      namespacedRules: { default: [rule] },
    };
    const metadata = { name: uniqueName("grb"), labels: { test: "nobody" } };
    const globalRoleName = (await aRole(fields)).metadata.name;
    const { metadata: user } = await concern.client.create(aUser());
    const binding = await concern.client.create(
      aGlobalRoleBinding({ metadata, globalRoleName, userName: user.name }),
    );
    const hand = (to: RunningConcern) =>
      concern.client.patch(binding, { merge: { metadata: { labels: { test: to.label } } } });

    for (let write = 1; write <= 4; write += 1) {
      await using dying = await RunningConcern.open({
        through: (client) => cutAfter(client, 1),
      });
      await dying.run(globalRoleBindings);
      await hand(dying);
      await eventually(() => writes(dying).length >= 1, { within: 5_000 });
      await quiet(dying);
    }
    await hand(concern);
    const done = await settled(binding);

    const here = (await templateBindingsOf(binding)).filter(
      ({ clusterName }) => clusterName === one.metadata.name,
    );
    expect(here).to.have.length(1);
    expect(done.status?.summary).to.equal("Completed");
    const labelSelector = `${ownerLabel}=${binding.metadata.name}`;
    for (const kind of [ClusterRoleBinding, RoleBinding]) {
      expect((await concern.client.list<KubeObject>(kind, { labelSelector })).items).to.have.length(
        1,
      );
    }
  });

  it("goes with its GlobalRole, and leaves nothing behind", async () => {
    const role = await aRole({ namespacedRules: { default: [rule] } });
    const binding = await bind(role);
    await settled(binding);

    await concern.client.delete(refTo(GlobalRole, role.metadata.name));

    const within = 50_000; // the garbage collector learns of new kinds every 30 s
    await eventually(async () => !(await concern.find(GlobalRoleBinding, binding)), { within });
    await eventually(async () => !(await crbOf(binding)), { within });
    await eventually(async () => !(await roleBindingIn(binding, "default")), { within });
  });

  describe("with the controller of roles", () => {
    let roles: RunningConcern;

    beforeEach(async () => {
      roles = await RunningConcern.open();
      await roles.run(globalRoles);
    });
    afterEach(() => roles[Symbol.asyncDispose]());

    /** Whether the user may, as the API server decides. */
    const may = async (user: string, verb: string, resource: string): Promise<boolean> => {
      const review = await concern.client.create<SubjectAccessReview>({
        apiVersion: apiVersionOf(SubjectAccessReview),
        kind: SubjectAccessReview.kind,
        metadata: { name: "" },
        spec: { user, resourceAttributes: { verb, resource, group: "management.cattle.io" } },
      });
      return review.status?.allowed === true;
    };
    const userWith = async (fields: Partial<GlobalRole>): Promise<string> => {
      const role = await roles.create(aGlobalRole(fields));
      return (await settled(await bind(role))).userName ?? "";
    };
    /** The rules of a built-in role. */
    const like = (name: string): Partial<GlobalRole> => {
      const found = builtinRoles({ oidcProvider: false }).find(
        ({ metadata }) => metadata.name === name,
      );
      expect(found?.rules, name).not.to.equal(undefined);
      return { rules: found?.rules ?? [], namespacedRules: found?.namespacedRules ?? {} };
    };

    it("case 72: user may list RoleTemplates, user-base may not, and neither all Users", async () => {
      const base = await userWith(like("user-base"));
      const user = await userWith(like("user"));

      await eventually(() => may(user, "list", "roletemplates"), { within: 5_000 });
      await eventually(() => may(base, "list", "settings"), { within: 5_000 });
      expect(await may(base, "list", "roletemplates")).to.equal(false);
      expect([await may(user, "list", "users"), await may(base, "list", "users")]).to.deep.equal([
        false,
        false,
      ]);
    });

    it("allows an administrator everything, and nothing any more without the binding", async () => {
      const role = await roles.create(aGlobalRole(like("admin")));
      const binding = await settled(await bind(role));
      const { userName = "" } = binding;
      await eventually(() => may(userName, "delete", "clusters"), { within: 5_000 });

      await concern.client.delete(refTo(GlobalRoleBinding, binding.metadata.name));

      await eventually(async () => !(await may(userName, "delete", "clusters")));
    });

    it("case 75: who may only see nodes cannot delete one", async () => {
      const viewing = {
        verbs: ["get", "list", "watch"],
        apiGroups: ["management.cattle.io"],
        resources: ["nodes"],
      };
      const user = await userWith({ rules: [viewing] });

      await eventually(() => may(user, "list", "nodes"), { within: 5_000 });
      expect(await may(user, "delete", "nodes")).to.equal(false);
    });
  });
});

/** A client that dies after so many writes. */
function cutAfter(client: Client, writes: number): Client {
  let left = writes;
  return intercept(client, {
    beforeWrite: () => {
      if (left === 0) throw new Error("cut off");
      left -= 1;
    },
  });
}
