import {
  annotations,
  Cluster,
  ClusterRoleTemplateBinding,
  labels,
  Project,
  RoleTemplate,
} from "@drover/crds";
import { aCluster, aProject, aRoleTemplate, aUser } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { findCondition, reconcileOnce, refTo } from "kopf-ts";
import { ClusterRole, Namespace } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster as plane, RunningConcern } from "../../testing/concern.ts";
import { eventsAbout } from "../../testing/events.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { clusters } from "./index.ts";

const within = 15_000;
const env = {};
const { creatorId, creatorPrincipalName, creatorRoleBindings, noCreatorRbac, systemNamespace } =
  annotations;
const types = [
  "BackingNamespaceCreated",
  "DefaultProjectCreated",
  "SystemProjectCreated",
  "CreatorMadeOwner",
  "InitialRolesPopulated",
];

/** Roles of other tests have owners that this one does not see: it asks whether these are gone, and then takes the roles away. */
const ownWrites = (concern: RunningConcern): readonly string[] =>
  writes(concern)
    .filter(({ verb }) => verb !== "delete")
    .map(({ verb, resource }) => `${verb} ${resource}`);

describe("clusters on an API server", function () {
  this.timeout(60_000);

  let concern: RunningConcern;

  before(() => plane());
  beforeEach(async () => {
    concern = await RunningConcern.open();
  });
  afterEach(() => concern[Symbol.asyncDispose]());

  const run = () => concern.run(clusters({ env }));
  const condition = (cluster: Cluster | undefined, type: string) =>
    findCondition(cluster?.status?.conditions, type);
  /** The cluster once a condition has a status. */
  const told = (cluster: Cluster, type: string, status: string): Promise<Cluster> =>
    eventually(
      async () => {
        const found = await concern.find(Cluster, cluster);
        return condition(found, type)?.status === status && found;
      },
      { within, what: `${type}=${status}` },
    );
  const settled = (cluster: Cluster) => told(cluster, "InitialRolesPopulated", "True");
  /** The Events about a cluster, once there are any. */
  const eventsOf = ({ metadata }: Cluster): Promise<readonly string[]> =>
    eventually(
      async () => {
        await concern.flush();
        const found = await eventsAbout(concern.client, metadata.name);
        return found.length > 0 && found;
      },
      { within },
    );
  const projectsOf = async ({ metadata }: Cluster) =>
    (await concern.client.list(Project, { namespace: metadata.name })).items;
  const bindingsOf = async ({ metadata }: Cluster) =>
    (await concern.client.list(ClusterRoleTemplateBinding, { namespace: metadata.name })).items;
  const labelled = async (cluster: Cluster, label: string) =>
    (await projectsOf(cluster)).filter(({ metadata }) => metadata.labels?.[label] === "true");
  const made = (notes: Readonly<Record<string, string>> = {}) =>
    concern.create(aCluster({ metadata: { annotations: notes } }));
  /** Templates exist for all tests of the run: only those of one's own are counted. */
  const template = (fields: Partial<RoleTemplate> = {}) =>
    concern.create(aRoleTemplate({ clusterCreatorDefault: true, ...fields }));
  const unmark = async (...all: readonly RoleTemplate[]) => {
    for (const each of all) {
      await concern.client.patch(each, { merge: { clusterCreatorDefault: false } });
    }
  };

  it("case 1: begins without conditions, whatever its maker said of them", async () => {
    const conditions = [{ type: "Ready", status: "True" }] as const;

    const cluster = await concern.create(aCluster({ status: { conditions } }));

    expect(cluster.status?.conditions).to.equal(undefined);
    expect((await concern.client.get(Cluster, cluster.metadata.name)).status).to.equal(undefined);
  });

  it("case 2: makes the namespace, and says so, before it makes the default project", async () => {
    await run();
    const cluster = await made();

    const done = await settled(cluster);
    await quiet(concern);

    const namespace = await concern.client.get(Namespace, cluster.metadata.name);
    expect(namespace.metadata.annotations?.[systemNamespace]).to.equal("true");
    expect(done.status?.conditions?.map(({ type }) => type)).to.deep.equal(types);
    expect(done.status?.conditions?.map(({ status }) => status)).to.deep.equal(
      types.map(() => "True"),
    );
    expect(ownWrites(concern)).to.deep.equal([
      "patch clusters.management.cattle.io", // the finalizer
      "apply namespaces",
      "patch clusters.management.cattle.io", // BackingNamespaceCreated
      "create projects.management.cattle.io",
      "create projects.management.cattle.io",
      "patch clusters.management.cattle.io", // creator-role-bindings
      "apply clusterroles.rbac.authorization.k8s.io",
      "apply clusterroles.rbac.authorization.k8s.io",
      "patch clusters.management.cattle.io", // all other conditions
    ]);
  });

  it("case 3: makes exactly one Default and one System project", async () => {
    await run();
    const cluster = await made({ [noCreatorRbac]: "true" });

    await settled(cluster);

    const [usual, ...others] = await labelled(cluster, labels.defaultProject);
    const [system, ...more] = await labelled(cluster, labels.systemProject);
    expect([...others, ...more]).to.deep.equal([]);
    expect(usual?.spec?.displayName).to.equal("Default");
    expect(system?.spec?.displayName).to.equal("System");
    expect(system?.metadata.annotations).to.include({ [noCreatorRbac]: "true" });
    expect(system?.status?.backingNamespace).to.equal(
      `${cluster.metadata.name}-${system?.metadata.name}`,
    );
    expect(await projectsOf(cluster)).to.have.length(2);
  });

  it("makes one of each, too, where two run at once by caches that show nothing", async () => {
    const cluster = await made();
    const once = () =>
      reconcileOnce(clusters({ env }), cluster, {
        client: concern.client,
        fieldManagerPrefix: "drover-",
      });

    await Promise.allSettled([once(), once(), once()]);
    await run();
    await settled(cluster);

    expect(await labelled(cluster, labels.defaultProject)).to.have.length(1);
    expect(await labelled(cluster, labels.systemProject)).to.have.length(1);
    expect(await projectsOf(cluster)).to.have.length(2);
  });

  it("takes projects for the default ones that a Rancher before it made", async () => {
    const cluster = await made();
    const { name } = cluster.metadata;
    const notes = { [systemNamespace]: "true" };
    await concern.client.create({
      ...refTo(Namespace, name),
      metadata: { name, annotations: notes },
    });
    for (const label of [labels.defaultProject, labels.systemProject]) {
      const spec = { displayName: "ours", clusterName: name };
      await concern.client.create(
        aProject({ metadata: { namespace: name, labels: { [label]: "true" } }, spec }),
      );
    }

    await run();
    await settled(cluster);

    expect((await projectsOf(cluster)).map(({ spec }) => spec?.displayName)).to.deep.equal([
      "ours",
      "ours",
    ]);
  });

  it("makes a missing System project again, and gives labels back, but lets a Default project go", async () => {
    await run();
    const cluster = await made();
    await settled(cluster);
    const [usual] = await labelled(cluster, labels.defaultProject);
    const [system] = await labelled(cluster, labels.systemProject);

    await concern.client.delete(usual as Project, { preconditions: "uid" });
    await concern.client.delete(system as Project, { preconditions: "uid" });
    const again = await eventually(
      async () => (await labelled(cluster, labels.systemProject))[0] ?? false,
      { within },
    );
    const bereft = { merge: { metadata: { labels: { [labels.systemProject]: null } } } };
    await concern.client.patch(again, bereft);
    await eventually(async () => (await labelled(cluster, labels.systemProject)).length === 1, {
      within,
    });
    await quiet(concern);

    expect(again.metadata.uid).not.to.equal(system?.metadata.uid);
    expect(await projectsOf(cluster)).to.have.length(1);
  });

  for (const { title, principal, subject } of [
    { title: "userName for a local principal", principal: "local://x", subject: "userName" },
    { title: "userName without a principal", principal: undefined, subject: "userName" },
    {
      title: "userPrincipalName for one that is not local",
      principal: "github_user://1",
      subject: "userPrincipalName",
    },
  ] as const) {
    it(`case 4: the creator's binding has ${title}`, async () => {
      const role = await template();
      await run();
      const user = await concern.create(aUser());
      const cluster = await made({
        [creatorId]: user.metadata.name,
        ...(principal !== undefined && { [creatorPrincipalName]: principal }),
      });

      await settled(cluster);
      await unmark(role);

      const [binding] = (await bindingsOf(cluster)).filter(
        ({ roleTemplateName }) => roleTemplateName === role.metadata.name,
      );
      expect(binding?.metadata.name).to.equal(`creator-${role.metadata.name}`);
      const { userName, userPrincipalName } = binding ?? {};
      const expected = subject === "userName" ? user.metadata.name : principal;
      expect({ userName, userPrincipalName }).to.deep.equal({
        userName: undefined,
        userPrincipalName: undefined,
        [subject]: expected,
      });
    });
  }

  for (const { title, notes, message } of [
    {
      title: "annotation no-creator-rbac",
      notes: { [noCreatorRbac]: "true" },
      message: "asks for no bindings",
    },
    {
      title: "a creator who is no user",
      notes: { [creatorId]: "u-nobody" },
      message: "there is no User u-nobody",
    },
    {
      title: "a creator whom no user can be called",
      notes: { [creatorId]: "system:serviceaccount:flux:flux" },
      message: "there is no User system:serviceaccount:flux:flux",
    },
    { title: "nobody known", notes: {}, message: "who made the cluster" },
  ]) {
    it(`case 5: makes no binding for ${title}, and settles the conditions`, async () => {
      const role = await template();
      await run();
      const cluster = await made(notes);

      const done = await settled(cluster);
      await unmark(role);

      expect(condition(done, "CreatorMadeOwner")).to.include({
        status: "True",
        reason: "NoCreator",
      });
      expect(condition(done, "CreatorMadeOwner")?.message).to.include(message);
      expect(await bindingsOf(cluster)).to.deep.equal([]);
    });
  }

  it("case 6: sends no write for a steady cluster, and keeps what others say of it", async () => {
    const user = await concern.create(aUser());
    const foreign = { type: "Connected", status: "False", message: "away" } as const;
    const cluster = await made({ [creatorId]: user.metadata.name });
    const status = { conditions: [foreign], nodeCount: 3 };
    await concern.client.patch(cluster, { merge: { status } }, { subresource: "status" });
    await run();
    const done = await settled(cluster);
    await quiet(concern);

    await using again = await RunningConcern.open();
    const merge = { metadata: { labels: { test: again.label } } };
    await again.client.patch(done, { merge });
    await again.run(clusters({ env }));
    const runs = 'controller_runtime_reconcile_total{controller="clusters",result="success"}';
    await eventually(async () => (await again.metric(runs)) >= 1, { within });
    await quiet(again);

    expect(done.status?.conditions?.[0]).to.deep.equal(foreign);
    expect(done.status?.nodeCount).to.equal(3);
    expect(ownWrites(again)).to.deep.equal([]);
    const reads = again.sent.filter(
      ({ verb, resource }) => verb === "get" && resource !== "clusters.management.cattle.io",
    );
    expect(reads).to.deep.equal([]);
  });

  it("case 7: binds the creator to each template for creators, and to no other", async () => {
    const roles = [await template(), await template(), await template()];
    const plain = await template({ clusterCreatorDefault: false });
    await run();
    const user = await concern.create(aUser());
    const cluster = await made({ [creatorId]: user.metadata.name });

    const done = await settled(cluster);
    await unmark(...roles);

    const bound = (await bindingsOf(cluster)).map(({ roleTemplateName }) => roleTemplateName);
    const noted = JSON.parse(done.metadata.annotations?.[creatorRoleBindings] ?? "{}");
    expect(bound).to.include.members(roles.map(({ metadata }) => metadata.name));
    expect(bound).not.to.include(plain.metadata.name);
    expect(bound.toSorted()).to.deep.equal(noted.required);
    expect(noted.created).to.deep.equal(noted.required);
  });

  it("case 8: passes over a template that was locked before", async () => {
    const [open, locked] = [await template(), await template({ locked: true })];
    await run();
    const user = await concern.create(aUser());
    const cluster = await made({ [creatorId]: user.metadata.name });

    await settled(cluster);
    await unmark(open, locked);

    const bound = (await bindingsOf(cluster)).map(({ roleTemplateName }) => roleTemplateName);
    expect(bound).to.include(open.metadata.name);
    expect(bound).not.to.include(locked.metadata.name);
  });

  it("tells which template is missing, and goes on when it comes", async () => {
    await run();
    const user = await concern.create(aUser());
    const name = uniqueName("late");
    const required = JSON.stringify({ created: [], required: [name] });
    const cluster = await made({
      [creatorId]: user.metadata.name,
      [creatorRoleBindings]: required,
    });

    const waiting = await told(cluster, "CreatorMadeOwner", "False");
    const events = await eventsOf(cluster);
    await template({ metadata: { name }, locked: true });
    await eventually(
      async () =>
        condition(await concern.find(Cluster, cluster), "CreatorMadeOwner")?.message?.includes(
          "is locked",
        ),
      { within },
    );
    const late = await concern.client.patch<RoleTemplate>(refTo(RoleTemplate, name), {
      merge: { locked: false },
    });
    await settled(cluster);
    await unmark(late);

    const text = `RoleTemplate ${name}, which the creator is to get, does not exist`;
    expect(condition(waiting, "InitialRolesPopulated")).to.include({
      reason: "RoleTemplateUnavailable",
      message: text,
    });
    expect(events).to.include(`RoleTemplateUnavailable: ${text}`);
    expect((await bindingsOf(cluster)).map(({ roleTemplateName }) => roleTemplateName)).to.eql([
      name,
    ]);
  });

  it("gives no template that is not for creators, whatever the annotation asks for", async () => {
    const [offered, other] = [await template(), await template({ clusterCreatorDefault: false })];
    const names = [offered, other].map(({ metadata }) => metadata.name);
    await run();
    const user = await concern.create(aUser());
    const cluster = await made({
      [creatorId]: user.metadata.name,
      [creatorRoleBindings]: JSON.stringify({ required: names }),
    });

    await settled(cluster);
    await unmark(offered);

    expect((await bindingsOf(cluster)).map(({ roleTemplateName }) => roleTemplateName)).to.eql([
      offered.metadata.name,
    ]);
  });

  it("does not give again what people take away from a creator", async () => {
    const role = await template();
    await run();
    const user = await concern.create(aUser());
    const cluster = await made({ [creatorId]: user.metadata.name });
    await settled(cluster);
    await unmark(role);

    for (const binding of await bindingsOf(cluster)) {
      await concern.client.delete(binding, { preconditions: "uid" });
    }
    const touched = { metadata: { annotations: { [creatorRoleBindings]: '{"required":["x"]}' } } };
    await concern.client.patch(cluster, { merge: touched });
    await quiet(concern);

    expect(await bindingsOf(cluster)).to.deep.equal([]);
  });

  it("puts back roles and annotation that people change or delete, and leaves others' roles", async () => {
    await run();
    const cluster = await made();
    await settled(cluster);
    const { name } = cluster.metadata;
    const [member, owner] = [`${name}-clustermember`, `${name}-clusterowner`];
    const rules = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
    const stranger = await concern.client.create({
      ...refTo(ClusterRole, `${name}x-clusterowner`),
      rules,
    });

    const stripped = { labels: null, annotations: null };
    await concern.client.patch(await concern.client.get(ClusterRole, owner), {
      merge: { metadata: stripped, rules },
    });
    await concern.client.delete(await concern.client.get(ClusterRole, member));
    const unmarked = { metadata: { annotations: { [systemNamespace]: null } } };
    await concern.client.patch(refTo(Namespace, name), { merge: unmarked });

    await eventually(
      async () => {
        const repaired = await concern.client.get(ClusterRole, owner);
        const there = await concern.client.find(ClusterRole, member);
        const { metadata } = await concern.client.get(Namespace, name);
        return (
          repaired.rules?.[0]?.resourceNames?.[0] === name &&
          repaired.metadata.labels?.["drover.dev/cluster"] === name &&
          there !== undefined &&
          metadata.annotations?.[systemNamespace] === "true"
        );
      },
      { within },
    );
    await quiet(concern);
    const left = await concern.client.get(ClusterRole, stranger.metadata.name);
    expect(left.metadata.resourceVersion).to.equal(stranger.metadata.resourceVersion);
    await concern.client.delete(left);
  });

  it("leaves a namespace that was made for something else, until it is handed over", async () => {
    const name = uniqueName("taken");
    const taken = await concern.client.create(refTo(Namespace, name));
    await run();
    const cluster = await concern.create(aCluster({ metadata: { name } }));

    const refused = await told(cluster, "BackingNamespaceCreated", "False");
    const events = await eventsOf(cluster);
    const untouched = await concern.client.get(Namespace, name);
    await concern.client.patch(taken, {
      merge: { metadata: { annotations: { [systemNamespace]: "true" } } },
    });
    await settled(cluster);

    expect(condition(refused, "BackingNamespaceCreated")?.reason).to.equal("NameTaken");
    expect(condition(refused, "DefaultProjectCreated")).to.equal(undefined);
    expect(untouched.metadata.resourceVersion).to.equal(taken.metadata.resourceVersion);
    expect(events.join()).to.include("NameTaken: ");
  });

  it("makes a namespace again, with its projects, that somebody deletes", async () => {
    await run();
    const cluster = await made();
    await settled(cluster);
    const { name } = cluster.metadata;

    await concern.client.delete(await concern.client.get(Namespace, name), {
      preconditions: "uid",
    });
    const waiting = await told(cluster, "DefaultProjectCreated", "Unknown");
    await told(cluster, "SystemProjectCreated", "True");
    await told(cluster, "DefaultProjectCreated", "True");

    expect(condition(waiting, "BackingNamespaceCreated")?.reason).to.equal("Terminating");
    expect(await labelled(cluster, labels.defaultProject)).to.have.length(1);
    expect(await labelled(cluster, labels.systemProject)).to.have.length(1);
  });

  it("waits for the end of a namespace that is being deleted", async () => {
    const name = uniqueName("again");
    const metadata = { name, finalizers: ["test.dev/hold"] };
    const old = await concern.client.create({ ...refTo(Namespace, name), metadata });
    await concern.client.delete(old, { preconditions: "uid" });
    await run();
    const cluster = await concern.create(aCluster({ metadata: { name } }));

    const waiting = await told(cluster, "BackingNamespaceCreated", "Unknown");
    await concern.client.patch(refTo(Namespace, name), { merge: { metadata: { finalizers: [] } } });
    await settled(cluster);

    expect(condition(waiting, "BackingNamespaceCreated")?.message).to.include("being deleted");
  });

  for (const name of [`${"c".repeat(40)}-${uniqueName("long-enough-to-be-too-much")}`, "dots"]) {
    it(`tells that no namespace can have the name of a cluster (${name.slice(0, 6)})`, async () => {
      await run();
      const chosen = name === "dots" ? `${uniqueName("eu")}.west` : name;
      const cluster = await concern.create(aCluster({ metadata: { name: chosen } }));

      const refused = await told(cluster, "BackingNamespaceCreated", "False");
      await quiet(concern);

      expect(condition(refused, "BackingNamespaceCreated")?.reason).to.equal("InvalidName");
      expect(concern.lines.filter((line) => line.includes('"level":"error"'))).to.deep.equal([]);
    });
  }

  it("tells that nobody can read what a creator is to get", async () => {
    await run();
    const cluster = await made({ [creatorRoleBindings]: "{" });

    const refused = await told(cluster, "InitialRolesPopulated", "False");
    const fixed = { metadata: { annotations: { [creatorRoleBindings]: null } } };
    await concern.client.patch(cluster, { merge: fixed });
    await settled(cluster);

    expect(condition(refused, "InitialRolesPopulated")?.reason).to.equal("InvalidAnnotation");
  });
});
