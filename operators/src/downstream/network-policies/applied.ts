/** Whether a cluster's projects are kept apart, as its Cluster says it. */

import { Cluster, Project } from "@drover/crds";
import { tellConditions } from "@drover/platform";
import { type Context, done, type Result } from "kopf-ts";
import { Namespace, NetworkPolicy } from "kopf-ts/kinds";
import { idIn, isOurs, memberOf } from "./desired.ts";
import { controllerNames, enabledAnnotation, indexes, policyNames } from "./names.ts";

/** Repeats spec.enableNetworkPolicy as an annotation, and tells in the status once the policies are there, or gone. */
export async function tellApplied(cluster: Cluster, context: Context): Promise<Result> {
  const { metadata, spec, status } = cluster;
  const isOn = spec?.enableNetworkPolicy === true;
  const noted = metadata.annotations?.[enabledAnnotation];
  const isAsked = typeof spec?.enableNetworkPolicy === "boolean" || noted !== undefined;
  if (isAsked && noted !== String(isOn)) {
    const annotations = { [enabledAnnotation]: String(isOn) };
    await context.hub.client.patch<Cluster>(cluster, {
      merge: { metadata: { uid: metadata.uid, annotations } },
    });
  }
  if ((status?.appliedEnableNetworkPolicy ?? false) === isOn) return done;
  if (isOn ? !isComplete(context) : !isClear(context)) return done; // looked at again with the next policy
  const live = context.hub.cache(Cluster).get(metadata.name) ?? cluster;
  const hub = { ...context, client: context.hub.client };
  await tellConditions(live, [], hub, { appliedEnableNetworkPolicy: isOn });
  return done;
}

/** Every namespace of a project but the System project has its policy. */
function isComplete({ cache, hub, cluster }: Context): boolean {
  const systems = hub.cache(Project).byIndex(indexes.system, cluster);
  const system = systems.map(({ metadata }) => metadata.name);
  return cache(Namespace)
    .byIndex(indexes.inProject, "all")
    .filter((namespace) => {
      const id = idIn(namespace);
      const [key = ""] = memberOf(namespace);
      const isKnown = id?.cluster === cluster && hub.cache(Project).has(key);
      const isStanding = namespace.metadata.deletionTimestamp === undefined;
      return isKnown && isStanding && !system.includes(id.project);
    })
    .every(({ metadata }) => cache(NetworkPolicy).has(`${metadata.name}/${policyNames.isolated}`));
}

/** No policy of ours is left, but in namespaces that are left as they are: another hub looks after them, or nobody knows their project. */
function isClear({ cache, hub, cluster }: Context): boolean {
  const set = { id: `drover-${controllerNames.namespaces}` };
  return !cache(NetworkPolicy)
    .byIndex(indexes.ours, "ours")
    .filter((policy) => isOurs(policy, set))
    .some(({ metadata }) => {
      const home = cache(Namespace).get(metadata.namespace ?? "");
      const id = home && idIn(home);
      const [key = ""] = home === undefined ? [] : memberOf(home);
      return id === undefined || (id.cluster === cluster && hub.cache(Project).has(key));
    });
}
