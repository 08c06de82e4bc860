/** Keys of mappings, which are texts in JSON. */

import { type Document, isAlias, isScalar, Scalar, visit, type YAMLMap } from "yaml";

/** Why a mapping is no object of JSON, and the letter where that shows. */
export interface KeyFault {
  readonly why: string;
  readonly offset: number;
}

/**
 * Makes texts of keys, as Kubernetes does: `1: x` is `"1": x`, `on: x` is `"true": x` (sigs.k8s.io/yaml: yaml.go, convertToJSONableObject). Tells of the first that cannot be one, or
 * that its mapping has twice.
 */
export function nameKeys(document: Document): KeyFault | undefined {
  let fault: KeyFault | undefined;
  visit(document, {
    Map(_, map) {
      fault = nameIn(map, document);
      return fault && visit.BREAK;
    },
  });
  return fault;
}

function nameIn(map: YAMLMap, document: Document): KeyFault | undefined {
  const names = new Set<string>();
  for (const pair of map.items) {
    const key = isAlias(pair.key) ? pair.key.resolve(document) : pair.key;
    const { value, range } = isScalar(key) ? key : { value: undefined, range: map.range };
    if (typeof value === "symbol") continue; // a merge
    const [offset] = range ?? [0];
    const name = nameOf(value);
    if (name === undefined) return { why: "a key that is no text; quote it", offset };
    if (names.has(name)) return { why: "a key for the second time", offset };
    names.add(name);
    if (value !== name || key !== pair.key) pair.key = new Scalar(name);
  }
  return undefined;
}

/** Fractions of more than six digits, and far from 1, are written in Go's way there, which is nothing that somebody means by a key. */
function nameOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (typeof value !== "number" || Number(value.toPrecision(6)) !== value) return undefined;
  const size = Math.abs(value);
  return size === 0 || (size >= 1e-4 && size < 1e6) ? String(value) : undefined;
}
