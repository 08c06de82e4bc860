/** What the rules of a role allow, ready to be asked (kubernetes: pkg/apis/rbac/v1/evaluation_helpers.go). */

import { createHash } from "node:crypto";
import type { PolicyRule } from "@drover/crds";
import type { GroupResource } from "./access.ts";

/** Of one rule, with sets in place of lists. */
interface ResourceRule {
  readonly written: PolicyRule;
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** Undefined for all. */
  readonly names: ReadonlySet<string> | undefined;
}

interface UrlRule {
  readonly written: PolicyRule;
  readonly verbs: ReadonlySet<string>;
  readonly urls: readonly string[];
}

/** On which objects something is allowed: all, and those that are named besides. */
export interface Match {
  readonly all: boolean;
  readonly names: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** The rules of one role. Those of two roles are equal where their digests are. */
export class Rules {
  /** As they were written. */
  readonly written: readonly PolicyRule[];
  /** Of what the rules allow, whatever their order. */
  readonly digest: string;
  readonly #resources: readonly ResourceRule[];
  readonly #urls: readonly UrlRule[];

  constructor(written: readonly PolicyRule[], digest: string = digestOf(written)) {
    this.written = written;
    this.digest = digest;
    this.#resources = written.filter(({ resources }) => given(resources)).map(toResourceRule);
    this.#urls = written.filter(({ nonResourceURLs }) => given(nonResourceURLs)).map(toUrlRule);
  }

  /** Objects on which one of the verbs is allowed; a subresource stands behind a slash, as in rules. */
  match(verbs: readonly string[], resource: GroupResource): Match {
    let names: ReadonlySet<string> = none;
    let all = false;
    for (const rule of this.#about(verbs, resource)) {
      if (rule.names === undefined) all = true;
      else names = names.size === 0 ? rule.names : new Set([...names, ...rule.names]);
    }
    return { all, names };
  }

  /** The rules that allow a verb: on the object of a name, or on any. */
  granting(verb: string, resource: GroupResource, name: string | undefined): readonly PolicyRule[] {
    return [...this.#about([verb], resource)]
      .filter(({ names }) => names === undefined || (name !== undefined && names.has(name)))
      .map(({ written }) => written);
  }

  /** Whether anything at all may be done with one of the verbs. */
  allows(verbs: readonly string[]): boolean {
    return this.#resources.some((rule) => hasOne(rule.verbs, verbs));
  }

  *#about(verbs: readonly string[], { group, plural }: GroupResource): Generator<ResourceRule> {
    const slash = plural.indexOf("/");
    const ofAny = slash < 0 ? "" : `*${plural.slice(slash)}`;
    for (const rule of this.#resources) {
      if (!has(rule.groups, group) || !hasOne(rule.verbs, verbs)) continue;
      if (has(rule.resources, plural) || rule.resources.has(ofAny)) yield rule;
    }
  }

  /** Whether a path may be visited. */
  matchUrl(verb: string, path: string): boolean {
    return this.#urls.some((rule) => isAbout(rule, verb, path));
  }

  /** The rules by which it may. */
  grantingUrl(verb: string, path: string): readonly PolicyRule[] {
    return this.#urls.filter((rule) => isAbout(rule, verb, path)).map(({ written }) => written);
  }
}

/** Equal for rules that allow the same in the same words, in whatever order. */
export function digestOf(rules: readonly PolicyRule[]): string {
  const lines = rules.map(({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) =>
    JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map(sorted)),
  );
  return createHash("sha256")
    .update([...new Set(lines)].sort().join("\n"))
    .digest("base64url");
}

function toResourceRule(rule: PolicyRule): ResourceRule {
  const { verbs, apiGroups, resources, resourceNames } = rule;
  return {
    written: rule,
    verbs: new Set(verbs),
    groups: new Set(apiGroups),
    resources: new Set(resources),
    names: given(resourceNames) ? new Set(resourceNames) : undefined,
  };
}

function toUrlRule(rule: PolicyRule): UrlRule {
  return { written: rule, verbs: new Set(rule.verbs), urls: rule.nonResourceURLs ?? [] };
}

function isAbout({ verbs, urls }: UrlRule, verb: string, path: string): boolean {
  return has(verbs, verb) && urls.some((url) => covers(url, path));
}

function covers(url: string, path: string): boolean {
  if (url === path) return true;
  return url.endsWith("*") && path.startsWith(url.replace(/(?<!\*)\*+$/, ""));
}

function has(held: ReadonlySet<string>, value: string): boolean {
  return held.has(value) || held.has("*");
}

function hasOne(held: ReadonlySet<string>, values: readonly string[]): boolean {
  return held.has("*") || values.some((value) => held.has(value));
}

function given(values: readonly string[] | null | undefined): values is readonly string[] {
  return values !== undefined && values !== null && values.length > 0;
}

function sorted(values: readonly string[] | null | undefined): readonly string[] {
  return [...new Set(values ?? [])].sort();
}
