/** One state of an object, taken apart: what is the same for all callers and at all times. */

import { hasLongInteger, parseJsonExactly } from "kopf-ts/kube";
import { type Splice, spliceOf } from "../pieces/splice.ts";
import { relationshipsOf } from "../summary/relationships.ts";
import { summarize } from "../summary/summary.ts";
import { textAt } from "../tree.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import { isTold } from "../types/told.ts";
import { type Edge, edgesOf } from "./edges.ts";
import { Fields } from "./fields.ts";
import { quoted } from "./json-text.ts";
import type { Identity } from "./links.ts";
import { hasReleases, isOfHelm } from "./releases/release.ts";
import { rewritten } from "./rewritten.ts";
import { isFixed, type Tree } from "./settle.ts";
import { additionTo, conditionsIn, membersOf, podState, stateText } from "./state.ts";

/** What an item is made of, beside the bytes of the object. */
export interface Piece {
  readonly identity: Identity;
  /** What the bytes lack of apiVersion and kind, as members with a comma behind each. */
  readonly lead: string;
  readonly splice: Splice;
  /** Stands for the object's bytes where these cannot be used. */
  readonly rewritten: Buffer | undefined;
  readonly fields: Fields | undefined;
  /** `"state":{...}`. */
  readonly state: string;
  /** The same as it is without metadata.fields, from which Pods have their state's name. */
  readonly plainState: string;
  /** The object's own relationships. */
  readonly edges: readonly Edge[];
  /** Of the memory that it takes, roughly, in bytes. */
  readonly size: number;
}

/** What a piece depends on beside the object. */
export interface PieceParts {
  readonly type: ResourceType;
  readonly types: Pick<Types, "find">;
  /** In milliseconds since the Unix epoch. */
  readonly now: number;
  /** With what is computed for lists and watches alone. */
  readonly ofCache: boolean;
  readonly withoutManagedFields: boolean;
  /** Keeps what Helm keeps. */
  readonly withRelease: boolean;
}

/** Takes an object apart. Throws SyntaxError and MalformedObject for bytes that are no object of Kubernetes. */
export function pieceOf(bytes: Buffer, parts: PieceParts): Piece {
  const { type, types, now } = parts;
  const sent = JSON.parse(bytes.toString()) as Tree; // of any shape: it is read by path
  const lead = leadOf(sent, type);
  const object = lead === "" ? sent : { ...apiTypeOf(type), ...sent };
  const { observesGeneration, errorStatuses } = type;
  const options = { now, observesGeneration, errorStatuses };
  const summary = summarize(object, options);
  const cells = type.cells?.(hasLongInteger(bytes, 0, bytes.length) ? exactly(bytes) : object);
  const additions = conditionsIn(object).map((each) => additionTo(object, each, options));
  const own = rewritten(bytes, object, type, parts.ofCache);
  const namespace = textAt(object, "metadata", "namespace");
  const edges = edgesOf(relationshipsOf(object), namespace, types);
  const isStripped = !parts.withRelease && hasReleases(type) && isOfHelm(object);
  const status = type.id === "pod" ? cells?.[2] : undefined;
  const plainState = stateText(summary);
  const state = typeof status === "string" ? podState(status) : summary.state;
  return {
    identity: {
      namespace,
      name: textAt(object, "metadata", "name"),
      isFixed: isFixed(type, object),
    },
    lead,
    splice: spliceOf(own ?? bytes, {
      conditions: (index) => membersOf(additions[index]),
      withoutManagedFields: parts.withoutManagedFields,
      withoutFields: isTold(type),
      withoutRelease: isStripped,
    }),
    rewritten: own,
    fields: cells === undefined || cells.length === 0 ? undefined : new Fields(cells),
    state: state === summary.state ? plainState : stateText({ ...summary, state }),
    plainState,
    edges,
    size: sizeOf(own, edges.length, additions.length),
  };
}

/** What is shown in cells is not rounded. */
function exactly(bytes: Buffer): unknown {
  return parseJsonExactly(bytes, 0, bytes.length);
}

/** Items of paged lists of built-in types lack what they are. */
function leadOf(object: Tree, type: ResourceType): string {
  return Object.entries(apiTypeOf(type))
    .filter(([key]) => !Object.hasOwn(object, key))
    .map(([key, text]) => `"${key}":${quoted(text)},`)
    .join("");
}

function apiTypeOf({
  kind: { group, version, kind },
}: ResourceType): Readonly<Record<string, string>> {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind };
}

/** Measured on Pods, with the forms of their fields. */
function sizeOf(own: Buffer | undefined, edges: number, conditions: number): number {
  return 1500 + edges * 250 + conditions * 150 + (own?.length ?? 0);
}
