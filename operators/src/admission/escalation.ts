/** Nobody may hand out more than they hold (kubernetes: pkg/registry/rbac/validation/rule.go, ConfirmNoEscalation). */

import {
  CircularInheritanceError,
  MissingClusterRoleError,
  MissingRoleTemplateError,
  type PolicyRule,
  RulesTooLargeError,
} from "@drover/crds";
import { type Lacking, missingText, uncovered } from "@drover/platform";
import { type Denied, deny, type Verdict } from "kopf-ts/admission";
import type { Problem } from "./verdicts.ts";

/** What is granted, as the field that grants it; to whom it would have to belong; and what is not held. */
export interface Escalation {
  /** `roleTemplateName node-viewer`. */
  readonly grant: string;
  readonly username: string;
  readonly lacking: readonly Lacking[];
}

const mostPlaces = 3;

/** One sentence that names the field and lists shortly what is not held; undefined when nothing is lacking. */
export function escalationProblem({ grant, username, lacking }: Escalation): Problem {
  if (lacking.length === 0) return undefined;
  const shown = lacking
    .slice(0, mostPlaces)
    .map(({ where, missing }) => `${where} ${missingText(missing)}`);
  const more = lacking.length > mostPlaces ? ["and in more places"] : [];
  return `${grant} grants what user ${username} does not hold: ${[...shown, ...more].join("; ")}`;
}

/** What is lacking in one place. Rejects with the signal's reason, and with RulesTooLargeError. */
export async function lackingIn(
  where: string,
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  signal: AbortSignal,
): Promise<readonly Lacking[]> {
  const missing = await uncovered(held, wanted, signal);
  return missing.length === 0 ? [] : [{ where, missing }];
}

/**
 * The answer of a review that resolves and compares rules, where rules that cannot be resolved or compared are refused as `field`'s fault. Anything else it
 * throws stays thrown.
 */
export async function judgingRules(
  field: string,
  code: number,
  judge: () => Promise<Verdict>,
): Promise<Verdict> {
  try {
    return await judge();
  } catch (thrown) {
    const denied = faultOf(thrown, field, code);
    if (denied === undefined) throw thrown;
    return denied;
  }
}

function faultOf(thrown: unknown, field: string, code: number): Denied | undefined {
  const isFault =
    thrown instanceof CircularInheritanceError ||
    thrown instanceof MissingRoleTemplateError ||
    thrown instanceof MissingClusterRoleError ||
    thrown instanceof RulesTooLargeError;
  return isFault ? deny(code, `${field} cannot be resolved: ${thrown.message}`) : undefined;
}
