import { GlobalRole, User } from "@drover/crds";
import { extTokenSelector } from "@drover/platform";
import { type Controller, owned, related, setIndex } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Secret } from "kopf-ts/kinds";
import { missingRoles } from "./desired.ts";
import { cleanUp } from "./finalize.ts";
import { controllerName, marks } from "./names.ts";
import { keep } from "./reconcile.ts";
import { ownerOfSecret, referring, secretsByOwner } from "./references.ts";

const byMissingRole = "users-missing-role";
const members = { indexes: { [setIndex.name]: setIndex.of } };

/** Gives users what they need to work with, locks out disabled ones, and takes along what belongs to deleted ones. */
export function users(): Controller<User> {
  return {
    name: controllerName,
    finalizer: marks.finalizer,
    watches: User,
    indexes: { [byMissingRole]: missingRoles },
    owns: [owned(ClusterRole, members), owned(ClusterRoleBinding, members)],
    related: [
      related(Secret, { select: extTokenSelector, indexes: secretsByOwner, map: ownerOfSecret }),
      related(GlobalRole, {
        map: ({ metadata }, cache) => cache(User).keysByIndex(byMissingRole, metadata.name),
      }),
    ],
    reads: referring,
    reconcile: keep,
    finalize: cleanUp,
  };
}
