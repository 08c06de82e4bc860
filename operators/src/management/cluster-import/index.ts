import { annotations, Cluster, dataNamespace } from "@drover/crds";
import { credentialSecretName } from "@drover/platform";
import { type Controller, changed, findCondition, related } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { kubeconfigOf } from "./desired.ts";
import { byCredential, byKubeconfig, conditions, controllerName } from "./names.ts";
import { importCluster } from "./reconcile.ts";

/** Imports clusters by the kubeconfigs that their annotation names. */
export const clusterImport: Controller<Cluster> = {
  name: controllerName,
  watches: Cluster,
  when: changed(({ metadata, status }) => [
    metadata.annotations?.[annotations.kubeconfigSecret],
    metadata.annotations?.[annotations.clusterUid],
    status?.apiEndpoint,
    status?.caCert,
    status?.serviceAccountTokenSecret,
    findCondition(status?.conditions, conditions.accepted)?.status,
    findCondition(status?.conditions, conditions.migrated)?.status,
    findCondition(status?.conditions, conditions.connected)?.reason,
  ]),
  indexes: {
    [byKubeconfig]: (cluster) => listed(kubeconfigOf(cluster)),
    [byCredential]: (cluster) => listed(credentialSecretName(cluster)),
  },
  related: [
    related(Secret, {
      select: { namespace: dataNamespace },
      map: ({ metadata: { name } }, cache) => [
        ...cache(Cluster).keysByIndex(byKubeconfig, name),
        ...cache(Cluster).keysByIndex(byCredential, name),
      ],
    }),
  ],
  reconcile: importCluster,
};

function listed(name: string | undefined): readonly string[] {
  return name === undefined ? [] : [name];
}
