/** What an inventory keeps of an object, as one text that a column holds. Pure. */

import { type Relationship, relationshipsOf } from "../summary/relationships.ts";
import { type SummaryOptions, summarize } from "../summary/summary.ts";
import { listAt, mapAt, textAt } from "../tree.ts";
import { typeId } from "../types/names.ts";
import type { Standing } from "./inventory.ts";

/** A relationship with an object that has a name. */
export interface Named {
  readonly rel: string;
  /** The other object is the origin. */
  readonly towards: boolean;
  readonly typeId: string;
  /** As it was written: empty for the object's own namespace, or none. */
  readonly namespace: string;
  readonly name: string;
}

/** What a digest says. */
export interface Digest {
  /** Empty for an object outside namespaces. */
  readonly namespace: string;
  readonly standing: Standing;
  readonly named: readonly Named[];
}

/** Characters of a message that are kept. */
const longestMessage = 2_000;

/** A line for the namespace, one for the state, one for each relationship: columns cut texts that are very long, which then costs the last ones. */
export function digestOf(object: unknown, options: SummaryOptions): string {
  const { state, error, transitioning, messages } = summarize(object, options);
  const flags = Number(error) + 2 * Number(transitioning);
  const message = messages.join("; ").slice(0, longestMessage);
  const lines = relationshipsOf(object)
    .filter(({ name }) => name !== "")
    .map((each) => JSON.stringify(tupleOf(each)));
  const namespace = textAt(object, "metadata", "namespace");
  return [namespace, JSON.stringify([state, flags, message]), ...lines].join("\n");
}

/** States that are kept to be shared. */
const mostShared = 1_000;

/** Reads what digestOf wrote. Most objects are in one of a few states: those share it. */
export class DigestReader {
  readonly #standings = new Map<string, Standing>();

  /** A line that was cut is left out. */
  read(text: string): Digest {
    const [namespace = "", head = "", ...lines] = text.split("\n");
    return { namespace, standing: this.#standing(head), named: lines.flatMap(namedIn) };
  }

  #standing(head: string): Standing {
    const known = this.#standings.get(head);
    if (known !== undefined) return known;
    const standing = standingOf(head);
    if (this.#standings.size >= mostShared) this.#standings.clear();
    this.#standings.set(head, standing);
    return standing;
  }
}

/** The images of all containers of a Pod, or of the Pods that a template makes; each once. */
export function imagesOf(object: unknown): readonly string[] | undefined {
  const specs = [
    ["spec"],
    ["spec", "template", "spec"],
    ["spec", "jobTemplate", "spec", "template", "spec"],
  ];
  const images = specs.flatMap((path) =>
    containerLists.flatMap((list) =>
      listAt(object, ...path, list).map((container) => textAt(container, "image")),
    ),
  );
  const distinct = [...new Set(images)].filter((image) => image !== "");
  return distinct.length === 0 ? undefined : distinct;
}

/** All labels, as `key=value`. */
export function labelsOf(object: unknown): readonly string[] | undefined {
  const labels = Object.entries(mapAt(object, "metadata", "labels") ?? {});
  return labels.length === 0 ? undefined : labels.map(([key, value]) => `${key}=${value}`);
}

const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;

function tupleOf({ type, inbound, apiVersion, kind, namespace, name }: Relationship) {
  const group = apiVersion.slice(0, Math.max(0, apiVersion.lastIndexOf("/")));
  return [type, Number(inbound), typeId(group, kind), namespace, name];
}

function standingOf(head: string): Standing {
  const read = parsed(head);
  const [state, flags, message] = Array.isArray(read) ? read : [];
  return {
    state: typeof state === "string" ? state : "active",
    error: (Number(flags) & 1) !== 0,
    transitioning: (Number(flags) & 2) !== 0,
    message: typeof message === "string" ? message : "",
  };
}

function namedIn(line: string): readonly Named[] {
  const read = parsed(line);
  if (!Array.isArray(read)) return [];
  const [rel, towards, type, namespace, name] = read.map(String);
  if (rel === undefined || type === undefined || namespace === undefined || name === undefined) {
    return [];
  }
  return [{ rel, towards: towards === "1", typeId: type, namespace, name }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
