/** Names on objects that only admission looks at. */

/** "true" on clusters that follow from a cluster of provisioning.cattle.io. */
export const administratedAnnotation = "provisioning.cattle.io/administrated";

/** On imported k3s and RKE2 clusters: whether their version is managed from here. */
export const versionManagementAnnotation = "rancher.io/imported-cluster-version-management";

/** On a namespace: JSON of the requests and limits of containers that name none. */
export const containerLimitAnnotation = "field.cattle.io/containerDefaultResourceLimit";
