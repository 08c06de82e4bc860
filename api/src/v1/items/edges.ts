/** metadata.relationships: what an object has to do with others (steve: pkg/summarycache/summarycache.go). */

import { flatText } from "../flat-text.ts";
import type { Inbound, Standing } from "../inventory/inventory.ts";
import { selectorText } from "../printers/texts.ts";
import type { Relationship } from "../summary/relationships.ts";
import { typeId } from "../types/names.ts";
import type { Types } from "../types/resource-type.ts";
import { quoted } from "./json-text.ts";

/** One relationship as the object itself tells it. */
export interface Edge {
  /** The JSON of it, without what is known of the other end and without the closing brace. */
  readonly text: string;
  /** The type of the other end, such as `apps.replicaset`. */
  readonly typeId: string;
  readonly namespace: string;
  /** Of the other end; empty where a selector finds it. */
  readonly name: string;
  /** Of labels; empty where a name finds the other end. */
  readonly selector: string;
}

/** Names the other ends of an object's own relationships: in its namespace, unless they are outside of namespaces or say otherwise. */
export function edgesOf(
  relationships: readonly Relationship[],
  namespace: string,
  types: Pick<Types, "find">,
): readonly Edge[] {
  return relationships.map((relationship) => {
    const typeId = typeIdOf(relationship.apiVersion, relationship.kind);
    const isWithin = types.find(typeId)?.kind.scope === "Namespaced";
    return edgeOf(relationship, typeId, relationship.namespace || (isWithin ? namespace : ""));
  });
}

function edgeOf(relationship: Relationship, typeId: string, namespace: string): Edge {
  const { name, inbound, type: rel, selector } = relationship;
  const id = name !== "" && namespace !== "" ? `${namespace}/${name}` : name;
  const chosen = selector === undefined || inbound ? undefined : selectorText(selector);
  const text = opened([
    [inbound ? "fromId" : "toId", id],
    [inbound ? "fromType" : "toType", typeId],
    ["toNamespace", chosen === undefined ? "" : namespace],
    ["rel", rel],
    ["selector", chosen ?? ""],
  ]);
  return { text, typeId, namespace, name, selector: chosen ?? "" };
}

/** The relationship with the state of its other end, as far as that is known. */
export function edgeText({ text }: Edge, standing: Standing | undefined): string {
  return standing === undefined ? `${text}}` : `${text}${standingText(standing)}}`;
}

/** A relationship that another object tells, seen from this one. */
export function inboundText({ typeId, namespace, name, rel, towards, standing }: Inbound): string {
  const id = namespace === "" ? name : `${namespace}/${name}`;
  const text = opened([
    [towards ? "toId" : "fromId", id],
    [towards ? "toType" : "fromType", typeId],
    ["rel", rel],
  ]);
  return `${text}${standingText(standing)}}`;
}

/** The id that a type has by its kind, whether the cluster serves it or not. */
function typeIdOf(apiVersion: string, kind: string): string {
  const [group = "", version, ...rest] = apiVersion.split("/");
  return typeId(version === undefined || rest.length > 0 ? "" : group, kind);
}

function standingText({ state, message, error, transitioning }: Standing): string {
  const known = [
    state === "" ? "" : `,"state":${quoted(state)}`,
    message === "" ? "" : `,"message":${quoted(message)}`,
    error ? ',"error":true' : "",
    transitioning ? ',"transitioning":true' : "",
  ];
  return known.join("");
}

/** Members with text, behind an opening brace. */
function opened(members: readonly (readonly [key: string, value: string])[]): string {
  const written = members.filter(([, value]) => value !== "");
  const texts = written.map(([key, value]) => `"${key}":${quoted(value)}`);
  return flatText("{", texts.join(","));
}
