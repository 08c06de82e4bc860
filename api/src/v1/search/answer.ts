/** What a search found, as /v1 shows it. Pure. */

import { type Access, reaches } from "../access/access.ts";
import { viewsOf } from "../items/links.ts";
import { pathPart } from "../items/path-part.ts";
import type { FoundHit } from "./search.ts";

/** For whom results are told, and where. */
export interface ResultContext {
  readonly access: Access;
  /** What URLs of the objects begin with. */
  readonly base: string;
}

/** What a collection of results says of all. */
export interface SearchFound {
  readonly totals: ReadonlyMap<string, number>;
  readonly incomplete: readonly string[];
}

/** The collection without its results. `count` is how many were found, of which `data` has the best. */
export function searchEnvelope(
  self: string,
  { totals, incomplete }: SearchFound,
  more: object = {},
): object {
  return {
    ...{ type: "collection", links: { self }, actions: {}, resourceType: "searchResult" },
    ...{ count: sum(totals.values()), totals: Object.fromEntries(totals) },
    ...(incomplete.length > 0 && { incomplete }),
    ...more,
  };
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** One result: the object that was found, how it is, and why it was found. Its id begins with the type, so that it can be an `owner` of lists. */
export function resultOf(hit: FoundHit, { access, base }: ResultContext): object {
  const { type, namespace, name, standing, matches } = hit;
  const { kind } = type;
  const within = namespace === "" ? "" : `${namespace}/`;
  const [resourceId, part] = [within + name, pathPart(name)];
  const view = reaches(access.reach(["get"], kind), namespace, name)
    ? { view: viewsOf(kind, base)(namespace) + part }
    : {};
  return {
    id: `${type.id}/${resourceId}`,
    type: "searchResult",
    links: { ...view, self: `${base}/v1/${type.pluralName}/${within}${part}` },
    ...{ resourceType: type.id, resourceId, namespace, name },
    ...(standing !== undefined && { state: stateOf(standing) }),
    matches,
  };
}

/** As metadata.state of items. */
function stateOf({
  state,
  error,
  transitioning,
  message,
}: NonNullable<FoundHit["standing"]>): object {
  return { error, message, name: state, transitioning };
}
