import { RoleTemplate, roleTemplateLabels, roleTemplateNames } from "@drover/crds";
import { inheritingTemplates, inheritsIndex } from "@drover/platform";
import {
  type CacheAccess,
  type Controller,
  changed,
  type KubeObject,
  owned,
  related,
  setIndex,
} from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";
import { controllerName, indexes, managementRoles } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

/** Makes the ClusterRoles by which holders of a RoleTemplate work with the objects of their cluster and projects on the management cluster. */
export const roleTemplates: Controller<RoleTemplate> = {
  name: controllerName,
  watches: RoleTemplate,
  terminating: true, // to let go of those that a legacy finalizer holds
  indexes: {
    [inheritsIndex.name]: inheritsIndex.of,
    [indexes.ownerLabel]: ({ metadata }) => [roleTemplateNames.ownerLabel(metadata.name)],
  },
  owns: [
    owned(ClusterRole, {
      indexes: { [setIndex.name]: setIndex.of, [managementRoles]: managementRolesOf },
      when: changed(allButAggregated),
    }),
  ],
  related: [
    related(ClusterRole, { when: changed(allButAggregated), map: labelled }),
    related(ClusterRole, { when: changed(({ rules }) => rules), map: external }),
    related(RoleTemplate, {
      when: changed(rulesOf),
      map: ({ metadata }, cache) => inheritingTemplates(metadata.name, cache),
    }),
  ],
  reconcile,
  gone: forget,
};

/** By owner, save for the roles that the template's rights in a cluster are made of: these are made by whoever looks after that cluster. */
function managementRolesOf({ metadata }: KubeObject): readonly string[] {
  const owner = metadata.labels?.[roleTemplateLabels.clusterRoleOwner];
  if (owner === undefined) return [];
  const { clusterRole, aggregator, promoted, promotedAggregator } = roleTemplateNames;
  const others = [clusterRole, aggregator, promoted, promotedAggregator];
  return others.some((name) => name(owner) === metadata.name) ? [] : [owner];
}

/** What bears the label without a reference to its owner: made by hand, or bereft of it. */
function labelled(role: KubeObject, cache: CacheAccess): Iterable<string> {
  return managementRolesOf(role).flatMap((owner) =>
    cache(RoleTemplate).keysByIndex(indexes.ownerLabel, owner),
  );
}

/** An external template takes its rules from the ClusterRole of its name. */
function external({ metadata: { name } }: KubeObject, cache: CacheAccess): readonly string[] {
  if (cache(RoleTemplate).get(name)?.external !== true) return [];
  return [name, ...inheritingTemplates(name, cache)];
}

/** The controller manager writes the rules of an aggregator, which say nothing to us. */
function allButAggregated({ metadata, rules, aggregationRule }: ClusterRole): unknown {
  const { labels, annotations, ownerReferences, deletionTimestamp } = metadata;
  const own = aggregationRule === undefined ? rules : undefined;
  return [labels, annotations, ownerReferences, deletionTimestamp, aggregationRule, own];
}

function rulesOf(template: RoleTemplate): unknown {
  const {
    context,
    rules,
    external: isExternal,
    externalRules,
    roleTemplateNames: names,
  } = template;
  return [context, rules, isExternal, externalRules, names];
}
