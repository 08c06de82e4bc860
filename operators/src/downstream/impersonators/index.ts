import {
  ClusterRoleTemplateBinding,
  clustersOfClusterBinding,
  clustersOfProjectBinding,
  impersonationNamespace,
  ProjectRoleTemplateBinding,
  parseProjectId,
  User,
  UserAttribute,
} from "@drover/crds";
import {
  type Controller,
  changed,
  type KubeObject,
  owned,
  type Place,
  readable,
  related,
  setIndex,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, ServiceAccount } from "kopf-ts/kinds";
import { controllerName, indexes } from "./names.ts";
import { forget, isBound, reconcile } from "./reconcile.ts";

const form = { indexes: { [setIndex.name]: setIndex.of } };

/** Keeps, in every cluster, the accounts through which requests of the users come that are bound there. */
export const impersonators: Controller<User> = {
  name: controllerName,
  watches: User,
  hub: true,
  when: () => false, // most users are bound in few clusters: `related` asks for those that are
  owns: [
    owned(ClusterRole, form),
    owned(ClusterRoleBinding, form),
    owned(ServiceAccount, { ...form, select: { namespace: impersonationNamespace } }),
  ],
  reads: [readable(Namespace)],
  related: [
    related(User, {
      hub: true,
      when: changed(({ metadata, displayName, principalIds }) => [
        metadata.uid,
        metadata.deletionTimestamp,
        displayName,
        principalIds,
      ]),
      map: ifBound,
    }),
    related(UserAttribute, {
      hub: true,
      when: changed(({ metadata, GroupPrincipals, ExtraByProvider }) => [
        metadata.uid,
        GroupPrincipals,
        ExtraByProvider,
      ]),
      map: ifBound,
    }),
    related(ClusterRoleTemplateBinding, {
      hub: { clusters: clustersOfClusterBinding },
      indexes: {
        [indexes.clusterUser]: ({ metadata, userName }) =>
          userName ? [`${metadata.namespace}/${userName}`] : [],
      },
      when: changed(({ userName }) => userName),
      map: ({ userName }) => (userName ? [userName] : []),
    }),
    related(ProjectRoleTemplateBinding, {
      hub: { clusters: clustersOfProjectBinding },
      indexes: {
        [indexes.projectUser]: ({ projectName, userName }) => {
          const { cluster } = parseProjectId(projectName) ?? {};
          return cluster && userName ? [`${cluster}/${userName}`] : [];
        },
      },
      when: changed(({ userName, projectName }) => [userName, projectName]),
      map: ({ userName }) => (userName ? [userName] : []),
    }),
  ],
  reconcile,
  gone: forget,
};

function ifBound({ metadata }: KubeObject, _: unknown, { cluster, hub }: Place): readonly string[] {
  return isBound(metadata.name, cluster, hub) ? [metadata.name] : [];
}
