/** Why somebody may do something or not, in words and as chains of binding, roles and rule. Pure. */

import { type PolicyRule, ruleText } from "@drover/crds";
import {
  type AccessSources,
  type Chain,
  declaredChains,
  isSuperuser,
  keysOf,
  rbacChains,
  type Wish,
  wishRule,
} from "@drover/platform";
import type { ObjectRef } from "kopf-ts";
import type { Access } from "../access/access.ts";
import type { RbacSources } from "../access/index.ts";
import type { Question } from "./question.ts";

/** One reason. */
export interface Reason {
  /**
   * `rbac`: the cluster grants it. `declared`: bindings of the management cluster say so, whether or not the cluster shows it yet. `superuser`: no rule limits the caller.
   * `missing`: a binding grants a role that does not exist. `elsewhere`: it is allowed, but not on what was asked about.
   */
  readonly source: "rbac" | "declared" | "superuser" | "missing" | "elsewhere";
  readonly text: string;
  /** From the binding to the role that has the rule. */
  readonly chain?: readonly ObjectRef[];
  readonly rule?: PolicyRule;
}

/** An answer, without its envelope. */
export interface Explanation {
  readonly allowed: boolean;
  readonly reasons: readonly Reason[];
  /** A rule that would be enough, and where; for what is not allowed. */
  readonly missing?: { readonly text: string; readonly rule: PolicyRule };
}

/** What explanations are made from. */
export interface ExplainParts {
  /** The caller's rights in the cluster. */
  readonly access: Access;
  readonly sourcesFor: (wish: Wish) => RbacSources;
  /** Of the management cluster, where it is known. */
  readonly declared?: AccessSources | undefined;
  /** `<cluster>:<project>` of the namespace, where it is known. */
  readonly project?: string | undefined;
}

/** Reasons of one kind that are told. */
const mostReasons = 50;

/** Explains. What the cluster's RBAC shows decides; what is declared is told beside it. */
export function explain(question: Question, parts: ExplainParts): Explanation {
  if (isSuperuser(question.caller)) {
    const text = "members of system:masters may do everything";
    return { allowed: true, reasons: [{ source: "superuser", text }] };
  }
  const wish = wishOf(question);
  const allowed = isAllowed(question, parts.access);
  const place = placeOf(question);
  const granted = rbacReasons(question, wish, place, parts);
  const declared = declaredReasons(question, wish, place, parts);
  if (allowed) return { allowed, reasons: [...granted, ...declared] };
  const reasons = [
    ...declared,
    ...brokenReasons(question, wish, place, parts),
    ...elsewhere(question, parts),
  ];
  const rule = wishRule(wish);
  return { allowed, reasons, missing: { rule, text: missingText(rule, place) } };
}

function wishOf(question: Question): Wish {
  const { verb } = question;
  if ("path" in question) return { verb, path: question.path };
  const { type, plural, name } = question;
  return { verb, apiGroup: type.kind.group, resource: plural, ...(name !== undefined && { name }) };
}

function isAllowed(question: Question, access: Access): boolean {
  const { verb } = question;
  if ("path" in question) return access.mayVisit(verb, question.path);
  const { type, plural, namespace, name } = question;
  return access.may(verb, { group: type.kind.group, plural }, namespace, name);
}

/** To an API server the request for a namespace is one within it; paths are in none. */
export function placeOf(question: Question): string | undefined {
  if ("path" in question) return undefined;
  const { type, namespace, name } = question;
  return type.id === "namespace" ? name : namespace;
}

function rbacReasons(
  { caller }: Question,
  wish: Wish,
  namespace: string | undefined,
  { sourcesFor }: ExplainParts,
): readonly Reason[] {
  const place = namespace === undefined ? {} : { namespace };
  const chains = rbacChains(caller, wish, place, sourcesFor(wish));
  return chains.slice(0, mostReasons).map((chain) => reasonOf("rbac", chain));
}

function declaredReasons(
  { caller, cluster }: Question,
  wish: Wish,
  namespace: string | undefined,
  { declared, project }: ExplainParts,
): readonly Reason[] {
  if (declared === undefined) return [];
  const place = {
    cluster,
    ...(namespace !== undefined && { namespace }),
    ...(project !== undefined && { project }),
  };
  const chains = declaredChains(caller, wish, place, declared);
  return chains.slice(0, mostReasons).map((chain) => reasonOf("declared", chain));
}

function reasonOf(source: Reason["source"], { links, rule }: Chain): Reason {
  const [binding, ...roles] = links.map(refText);
  const text = `${binding} grants ${roles.join(", which has ")}: ${ruleText(rule)}`;
  return { source, text, chain: links, rule };
}

/** Bindings of the caller that grant a role which is not there. */
function brokenReasons(
  { caller }: Question,
  wish: Wish,
  namespace: string | undefined,
  { sourcesFor }: ExplainParts,
): readonly Reason[] {
  const sources = sourcesFor(wish);
  const keys = keysOf(caller);
  const everywhere = keys.flatMap((key) => sources.clusterRoleBindings(key));
  const here =
    namespace === undefined ? [] : keys.flatMap((key) => sources.roleBindings(key, namespace));
  return [...everywhere, ...here]
    .filter(({ roleRef, metadata }) =>
      roleRef.kind === "Role"
        ? sources.role(metadata.namespace ?? "", roleRef.name) === undefined
        : sources.clusterRole(roleRef.name) === undefined,
    )
    .slice(0, mostReasons)
    .map(({ apiVersion, kind, metadata: { name, namespace: home }, roleRef }) => {
      const link = { apiVersion, kind, metadata: { name, ...(home && { namespace: home }) } };
      const text = `${refText(link)} grants ${roleRef.kind} ${roleRef.name}, which does not exist`;
      return { source: "missing", text, chain: [link] };
    });
}

/** Names and namespaces that are told. */
const mostPlaces = 10;

function elsewhere(question: Question, parts: ExplainParts): readonly Reason[] {
  if ("path" in question) return [];
  const { verb, type, plural, namespace } = question;
  const reach = parts.access.reach([verb], { group: type.kind.group, plural });
  if (reach === "all") return [];
  const reasons: Reason[] = [];
  const what = `${verb} ${plural}`;
  if (type.kind.scope === "Namespaced" && reach.namespaces.size > 0) {
    const text = `may ${what} in ${listed("namespace", reach.namespaces)}`;
    reasons.push({ source: "elsewhere", text });
  }
  const names = new Set(["", namespace ?? ""].flatMap((at) => [...(reach.names.get(at) ?? [])]));
  if (names.size > 0) {
    reasons.push({ source: "elsewhere", text: `may ${what} of ${listed("name", names)}` });
  }
  return reasons;
}

function listed(word: string, all: ReadonlySet<string>): string {
  const shown = [...all].sort().slice(0, mostPlaces);
  const more = all.size - shown.length;
  const text = more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
  return `${word}${all.size > 1 ? "s" : ""} ${text}`;
}

function missingText(rule: PolicyRule, namespace: string | undefined): string {
  const where = namespace === undefined ? "in the whole cluster" : `in namespace ${namespace}`;
  return `nothing grants ${ruleText(rule)} ${where}`;
}

function refText({ kind, metadata: { namespace, name } }: ObjectRef): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
