/** Brings the CRDs into a cluster and keeps them up to date, without ever deleting one: their objects would go with it. */

import {
  type Client,
  type Clock,
  exponential,
  isConflict,
  isForbidden,
  isNotFound,
  type Kind,
  type Logger,
  messageOf,
  systemClock,
} from "kopf-ts";
import { kinds } from "../kinds.ts";
import { Feature } from "../server/feature.ts";
import { desiredCrd, obstacle, outdated, unready } from "./desired.ts";
import { CustomResourceDefinition, readManifest } from "./manifest.ts";

/** Owns the fields that are applied. */
const fieldManager = "drover-crds";

/** Between two looks at a CRD, in milliseconds. */
const polling = { min: 50, max: 1_000 };

/** How many looks (some 1.5 s) pass before the log says what is waited for. */
const patience = 5;

/** Options of installCrds. */
export interface InstallOptions {
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** The kinds to install; all unless told. */
  readonly only?: readonly Kind[];
  /** Milliseconds until every CRD has to be served, whatever the API server does; 60,000 unless told. */
  readonly timeout?: number;
  readonly clock?: Clock;
}

/** What became of one CRD. */
export interface InstalledCrd {
  readonly name: string;
  readonly action: "created" | "updated" | "unchanged";
}

/** Says which CRD could not be installed, and why. */
export class CrdError extends Error {
  override readonly name = "CrdError";
  readonly crd: string;

  constructor(why: string, { crd, ...options }: ErrorOptions & { readonly crd: string }) {
    super(`CRD ${crd} cannot be installed: ${why}`, options);
    this.crd = crd;
  }
}

/**
 * Installs or updates the CRDs and returns once the API server serves them: Feature first and alone, because what else runs
 * depends on features, then the rest at once. A CRD that is as it should be costs one read and no write; one that belongs to
 * somebody else is left alone. The log (level warn) says which CRD is waited for, and for what, after 1.5 s and when that changes.
 *
 * Throws a CrdError, or an AggregateError of several, after `timeout` at the latest; aborting rejects with the signal's reason.
 */
export async function installCrds(
  client: Client,
  { only = kinds, clock = systemClock, timeout = 60_000, log, signal }: InstallOptions,
): Promise<readonly InstalledCrd[]> {
  const late = new AbortController();
  const timer = clock.after(timeout, () => late.abort());
  const either = AbortSignal.any([signal, late.signal]);
  const installer: Installer = { client, clock, timeout, log, signal: either, late: late.signal };
  const features = only.filter((kind) => kind === Feature);
  const others = only.filter((kind) => kind !== Feature);

  try {
    return [...(await installAll(installer, features)), ...(await installAll(installer, others))];
  } finally {
    timer.cancel();
    signal.throwIfAborted();
  }
}

/** The cluster and how to treat it. */
type Installer = Required<Omit<InstallOptions, "only">> & {
  readonly client: Client;
  /** Aborts when the time is up; `signal` does then as well. */
  readonly late: AbortSignal;
};

async function installAll(
  installer: Installer,
  some: readonly Kind[],
): Promise<readonly InstalledCrd[]> {
  const results = await Promise.allSettled(some.map((kind) => install(installer, kind)));

  const errors = results.flatMap((result): unknown[] =>
    result.status === "rejected" ? [result.reason] : [],
  );
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(messageOf).join("; "));
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

/** Looks, acts and looks again until the CRD is as it should be. */
async function install(installer: Installer, kind: Kind): Promise<InstalledCrd> {
  const { clock, late, log, signal, timeout } = installer;
  const manifest = await readManifest(kind);
  const crd = manifest.metadata.name;

  let action: InstalledCrd["action"] = "unchanged";
  let [missing, told] = ["the API server does not answer", ""];
  try {
    for (let attempt = 0; ; attempt++) {
      const changed = action !== "unchanged";
      const step = await stepOrCrdError(installer, { kind, manifest, changed });
      action = step.applied ?? action;
      if (step.missing === undefined) return { name: crd, action };

      missing = step.missing;
      if (attempt >= patience && missing !== told) log.warn("waiting for CRD", { crd, missing });
      if (attempt >= patience) told = missing;
      await clock.sleep(exponential(attempt, polling), signal);
    }
  } catch (cause) {
    if (!late.aborted || cause instanceof CrdError) throw cause;
    throw new CrdError(`${missing}, still after ${timeout / 1_000} s`, { cause, crd });
  }
}

/** What to bring about, and whether something was changed on the way there. */
interface Goal {
  readonly kind: Kind;
  readonly manifest: CustomResourceDefinition;
  readonly changed: boolean;
}

/** What a step did, and what is still missing after it. */
interface Step {
  readonly applied?: "created" | "updated";
  readonly missing: string | undefined;
}

async function stepOrCrdError(installer: Installer, goal: Goal): Promise<Step> {
  try {
    return await step(installer, goal);
  } catch (cause) {
    if (installer.signal.aborted || cause instanceof CrdError) throw cause;
    throw new CrdError(messageOf(cause), { cause, crd: goal.manifest.metadata.name });
  }
}

async function step(installer: Installer, { kind, manifest, changed }: Goal): Promise<Step> {
  const { client, log, signal } = installer;
  const crd = manifest.metadata.name;
  const live = await client.find(CustomResourceDefinition, crd, { signal });
  if (live?.metadata.deletionTimestamp !== undefined) return { missing: "it is being deleted" };
  const wrong = obstacle(manifest, live);
  if (wrong !== undefined) throw new CrdError(wrong, { crd });

  const desired = desiredCrd(manifest, live);
  const reason = outdated(desired, live);
  if (reason !== undefined) {
    if (!(await apply(installer, desired))) return { missing: "it keeps changing" };
    log.info("applied CRD", { crd, reason });
    return { applied: live === undefined ? "created" : "updated", missing: reason };
  }

  const missing = unready(live);
  if (missing !== undefined || !changed || (await isServed(installer, kind))) return { missing };
  return { missing: "the API server does not serve it yet" };
}

/** False when somebody else changed the CRD since it was read: its versions must be looked at again. */
async function apply(
  { client, signal }: Installer,
  desired: CustomResourceDefinition,
): Promise<boolean> {
  try {
    await client.apply(desired, { fieldManager, force: true, signal });
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

/** Established means accepted; the handler of the new paths follows a moment later. */
async function isServed({ client, signal }: Installer, kind: Kind): Promise<boolean> {
  try {
    await client.list(kind, { limit: 1, signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    if (isForbidden(error)) return true;
    throw error;
  }
}
