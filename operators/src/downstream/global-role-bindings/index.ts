import { GlobalRole, GlobalRoleBinding } from "@drover/crds";
import { type CacheAccess, type Controller, changed, owned, related, setIndex } from "kopf-ts";
import { Namespace, RoleBinding } from "kopf-ts/kinds";
import { controllerName, indexes } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

/** Makes the RoleBindings of GlobalRoleBindings in every cluster but the local one. */
export const globalRoleBindings: Controller<GlobalRoleBinding> = {
  name: controllerName,
  watches: GlobalRoleBinding,
  hub: true,
  when: () => false, // most bindings bring nothing along: `related` asks for those that do
  terminating: true, // while somebody's finalizer holds it, it grants nothing any more
  indexes: { [indexes.role]: ({ globalRoleName }) => [globalRoleName] },
  owns: [owned(RoleBinding, { indexes: { [setIndex.name]: setIndex.of } })],
  related: [
    related(GlobalRoleBinding, {
      hub: true,
      when: changed(({ metadata }) => [
        metadata.uid,
        metadata.generation,
        metadata.deletionTimestamp,
      ]),
      map: ({ metadata, globalRoleName }, _, { hub }) =>
        inherits(hub(GlobalRole).get(globalRoleName)) ? [metadata.name] : [],
    }),
    related(GlobalRole, {
      hub: true,
      indexes: {
        [indexes.namespace]: ({ inheritedNamespacedRules = {} }) =>
          Object.keys(inheritedNamespacedRules),
      },
      when: changed(({ metadata }) => [metadata.uid, metadata.generation]),
      map: (role, _, { hub }) => (inherits(role) ? bindingsOf([role.metadata.name], hub) : []),
    }),
    related(Namespace, {
      when: changed(({ metadata }) => [metadata.uid, metadata.deletionTimestamp]),
      map: ({ metadata }, _, { hub }) =>
        bindingsOf(hub(GlobalRole).keysByIndex(indexes.namespace, metadata.name), hub),
    }),
  ],
  reconcile,
  gone: forget,
};

function inherits(role: GlobalRole | undefined): boolean {
  return Object.keys(role?.inheritedNamespacedRules ?? {}).length > 0;
}

function bindingsOf(roles: readonly string[], hub: CacheAccess): readonly string[] {
  return roles.flatMap((role) => hub(GlobalRoleBinding).keysByIndex(indexes.role, role));
}
