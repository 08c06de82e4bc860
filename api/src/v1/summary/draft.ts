/** A summary in the making: what the steps read, and what they write. */

import { listAt, textAt } from "../tree.ts";
import type { ErrorStatuses } from "./errors.ts";

/** One condition, with empty texts for what it lacks. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The object that is summed up. */
export interface Subject {
  readonly object: unknown;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly conditions: readonly Condition[];
  /** The schema of its kind has status.observedGeneration. */
  readonly observesGeneration: boolean;
  /** Which conditions mean an error, where somebody says so. */
  readonly errorStatuses: ErrorStatuses | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** What the steps have found so far; no state yet is the empty text. */
export interface Draft {
  state: string;
  error: boolean;
  transitioning: boolean;
  readonly messages: string[];
}

/** One step: later ones see what earlier ones wrote. */
export type Step = (subject: Subject, draft: Draft) => void;

/** The conditions of an object: those of its status, then those in annotation `cattle.io/status` (wrangler: pkg/summary/condition.go). */
export function conditionsOf(object: unknown): readonly Condition[] {
  return [...listAt(object, "status", "conditions"), ...annotated(object)].map(toCondition);
}

/** A condition as it was written, read. */
export function toCondition(written: unknown): Condition {
  return {
    type: textAt(written, "type"),
    status: textAt(written, "status"),
    reason: textAt(written, "reason"),
    message: textAt(written, "message"),
  };
}

function annotated(object: unknown): readonly unknown[] {
  const text = textAt(object, "metadata", "annotations", "cattle.io/status");
  if (text === "") return [];
  try {
    return listAt(JSON.parse(text), "conditions");
  } catch {
    return []; // somebody's own text under Rancher's name
  }
}

/** What an object is, from its apiVersion and kind. */
export function identityOf(object: unknown): Pick<Subject, "group" | "version" | "kind"> {
  const apiVersion = textAt(object, "apiVersion");
  const slash = apiVersion.lastIndexOf("/");
  return {
    group: apiVersion.slice(0, Math.max(0, slash)),
    version: apiVersion.slice(slash + 1),
    kind: textAt(object, "kind"),
  };
}

/** An empty draft. */
export function newDraft(): Draft {
  return { state: "", error: false, transitioning: false, messages: [] };
}

/** Writes that something goes on, and what. */
export function goesOn(draft: Draft, state: string, ...messages: readonly string[]): void {
  draft.state = state;
  draft.transitioning = true;
  draft.messages.push(...messages);
}

/** Writes that something is wrong, and what. */
export function failed(draft: Draft, state: string, ...messages: readonly string[]): void {
  draft.state = state;
  draft.error = true;
  draft.messages.push(...messages);
}
