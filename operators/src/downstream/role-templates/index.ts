import { RoleTemplate } from "@drover/crds";
import { inheritingTemplates, inheritsIndex } from "@drover/platform";
import { type CacheAccess, type Controller, changed, owned, related, setIndex } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";
import { labelledFor } from "./external.ts";
import { controllerName } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

/** Makes the ClusterRoles of every RoleTemplate in every cluster, whether it is bound there or not. */
export const roleTemplates: Controller<RoleTemplate> = {
  name: controllerName,
  watches: RoleTemplate,
  hub: true,
  terminating: true, // to let go of those that a legacy finalizer holds
  indexes: { [inheritsIndex.name]: inheritsIndex.of },
  owns: [
    owned(ClusterRole, {
      indexes: { [setIndex.name]: setIndex.of },
      when: changed(allButAggregated),
    }),
  ],
  related: [
    related(ClusterRole, {
      when: changed(allButAggregated),
      map: (role, _, { cluster, hub }) => externalOf(role, cluster, hub),
    }),
    related(RoleTemplate, {
      hub: true,
      when: changed(shapeOf),
      map: ({ metadata }, _, { hub }) => inheritingTemplates(metadata.name, hub),
    }),
  ],
  reconcile,
  gone: forget,
};

/** The template that a ClusterRole is, or was, external to; and one whose name it took. */
function externalOf(role: ClusterRole, cluster: string, hub: CacheAccess): readonly string[] {
  const { name } = role.metadata;
  const isNamed = hub(RoleTemplate).has(name);
  return isNamed || labelledFor(role, cluster) !== undefined ? [name] : [];
}

/** The controller manager writes the rules of an aggregator, which say nothing to us. */
function allButAggregated({ metadata, rules, aggregationRule }: ClusterRole): unknown {
  const { labels, annotations, deletionTimestamp } = metadata;
  const own = aggregationRule === undefined ? rules : undefined;
  return [labels, annotations, deletionTimestamp, aggregationRule, own];
}

/** What the roles of those that inherit a template depend on. */
function shapeOf({ context, rules, roleTemplateNames }: RoleTemplate): unknown {
  return [context, rules, roleTemplateNames];
}
