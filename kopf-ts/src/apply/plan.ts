/** The decision of applySet: what to send, what to leave, what to delete. No I/O. */

import { TemporaryError } from "../base/index.ts";
import { type KubeObject, keyOf } from "../kube/index.ts";
import { type ApplyFailure, nameOf } from "./apply-error.ts";
import { inAnyVersion } from "./desired.ts";
import { differences, fingerprint } from "./differences.ts";
import { claimOf, describeSet, pruneLabel } from "./marks.ts";
import type { Members } from "./members.ts";

/** One object to send, and what is known of it. */
export interface Sending {
  readonly object: KubeObject;
  readonly live: KubeObject | undefined;
  readonly view: Members;
}

/** What to do about the objects of one kind. */
export interface Plan {
  readonly send: readonly Sending[];
  readonly unchanged: readonly KubeObject[];
  readonly terminating: readonly KubeObject[];
  readonly prune: readonly KubeObject[];
  readonly failures: readonly ApplyFailure[];
}

/** What a call is about, for one kind in one version. */
export interface Question {
  readonly wanted: readonly KubeObject[];
  /** All that the call wants, by `inAnyVersion`: what is wanted in another version has not left. */
  readonly kept: ReadonlySet<string>;
  readonly view: Members;
  readonly set: WantedSet;
  readonly prune: boolean;
}

/** What is known of the set that a call makes. */
export interface WantedSet {
  readonly hash: string;
  /** Whether an object without marks becomes a member. */
  readonly adopts: (live: KubeObject) => boolean;
}

/** Decides for one kind. */
export function plan({ wanted, kept, view, set, prune }: Question): Plan {
  const decided = wanted.map((object) => decide(object, set, view));
  const left = prune ? leftBehind(kept, view) : [];
  return {
    send: decided.flatMap((each) => (each.do === "send" ? [each] : [])),
    unchanged: decided.flatMap((each) => (each.do === "leave" ? [each.live] : [])),
    terminating: decided.flatMap((each) => (each.do === "wait" ? [each.live] : [])),
    prune: view.mayNotPrune === undefined ? left : [],
    failures: [
      ...decided.flatMap((each) => (each.do === "refuse" ? [each.failure] : [])),
      ...(view.mayNotPrune === undefined ? [] : left.map(cannotPrune(view.mayNotPrune))),
    ],
  };
}

/** What to do about one object. */
export type Decision =
  | ({ readonly do: "send" } & Sending)
  | { readonly do: "leave"; readonly live: KubeObject }
  | { readonly do: "wait"; readonly live: KubeObject }
  | { readonly do: "refuse"; readonly failure: ApplyFailure };

/** Decides for one object. */
export function decide(object: KubeObject, { hash, adopts }: WantedSet, view: Members): Decision {
  const live = view.get(keyOf(object));
  if (live === undefined) return { do: "send", object, live, view };
  const claim = claimOf(live);
  if (claim !== undefined && claim !== hash) return { do: "refuse", failure: foreign(live) };
  if (claim === undefined && !adopts(live)) return { do: "refuse", failure: notAdopted(live) };
  if (live.metadata.deletionTimestamp !== undefined) return { do: "wait", live };
  const found = differences(object, live);
  const agrees = found.length === 0 || fingerprint(found) === view.forms.get(object);
  return agrees ? { do: "leave", live } : { do: "send", object, live, view };
}

/** Milliseconds until it is worth a look whether another set let go of an object, of which no event tells. */
const LET_GO = 60_000;

/** Two sets that want one object would overwrite each other for ever. The other one may let go without anybody changing our owner. */
function foreign(live: KubeObject): ApplyFailure {
  const what = nameOf(live);
  const error = new TemporaryError(`${what} belongs to ${describeSet(live)}`, { delay: LET_GO });
  return { verb: "apply", what, error };
}

/** Whoever made it may give up the name, of which no event of ours tells. */
function notAdopted(live: KubeObject): ApplyFailure {
  const what = nameOf(live);
  const error = new TemporaryError(`${what} was made by somebody else`, { delay: LET_GO });
  return { verb: "apply", what, error, stranger: live };
}

function leftBehind(kept: ReadonlySet<string>, { members }: Members): readonly KubeObject[] {
  return members.filter(
    (member) =>
      !kept.has(inAnyVersion(member)) &&
      member.metadata.deletionTimestamp === undefined &&
      member.metadata.labels?.[pruneLabel] !== "false",
  );
}

function cannotPrune(error: Error): (member: KubeObject) => ApplyFailure {
  return (member) => ({ verb: "prune", what: nameOf(member), error });
}
