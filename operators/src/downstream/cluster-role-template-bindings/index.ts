import {
  ClusterRoleTemplateBinding,
  clustersOfClusterBinding,
  impersonatedUser,
  impersonationNamespace,
  RoleTemplate,
  User,
} from "@drover/crds";
import { claimantsOf, claimIndex, downstreamLegacyIndex } from "@drover/platform";
import { type Controller, changed, related } from "kopf-ts";
import { ClusterRoleBinding, ServiceAccount } from "kopf-ts/kinds";
import { controllerName, indexes } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

/** Makes the binding of each ClusterRoleTemplateBinding in its cluster. */
export const clusterRoleTemplateBindings: Controller<ClusterRoleTemplateBinding> = {
  name: controllerName,
  watches: ClusterRoleTemplateBinding,
  hub: { clusters: clustersOfClusterBinding },
  when: changed(allButLocalConditions),
  terminating: true, // while somebody's finalizer holds it, it grants nothing any more
  indexes: {
    [indexes.template]: ({ metadata, roleTemplateName }) => [
      `${metadata.namespace}/${roleTemplateName}`,
    ],
    [indexes.user]: ({ metadata, userName }) =>
      userName ? [`${metadata.namespace}/${userName}`] : [],
  },
  related: [
    related(ClusterRoleBinding, {
      indexes: {
        [claimIndex.name]: claimIndex.of,
        [downstreamLegacyIndex.name]: downstreamLegacyIndex.of,
      },
      map: (binding, _, { cluster }) => claimantsOf(binding, ClusterRoleTemplateBinding, cluster),
    }),
    related(RoleTemplate, {
      hub: true,
      when: changed(({ metadata, external }) => [metadata.uid, external]),
      map: ({ metadata }, _, { cluster, hub }) =>
        hub(ClusterRoleTemplateBinding).keysByIndex(
          indexes.template,
          `${cluster}/${metadata.name}`,
        ),
    }),
    related(User, {
      hub: true,
      when: changed(({ metadata }) => metadata.uid),
      map: ({ metadata }, _, { cluster, hub }) =>
        hub(ClusterRoleTemplateBinding).keysByIndex(indexes.user, `${cluster}/${metadata.name}`),
    }),
    related(ServiceAccount, {
      select: { namespace: impersonationNamespace },
      metadataOnly: true,
      when: changed(({ metadata }) => [metadata.uid, metadata.deletionTimestamp]),
      map: ({ metadata }, _, { cluster, hub }) => {
        const user = impersonatedUser(metadata.name);
        if (user === undefined) return [];
        return hub(ClusterRoleTemplateBinding).keysByIndex(indexes.user, `${cluster}/${user}`);
      },
    }),
  ],
  reconcile,
  gone: forget,
};

/** Of what the management cluster's controller says of itself, that it has said it is all we wait for. */
function allButLocalConditions({ metadata, status }: ClusterRoleTemplateBinding): unknown {
  const { uid, generation, finalizers, deletionTimestamp } = metadata;
  const { observedGenerationLocal, remoteConditions } = status ?? {};
  return [
    uid,
    generation,
    finalizers,
    deletionTimestamp,
    observedGenerationLocal,
    remoteConditions,
  ];
}
