/** Handing out a global role, by writing or by binding it, takes holding all that it allows. */

import { GlobalRole } from "@drover/crds";
import { accessSources, complete, grantsOf, lackingFor, mayDo, rightsOf } from "@drover/platform";
import { type AdmissionContext, allow, type UserInfo, type Verdict } from "kopf-ts/admission";
import { escalationProblem } from "./escalation.ts";
import { unless } from "./verdicts.ts";

/** How a role is handed out: the field that does, and the verb on the role that allows it all the same. */
export interface Handout {
  readonly role: GlobalRole;
  readonly grant: string;
  readonly verb: "escalate" | "bind";
}

/** Refuses with 403 what the caller does not hold. Asks the API server only when something is lacking. Throws as `flatten` and `covers`. */
export async function judgeHandout(
  { role, grant, verb }: Handout,
  user: UserInfo,
  context: AdmissionContext,
): Promise<Verdict> {
  const sources = accessSources(context.cache);
  const grants = await complete(sources, context, (all) => grantsOf(role, all));
  const { client, signal } = context;
  const lacking = await lackingFor(rightsOf(user, sources), grants, signal);
  const problem = escalationProblem({ grant, username: user.username, lacking });
  if (problem === undefined) return allow();

  const { group, version, plural: resource } = GlobalRole;
  const attributes = { verb, group, version, resource, name: role.metadata.name };
  return (await mayDo(client, user, attributes, { signal })) ? allow() : unless(problem, 403);
}
