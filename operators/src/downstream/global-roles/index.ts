import { GlobalRole } from "@drover/crds";
import { type Controller, changed, owned, related, setIndex } from "kopf-ts";
import { Namespace, Role } from "kopf-ts/kinds";
import { controllerName, indexes } from "./names.ts";
import { forget, reconcile } from "./reconcile.ts";

/** Makes the Roles of GlobalRoles in every cluster but the local one. */
export const globalRoles: Controller<GlobalRole> = {
  name: controllerName,
  watches: GlobalRole,
  hub: true,
  when: changed(({ metadata }) => [metadata.uid, metadata.generation]),
  terminating: true, // while somebody's finalizer holds it, it grants nothing any more
  indexes: {
    [indexes.namespace]: ({ inheritedNamespacedRules = {} }) =>
      Object.keys(inheritedNamespacedRules),
  },
  owns: [owned(Role, { indexes: { [setIndex.name]: setIndex.of } })],
  related: [
    related(Namespace, {
      when: changed(({ metadata }) => [metadata.uid, metadata.deletionTimestamp]),
      map: ({ metadata }, _, { hub }) =>
        hub(GlobalRole).keysByIndex(indexes.namespace, metadata.name),
    }),
  ],
  reconcile,
  gone: forget,
};
