/** Lets every concern that looks after an object tell what it would do about it. */

import { managementCluster } from "@drover/platform";
import { type KubeObject, messageOf, type Rehearsal, rehearse } from "kopf-ts";
import { type Reached, reachCluster } from "../clusters.ts";
import { deadline, within } from "../deadline.ts";
import type { Assignment, Concern, Surroundings } from "./assignments.ts";
import { claimedBy, fieldManagerPrefix, keptFor } from "./kept.ts";
import type { Part } from "./report.ts";

/** Clusters that are asked at the same time. */
const atOnce = 8;

/** Milliseconds for one concern in a cluster that does answer. */
const longest = 30_000;

/** Where to look, and whom to tell. */
export interface Stage extends Pick<Surroundings, "hub" | "signal"> {
  /** Told before the first cluster is asked and after each. */
  readonly progress: (answered: number, clusters: number) => void;
}

/**
 * Rehearses in a few clusters at once, those first that were connected when last seen; within one, concern after concern. Parts come in the order of the
 * assignments. What cannot be told of one cluster stops no other; one in which a concern was not through in 30 s is asked nothing more. When the signal aborts,
 * its reason stands for what is left.
 */
export async function rehearseAll(
  object: KubeObject,
  assignments: readonly Assignment[],
  stage: Stage,
): Promise<readonly Part[]> {
  const parts: (readonly Part[])[] = [];
  const left = [...assignments.entries()]
    .toSorted(([, a], [, b]) => Number(a.isAway) - Number(b.isAway))
    .values();
  let answered = 0;
  const tell = (): void => stage.progress(answered, assignments.length);
  const work = async (): Promise<void> => {
    for (const [at, assignment] of left) {
      parts[at] = await partsOf(assignment, object, stage);
      answered++;
      tell();
    }
  };
  tell();
  await Promise.all(Array.from({ length: atOnce }, work));
  return parts.flat();
}

/** All of one cluster. */
async function partsOf(
  { cluster, concerns }: Assignment,
  object: KubeObject,
  { hub, signal }: Stage,
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const unknown = (from: number, error: unknown): readonly Part[] =>
    concerns.slice(from).map(({ controller }) => ({
      ...{ concern: controller.name, cluster },
      obstacle: messageOf(error),
    }));
  if (signal.aborted) return unknown(0, new Error(`not asked: ${messageOf(signal.reason)}`));
  try {
    await using reached = await reachCluster(hub, cluster, signal);
    for (const [at, concern] of concerns.entries()) {
      using limit = deadline(longest, `it took longer than ${longest / 1000} s`, signal);
      const place = { hub, reached, cluster, signal: limit.signal };
      try {
        parts.push(await within(limit.signal, () => partOf(concern, object, place)));
      } catch (error) {
        if (limit.signal.aborted) return [...parts, ...unknown(at, error)];
        parts.push(...unknown(at, error).slice(0, 1));
      }
    }
    return parts;
  } catch (error) {
    return unknown(0, error);
  }
}

interface Site extends Pick<Stage, "hub" | "signal"> {
  readonly reached: Reached;
  readonly cluster: string;
}

async function partOf(
  { controller, isDownstream }: Concern,
  object: KubeObject,
  { hub, reached: { client }, cluster, signal }: Site,
): Promise<Part> {
  const about = { concern: controller.name, cluster };
  if (!isDownstream) {
    const rehearsal = await rehearse(controller, object, {
      client: hub,
      fieldManagerPrefix,
      signal,
    });
    const place = { client: hub, in: managementCluster, signal };
    return { ...about, rehearsal: withMore(rehearsal, await claimedBy(object, controller, place)) };
  }
  const deps = { client, hub: { client: hub }, cluster, fieldManagerPrefix, signal };
  const rehearsal = await rehearse(controller, object, deps);
  const place = { client, in: cluster, signal };
  const claimed = await claimedBy(object, controller, place);
  const kept = await keptFor(object, controller, place);
  return { ...about, rehearsal: withMore(rehearsal, [...claimed, ...kept]) };
}

function withMore(rehearsal: Rehearsal, more: readonly KubeObject[]): Rehearsal {
  return { ...rehearsal, owned: [...rehearsal.owned, ...more] };
}
