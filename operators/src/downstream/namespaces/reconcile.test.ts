import {
  annotations,
  ClusterRoleTemplateBinding,
  idOfProject,
  labels,
  namespaceAnnotations,
  type Project,
  type ProjectRoleTemplateBinding,
  projectBindingOwnerKey,
  projectNames,
  roleTemplateLabels,
} from "@drover/crds";
import { aClusterRoleTemplateBinding, aProjectRoleTemplateBinding } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type CacheAccess, type Context, refTo } from "kopf-ts";
import {
  ClusterRole,
  type ClusterRoleBinding,
  Namespace,
  RoleBinding,
  Secret,
  ServiceAccount,
} from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eventsAbout } from "../../testing/events.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { annotate, inside, newNamespace, newProject } from "../../testing/projects.ts";
import { settledWrites } from "../../testing/writes.ts";
import { clusterNamespaces } from "./index.ts";

type Entries = Readonly<Record<string, string>>;

const patient = { within: 20_000 };
const created = "lifecycle.cattle.io/create.namespace-auth";
const noToken = "management.cattle.io/no-default-sa-token";
const rbac = "rbac.authorization.k8s.io";

/** The run's surroundings, with a cache of the hub that does not show ClusterRoleTemplateBindings yet. */
function withoutClusterBindings(context: Context): Context {
  const { client, cache } = context.hub;
  const none = { has: () => false };
  const behind: CacheAccess = (kind, choice) =>
    kind.kind === ClusterRoleTemplateBinding.kind
      ? Object.assign(Object.create(cache(kind, choice)), none)
      : cache(kind, choice);
  const hub = { client, cache: behind };
  return new Proxy(context, {
    get: (target, name) => (name === "hub" ? hub : Reflect.get(target, name, target)),
  });
}

describe("cluster-namespaces between two API servers", function () {
  this.timeout(60_000);

  let running: RunningDownstream;
  let system: string;

  eachDownstream((opened) => {
    running = opened;
    system = uniqueName("system");
  });

  const start = () => running.run(clusterNamespaces({ env: { CATTLE_SYSTEM_NAMESPACES: system } }));
  const aProjectWith = (given: Entries = {}): Promise<Project> => {
    const name = uniqueName("p");
    const backingNamespace = projectNames.backingNamespace(running.name, name);
    return newProject(running, { metadata: { name, labels: given }, status: { backingNamespace } });
  };
  const metadataOf = async ({ metadata }: Namespace) =>
    (await running.cluster.get(Namespace, metadata.name)).metadata;
  const seen = (namespace: Namespace) =>
    eventually(
      async () => (await metadataOf(namespace)).annotations?.[created] === "true",
      patient,
    );
  const isPopulated = async (namespace: Namespace): Promise<boolean> => {
    const said = (await metadataOf(namespace)).annotations?.[namespaceAnnotations.status] ?? "";
    return said.includes('"Type":"InitialRolesPopulated","Status":"True"');
  };
  const newBinding = async (project: Project): Promise<ProjectRoleTemplateBinding> => {
    const namespace = project.status?.backingNamespace ?? "";
    await running.hub.apply(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
      { fieldManager: "test" },
    );
    const metadata = { name: uniqueName("prtb"), namespace };
    return running.hub.create(
      aProjectRoleTemplateBinding({ metadata, projectName: idOfProject(project), userName: "u-1" }),
    );
  };
  const newRoleBinding = (namespace: Namespace, given: Entries): Promise<RoleBinding> => {
    const metadata = { name: uniqueName("rb"), namespace: namespace.metadata.name, labels: given };
    const roleRef = { apiGroup: rbac, kind: "ClusterRole", name: "view" };
    return running.cluster.create<RoleBinding>({
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef,
    });
  };
  const bindingsIn = async ({ metadata }: Namespace): Promise<readonly string[]> => {
    const { items } = await running.cluster.list(RoleBinding, { namespace: metadata.name });
    return items.map((each) => each.metadata.name).toSorted();
  };
  const owned = (binding: ProjectRoleTemplateBinding): Entries => ({
    [projectBindingOwnerKey(binding.metadata.name)]: "true",
    [roleTemplateLabels.aggregation]: "true",
  });
  const newRole = (
    project: Project,
    name: string,
    resourceNames: readonly string[],
    verb: string,
  ) => {
    const said = { "authz.cluster.auth.io/project-namespaces": name };
    const rules = [{ verbs: [verb], apiGroups: [""], resources: ["namespaces"], resourceNames }];
    return running.cluster.create({
      ...refTo(ClusterRole, name),
      metadata: { name, annotations: said, labels: { of: project.metadata.name } },
      rules,
    } as ClusterRole);
  };
  const writes = () => settledWrites(running);

  it("says of a namespace without project that it was seen and has its roles, in one write and none after a restart", async () => {
    await start();
    const namespace = await newNamespace(running);
    await seen(namespace);
    const first = await writes();
    await start();
    const second = await writes();

    expect(await isPopulated(namespace)).to.equal(true);
    expect(first).to.deep.equal(["cluster: patch namespaces"]);
    expect(second).to.deep.equal(first);
  });

  it("lets the label follow the annotation, and with it what Secrets say, but not copies", async () => {
    const [one, other] = [await aProjectWith(), await aProjectWith()];
    await start();
    const namespace = await newNamespace(running, inside(one));
    await eventually(
      async () => (await metadataOf(namespace)).labels?.[labels.projectId] === one.metadata.name,
      patient,
    );
    const secret = (name: string, said: Entries) =>
      running.cluster.create({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name, namespace: namespace.metadata.name, annotations: said },
      } as Secret);
    await secret("own", {});
    await secret("copy", { "secret.user.cattle.io/secret": "true", ...inside(one) });

    await annotate(running, namespace, inside(other));
    await eventually(
      async () => (await metadataOf(namespace)).labels?.[labels.projectId] === other.metadata.name,
      patient,
    );
    const { items } = await running.cluster.list(Secret, { namespace: namespace.metadata.name });
    await annotate(running, namespace, { [annotations.projectId]: null });
    await eventually(
      async () => (await metadataOf(namespace)).labels?.[labels.projectId] === undefined,
      patient,
    );

    const said = Object.fromEntries(
      items.map(({ metadata }) => [metadata.name, metadata.annotations?.[annotations.projectId]]),
    );
    expect(said).to.include({ own: idOfProject(other), copy: idOfProject(one) });
  });

  it("puts back a label that somebody changed", async () => {
    const project = await aProjectWith();
    await start();
    const namespace = await newNamespace(running, inside(project));
    const follows = async () =>
      (await metadataOf(namespace)).labels?.[labels.projectId] === project.metadata.name;
    await eventually(follows, patient);

    const wrong = { metadata: { labels: { [labels.projectId]: "p-other" } } };
    await running.cluster.patch(refTo(Namespace, namespace.metadata.name), { merge: wrong });

    await eventually(follows, patient);
  });

  it("case 34: takes the token from the ServiceAccount default of system namespaces, and again when it is given back", async () => {
    await start();
    const namespace = await newNamespace(running, {}, { name: system });
    const ordinary = await newNamespace(running);
    const account = (of: Namespace) =>
      running.cluster.find(ServiceAccount, "default", { namespace: of.metadata.name });
    const isWithout = async () =>
      (await account(namespace))?.automountServiceAccountToken === false;
    await eventually(isWithout, patient);

    const given = { automountServiceAccountToken: true };
    await running.cluster.patch(refTo(ServiceAccount, "default", system), { merge: given });
    await eventually(isWithout, patient);

    expect((await metadataOf(namespace)).annotations?.[noToken]).to.equal("true");
    await seen(ordinary);
    const other = await eventually(() => account(ordinary), patient);
    expect(other.automountServiceAccountToken).to.equal(undefined);
    expect((await metadataOf(ordinary)).annotations).not.to.have.property(noToken);
  });

  it("takes namespaces of the setting and of fleet into the system project", async () => {
    const project = await aProjectWith({ [labels.systemProject]: "true" });
    const elsewhere = await aProjectWith();
    await start();

    const named = await newNamespace(running, {}, { name: system });
    const fleet = await newNamespace(running, inside(elsewhere), {
      labels: { "fleet.cattle.io/managed": "true" },
    });

    for (const namespace of [named, fleet]) {
      await eventually(async () => {
        const { annotations: said, labels: given } = await metadataOf(namespace);
        const isIn = said?.[annotations.projectId] === idOfProject(project);
        return isIn && given?.[labels.projectId] === project.metadata.name;
      }, patient);
    }
  });

  it("takes fleet's namespaces into a system project that comes later", async () => {
    await start();
    const fleet = await newNamespace(
      running,
      {},
      { labels: { "fleet.cattle.io/managed": "true" } },
    );
    await seen(fleet);

    const project = await aProjectWith({ [labels.systemProject]: "true" });

    await eventually(
      async () =>
        (await metadataOf(fleet)).annotations?.[annotations.projectId] === idOfProject(project),
      patient,
    );
  });

  it("case 53: takes what bindings of projects gave from a namespace without project, and nothing else", async () => {
    const project = await aProjectWith();
    const binding = await newBinding(project);
    const clusterBinding = aClusterRoleTemplateBinding({
      metadata: { namespace: running.name },
      clusterName: running.name,
    });
    await running.hub.create(clusterBinding);
    const namespace = await newNamespace(running);
    await newRoleBinding(namespace, owned(binding));
    const { legacyOwner } = roleTemplateLabels;
    await newRoleBinding(namespace, { [legacyOwner]: `c-x-p-y_${binding.metadata.name}` });
    const kept = [
      await newRoleBinding(namespace, { "authz.cluster.cattle.io/crtb-owner-x": "true" }),
      await newRoleBinding(namespace, {
        [legacyOwner]: `${running.name}_${clusterBinding.metadata.name}`,
      }),
      await newRoleBinding(namespace, {}),
    ].map(({ metadata }) => metadata.name);

    await start();
    await seen(namespace);
    await eventually(async () => (await bindingsIn(namespace)).length <= 3, patient);

    expect(await bindingsIn(namespace)).to.deep.equal(kept.toSorted());
  });

  it("leaves what a binding of the cluster gave while the cache does not show it yet", async () => {
    const clusterBinding = aClusterRoleTemplateBinding({
      metadata: { namespace: running.name },
      clusterName: running.name,
    });
    await running.hub.create(clusterBinding);
    const namespace = await newNamespace(running);
    const { legacyOwner } = roleTemplateLabels;
    await newRoleBinding(namespace, { [legacyOwner]: `c-x-p-y_${uniqueName("prtb")}` });
    const kept = await newRoleBinding(namespace, {
      [legacyOwner]: `${running.name}_${clusterBinding.metadata.name}`,
    });

    const controller = clusterNamespaces({ env: { CATTLE_SYSTEM_NAMESPACES: system } });
    await running.run({
      ...controller,
      reconcile: (object, context) => controller.reconcile(object, withoutClusterBindings(context)),
    });
    await seen(namespace);
    await eventually(async () => (await bindingsIn(namespace)).length <= 1, patient);

    expect(await bindingsIn(namespace)).to.deep.equal([kept.metadata.name]);
  });

  it("case 53: leaves everything in a namespace of an unknown project, and warns once", async () => {
    const project = await aProjectWith();
    const binding = await newBinding(project);
    const unknown = `${running.name}:${uniqueName("never")}`;
    const namespace = await newNamespace(
      running,
      { [annotations.projectId]: unknown },
      { labels: { [labels.projectId]: "p-old" } },
    );
    const kept = await newRoleBinding(namespace, owned(binding));

    await start();
    const warnings = () => running.lines.filter((line) => line.includes("unknown project"));
    await eventually(() => warnings().length > 0, patient);
    await annotate(running, namespace, { touched: "yes" });
    await annotate(running, namespace, { touched: "again" });
    const written = await writes();
    await running.flush();

    expect(await bindingsIn(namespace)).to.deep.equal([kept.metadata.name]);
    const { labels: given, annotations: said } = await metadataOf(namespace);
    expect(given?.[labels.projectId]).to.equal("p-old");
    expect(said).to.deep.equal({ [annotations.projectId]: unknown, touched: "again" });
    expect(written).to.deep.equal([]);
    expect(warnings()).to.have.length(1);
    const events = await eventsAbout(running.cluster, namespace.metadata.name);
    expect(events.filter((each) => each.startsWith("UnknownProject"))).to.have.length(1);
  });

  it("goes on with a namespace whose project comes later", async () => {
    const name = uniqueName("p");
    const namespace = await newNamespace(running, {
      [annotations.projectId]: `${running.name}:${name}`,
    });
    await start();
    await eventually(() => running.lines.some((line) => line.includes("unknown project")), patient);

    await newProject(running, { metadata: { name } });

    await eventually(
      async () => (await metadataOf(namespace)).labels?.[labels.projectId] === name,
      patient,
    );
  });

  it("takes what the former project gave from a namespace that moves", async () => {
    const [from, to] = [await aProjectWith(), await aProjectWith()];
    const [old, present] = [await newBinding(from), await newBinding(to)];
    await start();
    const namespace = await newNamespace(running, inside(from));
    await seen(namespace);
    const stray = await newRoleBinding(namespace, owned(old));
    await writes();
    const before = await bindingsIn(namespace);

    await annotate(running, namespace, inside(to));
    const kept = await newRoleBinding(namespace, owned(present));

    await eventually(
      async () => !(await bindingsIn(namespace)).includes(stray.metadata.name),
      patient,
    );
    expect(before).to.deep.equal([stray.metadata.name]);
    expect(await bindingsIn(namespace)).to.deep.equal([kept.metadata.name]);
  });

  it("case 37: says once that the roles are there, and not before all are", async () => {
    const project = await aProjectWith();
    const binding = await newBinding(project);
    await start();
    const namespace = await newNamespace(running, {
      ...inside(project),
      [annotations.creatorId]: "u-1",
    });
    await seen(namespace);
    const { name } = project.metadata;
    const names = [namespace.metadata.name];
    await newRole(project, projectNames.namespacesReadonly(name), names, "get");
    await newRole(project, projectNames.namespacesEdit(name), names, "*");
    await writes();
    const withRoles = await isPopulated(namespace);
    await newRoleBinding(namespace, owned(binding));
    await writes();
    const withBinding = await isPopulated(namespace);

    await running.cluster.create<ClusterRoleBinding>({
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: uniqueName("crb") },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: projectNames.namespacesEdit(name) },
      subjects: [{ kind: "User", name: "u-1", apiGroup: rbac }],
    });
    await eventually(() => isPopulated(namespace), patient);
    const said = (await metadataOf(namespace)).annotations?.[namespaceAnnotations.status];
    await running.cluster.delete(refTo(ClusterRole, projectNames.namespacesEdit(name)));
    await writes();

    expect([withRoles, withBinding]).to.deep.equal([false, false]);
    const after = (await metadataOf(namespace)).annotations?.[namespaceAnnotations.status];
    expect(after).to.equal(said);
  });

  it("lets go of a namespace that a Rancher before us holds, also of one that is being deleted", async () => {
    const finalizers = ["controller.cattle.io/namespace-auth"];
    const [held, leaving] = [
      await newNamespace(running, {}, { finalizers }),
      await newNamespace(running, {}, { finalizers }),
    ];
    await running.cluster.delete(leaving, { preconditions: "uid" });

    await start();

    await eventually(async () => (await metadataOf(held)).finalizers === undefined, patient);
    await eventually(
      async () => !(await running.cluster.find(Namespace, leaving.metadata.name)),
      patient,
    );
  });
});
