import {
  backingNamespaceOf,
  Cluster,
  Project,
  ProjectRoleTemplateBinding,
  projectOwnerKey,
  RoleTemplate,
  User,
} from "@drover/crds";
import {
  type Environment,
  isTrue,
  namespaceMetadata,
  ownedForm,
  usersByPrincipal,
} from "@drover/platform";
import {
  type Controller,
  changed,
  type KubeObject,
  owned,
  readable,
  related,
  setIndex,
} from "kopf-ts";
import { Namespace, Role } from "kopf-ts/kinds";
import { isForCreators } from "./desired.ts";
import { cleanUp } from "./finalize.ts";
import { holdingCluster } from "./hold.ts";
import {
  bindingsByProject,
  connected,
  controllerName,
  creatorTemplates,
  finalizer,
  projectIndexes,
} from "./names.ts";
import { reconcile } from "./reconcile.ts";
import { awaitedCluster } from "./waiting.ts";

const rolesForm = ownedForm(projectOwnerKey);

/** Makes what a project brings along on the management cluster, and takes it away with the project. */
export function projects({ env }: { readonly env: Environment }): Controller<Project> {
  const wanted = namespaceMetadata(env);
  return {
    name: controllerName,
    finalizer,
    watches: Project,
    indexes: {
      [projectIndexes.backingNamespace]: (project) => [backingNamespaceOf(project)],
      [projectIndexes.name]: ({ metadata }) => [metadata.name],
      [projectIndexes.held]: holdingCluster,
      [projectIndexes.awaited]: awaitedCluster,
    },
    owns: [owned(Role, rolesForm)],
    related: [
      related(Namespace, {
        indexes: { [setIndex.name]: setIndex.of },
        when: changed(allButStatus),
        map: ({ metadata }, cache) =>
          cache(Project).keysByIndex(projectIndexes.backingNamespace, metadata.name),
      }),
      related(Cluster, {
        when: changed(allThatIsTold),
        map: ({ metadata }, cache) =>
          cache(Project).keysByIndex(projectIndexes.awaited, metadata.name),
      }),
    ],
    reads: [
      readable(User, { indexes: { [usersByPrincipal.name]: usersByPrincipal.of } }),
      readable(RoleTemplate, { indexes: { [creatorTemplates]: forCreators } }),
      readable(ProjectRoleTemplateBinding, { indexes: { [bindingsByProject]: projectOf } }),
    ],
    reconcile: (project, context) => reconcile(project, context, wanted),
    finalize: cleanUp,
    terminating: true, // to tell what holds it
  };
}

function forCreators(template: RoleTemplate): readonly string[] {
  return isForCreators(template) ? ["true"] : [];
}

function projectOf({ projectName }: ProjectRoleTemplateBinding): readonly string[] {
  return [projectName];
}

/** Others write the status of a cluster all the time. */
function allThatIsTold(cluster: Cluster): unknown {
  const { uid, deletionTimestamp } = cluster.metadata;
  return [uid, deletionTimestamp, isTrue(cluster, connected)];
}

function allButStatus({ metadata }: KubeObject): unknown {
  return [metadata.labels, metadata.annotations, metadata.deletionTimestamp, metadata.uid];
}
