/** The answer of `drover can`, in words. Pure. */

import { ruleText } from "@drover/crds";
import { type Chain, type ResourceWish, type WishPlace, wishRule } from "@drover/platform";
import { keyOf, type ObjectRef } from "kopf-ts";
import type { Subject } from "./subject.ts";

/** What was found out. */
export interface Findings {
  readonly subject: Subject;
  readonly wish: ResourceWish;
  readonly place: WishPlace;
  /** What the cluster's API server says. */
  readonly allowed: boolean;
  /** Why, in its words; often empty. */
  readonly reason: string;
  /** Ways that bindings of ours declare. */
  readonly declared: readonly Chain[];
  /** Ways that the cluster's RBAC shows. */
  readonly shown: readonly Chain[];
  /** Names of role templates that would grant it. */
  readonly templates: readonly string[];
}

const mostTemplates = 6;
const mostChains = 5;

/** Lines for a person; the first one is the answer. */
export function answer(findings: Findings): readonly string[] {
  const { allowed, declared, shown, reason, subject } = findings;
  const ways = [...chains("declared by", declared), ...chains("in the cluster's own RBAC", shown)];
  if (allowed) {
    const disabled = subject.isDisabled ? ["but the User is disabled: it can log in nowhere"] : [];
    const unexplained =
      ways.length === 0 ? ["", `the API server says: ${reason || "allowed"}`] : [];
    return [sentence(findings), ...disabled, ...ways, ...unexplained];
  }
  return [sentence(findings), ...ways, ...missing(findings)];
}

/** `u-abc12 (Jane) can list deployments.apps in namespace web of cluster c-1`. */
function sentence({ allowed, subject, wish, place }: Findings): string {
  const { cluster, namespace } = place;
  const resource = resourceText(wish);
  const what = wish.name === undefined ? resource : `${resource} "${wish.name}"`;
  const where = namespace === undefined ? "" : `namespace ${namespace} of `;
  const verb = allowed ? "yes:" : "no:";
  return `${verb} ${subject.title} ${allowed ? "can" : "cannot"} ${wish.verb} ${what} in ${where}cluster ${cluster}`;
}

/** `pods/exec`, `deployments.apps`. */
function resourceText({ apiGroup, resource }: ResourceWish): string {
  const [plural = "", subresource] = resource.split("/", 2);
  const whole = apiGroup === "" ? plural : `${plural}.${apiGroup}`;
  return subresource === undefined ? whole : `${whole}/${subresource}`;
}

function chains(title: string, list: readonly Chain[]): readonly string[] {
  if (list.length === 0) return [];
  const more = list.length - mostChains;
  return [
    "",
    `${title}:`,
    ...list.slice(0, mostChains).flatMap(chainLines),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** The binding, and below it, further in with each step, what it leads to. */
function chainLines({ links, rule }: Chain): readonly string[] {
  const steps = [...links.map(refText), ruleText(rule)];
  return steps.map((step, depth) => `${"  ".repeat(depth + 1)}${step}`);
}

function refText(ref: ObjectRef): string {
  return `${ref.kind} ${keyOf(ref)}`;
}

function missing(findings: Findings): readonly string[] {
  const { subject, wish, place, declared, shown, templates } = findings;
  if (shown.length > 0) return ["", "the API server does not follow these bindings yet; ask again"];
  const [first] = declared;
  if (first !== undefined) {
    const [binding] = first.links;
    const kind = binding.kind.toLowerCase();
    const { name, namespace } = binding.metadata;
    const option = namespace === undefined ? "" : ` -n ${namespace}`;
    return [
      "",
      `declared, but not in effect in the cluster: \`drover explain ${kind}/${name}${option}\` shows what is missing`,
    ];
  }
  return [
    "",
    `missing: ${ruleText(wishRule(wish))}`,
    ...(templates.length === 0 ? [] : [suggestion(place, templates)]),
    ...(subject.isKnown
      ? []
      : [`there is no User ${subject.title}; it was taken for a user of the cluster's own`]),
  ];
}

function suggestion({ project, cluster }: WishPlace, templates: readonly string[]): string {
  const shown = templates.slice(0, mostTemplates).join(", ");
  const more = templates.length - mostTemplates;
  const where = project === undefined ? `cluster ${cluster}` : `project ${project}`;
  return `a binding to one of these role templates in ${where} grants it: ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}
