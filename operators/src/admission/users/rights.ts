/** Whether somebody has the rights of the user whom they change. */

import { covers } from "@drover/crds";
import {
  type AccessSources,
  type Caller,
  missingText,
  type Rights,
  rightsOf,
} from "@drover/platform";
import type { Problem } from "../verdicts.ts";

/** Where rights are compared, and how it is called. */
const places: readonly (readonly [
  where: string,
  held: (rights: Rights) => ReturnType<Rights["everywhere"]>,
])[] = [
  ["in the whole local cluster", (rights) => rights.everywhere()],
  ["in every managed cluster", (rights) => rights.inManagedClusters()],
  ["in every fleet workspace", (rights) => rights.inWorkspaces()],
  ["on every fleet workspace", (rights) => rights.onWorkspaces()],
];

/**
 * What `user` may do and `caller` may not, as a sentence; undefined if that is nothing. Upstream compares what holds in the whole local cluster; here what global roles
 * bring along elsewhere counts too. Rights in single clusters, projects and namespaces do not.
 */
export function rightsProblem(caller: Caller, user: Caller, sources: AccessSources): Problem {
  if (caller.username === user.username) return undefined;
  const theirs = rightsOf(user, sources);
  const ours = rightsOf(caller, sources);
  for (const [where, held] of places) {
    const missing = covers(held(ours), held(theirs));
    if (missing.length > 0) {
      return `user ${user.username} has more rights than you ${where}: ${missingText(missing)}`;
    }
  }
  return undefined;
}
