/** Which objects point at an object: relationships, found by their other end. */

import type { Named } from "./digest.ts";
import { type Few, membersOf, withMember, withoutMember } from "./few.ts";
import type { Group } from "./kept.ts";

/** A relationship that all objects of a group say they have. */
export interface Edge {
  readonly source: Group;
  readonly rel: string;
  readonly towards: boolean;
  readonly target: Target;
}

/** The other end. */
interface Target {
  readonly key: string;
  edges: Few<Edge>;
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
    return membersOf(this.#targets.get(keyOf(typeId, namespace, name))?.edges);
  }

  /** Adds what the objects of a group say; returns what `remove` takes. */
  add(source: Group, named: readonly Named[]): readonly Edge[] {
    if (named.length === 0) return none;
    return named.flatMap(({ rel, towards, ...other }) =>
      this.#namespacesOf(other, source.namespace).map((namespace) => {
        const target = this.#target(keyOf(other.typeId, namespace, other.name));
        const edge: Edge = { source, rel, towards, target };
        target.edges = withMember(target.edges, edge);
        return edge;
      }),
    );
  }

  remove(edges: readonly Edge[]): void {
    for (const edge of edges) {
      const { target } = edge;
      target.edges = withoutMember(target.edges, edge);
      if (target.edges === undefined) this.#targets.delete(target.key);
    }
  }

  /** Where the other end is. That of a type which comes later may be in either place. */
  #namespacesOf(
    { typeId, namespace }: Omit<Named, "rel" | "towards">,
    own: string,
  ): readonly string[] {
    if (namespace !== "" || own === "") return [namespace];
    const isNamespaced = this.#isNamespaced(typeId);
    if (isNamespaced === undefined) return [own, ""];
    return [isNamespaced ? own : ""];
  }

  #target(key: string): Target {
    const target = this.#targets.get(key) ?? { key, edges: undefined };
    this.#targets.set(key, target);
    return target;
  }
}

const none: readonly Edge[] = [];

function keyOf(typeId: string, namespace: string, name: string): string {
  return `${typeId} ${namespace}/${name}`;
}
