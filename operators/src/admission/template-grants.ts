/** What bindings of role templates have in common: the template exists, its giver holds it, and it is given once. */

import { flatten, type PolicyRule, RoleTemplate } from "@drover/crds";
import { accessSources, complete, type Rights, rightsOf } from "@drover/platform";
import type { Kind, KubeObject } from "kopf-ts";
import {
  type AdmissionContext,
  allow,
  type Denied,
  deny,
  type UserInfo,
  type Verdict,
} from "kopf-ts/admission";
import { escalationProblem, judgingRules, lackingIn } from "./escalation.ts";
import { cachedOrLive, firstStill } from "./live.ts";
import { duplicateKeys, type Subjects } from "./role-subjects.ts";
import { isTerminating } from "./terminating.ts";
import { unless } from "./verdicts.ts";

/** A binding of a role template. */
export type TemplateBinding = KubeObject & Subjects & { readonly roleTemplateName: string };

/** A place in which a role template can be given, and what somebody holds there. */
export interface Place {
  /** `in cluster c-abcde`. */
  readonly where: string;
  readonly held: (rights: Rights) => readonly PolicyRule[];
}

/** Status code of what is wrong in a field of such a binding, and of handing out too much (webhook: pkg/auth/escalation.go, SetEscalationResponse). */
export const unprocessable = 422;

/** The role template of a binding, or the refusal that there is none. */
export async function templateOf(
  { roleTemplateName }: TemplateBinding,
  context: AdmissionContext,
): Promise<RoleTemplate | Denied> {
  const template = await cachedOrLive(context, RoleTemplate, roleTemplateName);
  return (
    template ??
    deny(404, `roleTemplateName names role template ${roleTemplateName}, which does not exist`)
  );
}

/** Refuses to hand out a role template whose rules the giver holds in none of the places. What is lacking is told for the last of them. */
export async function judgeRights(
  binding: TemplateBinding,
  user: UserInfo,
  places: readonly Place[],
  context: AdmissionContext,
): Promise<Verdict> {
  const template = await templateOf(binding, context);
  if ("allowed" in template) return template;

  return judgingRules("roleTemplateName", unprocessable, async () => {
    const sources = accessSources(context.cache);
    const wanted = await complete(sources, context, (all) => flatten(template, all));
    const rights = rightsOf(user, sources);
    let answer: Verdict = allow();
    for (const { where, held } of places) {
      const lacking = await lackingIn(where, held(rights), wanted, context.signal);
      const grant = `roleTemplateName ${template.metadata.name}`;
      answer = unless(
        escalationProblem({ grant, username: user.username, lacking }),
        unprocessable,
      );
      if (answer.allowed) break;
    }
    return answer;
  });
}

/** Name of the index of bindings by what they give to whom. */
const bySameGrant = "admission.same-grant";

/** The index by which `judgeDuplicate` finds bindings; `place` is the cluster or project. */
export function sameGrantIndex<T extends TemplateBinding>(
  place: (binding: T) => string,
): Readonly<Record<string, (binding: T) => readonly string[]>> {
  return {
    [bySameGrant]: (binding) => duplicateKeys(binding, binding.roleTemplateName, place(binding)),
  };
}

/** Refuses what is given already, unless the binding that gives it is on its way out. Two at the same moment can pass when they have names of their own. */
export async function judgeDuplicate<T extends TemplateBinding>(
  kind: Kind<T>,
  binding: T,
  place: string,
  context: AdmissionContext,
): Promise<Verdict> {
  const { roleTemplateName } = binding;
  const keys = duplicateKeys(binding, roleTemplateName, place);
  const cached = keys.flatMap((key) => context.cache(kind).byIndex(bySameGrant, key));
  const others = cached.filter((other) => !isTerminating(other) && !isItself(other, binding));
  const duplicate = await firstStill(context, kind, others, (other) => !isTerminating(other));
  return duplicate === undefined
    ? allow()
    : deny(
        409,
        `duplicate: binding ${duplicate.metadata.name} gives roleTemplateName ${roleTemplateName} to the same subject already`,
      );
}

function isItself(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;
}
