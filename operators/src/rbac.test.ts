import {
  ClusterRoleTemplateBinding,
  clusterBindingOwnerKey,
  impersonationNamespace,
  impersonatorName,
  projectBindingOwnerKey,
  RoleTemplate,
} from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aGlobalRole,
  aGlobalRoleBinding,
  aProject,
  aProjectRoleTemplateBinding,
  aRoleTemplate,
  aUser,
} from "@drover/crds/testing";
import { type ControlPlane, secondTestEnv, startControlPlane, uniqueName } from "@drover/env";
import { mayDo, parseFeatures } from "@drover/platform";
import { expect } from "chai";
import {
  type Client,
  type ClusterConfig,
  ClusterSet,
  connect,
  EventRecorder,
  hubSource,
  Informers,
  type KubeObject,
  loadConfig,
  Metrics,
  refTo,
} from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  type PolicyRule,
  type ResourceAttributes,
  ServiceAccount,
} from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { downstream } from "./index.ts";
import { install } from "./testing/concern.ts";

const concerns = downstream({
  env: {},
  features: parseFeatures(""),
  restart: () => undefined,
}).filter(({ name }) =>
  /^downstream-(role|cluster-role|project-role|global|impersonators)/.test(name),
);
const within = 20_000;

/** What some user may do in one cluster. */
interface Person {
  readonly name: string;
  may(attributes: ResourceAttributes): Promise<boolean>;
  /** Resolves when the API server allows it, or no longer does. */
  becomes(allowed: boolean, attributes: ResourceAttributes): Promise<unknown>;
}

describe("RBAC in the clusters of a hub", function () {
  this.timeout(120_000);

  const cluster = uniqueName("c");
  let plane: ControlPlane;
  let hub: Client;
  let second: Client;
  let informers: Informers;
  let set: ClusterSet;
  let sent: string[];

  before(async () => {
    plane = await startControlPlane();
    await install(plane);
    const metrics = new Metrics({ process: false });
    sent = [];
    const observe = (verb: string, _code: number, resource: string) =>
      void (/get|list|watch/.test(verb) || sent.push(`${verb} ${resource}`));
    const connected = (config: ClusterConfig) => connect(config, { metrics: { observe } });
    const [config, other] = [await configOf(plane), await configOf(await secondTestEnv())];
    hub = connect(config);
    second = connect(other);
    const own = connected(config);
    informers = new Informers(own);
    const events = new EventRecorder(own, { reportingController: "drover" });
    set = new ClusterSet({
      name: "drover",
      controllers: concerns,
      hub: { client: own, informers, events },
      connect: (_name, config) => connected(config),
      metrics,
    });
    await hub.create(refTo(Namespace, cluster));
    await hub.create(refTo(Namespace, "local"));
    await set.engage("local", hubSource);
    await set.engage(cluster, other);
  });

  after(async () => {
    await set[Symbol.asyncDispose]();
    await informers.dispose();
    await hub[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  const configOf = (of: ControlPlane) => loadConfig({ kubeconfig: of.kubeconfigPath });
  const clients = () => ({ local: hub, [cluster]: second });

  const inCluster = (name: string, username: string): Person => {
    const may = (attributes: ResourceAttributes) =>
      mayDo(clients()[name] ?? hub, { username, groups: [] }, attributes);
    const becomes = (allowed: boolean, attributes: ResourceAttributes) =>
      eventually(async () => (await may(attributes)) === allowed, {
        within,
        what: `${allowed} ${JSON.stringify(attributes)}`,
      });
    return { name: username, may, becomes };
  };
  const someUser = async (): Promise<string> =>
    (await hub.create(aUser({ metadata: { name: uniqueName("u") } }))).metadata.name;
  const template = async (
    fields: Partial<Omit<RoleTemplate, "metadata">>,
    name = uniqueName("rt"),
  ) =>
    (await hub.create(aRoleTemplate({ rules: [], ...fields, metadata: { name } }))).metadata.name;
  const someProject = async (clusterName = cluster): Promise<string> => {
    const name = uniqueName("p");
    await hub.create(refTo(Namespace, name));
    await hub.create(
      aProject({
        metadata: { name, namespace: clusterName },
        spec: { displayName: name, clusterName },
      }),
    );
    return name;
  };
  const namespaceOf = async (project: string, clusterName = cluster): Promise<string> => {
    const name = uniqueName("ns");
    const annotations = { "field.cattle.io/projectId": `${clusterName}:${project}` };
    const namespace = { ...refTo(Namespace, name), metadata: { name, annotations } };
    await clients()[clusterName]?.create(namespace);
    return name;
  };
  const bindInProject = (
    project: string,
    roleTemplateName: string,
    userName: string,
    clusterName = cluster,
  ) =>
    hub.create(
      aProjectRoleTemplateBinding({
        metadata: { name: uniqueName("prtb"), namespace: project },
        projectName: `${clusterName}:${project}`,
        roleTemplateName,
        userName,
      }),
    );
  const bindInCluster = (roleTemplateName: string, userName: string, clusterName = cluster) =>
    hub.create(
      aClusterRoleTemplateBinding({
        metadata: { name: uniqueName("crtb"), namespace: clusterName },
        clusterName,
        roleTemplateName,
        userName,
      }),
    );
  /** The roles that ClusterRoleBindings in the cluster grant for all of some bindings in projects. */
  const sharedBy = async (bindings: readonly KubeObject[]): Promise<readonly string[]> => {
    const owners = bindings.map(({ metadata }) => projectBindingOwnerKey(metadata.name));
    return (await second.list(ClusterRoleBinding)).items
      .filter(({ metadata }) => owners.every((owner) => metadata.labels?.[owner] === "true"))
      .map(({ roleRef }) => roleRef.name);
  };
  const remove = (object: KubeObject) => hub.delete(object, { preconditions: "none" });
  const reading = (resource: string, ...resourceNames: readonly string[]): PolicyRule => ({
    verbs: ["get"],
    apiGroups: [""],
    resources: [resource],
    ...(resourceNames.length > 0 && { resourceNames }),
  });
  const impersonating = (name: string) => ({ verb: "impersonate", resource: "users", name });

  for (const where of ["the cluster", "the hub itself"]) {
    it(`case 54: templates that a project's template inherits grant and cease to grant, in ${where}`, async () => {
      const name = where === "the cluster" ? cluster : "local";
      const b = await template({ context: "project", rules: [reading("secrets", "one")] });
      const a = await template({ context: "project", roleTemplateNames: [b] });
      const c = await template({ context: "project", roleTemplateNames: [a] });
      const project = await someProject(name);
      const namespace = await namespaceOf(project, name);
      const people = [
        inCluster(name, await someUser()),
        inCluster(name, await someUser()),
      ] as const;
      const bound = [
        await bindInProject(project, a, people[0].name, name),
        await bindInProject(project, c, people[1].name, name),
      ] as const;
      const secret = (of: string) => ({ verb: "get", resource: "secrets", name: of, namespace });

      for (const person of people) await person.becomes(true, secret("one"));
      for (const person of people) expect(await person.may(secret("two"))).to.equal(false);
      await hub.patch(refTo(RoleTemplate, b), {
        merge: { rules: [reading("secrets", "one", "two")] },
      });
      for (const person of people) await person.becomes(true, secret("two"));
      expect(await people[0].may(secret("one"))).to.equal(true);
      await remove(bound[0]);
      await people[0].becomes(false, secret("one"));

      expect(await people[0].may(secret("two"))).to.equal(false);
      expect(await people[1].may(secret("two"))).to.equal(true);
    });
  }

  it("case 55: templates that a cluster's template inherits grant namespaces by name, after edits too", async () => {
    const b = await template({ rules: [reading("namespaces", "alpha")] });
    const a = await template({ roleTemplateNames: [b] });
    const c = await template({ roleTemplateNames: [a] });
    const person = inCluster(cluster, await someUser());
    const binding = await bindInCluster(c, person.name);
    const namespace = (name: string) => ({ verb: "get", resource: "namespaces", name });

    await person.becomes(true, namespace("alpha"));
    await hub.patch(refTo(RoleTemplate, b), { merge: { rules: [reading("namespaces", "beta")] } });
    await person.becomes(true, namespace("beta"));
    await person.becomes(false, namespace("alpha"));
    expect(await inCluster("local", person.name).may(namespace("beta"))).to.equal(false);
    await hub.patch(refTo(RoleTemplate, c), { merge: { roleTemplateNames: [] } });
    await person.becomes(false, namespace("beta"));
    await hub.patch(refTo(RoleTemplate, c), { merge: { roleTemplateNames: [a] } });
    await person.becomes(true, namespace("beta"));
    await remove(binding);

    await person.becomes(false, namespace("beta"));
  });

  it("case 56: who loses one of two projects keeps the other, and what both grant", async () => {
    await template(
      {
        context: "project",
        rules: [{ verbs: ["create"], apiGroups: [""], resources: ["namespaces"] }],
      },
      "create-ns",
    );
    const member = await template({
      context: "project",
      rules: [reading("pods"), reading("nodes")],
      roleTemplateNames: ["create-ns"],
    });
    const projects = [await someProject(), await someProject()] as const;
    const [one, other] = [await namespaceOf(projects[0]), await namespaceOf(projects[1])];
    const person = inCluster(cluster, await someUser());
    const bound = [
      await bindInProject(projects[0], member, person.name),
      await bindInProject(projects[1], member, person.name),
    ] as const;
    const pods = (namespace: string) => ({ verb: "get", resource: "pods", namespace });

    await person.becomes(true, pods(one));
    await person.becomes(true, pods(other));
    await person.becomes(true, { verb: "get", resource: "nodes" });
    await person.becomes(true, { verb: "create", resource: "namespaces" });
    for (const role of ["create-ns", `${member}-promoted-aggregator`]) {
      // allowed as soon as one binding made it; the other has yet to claim it
      const isShared = async () => (await sharedBy(bound)).includes(role);
      await eventually(isShared, { within, what: `${role} for both` });
    }
    await remove(bound[0]);
    await person.becomes(false, pods(one));

    expect(await person.may(pods(other))).to.equal(true);
    expect(await person.may({ verb: "get", resource: "nodes" })).to.equal(true);
    expect(await person.may({ verb: "create", resource: "namespaces" })).to.equal(true);
    await remove(bound[1]);
    for (const attributes of [
      pods(other),
      { verb: "get", resource: "nodes" },
      { verb: "create", resource: "namespaces" },
    ]) {
      await person.becomes(false, attributes);
    }
  });

  it("case 59: owners may impersonate users, members only whom a ClusterRole names for them", async () => {
    const owner = await template({ rules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] });
    const member = await template({ rules: [reading("nodes")] });
    const [an, a] = [await someUser(), await someUser()].map((name) => inCluster(cluster, name));
    if (an === undefined || a === undefined) throw new Error("nobody");
    await bindInCluster(owner, an.name);
    await bindInCluster(member, a.name);
    await an.becomes(true, impersonating("anybody"));
    await a.becomes(true, { verb: "get", resource: "nodes" });
    const before = await a.may(impersonating("bob"));

    const limited = uniqueName("limited");
    const apiGroup = ClusterRole.group;
    const rules = [
      { verbs: ["impersonate"], apiGroups: [""], resources: ["users"], resourceNames: ["bob"] },
    ];
    await second.create({ ...refTo(ClusterRole, limited), rules } as ClusterRole);
    await second.create({
      ...refTo(ClusterRoleBinding, limited),
      roleRef: { apiGroup, kind: "ClusterRole", name: limited },
      subjects: [{ kind: "User", name: a.name, apiGroup }],
    } as ClusterRoleBinding);
    await a.becomes(true, impersonating("bob"));

    expect(before).to.equal(false);
    expect(await a.may(impersonating("anybody"))).to.equal(false);
  });

  it("lets the account of a member act as the member, and makes that known in the binding", async () => {
    const user = await someUser();
    const binding = await bindInCluster(await template({ rules: [reading("nodes")] }), user);
    const { name, namespace, generation } = binding.metadata;
    const local = { observedGenerationLocal: generation }; // as the leader tells, whose part this is not
    await hub.patch(binding, { merge: { status: local } }, { subresource: "status" });
    const status = async () =>
      (await hub.get(ClusterRoleTemplateBinding, name, { namespace })).status;
    await eventually(async () => (await status())?.summaryRemote === "Completed", { within });
    const account = inCluster(
      cluster,
      `system:serviceaccount:${impersonationNamespace}:${impersonatorName(user)}`,
    );

    await account.becomes(true, impersonating(user));
    expect(await account.may(impersonating("admin"))).to.equal(false);
    const bound = (await second.list(ClusterRoleBinding)).items.find(
      ({ metadata }) => metadata.labels?.[clusterBindingOwnerKey(name)] === "true",
    );
    expect(bound?.subjects?.[0]?.name).to.equal(user);
    await remove(binding);

    await eventually(
      async () =>
        (await second.find(ServiceAccount, impersonatorName(user), {
          namespace: impersonationNamespace,
        })) === undefined,
      { within },
    );
  });

  it("case 74: an administrator is one everywhere, and inherits Roles in the cluster alone", async () => {
    const namespace = uniqueName("ns");
    for (const client of [hub, second]) await client.create(refTo(Namespace, namespace));
    const everything = [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ];
    const admin = await hub.create(aGlobalRole({ rules: everything }));
    const viewer = await hub.create(
      aGlobalRole({ rules: [], inheritedNamespacedRules: { [namespace]: [reading("pods")] } }),
    );
    const [ada, bob] = [await someUser(), await someUser()] as const;
    const grant = (globalRoleName: string, userName: string) =>
      hub.create(aGlobalRoleBinding({ globalRoleName, userName }));
    const bound = await grant(admin.metadata.name, ada);
    await grant(viewer.metadata.name, bob);

    const nodes = { verb: "delete", resource: "nodes" };
    for (const name of ["local", cluster]) await inCluster(name, ada).becomes(true, nodes);
    const pods = { verb: "get", resource: "pods", namespace };
    await inCluster(cluster, bob).becomes(true, pods);
    expect(await inCluster("local", bob).may(pods)).to.equal(false);
    await remove(bound);

    for (const name of ["local", cluster]) await inCluster(name, ada).becomes(false, nodes);
  });

  it("writes nothing when the cluster is engaged anew", async () => {
    let [count, since] = [-1, Date.now()];
    const quiet = () => {
      if (sent.length !== count) [count, since] = [sent.length, Date.now()];
      return Date.now() - since > 500;
    };
    await eventually(quiet, { within });
    const before = sent.filter(isNoEvent);

    await set.disengage(cluster);
    await set.engage(cluster, await configOf(await secondTestEnv()));
    await eventually(quiet, { within });

    expect(sent.filter(isNoEvent)).to.deep.equal(before);
  });

  const isNoEvent = (each: string) => !each.includes("events");
});
