import type { Clock } from "../base/index.ts";
import type { RequestOptions } from "./client.ts";
import type { Kind } from "./kind.ts";
import { apiVersionOf } from "./kind.ts";

/** Finds kinds that nobody named before; a RestMapper is one. */
export interface KindSource {
  kindFor(
    apiVersion: string,
    kind: string,
    options?: Pick<RequestOptions, "signal">,
  ): Promise<Kind>;
  /** Forgets the kinds of a group and version, so that they are asked for anew. */
  forget(apiVersion: string): void;
}

/** Milliseconds within which the kinds of a group and version are not doubted twice: requests that are wrong for other reasons come often. */
const DOUBT_AGAIN = 1_000;

/** The kinds a client has met or learned; shared by all clients on the same connections. */
export class KnownKinds {
  readonly #source: KindSource;
  readonly #clock: Clock;
  /** Only to be fast: kinds are mostly constants. */
  readonly #met = new WeakSet<Kind>();
  readonly #byName = new Map<string, Kind>();
  readonly #doubtedAt = new Map<string, number>();

  constructor(kinds: readonly Kind[], source: KindSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    for (const kind of kinds) this.meet(kind);
  }

  /** Remembers a kind that somebody named, so that verbs on its objects need no discovery. The first of each apiVersion and kind counts. */
  meet(kind: Kind): void {
    if (this.#met.has(kind)) return;
    this.#met.add(kind);
    const name = nameOf(apiVersionOf(kind), kind.kind);
    if (!this.#byName.has(name)) this.#byName.set(name, kind);
  }

  /** A kind that somebody named. */
  find(apiVersion: string, kind: string): Kind | undefined {
    return this.#byName.get(nameOf(apiVersion, kind));
  }

  /** A kind that the server names; ApiError `UnknownKind` when it serves none. */
  learn(apiVersion: string, kind: string): Promise<Kind> {
    return this.#source.kindFor(apiVersion, kind);
  }

  /**
   * Asks anew for a learned kind that did not work: its CRD may have been made again with another scope or plural. Undefined when it is as it
   * was, or was doubted a moment ago.
   */
  async relearn(apiVersion: string, stale: Kind): Promise<Kind | undefined> {
    const now = this.#clock.monotonic();
    const doubtedAt = this.#doubtedAt.get(apiVersion);
    if (doubtedAt === undefined || now - doubtedAt >= DOUBT_AGAIN) {
      this.#doubtedAt.set(apiVersion, now);
      this.#source.forget(apiVersion);
    }
    const fresh = await this.#source.kindFor(apiVersion, stale.kind);
    return fresh.scope === stale.scope && fresh.plural === stale.plural ? undefined : fresh;
  }
}

function nameOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
