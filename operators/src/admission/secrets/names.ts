/** Types of Secrets that admission looks at. */

/** Access to a cloud, kept by a user. */
export const cloudCredentialType = "provisioning.cattle.io/cloud-credential";

/** What the agent of a machine shall do. */
export const machinePlanType = "rke.cattle.io/machine-plan";
