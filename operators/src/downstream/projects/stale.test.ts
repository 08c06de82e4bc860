import { annotations, Cluster, Project, Setting } from "@drover/crds";
import { aCluster, aSetting } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type CacheAccess, type Context, refTo } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { inside, newNamespace, newProject } from "../../testing/projects.ts";
import { clusterProjects } from "./index.ts";

const patient = { within: 20_000 };
const setting = "system-namespaces";

describe("cluster-projects with a cache that is behind", function () {
  this.timeout(60_000);
  let running: RunningDownstream;

  eachDownstream(
    async (opened) => {
      running = opened;
      await running.hub.create(aCluster({ metadata: { name: running.name } }));
    },
    async () => {
      await running.hub.delete(refTo(Cluster, running.name));
      await running.hub.delete(refTo(Setting, setting));
    },
  );

  /** The context of a run whose cache has no Settings. */
  const withoutSettings = (context: Context): Context => {
    const { hub } = context;
    const none = { get: () => undefined } as unknown as ReturnType<CacheAccess>; // all that is asked of it
    const cache = ((kind, ...rest) =>
      kind.kind === Setting.kind ? none : hub.cache(kind, ...rest)) as CacheAccess;
    return { ...context, hub: { ...hub, cache } };
  };

  it("deletes no namespace with its project that the setting has come to name", async () => {
    const controller = clusterProjects({ env: {} });
    const { finalize } = controller;
    await running.run({
      ...controller,
      ...(finalize && {
        finalize: (project: Project, context: Context) => finalize(project, withoutSettings(context)),
      }),
    });
    const project = await newProject(running);
    const made = { ...inside(project), [annotations.creatorId]: "u-1" };
    const kept = await newNamespace(running, made, { name: uniqueName("system") });
    const other = await newNamespace(running, made);
    await running.hub.create(aSetting({ metadata: { name: setting }, value: kept.metadata.name }));
    await eventually(async () => {
      const { metadata } = await running.hub.get(Project, project.metadata.name, {
        namespace: running.name,
      });
      return (metadata.finalizers ?? []).length > 0;
    }, patient);

    await running.hub.delete(project, { preconditions: "uid" });
    await eventually(
      async () =>
        !(await running.hub.find(Project, project.metadata.name, { namespace: running.name })),
      patient,
    );

    const { metadata } = await running.cluster.get(Namespace, kept.metadata.name);
    expect(metadata.deletionTimestamp).to.equal(undefined);
    expect(metadata.annotations ?? {}).not.to.have.property(annotations.projectId);
    const gone = await running.cluster.find(Namespace, other.metadata.name);
    expect(gone?.metadata.deletionTimestamp).not.to.equal(gone && undefined);
  });
});
