import type { Kind } from "./kind.ts";
import { apiVersionOf } from "./kind.ts";

/** Finds the kind behind an object's apiVersion and kind when nobody named it before. */
export type KindLookup = (apiVersion: string, kind: string) => Promise<Kind>;

/** The kinds a client has met; shared by all clients on the same connections. */
export class KnownKinds {
  readonly #met = new Set<Kind>();
  readonly #byName = new Map<string, Kind>();

  constructor(kinds: readonly Kind[]) {
    for (const kind of kinds) this.meet(kind);
  }

  /** Remembers a kind, so that verbs on its objects need no discovery. */
  meet(kind: Kind): void {
    if (this.#met.has(kind)) return;
    this.#met.add(kind);
    const name = nameOf(apiVersionOf(kind), kind.kind);
    if (!this.#byName.has(name)) this.#byName.set(name, kind);
  }

  find(apiVersion: string, kind: string): Kind | undefined {
    return this.#byName.get(nameOf(apiVersion, kind));
  }
}

function nameOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
