import { apiVersionOf, type Kind } from "../kube/index.ts";

/** How a list is asked for: as events of a watch, or in pages. */
export type ListMode = "stream" | "pages";

/**
 * Remembers, per resource of one cluster, whether lists can be streamed (WatchList) or must be paged. Share one among the watches of a
 * cluster, so that only the first of them pays for finding out.
 */
export class ListModeMemory {
  readonly #streams = new Map<string, boolean>();

  /** `stream` when a streamed list has worked, `pages` when only a paged one has, undefined when nobody knows. */
  modeOf(kind: Kind): ListMode | undefined {
    const streams = this.#streams.get(resourceOf(kind));
    if (streams === undefined) return undefined;
    return streams ? "stream" : "pages";
  }

  remember(kind: Kind, mode: ListMode): void {
    this.#streams.set(resourceOf(kind), mode === "stream");
  }

  /** What was known is in doubt: nobody knows again. */
  forget(kind: Kind): void {
    this.#streams.delete(resourceOf(kind));
  }
}

function resourceOf(kind: Kind): string {
  return `${apiVersionOf(kind)}/${kind.plural}`;
}
