/** Searches one cluster, by what its inventory keeps. */

import type { Cache } from "kopf-ts";
import { type Access, isNothing, type Reach, reaches } from "../access/access.ts";
import { imagesColumn, labelsColumn } from "../inventory/index.ts";
import type { Inventory, Standing, TypeInventory } from "../inventory/inventory.ts";
import { seesOwnOnly } from "../own-objects.ts";
import { problem } from "../problem.ts";
import { shorten } from "../query/field.ts";
import { isHidden, isListed, methodsOf } from "../schemas/index.ts";
import type { Slices } from "../slices.ts";
import { isStranger } from "../strangers.ts";
import { isCacheable, type ResourceType, type Types } from "../types/resource-type.ts";
import { Best } from "./best.ts";
import type { SearchQuery } from "./query.ts";
import { fitsImages, fitsLabels, type Match, matchesOf, rankOfName, ranks } from "./rank.ts";
import { weightOf } from "./weights.ts";

/** What is searched, and for whom. */
export interface SearchedCluster {
  readonly types: Types;
  readonly inventory: Inventory;
  readonly access: Access;
}

/** An object that was found. */
export interface Hit {
  readonly type: ResourceType;
  /** Empty outside namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** The lower, the better. */
  readonly rank: number;
}

/** A hit with what an answer tells of it. */
export interface FoundHit extends Hit {
  readonly standing: Standing | undefined;
  readonly matches: readonly Match[];
}

/** What was found. */
export interface Found {
  /** The best, in order. */
  readonly hits: readonly FoundHit[];
  /** How many of each type were found; types without any are left out. */
  readonly totals: ReadonlyMap<string, number>;
  /** Types of which not everything is known yet. */
  readonly incomplete: readonly string[];
}

/** Better ones first: by rank, then by type, then by name. */
export function compareHits(a: Hit, b: Hit): number {
  return (
    a.rank - b.rank ||
    weightOf(a.type.id) - weightOf(b.type.id) ||
    order(a.name, b.name) ||
    order(a.type.id, b.type.id) ||
    order(a.namespace, b.namespace)
  );
}

/** The same as a tuple, to compare hits of several clusters: what differs first decides. */
export function orderOf({ rank, type, name, namespace }: Hit): readonly (number | string)[] {
  return [rank, weightOf(type.id), name, type.id, namespace];
}

/**
 * Finds the objects that the caller may list and in whose names, labels or images all words are. Costs a look at each name of the types; works in slices. Throws a Problem (422)
 * for a type that the caller knows nothing of, whether there is one or not, and rejects as `slices` do.
 */
export async function searchIn(
  cluster: SearchedCluster,
  query: SearchQuery,
  slices: Slices,
): Promise<Found> {
  const best = new Best<Hit>(query.limit, compareHits);
  const totals = new Map<string, number>();
  const incomplete: string[] = [];
  for (const searched of searchedTypes(cluster, query)) {
    const { type } = searched;
    const objects = cluster.inventory.of(type.id);
    if (!objects?.synced) {
      incomplete.push(type.id);
      continue;
    }
    const isThere = (): boolean => cluster.inventory.of(type.id) === objects;
    const total = await new TypeSearch(objects, searched, query, isThere).run(best, slices);
    if (total > 0) totals.set(type.id, total);
  }
  const hits = best.take().map((hit) => told(hit, cluster, query.words));
  return { hits, totals, incomplete };
}

interface SearchedType {
  readonly type: ResourceType;
  readonly reach: Reach;
  /** Nothing else is shown of the objects. */
  readonly byNameOnly: boolean;
}

function searchedTypes(
  { types, access }: SearchedCluster,
  { types: names }: SearchQuery,
): readonly SearchedType[] {
  const wanted = names === undefined ? [...types.all()] : new Set(named(names, types, access));
  return [...wanted]
    .filter((type) => isCacheable(type) && !seesOwnOnly(type, access))
    .filter((type) => isListed(methodsOf(type, access)))
    .map((type) => {
      return { type, reach: access.listed(type.kind), byNameOnly: isStranger(type, access) };
    })
    .filter(({ type, reach }) => !isNothing(reach, type.kind.scope));
}

function named(names: readonly string[], types: Types, access: Access): readonly ResourceType[] {
  return names.map((name) => {
    const type = types.find(name);
    if (type !== undefined && !isHidden(methodsOf(type, access))) return type;
    throw problem("InvalidFormat", `there is no type ${shorten(name)}`, "types");
  });
}

/** Names that are looked at between two looks at the clock. */
const stride = 64;

class TypeSearch {
  readonly #type: ResourceType;
  readonly #cache: Cache;
  readonly #reach: Reach;
  readonly #byNameOnly: boolean;
  readonly #query: SearchQuery;
  readonly #isThere: () => boolean;
  /** For each word the labels and images that it fits, as the columns have them. */
  readonly #labels: ReadonlySet<string>[] = [];
  readonly #images: ReadonlySet<string>[] = [];

  constructor(
    { type, cache }: TypeInventory,
    { reach, byNameOnly }: SearchedType,
    query: SearchQuery,
    isThere: () => boolean,
  ) {
    this.#type = type;
    this.#cache = cache;
    this.#reach = reach;
    this.#byNameOnly = byNameOnly;
    this.#query = query;
    this.#isThere = isThere;
  }

  /** Resolves with how many were found; a type that goes meanwhile has no more. */
  async run(best: Best<Hit>, slices: Slices): Promise<number> {
    for (const word of this.#byNameOnly ? [] : this.#query.words) {
      this.#labels.push(await this.#fitting(labelsColumn, word, fitsLabels, slices));
      this.#images.push(await this.#fitting(imagesColumn, word, fitsImages, slices));
    }
    let [looked, total] = [0, 0];
    for (const key of this.#cache.keys()) {
      const hit = this.#look(key);
      if (hit !== undefined) {
        total++;
        best.add(hit);
      }
      if (++looked % stride !== 0 || !slices.isOver) continue;
      await slices.turn();
      if (!this.#isThere()) break;
    }
    return total;
  }

  /** Many objects share their labels and images: each text is looked at once. */
  async #fitting(
    column: string,
    word: string,
    fits: (text: string, word: string) => boolean,
    slices: Slices,
  ): Promise<ReadonlySet<string>> {
    const fitting = new Set<string>();
    if (!this.#isThere()) return fitting;
    for (const text of this.#cache.counts(column).keys()) {
      if (fits(text, word)) fitting.add(text);
      if (slices.isOver) await slices.turn();
    }
    return fitting;
  }

  #look(key: string): Hit | undefined {
    const slash = key.indexOf("/");
    const namespace = slash < 0 ? "" : key.slice(0, slash);
    const { namespaces, words } = this.#query;
    if (namespaces !== undefined && !namespaces.has(namespace)) return undefined;
    const name = key.slice(slash + 1);
    if (!reaches(this.#reach, namespace, name)) return undefined;
    let rank = 0;
    for (let at = 0; at < words.length; at++) {
      const fit = rankOfName(key, words[at] ?? "") ?? this.#rankOfOthers(key, at);
      if (fit === undefined) return undefined;
      rank += fit;
    }
    return { type: this.#type, namespace, name, rank };
  }

  #rankOfOthers(key: string, at: number): number | undefined {
    if (this.#has(key, labelsColumn, this.#labels[at])) return ranks.label;
    return this.#has(key, imagesColumn, this.#images[at]) ? ranks.image : undefined;
  }

  #has(key: string, column: string, texts: ReadonlySet<string> | undefined): boolean {
    if (texts === undefined || texts.size === 0) return false;
    return texts.has(String(this.#cache.valueOf(key, column) ?? ""));
  }
}

function told(
  hit: Hit,
  { inventory, access }: SearchedCluster,
  words: readonly string[],
): FoundHit {
  const { type, namespace, name } = hit;
  const objects = isStranger(type, access) ? undefined : inventory.of(type.id);
  const key = namespace === "" ? name : `${namespace}/${name}`;
  const text = (column: string): string =>
    objects?.synced ? String(objects.cache.valueOf(key, column) ?? "") : "";
  const searched = { key, labels: text(labelsColumn), images: text(imagesColumn) };
  return {
    ...hit,
    standing: objects?.standingOf(namespace, name),
    matches: matchesOf(searched, words),
  };
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
