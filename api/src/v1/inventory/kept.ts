/** The objects of one type, as far as an inventory keeps them. */

import type { BackgroundSteps, Cache, ColumnSpec } from "kopf-ts";
import type { ResourceType } from "../types/resource-type.ts";
import { type DigestReader, digestOf, imagesOf } from "./digest.ts";
import type { Edge, Edges } from "./edges.ts";
import type { Standing, Tally, TypeInventory } from "./inventory.ts";
import { countsAlike, Tallies } from "./tallies.ts";

/** One object. */
export interface Kept {
  readonly of: KeptType;
  readonly key: string;
  /** The text that the rest was read from. */
  digest: string;
  standing: Standing;
  edges: readonly Edge[];
}

const digestColumn = "inventory.digest";

/** What an inventory asks of a type's cache. */
export function columnsOf(
  { observesGeneration }: ResourceType,
  now: () => number,
): readonly ColumnSpec[] {
  const digest = (object: unknown): string => digestOf(object, { observesGeneration, now: now() });
  return [
    { name: digestColumn, from: digest }, // replicas have the same one
    { name: "inventory.images", from: imagesOf },
  ];
}

/** What the types of an inventory share. */
export interface KeptParts {
  readonly edges: Edges;
  readonly digests: DigestReader;
  /** A tally of the type, or its being there, has changed. */
  readonly onTally: (typeId: string) => void;
}

/** Kept in step with the type's cache by whoever tells it which objects changed. */
export class KeptType implements TypeInventory {
  type: ResourceType;
  readonly cache: Cache;
  readonly #edges: Edges;
  readonly #digests: DigestReader;
  readonly #onTally: (typeId: string) => void;
  readonly #objects = new Map<string, Kept>();
  readonly #tallies = new Tallies();
  /** What was there is known. */
  filled = false;
  #gone = false;

  constructor(type: ResourceType, cache: Cache, { edges, digests, onTally }: KeptParts) {
    this.#digests = digests;
    this.type = type;
    this.cache = cache;
    this.#edges = edges;
    this.#onTally = onTally;
  }

  get synced(): boolean {
    return this.filled && this.cache.synced;
  }

  /** Nobody is to see it any more, though `clear` may not be through. */
  get gone(): boolean {
    return this.#gone;
  }

  get total(): Tally {
    return this.#tallies.total;
  }

  get namespaces(): ReadonlyMap<string, Tally> {
    return this.#tallies.namespaces;
  }

  standingOf(namespace: string, name: string): Standing | undefined {
    return this.#objects.get(namespace === "" ? name : `${namespace}/${name}`)?.standing;
  }

  /** The cache has told something of an object. */
  take(key: string): void {
    if (this.#gone) return;
    const digest = this.cache.has(key) ? this.cache.valueOf(key, digestColumn) : undefined;
    const known = this.#objects.get(key);
    if (typeof digest !== "string") this.#remove(known);
    else if (known === undefined) this.#add(key, digest);
    else if (known.digest !== digest) this.#change(known, digest);
  }

  /** Is gone from now on; the steps let go of everything. */
  clear(): BackgroundSteps {
    this.#gone = true;
    return this.#clear();
  }

  *#clear(): BackgroundSteps {
    for (const { edges } of this.#objects.values()) {
      this.#edges.remove(edges);
      yield;
    }
    this.#objects.clear();
  }

  #add(key: string, digest: string): void {
    const { standing, named } = this.#digests.read(digest);
    const kept: Kept = { of: this, key, digest, standing: standing, edges: [] };
    const { namespace } = idOf(key);
    kept.edges = this.#edges.add(kept, namespace, named);
    this.#objects.set(key, kept);
    this.#tallies.add(namespace, standing);
    this.#onTally(this.type.id);
  }

  #change(kept: Kept, digest: string): void {
    const { standing, named } = this.#digests.read(digest);
    const { namespace } = idOf(kept.key);
    const isAlike = countsAlike(kept.standing, standing);
    if (!isAlike) this.#tallies.remove(namespace, kept.standing);
    if (!isAlike) this.#tallies.add(namespace, standing);
    this.#edges.remove(kept.edges);
    kept.edges = this.#edges.add(kept, namespace, named);
    kept.standing = standing;
    kept.digest = digest;
    if (!isAlike) this.#onTally(this.type.id);
  }

  #remove(kept: Kept | undefined): void {
    if (kept === undefined) return;
    this.#objects.delete(kept.key);
    this.#edges.remove(kept.edges);
    this.#tallies.remove(idOf(kept.key).namespace, kept.standing);
    this.#onTally(this.type.id);
  }
}

/** Namespace and name behind a key. */
export function idOf(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) };
}
