import { annotations, Cluster, Project, RoleTemplate } from "@drover/crds";
import { ownedForm } from "@drover/platform";
import {
  type CacheAccess,
  type Controller,
  changed,
  type KubeObject,
  owned,
  readable,
  related,
  setIndex,
} from "kopf-ts";
import { ClusterRole, Namespace } from "kopf-ts/kinds";
import { lackingTemplates } from "./creator.ts";
import { defaultProjects } from "./desired.ts";
import { forget, removeCluster } from "./finalize.ts";
import { heldKinds, holderIndex } from "./let-go.ts";
import {
  clusterLabel,
  clusterLabelValue,
  conditions,
  controllerName,
  finalizer,
  indexes,
} from "./names.ts";
import { defaultProjectKey } from "./projects.ts";
import { type ClusterSurroundings, reconcile } from "./reconcile.ts";

/** Makes what every cluster has on the management cluster, and takes it away with the cluster. */
export function clusters(surroundings: ClusterSurroundings): Controller<Cluster> {
  return {
    name: controllerName,
    finalizer,
    watches: Cluster,
    when: changed(allThatIsOurs),
    indexes: {
      [indexes.lacking]: lackingTemplates,
      [indexes.label]: ({ metadata }) => [clusterLabelValue(metadata.name)],
    },
    owns: [owned(ClusterRole, ownedForm(clusterLabel))],
    related: [
      related(ClusterRole, { map: labelled }),
      related(Namespace, {
        indexes: { [setIndex.name]: setIndex.of },
        when: changed(allButStatus),
        map: ({ metadata: { name } }, cache) => (cache(Cluster).has(name) ? [name] : []),
      }),
      related(Project, {
        indexes: { [indexes.defaultProjects]: defaultProjectKeys },
        when: changed(({ metadata }) => [
          metadata.uid,
          labelsOfDefaults(metadata),
          metadata.deletionTimestamp,
        ]),
        map: ({ metadata }) =>
          labelsOfDefaults(metadata).length > 0 ? [metadata.namespace ?? ""] : [],
      }),
      related(RoleTemplate, {
        when: changed(({ metadata, locked }) => [metadata.uid, locked]),
        map: ({ metadata }, cache) => cache(Cluster).keysByIndex(indexes.lacking, metadata.name),
      }),
    ],
    reads: heldKinds.map((kind) =>
      readable(kind, { indexes: { [holderIndex.name]: holderIndex.of } }),
    ),
    reconcile: (cluster, context) => reconcile(cluster, context, surroundings),
    finalize: (cluster, context) => removeCluster(cluster, context, surroundings),
    gone: forget,
  };
}

const ours: ReadonlySet<string> = new Set(Object.values(conditions));

/** Others write the status of a cluster all the time. */
function allThatIsOurs({ metadata, status }: Cluster): unknown {
  const { creatorId, creatorRoleBindings, noCreatorRbac } = annotations;
  const notes = [creatorId, creatorRoleBindings, noCreatorRbac].map(
    (key) => metadata.annotations?.[key],
  );
  const told = status?.conditions?.filter(({ type }) => ours.has(type));
  return [metadata.uid, metadata.finalizers, notes, told];
}

function allButStatus({ metadata }: KubeObject): unknown {
  const { labels, annotations: notes, ownerReferences, deletionTimestamp } = metadata;
  return [labels, notes, ownerReferences, deletionTimestamp];
}

/** One that is being deleted is none any more: it may be that of a cluster which had the same name. */
function defaultProjectKeys({ metadata }: Project): readonly string[] {
  if (metadata.deletionTimestamp !== undefined) return [];
  return labelsOfDefaults(metadata).map((label) =>
    defaultProjectKey(metadata.namespace ?? "", label),
  );
}

function labelsOfDefaults({ labels = {} }: Project["metadata"]): readonly string[] {
  return defaultProjects.map(({ label }) => label).filter((label) => labels[label] === "true");
}

/** What bears the label without a reference to its owner: made by hand, or bereft of it. */
function labelled({ metadata }: KubeObject, cache: CacheAccess): Iterable<string> {
  const value = metadata.labels?.[clusterLabel];
  return value === undefined ? [] : cache(Cluster).keysByIndex(indexes.label, value);
}
