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
  const ledger = new Ledger(claims.map((claim) => [claim, heldBy(claim, quota)]));
  const round = (): readonly Verdict[] => claims.map((claim) => judge(claim, quota, ledger));
  let [verdicts, before] = [round(), ""];
  // What one gives back in its turn is there for those before it, and what one is told counts what came after it.
  for (let left = claims.length; left > 0 && said(verdicts) !== before; left--) {
    before = said(verdicts);
    verdicts = round();
  }
  return verdicts;
}

function judge(claim: Claim, quota: Quota, ledger: Ledger): Verdict {
  const faults = faultsOf(claim, quota, ledger);
  const granted = grantedTo(claim, new Set(faults.flatMap(({ names }) => names)));
  ledger.set(claim, granted);
  const message = faults.map(({ text }) => text).join("; ");
  return { name: claim.member.name, wanted: claim.wanted, granted, message };
}

function said(verdicts: readonly Verdict[]): string {
  return JSON.stringify(verdicts.map(({ granted, message }) => [[...granted], message]));
}

/** Who has what, and how much that is together. */
class Ledger {
  readonly #entries: Map<Claim, Hard>;
  readonly #totals = new Map<string, bigint>();

  constructor(entries: readonly (readonly [Claim, Hard])[]) {
    this.#entries = new Map(entries);
    for (const [, hard] of entries) this.#add(hard, 1n);
  }

  set(claim: Claim, hard: Hard): void {
    this.#add(this.#entries.get(claim) ?? new Map(), -1n);
    this.#add(hard, 1n);
    this.#entries.set(claim, hard);
  }

  /** What all the others have of a resource. */
  besides(claim: Claim, name: string): bigint {
    return (this.#totals.get(name) ?? 0n) - amountOf(this.#entries.get(claim)?.get(name));
  }

  #add(hard: Hard, times: bigint): void {
    for (const [name, text] of hard) {
      this.#totals.set(name, (this.#totals.get(name) ?? 0n) + times * amountOf(text));
    }
  }
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

function faultsOf(claim: Claim, { limit }: Quota, ledger: Ledger): readonly Fault[] {
  const { member, wanted, isModest } = claim;
  if (!member.request.isReadable) return [{ names: [...wanted.keys()], text: unreadable }];
  if (isModest) return [];
  const amounts = [...wanted].map(([name, text]) => ({ name, text, amount: parseQuantity(text) }));
  const over = amounts.flatMap(({ name, text, amount = -1n }) => {
    const sum = ledger.besides(claim, name) + amount;
    const fits = amount < 0n || !limit.has(name) || sum <= amountOf(limit.get(name));
    return fits ? [] : [{ name, text: formatted(sum, text) }];
  });
  return [
    ...fault(
      "Negative",
      amounts.filter(({ amount = 0n }) => amount < 0n),
    ),
    ...fault(
      "Invalid",
      amounts.filter(({ amount }) => amount === undefined),
    ),
    ...fault("Oversubscribed", over),
  ];
}

const unreadable =
  'Invalid resource quota: the annotation must be JSON such as {"limit":{"pods":"4"}}';

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
  return formatted(amountOf(text), text);
}

/** In the units that `like` is in. */
function formatted(amount: bigint, like: string): string {
  return formatQuantity(amount, like.endsWith("i") ? "binary" : "decimal");
}

function amountOf(text = "0"): bigint {
  return parseQuantity(text) ?? 0n;
}
