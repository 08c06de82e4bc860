import { ClusterProxyConfig } from "@drover/crds";
import { allow, deny, type Validator } from "kopf-ts/admission";

/** Refuses a second configuration in the namespace of a cluster. */
export const clusterProxyConfigs: Validator<ClusterProxyConfig> = {
  kind: ClusterProxyConfig,
  rules: [{ operations: ["CREATE"] }],
  validate: async ({ namespace = "", name }, { client, signal }) => {
    // Live: a cache would let the second of two in that are created in a row.
    const { items } = await client.list(ClusterProxyConfig, { namespace, limit: 2, signal });
    const other = items.find(({ metadata }) => metadata.name !== name);
    if (other === undefined) return allow(); // one of the same name is the API server's to refuse
    return deny(
      409,
      `there may be only one clusterproxyconfig per cluster, and ${namespace} has ${other.metadata.name}`,
    );
  },
};
