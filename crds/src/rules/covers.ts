/** Whether rules allow what other rules allow: the question behind every check for privilege escalation. */

import type { PolicyRule } from "kopf-ts/kinds";
import { RulesTooLargeError } from "./errors.ts";

/** The part of rules that is not covered, as rules; empty when everything is. */
export type Uncovered = readonly PolicyRule[];

/** Comparisons of one value with one rule, after which a call gives up (about a second). */
const mostComparisons = 10_000_000;

/** Comparisons between two steps (about ten milliseconds). */
const perStep = 100_000;

/**
 * What `wanted` allows and `owner` does not, in the order of `wanted` (kubernetes:
 * component-helpers/auth/rbac/validation/policy_comparator.go). Kubernetes takes `wanted` apart into one verb, group,
 * resource and name at a time and looks for one owner rule for each; this gives the same answer, but takes a rule apart only as
 * far as the owner's rules differ, so the answer is short and large rules are no trap. Neither list has to be valid.
 *
 * Throws RulesTooLargeError.
 */
export function covers(owner: readonly PolicyRule[], wanted: readonly PolicyRule[]): Uncovered {
  const steps = coversInSteps(owner, wanted);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As `covers`, but yields every few milliseconds: who compares rules that somebody else wrote lets others have the process between two steps. */
export function* coversInSteps(
  owner: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): Generator<undefined, Uncovered, undefined> {
  const resources = owner.map(resourceTests);
  const urls = owner.map(urlTests);
  const budget: Budget = { left: mostComparisons, pause: mostComparisons - perStep };
  const found: (readonly PolicyRule[])[] = [];
  for (const rule of wanted) {
    found.push((yield* missing(resourceBox(rule), resources, budget)).map(resourceRule));
    found.push((yield* missing(urlBox(rule), urls, budget)).map(urlRule));
  }
  return found.flat();
}

/** Comparisons that may still be made. */
interface Budget {
  left: number;
  /** The next step ends when fewer are left. */
  pause: number;
}

/** A value of a rule; `undefined` in place of names stands for all names. */
type Value = string | undefined;

/** Requests as a product: any value of the first list with any of the second, and so on. Nothing is empty or twice in a list. */
type Box = readonly (readonly Value[])[];

/** Which values of each list of a box an owner's rule covers. */
type Tests = readonly ((value: Value) => boolean)[];

/** Group first: it tells most rules apart. */
function resourceBox({ apiGroups, resources, verbs, resourceNames }: PolicyRule): Box {
  const names = given(resourceNames) ? resourceNames : [undefined];
  return distinct([apiGroups, resources, verbs, names]);
}

function resourceRule([apiGroups, resources, verbs, names]: Box): PolicyRule {
  const resourceNames = texts(names);
  return {
    verbs: texts(verbs),
    apiGroups: texts(apiGroups),
    resources: texts(resources),
    ...(given(resourceNames) ? { resourceNames } : {}),
  };
}

function urlBox({ nonResourceURLs, verbs }: PolicyRule): Box {
  return distinct([nonResourceURLs, verbs]);
}

function urlRule([urls, verbs]: Box): PolicyRule {
  return { verbs: texts(verbs), nonResourceURLs: texts(urls) };
}

function resourceTests(rule: PolicyRule): Tests {
  const names = new Set<Value>(rule.resourceNames);
  return [
    anyOr(rule.apiGroups),
    resourceTest(rule.resources),
    anyOr(rule.verbs),
    (name) => names.size === 0 || names.has(name),
  ];
}

/** An owner's rule with names covers no URL, even if it lists some: Kubernetes takes names as a limit of the whole rule. */
function urlTests({ nonResourceURLs = [], verbs, resourceNames }: PolicyRule): Tests {
  if (given(resourceNames)) return [() => false, () => false];

  const exact = new Set<Value>(nonResourceURLs);
  const prefixes = nonResourceURLs
    .filter((url) => url.endsWith("*"))
    .map((url) => url.replace(/(?<!\*)\*+$/, ""));
  return [
    (url) => exact.has(url) || prefixes.some((prefix) => url?.startsWith(prefix)),
    anyOr(verbs),
  ];
}

function anyOr(values: readonly string[] | undefined): (value: Value) => boolean {
  const held = new Set<Value>(values);
  return held.has("*") ? () => true : (value) => held.has(value);
}

// `*` covers subresources too, `pods` does not cover `pods/log`, `*/log` covers the log of everything, `pods/*` is no wildcard.
function resourceTest(resources: readonly string[] | undefined): (value: Value) => boolean {
  const held = new Set<Value>(resources);
  if (held.has("*")) return () => true;
  return (resource = "") => {
    const slash = resource.indexOf("/");
    return held.has(resource) || (slash >= 0 && held.has(`*${resource.slice(slash)}`));
  };
}

/** What remains of a box when everything is taken out that one of the owner's rules covers. */
function* missing(
  box: Box,
  owner: readonly Tests[],
  budget: Budget,
): Generator<undefined, readonly Box[], undefined> {
  let rest: readonly Box[] = box.some((values) => values.length === 0) ? [] : [box];
  for (const tests of owner) {
    if (rest.length === 0) break;
    const next: Box[] = [];
    for (const each of rest) {
      next.push(...without(each, tests, budget));
      if (budget.left >= budget.pause) continue;
      budget.pause = budget.left - perStep;
      yield;
    }
    rest = next;
  }
  return rest;
}

/** A box without what a rule covers: one box per list that is covered in part, none of them overlapping. */
function without(box: Box, tests: Tests, budget: Budget): readonly Box[] {
  const covered: (readonly Value[])[] = [];
  const rest: Box[] = [];
  for (const [index, values] of box.entries()) {
    budget.left -= values.length;
    if (budget.left < 0) throw new RulesTooLargeError(mostComparisons);

    const [inside, outside] = split(values, tests[index]);
    if (inside.length === 0) return [box];
    if (outside.length > 0) rest.push([...covered, outside, ...box.slice(index + 1)]);
    covered.push(inside);
  }
  return rest;
}

function split(
  values: readonly Value[],
  test: ((value: Value) => boolean) | undefined,
): readonly [inside: readonly Value[], outside: readonly Value[]] {
  const inside: Value[] = [];
  const outside: Value[] = [];
  for (const value of values) (test?.(value) ? inside : outside).push(value);
  return [inside, outside];
}

function distinct(lists: readonly (readonly Value[] | undefined)[]): Box {
  return lists.map((values) => [...new Set(values)]);
}

function texts(values: readonly Value[] = []): readonly string[] {
  return values.filter((value) => value !== undefined);
}

function given(values: readonly unknown[] | undefined): values is readonly string[] {
  return values !== undefined && values.length > 0;
}
