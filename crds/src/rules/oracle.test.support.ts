/** Random rules, and what they mean told the slow way: by asking for every request of a small world. */

import type { PolicyRule } from "kopf-ts/kinds";
import type { Random } from "kopf-ts/testing";

/** Something a caller may ask of the API server: about a resource, or about a URL. */
export type Request =
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly name: string;
    }
  | { readonly verb: string; readonly path: string };

/** Whether some rule allows a request (kubernetes: plugin/pkg/auth/authorizer/rbac/rbac.go, RuleAllows). */
export function allows(rules: readonly PolicyRule[], request: Request): boolean {
  return rules.some((rule) => ruleAllows(rule, request));
}

function ruleAllows(rule: PolicyRule, request: Request): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!verbs.includes("*") && !verbs.includes(request.verb)) return false;
  if ("path" in request) return nonResourceURLs.some((url) => urlAllows(url, request.path));

  const { group, name } = request;
  if (!apiGroups.includes("*") && !apiGroups.includes(group)) return false;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  return resources.some((resource) => resourceAllows(resource, request));
}

function resourceAllows(
  allowed: string,
  { resource, subresource }: { readonly resource: string; readonly subresource: string },
): boolean {
  if (allowed === "*") return true;
  if (subresource === "") return allowed === resource;
  return allowed === `${resource}/${subresource}` || allowed === `*/${subresource}`;
}

function urlAllows(allowed: string, path: string): boolean {
  const prefix = /^(.*?)\*+$/.exec(allowed)?.[1];
  return allowed === path || (prefix !== undefined && path.startsWith(prefix));
}

/** The words that random rules use. */
const verbs = ["get", "list", "*"] as const;
const groups = ["", "apps", "*"] as const;
const resources = [
  ...(["pods", "secrets", "pods/log", "secrets/log", "pods/scale"] as const),
  ...(["*/log", "*/scale", "pods/*", "*/*", "*"] as const),
] as const;
const names = ["a", "b", ""] as const;
const urls = [
  ...([
    "/healthz",
    "/healthz/",
    "/healthz/etcd",
    "/healthz*",
    "/healthz/*",
    "/healthz/e**",
  ] as const),
  ...(["/metrics", "/he*lthz", "/*", "*"] as const),
] as const;

/**
 * Every request over the words that random rules use, and over one word more of each sort (`other`) that no rule names: only a
 * wildcard can allow it, as only a wildcard allows what the world will contain tomorrow.
 */
export const everyRequest: readonly Request[] = [...resourceRequests(), ...urlRequests()];

function* resourceRequests(): Iterable<Request> {
  for (const verb of ["get", "list", "other", "*"]) {
    for (const group of ["", "apps", "other"]) {
      for (const resource of ["pods", "secrets", "other"]) {
        for (const subresource of ["", "log", "scale", "other", "*"]) {
          for (const name of ["", "a", "b", "other"]) {
            yield { verb, group, resource, subresource, name };
          }
        }
      }
    }
  }
}

function* urlRequests(): Iterable<Request> {
  const paths = urls.map((url) => url.replace(/\*+$/, ""));
  const all = new Set([...paths, ...paths.map((path) => `${path}other`), ...urls]);
  for (const verb of ["get", "list", "other", "*"]) {
    for (const path of all) yield { verb, path };
  }
}

/** One to three values, perhaps one of them twice. */
function some(random: Random, from: readonly [string, ...string[]]): readonly string[] {
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(from));
}

/** A rule that Kubernetes accepts. */
export function validRule(random: Random): PolicyRule {
  if (random.chance(0.3))
    return { verbs: some(random, verbs), nonResourceURLs: some(random, urls) };
  return {
    verbs: some(random, verbs),
    apiGroups: some(random, groups),
    resources: some(random, resources),
    ...(random.chance(0.3) ? { resourceNames: some(random, names) } : {}),
  };
}

/** A rule of any shape: lists absent or empty, resources beside URLs. */
export function anyRule(random: Random): PolicyRule {
  const perhaps = (from: readonly [string, ...string[]]): readonly string[] =>
    random.chance(0.8) ? some(random, from) : [];
  return {
    verbs: perhaps(verbs),
    ...(random.chance(0.8) ? { apiGroups: perhaps(groups) } : {}),
    ...(random.chance(0.8) ? { resources: perhaps(resources) } : {}),
    ...(random.chance(0.3) ? { resourceNames: perhaps(names) } : {}),
    ...(random.chance(0.5) ? { nonResourceURLs: perhaps(urls) } : {}),
  };
}

/** None to `most` rules. */
export function rulesOf(
  random: Random,
  rule: (random: Random) => PolicyRule,
  most: number,
): readonly PolicyRule[] {
  return Array.from({ length: random.below(most + 1) }, () => rule(random));
}

/** Rules that allow part of what `rules` allow, mostly; chance alone would seldom make such a pair. */
export function narrowed(random: Random, rules: readonly PolicyRule[]): readonly PolicyRule[] {
  return rules.map((rule) => {
    const narrow = (
      values: readonly string[],
      from: readonly [string, ...string[]],
    ): readonly string[] => {
      if (values.includes("*") && random.chance(0.5)) return some(random, from);
      const [first, ...others] = values;
      return first === undefined || random.chance(0.5) ? values : [random.pick([first, ...others])];
    };
    return {
      verbs: narrow(rule.verbs, verbs),
      ...(rule.apiGroups && { apiGroups: narrow(rule.apiGroups, groups) }),
      ...(rule.resources && { resources: narrow(rule.resources, resources) }),
      ...(rule.resourceNames && { resourceNames: narrow(rule.resourceNames, names) }),
      ...(rule.nonResourceURLs && { nonResourceURLs: narrow(rule.nonResourceURLs, urls) }),
    };
  });
}

/** Rules taken apart into one verb, group, resource and name (or one verb and URL) each, as text, each once. */
export function atoms(rules: readonly PolicyRule[]): readonly string[] {
  return [...new Set(rules.flatMap(atomsOf).map((atom) => JSON.stringify(atom)))].sort();
}

/** Single requests that a rule stands for, wildcards left as they are. */
export function atomsOf(rule: PolicyRule): readonly PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const limits =
    resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ resourceNames: [name] }));
  return verbs.flatMap((verb) => [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        limits.map((limit) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          ...limit,
        })),
      ),
    ),
    ...nonResourceURLs.map((url) => ({ verbs: [verb], nonResourceURLs: [url] })),
  ]);
}
