/** What each namespace of a project gets, all of them looked at together. Pure. */

import { formatQuantity, type Project, parseQuantity, sumQuantities } from "@drover/crds";
import { effective, type Hard, hardOf } from "./limits.ts";
import type { Request } from "./requests.ts";

/** The quota of a project. */
export interface Quota {
  /** What its namespaces may have together. */
  readonly limit: Hard;
  /** What a namespace gets that asks for nothing; no other resources are given out. */
  readonly share: Hard;
}

/** The project's quota; undefined unless it has a limit and shares, and one share at least. */
export function quotaOf({ spec }: Pick<Project, "spec">): Quota | undefined {
  const { resourceQuota, namespaceDefaultResourceQuota } = spec ?? {};
  if (!resourceQuota || !namespaceDefaultResourceQuota) return undefined;
  const share = hardOf(namespaceDefaultResourceQuota.limit);
  return share.size === 0 ? undefined : { limit: hardOf(resourceQuota.limit), share };
}

/** A namespace of the project. */
export interface Member {
  readonly name: string;
  /** RFC 3339. */
  readonly created: string;
  readonly request: Request;
  /** What it has been given in this project; undefined for one that comes new. */
  readonly held: Hard | undefined;
}

/** What a namespace gets. */
export interface Verdict {
  readonly name: string;
  readonly wanted: Hard;
  /** For its ResourceQuota, as Kubernetes writes the amounts. */
  readonly granted: Hard;
  /** Why it does not get what it wants; empty: it does. */
  readonly message: string;
}

/**
 * What each namespace gets. What one has it keeps: who wants no more than that gets it, before anybody else gets more. The others follow, the oldest first; one whose
 * wish does not fit beside what all the others have gets nothing new, and one that comes new gets 0 of what does not fit, and the rest (as
 * Rancher). So no order of events gives out more than there is, and whoever looks at the same namespaces comes to the same end.
 */
export function verdictsOf(quota: Quota, members: readonly Member[]): readonly Verdict[] {
  const claims = members.map((member) => claimOf(quota, member)).toSorted(byModesty);
  const holdings = new Map(claims.map((claim) => [claim, heldBy(claim, quota)]));
  return claims.map((claim) => {
    holdings.delete(claim);
    const faults = faultsOf(claim, quota, [...holdings.values()]);
    const granted = grantedTo(claim, new Set(faults.flatMap(({ names }) => names)));
    holdings.set(claim, granted);
    const message = faults.map(({ text }) => text).join("; ");
    return { name: claim.member.name, wanted: claim.wanted, granted, message };
  });
}

/** What the project's namespaces have together, as far as anybody was given anything. */
export function usedOf(verdicts: readonly Verdict[]): Hard {
  const names = new Set(verdicts.flatMap(({ granted }) => [...granted.keys()]));
  const sums = [...names].map((name) => {
    const parts = verdicts.flatMap(({ granted }) => granted.get(name) ?? []);
    const isAsked = verdicts.some(({ granted, message }) => message === "" && granted.has(name));
    return { name, sum: sumQuantities(parts), isAsked };
  });
  return new Map(
    sums.filter(({ sum, isAsked }) => isAsked || sum !== "0").map(({ name, sum }) => [name, sum]),
  );
}

interface Claim {
  readonly member: Member;
  readonly wanted: Hard;
  readonly isModest: boolean;
}

function claimOf({ share }: Quota, member: Member): Claim {
  const wanted = effective(share, member.request.limit);
  const { held, request } = member;
  const isModest =
    request.isReadable &&
    held !== undefined &&
    [...wanted].every(([name, text]) => {
      const [asked, had] = [parseQuantity(text), parseQuantity(held.get(name) ?? "")];
      return asked !== undefined && asked >= 0n && had !== undefined && asked <= had;
    });
  return { member, wanted, isModest };
}

function byModesty(a: Claim, b: Claim): number {
  if (a.isModest !== b.isModest) return a.isModest ? -1 : 1;
  const key = ({ member: { created, name } }: Claim): string => `${created} ${name}`;
  return key(a) < key(b) ? -1 : 1;
}

/** What the modest want is less than they have: the rest is there for others. */
function heldBy({ isModest, wanted, member: { held } }: Claim, { share }: Quota): Hard {
  if (isModest) return wanted;
  return new Map([...(held ?? [])].filter(([name]) => share.has(name)));
}

/** What is wrong with what a namespace wants, and with which resources of it. */
interface Fault {
  readonly names: readonly string[];
  readonly text: string;
}

function faultsOf(
  { member: { request }, wanted, isModest }: Claim,
  { limit }: Quota,
  others: readonly Hard[],
): readonly Fault[] {
  if (!request.isReadable) return [{ names: [...wanted.keys()], text: unreadable }];
  if (isModest) return [];
  const amounts = [...wanted].map(([name, text]) => ({ name, text, amount: parseQuantity(text) }));
  const sums = amounts
    .filter(({ amount = -1n, name }) => amount >= 0n && limit.has(name))
    .map(({ name, text }) => ({ name, text: sumQuantities([text, ...partsOf(name, others)]) }));
  return [
    ...fault(
      "Negative",
      amounts.filter(({ amount = 0n }) => amount < 0n),
    ),
    ...fault(
      "Invalid",
      amounts.filter(({ amount }) => amount === undefined),
    ),
    ...fault(
      "Oversubscribed",
      sums.filter(({ name, text }) => amountOf(text) > amountOf(limit.get(name))),
    ),
  ];
}

const unreadable =
  'Invalid resource quota: the annotation must be JSON such as {"limit":{"pods":"4"}}';

function partsOf(name: string, others: readonly Hard[]): readonly string[] {
  return others.flatMap((held) => held.get(name) ?? []);
}

type Amount = { readonly name: string; readonly text: string };

function fault(word: string, found: readonly Amount[]): readonly Fault[] {
  if (found.length === 0) return [];
  const names = found.map(({ name }) => name);
  return [{ names, text: `${word} resource quota [${listed(found)}]` }];
}

/** As Rancher writes resources (rancher: pkg/utils). */
function listed(found: readonly Amount[]): string {
  return found
    .map(({ name, text }) => `${name}=${text}`)
    .toSorted()
    .join(",");
}

/** Where anything is wrong, what a namespace has stays. */
function grantedTo({ member: { held }, wanted }: Claim, faulty: ReadonlySet<string>): Hard {
  const entries = [...wanted].map(([name, text]) => {
    const before = faulty.size > 0 ? held?.get(name) : undefined;
    return [name, written(before ?? (faulty.has(name) ? "0" : text))] as const;
  });
  return new Map(entries);
}

/** As the API server will store it, so that what is in order looks so. */
function written(text: string): string {
  return formatQuantity(amountOf(text), text.endsWith("i") ? "binary" : "decimal");
}

function amountOf(text = "0"): bigint {
  return parseQuantity(text) ?? 0n;
}
