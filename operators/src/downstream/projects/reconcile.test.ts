import {
  annotations,
  Cluster,
  idOfProject,
  labels,
  Project,
  projectNames,
  Setting,
} from "@drover/crds";
import { aCluster, aSetting } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type CacheAccess, type Context, done, type Kind, refTo } from "kopf-ts";
import { ClusterRole, Namespace } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { inside, newNamespace, newProject } from "../../testing/projects.ts";
import { settledWrites } from "../../testing/writes.ts";
import { clusterProjects } from "./index.ts";

const patient = { within: 20_000 };
const finalizer = "clusterscoped.controller.cattle.io/project-namespace-auth_";

describe("cluster-projects between two API servers", function () {
  this.timeout(60_000);

  let running: RunningDownstream;
  let system: string;
  const env = () => ({ CATTLE_SYSTEM_NAMESPACES: system });

  eachDownstream(
    async (opened) => {
      running = opened;
      system = uniqueName("system");
      await running.hub.create(aCluster({ metadata: { name: running.name } }));
    },
    () => running.hub.delete(refTo(Cluster, running.name)),
  );

  const start = () => running.run(clusterProjects({ env: env() }));
  const labelled = (key: string) =>
    newProject(running, { metadata: { labels: { [key]: "true" } } });
  const readonlyOf = (project: Project) =>
    running.cluster.find(ClusterRole, projectNames.namespacesReadonly(project.metadata.name));
  const editOf = (project: Project) =>
    running.cluster.find(ClusterRole, projectNames.namespacesEdit(project.metadata.name));
  const namesOf = (role: ClusterRole | undefined) => role?.rules?.[0]?.resourceNames ?? [];
  const gone = (kind: Kind, name: string, namespace?: string): Promise<unknown> => {
    const client = kind === Project ? running.hub : running.cluster;
    return eventually(async () => !(await client.find(kind, name, { namespace })), patient);
  };
  const conditionOf = async (project: Project, type: string) => {
    const { name, namespace } = project.metadata;
    const found = await running.hub.find(Project, name, { namespace });
    return found?.status?.conditions?.find((each) => each.type === type);
  };
  const settled = (project: Project, type: string) =>
    eventually(async () => (await conditionOf(project, type))?.status === "True", patient);
  const projectIdOf = async ({ metadata }: Namespace) =>
    (await running.cluster.get(Namespace, metadata.name)).metadata.annotations?.[
      annotations.projectId
    ];
  const writes = () => settledWrites(running);

  it("makes the roles of a project's namespaces, and writes nothing after a restart", async () => {
    await start();
    const project = await newProject(running);
    await eventually(() => editOf(project), patient);
    const [one, other] = [
      await newNamespace(running, inside(project)),
      await newNamespace(running, inside(project)),
    ];
    await newNamespace(running, { [annotations.projectId]: `c-other:${project.metadata.name}` });

    const expected = [one, other].map(({ metadata }) => metadata.name).toSorted();
    await eventually(async () => namesOf(await readonlyOf(project)).length === 2, patient);
    const edit = await eventually(async () => {
      const role = await editOf(project);
      return namesOf(role).length === 2 && role;
    }, patient);
    const first = (await writes()).length;
    await start();
    const second = await writes();

    expect(namesOf(await readonlyOf(project))).to.deep.equal(expected);
    expect(namesOf(edit)).to.deep.equal(expected);
    expect(edit.rules?.[1]).to.deep.include({
      verbs: ["manage-namespaces"],
      resourceNames: [project.metadata.name],
    });
    expect(second.slice(first)).to.deep.equal([]);
  });

  it("case 36: a namespace that moves leaves the roles of one project for those of the other", async () => {
    await start();
    const [from, to] = [await newProject(running), await newProject(running)];
    const namespace = await newNamespace(running, inside(from));
    await eventually(() => readonlyOf(from), patient);

    await running.cluster.patch(namespace, { merge: { metadata: { annotations: inside(to) } } });

    const { name } = namespace.metadata;
    await eventually(async () => namesOf(await readonlyOf(to)).includes(name), patient);
    await eventually(async () => namesOf(await editOf(to)).includes(name), patient);
    await eventually(async () => (await readonlyOf(from)) === undefined, patient);
    await eventually(async () => !namesOf(await editOf(from)).includes(name), patient);
    expect((await editOf(from))?.rules).to.have.length(1);
  });

  it("drops a namespace that is gone, and not before", async () => {
    await start();
    const project = await newProject(running);
    const namespace = await newNamespace(running, inside(project));
    await eventually(() => readonlyOf(project), patient);

    await running.cluster.delete(namespace, { preconditions: "uid" });

    await gone(Namespace, namespace.metadata.name);
    await eventually(async () => (await readonlyOf(project)) === undefined, patient);
  });

  it("puts back what people delete, change or relabel", async () => {
    await start();
    const project = await newProject(running);
    const { metadata } = await newNamespace(running, inside(project));
    const read = await eventually(() => readonlyOf(project), patient);
    const edit = await eventually(() => editOf(project), patient);

    await running.cluster.delete(read, { preconditions: "uid" });
    const stripped = {
      labels: null,
      annotations: { "authz.cluster.auth.io/project-namespaces": null },
    };
    await running.cluster.patch(edit, { merge: { rules: [], metadata: stripped } });

    await eventually(
      async () => namesOf(await readonlyOf(project)).includes(metadata.name),
      patient,
    );
    await eventually(async () => {
      const found = await editOf(project);
      const isLabelled = found?.metadata.labels?.["drover.dev/project"] !== undefined;
      return found?.rules?.length === 2 && isLabelled;
    }, patient);
  });

  it("leaves a stranger's role of its name alone, and tells so", async () => {
    const name = uniqueName("p");
    const role = projectNames.namespacesEdit(name);
    await running.cluster.create({ ...refTo(ClusterRole, role), rules: [] } as ClusterRole);
    await start();

    await newProject(running, { metadata: { name } });

    await eventually(
      () =>
        running.lines.some((line) =>
          line.includes(`ClusterRole ${role} was made by somebody else`),
        ),
      patient,
    );
    expect((await running.cluster.get(ClusterRole, role)).rules ?? []).to.deep.equal([]);
  });

  it("takes over the roles of a Rancher before us", async () => {
    const name = uniqueName("p");
    const role = projectNames.namespacesEdit(name);
    const metadata = {
      name: role,
      annotations: { "authz.cluster.auth.io/project-namespaces": role },
    };
    const rules = [
      { verbs: ["*"], apiGroups: [""], resources: ["namespaces"], resourceNames: ["old"] },
    ];
    await running.cluster.create({ ...refTo(ClusterRole, role), metadata, rules } as ClusterRole);
    await start();

    const project = await newProject(running, { metadata: { name } });

    await eventually(
      async () => (await editOf(project))?.rules?.[0]?.verbs[0] === "manage-namespaces",
      patient,
    );
  });

  it("fills the system project with what the setting names and no project has, once", async () => {
    const [free, taken] = [
      await newNamespace(running, {}, { name: system }),
      await newNamespace(running, { [annotations.projectId]: "c-x:p-x" }),
    ];
    system = `${system}, ${taken.metadata.name}, never-${system}`;
    await start();

    const project = await labelled(labels.systemProject);
    await settled(project, "SystemNamespacesAssigned");
    const filled = await projectIdOf(free);
    const none = { metadata: { annotations: { [annotations.projectId]: null } } };
    await running.cluster.patch(refTo(Namespace, free.metadata.name), { merge: none });
    await writes();

    expect(filled).to.equal(idOfProject(project));
    expect(await projectIdOf(taken)).to.equal("c-x:p-x");
    expect(await projectIdOf(free)).to.equal(undefined); // somebody moved it away
  });

  it("follows the setting while it runs", async () => {
    const late = await newNamespace(running);
    const setting = "system-namespaces";
    const value = (text: string) =>
      running.hub.apply(
        {
          ...refTo(Setting, setting),
          value: text,
          default: "",
          customized: true,
          source: "db",
        } as Setting,
        { fieldManager: "test", force: true },
      );
    await value(system);
    await running.run(clusterProjects({ env: {} }));
    const project = await labelled(labels.systemProject);
    await settled(project, "SystemNamespacesAssigned");

    await value(`${system},${late.metadata.name}`);

    await eventually(async () => (await projectIdOf(late)) === idOfProject(project), patient);
    await running.hub.delete(refTo(Setting, setting));
  });

  it("case 35: a deleted project takes along namespaces that people made in it, and frees the others", async () => {
    await start();
    const [project, other] = [await newProject(running), await newProject(running)];
    const made = await newNamespace(running, {
      ...inside(project),
      [annotations.creatorId]: "u-1",
    });
    const found = await newNamespace(running, inside(project));
    const elsewhere = await newNamespace(running, {
      ...inside(other),
      [annotations.creatorId]: "u-1",
    });
    const label = { [labels.projectId]: project.metadata.name };
    await running.cluster.patch(found, { merge: { metadata: { labels: label } } });
    await eventually(async () => namesOf(await readonlyOf(project)).length === 2, patient);

    await running.hub.delete(project, { preconditions: "uid" });
    await gone(Project, project.metadata.name, running.name);
    await gone(Namespace, made.metadata.name);

    const freed = await running.cluster.get(Namespace, found.metadata.name);
    expect(freed.metadata.annotations ?? {}).not.to.have.property(annotations.projectId);
    expect(freed.metadata.labels ?? {}).not.to.have.property(labels.projectId);
    expect(await editOf(project)).to.equal(undefined);
    expect(await readonlyOf(project)).to.equal(undefined);
    const kept = await running.cluster.get(Namespace, elsewhere.metadata.name);
    expect(kept.metadata.deletionTimestamp).to.equal(undefined);
  });

  it("deletes no namespace while its cluster is being removed", async () => {
    await start();
    const project = await newProject(running);
    const made = await newNamespace(running, {
      ...inside(project),
      [annotations.creatorId]: "u-1",
    });
    await eventually(() => readonlyOf(project), patient);
    const held = { metadata: { finalizers: ["test.dev/hold"] } };
    await running.hub.patch(refTo(Cluster, running.name), { merge: held });
    await running.hub.delete(refTo(Cluster, running.name));

    await running.hub.delete(project, { preconditions: "uid" });
    await gone(Project, project.metadata.name, running.name);

    const left = await running.cluster.get(Namespace, made.metadata.name);
    expect(left.metadata.deletionTimestamp).to.equal(undefined);
    expect(left.metadata.annotations ?? {}).not.to.have.property(annotations.projectId);
    await running.hub.patch(refTo(Cluster, running.name), {
      merge: { metadata: { finalizers: null } },
    });
  });

  it("does what it missed while nobody could reach the cluster", async () => {
    await start();
    const project = await newProject(running);
    const made = await newNamespace(running, {
      ...inside(project),
      [annotations.creatorId]: "u-1",
    });
    await eventually(() => readonlyOf(project), patient);
    await running.stop();

    await running.hub.delete(project, { preconditions: "uid" });
    const held = await running.hub.get(Project, project.metadata.name, { namespace: running.name });
    await start();

    expect(held.metadata.finalizers).to.include(`${finalizer}${running.name}`);
    await gone(Project, project.metadata.name, running.name);
    await gone(Namespace, made.metadata.name);
  });

  it("asks the server which namespaces are the system's before it deletes any", async () => {
    const project = await newProject(running);
    const made = { ...inside(project), [annotations.creatorId]: "u-1" };
    const [kept, other] = [await newNamespace(running, made), await newNamespace(running, made)];
    const { finalize, ...controller } = clusterProjects({ env: {} });
    await running.run({
      ...controller,
      finalize: async (object, context) =>
        (await finalize?.(object, withoutSettings(context))) ?? done,
    });
    await eventually(async () => namesOf(await readonlyOf(project)).length === 2, patient);
    const metadata = { name: "system-namespaces" };
    await running.hub.create(aSetting({ metadata, value: kept.metadata.name }));

    await running.hub.delete(project, { preconditions: "uid" });
    await gone(Project, project.metadata.name, running.name);
    await gone(Namespace, other.metadata.name);

    const left = await running.cluster.get(Namespace, kept.metadata.name);
    expect(left.metadata.deletionTimestamp).to.equal(undefined);
    expect(left.metadata.annotations ?? {}).not.to.have.property(annotations.projectId);
    await running.hub.delete(refTo(Setting, metadata.name));
  });
});

/** The context of a run whose cache does not show the Settings yet. */
function withoutSettings(context: Context): Context {
  const { hub, client, cache, clock, log, signal, events, key, reconcileId, cluster } = context;
  const empty = { get: () => undefined };
  const behind = (kind: Kind, ...rest: readonly never[]): unknown =>
    kind.kind === Setting.kind ? empty : hub.cache(kind, ...rest);
  const seen = { client: hub.client, cache: behind as CacheAccess }; // nothing but `get` is asked of it
  return { hub: seen, client, cache, clock, log, signal, events, key, reconcileId, cluster };
}
