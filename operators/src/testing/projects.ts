/** A project of a cluster and namespaces in it: what tests of concerns that look after namespaces begin with. */

import { annotations, idOfProject, type Project, type ProjectSpec } from "@drover/crds";
import { aProject, type Overrides } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { type ObjectMeta, refTo } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import type { RunningDownstream } from "./downstream.ts";

/** What a test sets of a project itself: its fields go into those of a project of the cluster. */
export type ProjectOverrides = Omit<Overrides<Project>, "spec"> & {
  readonly spec?: Partial<ProjectSpec>;
};

/** Keys and values of labels or annotations. */
type Entries = Readonly<Record<string, string>>;

/** Creates a project of the cluster, in the hub. */
export function newProject(
  { hub, name: clusterName }: RunningDownstream,
  { metadata, spec, ...fields }: ProjectOverrides = {},
): Promise<Project> {
  const project = aProject({
    metadata: { namespace: clusterName, ...metadata },
    spec: { displayName: "Shop", clusterName, ...spec },
    ...fields,
  });
  return hub.create(project);
}

/** The annotation of a namespace that is in a project. */
export function inside(project: Project): Entries {
  return { [annotations.projectId]: idOfProject(project) };
}

/** Creates a namespace in the cluster, as this test's: in the project that its annotations name (`inside`), or in none. */
export function newNamespace(
  running: RunningDownstream,
  said: Entries = {},
  more: Partial<Omit<ObjectMeta, "annotations">> = {},
): Promise<Namespace> {
  const name = more.name ?? uniqueName("ns");
  const metadata = { ...more, name, annotations: said };
  return running.cluster.create<Namespace>(running.mine({ ...refTo(Namespace, name), metadata }));
}

/** Changes annotations of a namespace in the cluster; `null` takes one away. */
export async function annotate(
  { cluster }: RunningDownstream,
  { metadata: { name } }: Namespace,
  said: Readonly<Record<string, string | null>>,
): Promise<void> {
  await cluster.patch(refTo(Namespace, name), { merge: { metadata: { annotations: said } } });
}
