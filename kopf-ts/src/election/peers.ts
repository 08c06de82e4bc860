import type { LeaseObject } from "./lease.ts";
import { Observation } from "./observation.ts";

/** One of the others, by what was seen of its lease. */
export interface Peer {
  readonly id: string;
  /** Of its lease. */
  readonly name: string;
}

interface Entry {
  readonly observation: Observation;
  id: string;
  /** A live read has shown that its lease was not renewed in time. */
  gone: boolean;
}

/**
 * What a process knows of the other members of its group, by their leases. A lease that was not renewed for its duration makes its member
 * doubtful, no more: the watch may be late. Who asks the server and finds the same says so with `bury`. Times are of the own monotonic clock.
 */
export class Peers {
  readonly #entries = new Map<string, Entry>();
  readonly #defaultDuration: number;

  /** `defaultDuration` (ms) counts for a lease that names none. */
  constructor(defaultDuration: number) {
    this.#defaultDuration = defaultDuration;
  }

  /** Takes in what the watch tells at `now`. */
  hear(lease: LeaseObject, now: number): void {
    const entry = this.#entryOf(lease);
    entry.observation.hear(lease, now);
    this.#settle(entry, now);
  }

  /** Takes in what the server answered at `now` to a read that was begun at `asked`. */
  see(lease: LeaseObject, now: number, asked: number): void {
    const entry = this.#entryOf(lease);
    entry.observation.see(lease, now, asked);
    this.#settle(entry, now);
  }

  /** The lease is no more. */
  forget(name: string): void {
    this.#entries.delete(name);
  }

  /** Forgets all but these leases. */
  retain(names: ReadonlySet<string>): void {
    for (const name of [...this.#entries.keys()]) if (!names.has(name)) this.forget(name);
  }

  /** Their ids, gone ones left out. */
  ids(): readonly string[] {
    return [...this.#entries.values()].filter(({ gone }) => !gone).map(({ id }) => id);
  }

  /** Those whose time has passed, and of whom nobody has said yet that they are gone. */
  doubtful(now: number): readonly Peer[] {
    return [...this.#entries]
      .filter(([, { gone, observation }]) => !gone && observation.timeLeft(now) <= 0)
      .map(([name, { id }]) => ({ name, id }));
  }

  /** Milliseconds until the first one becomes doubtful; infinity when there is none. */
  timeLeft(now: number): number {
    const left = [...this.#entries.values()]
      .filter(({ gone }) => !gone)
      .map(({ observation }) => observation.timeLeft(now));
    return Math.min(Number.POSITIVE_INFINITY, ...left);
  }

  /** The server says the same: its member is gone, until its lease is renewed. */
  bury(name: string): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.gone = true;
  }

  #entryOf({ metadata: { name } }: LeaseObject): Entry {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const entry = { observation: new Observation(this.#defaultDuration), id: name, gone: false };
    this.#entries.set(name, entry);
    return entry;
  }

  #settle(entry: Entry, now: number): void {
    entry.id = entry.observation.holder ?? entry.id;
    if (entry.observation.timeLeft(now) > 0) entry.gone = false;
  }
}
