/** Which objects point at an object: relationships, found by their other end. */

import type { Named } from "./digest.ts";
import type { Kept } from "./kept.ts";

/** A relationship that an object says it has. */
export interface Edge {
  readonly source: Kept;
  readonly rel: string;
  readonly towards: boolean;
  readonly target: Target;
}

/** The other end; most are pointed at once. */
interface Target {
  readonly key: string;
  edges: Edge | Set<Edge>;
}

/** All relationships of a cluster. */
export class Edges {
  readonly #targets = new Map<string, Target>();
  readonly #isNamespaced: (typeId: string) => boolean | undefined;

  /** Is told whether objects of a type are in namespaces; undefined for a type that is not known (yet). */
  constructor(isNamespaced: (typeId: string) => boolean | undefined) {
    this.#isNamespaced = isNamespaced;
  }

  /** What points at an object. */
  at(typeId: string, namespace: string, name: string): Iterable<Edge> {
    const target = this.#targets.get(keyOf(typeId, namespace, name));
    if (target === undefined) return [];
    return target.edges instanceof Set ? target.edges : [target.edges];
  }

  /** Adds what an object says; returns what `remove` takes. */
  add(source: Kept, namespace: string, named: readonly Named[]): readonly Edge[] {
    if (named.length === 0) return none;
    return named.flatMap(({ rel, towards, ...other }) =>
      this.#namespaces(other, namespace).map((each) =>
        this.#enter(source, { rel, towards }, keyOf(other.typeId, each, other.name)),
      ),
    );
  }

  remove(edges: readonly Edge[]): void {
    for (const edge of edges) this.#leave(edge);
  }

  /** Where the other end is. That of a type which comes later may be in either place. */
  #namespaces(
    { typeId, namespace }: Omit<Named, "rel" | "towards">,
    own: string,
  ): readonly string[] {
    if (namespace !== "" || own === "") return [namespace];
    const isNamespaced = this.#isNamespaced(typeId);
    if (isNamespaced === undefined) return [own, ""];
    return [isNamespaced ? own : ""];
  }

  #enter(source: Kept, { rel, towards }: Pick<Edge, "rel" | "towards">, key: string): Edge {
    const known = this.#targets.get(key);
    if (known === undefined) {
      const edge = { source, rel, towards } as { -readonly [K in keyof Edge]: Edge[K] };
      edge.target = { key, edges: edge };
      this.#targets.set(key, edge.target);
      return edge;
    }
    const edge: Edge = { source, rel, towards, target: known };
    if (known.edges instanceof Set) known.edges.add(edge);
    else known.edges = new Set([known.edges, edge]);
    return edge;
  }

  #leave(edge: Edge): void {
    const { target } = edge;
    if (target.edges instanceof Set) target.edges.delete(edge);
    const isLast = target.edges instanceof Set ? target.edges.size === 0 : target.edges === edge;
    if (isLast && this.#targets.get(target.key) === target) this.#targets.delete(target.key);
  }
}

const none: readonly Edge[] = [];

function keyOf(typeId: string, namespace: string, name: string): string {
  return `${typeId} ${namespace}/${name}`;
}
