import type { ColumnSpec, InformerShare } from "kopf-ts";

interface Needed {
  readonly spec: ColumnSpec;
  /** Resolves when it can be used. */
  readonly ready: Promise<void>;
  isReady: boolean;
  /** How many are there who needed it. */
  users: number;
  /** Greater than that of all that were needed less lately. */
  turn: number;
}

/** Who needs columns, until it leaves: they stay as long. */
export interface ColumnUser {
  readonly needs: Needed[];
}

/** Where columns are added. */
export type ColumnShare = Pick<InformerShare, "addColumns" | "releaseColumns">;

/**
 * The columns of one type that queries needed: added once, however many ask for one at once. Clients may ask for any field, so those that nobody
 * uses go when there are too many, the one that was needed least lately first. A name stands for one column, whoever asks.
 */
export class NeededColumns {
  readonly #share: ColumnShare;
  readonly #most: number;
  readonly #known = new Map<string, Needed>();
  #turn = 0;

  constructor(share: ColumnShare, most: number) {
    this.#share = share;
    this.#most = most;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Adds what is not there; resolves when all can be used. They stay until the user leaves. */
  async need(specs: readonly ColumnSpec[], user: ColumnUser): Promise<void> {
    const fresh = specs.filter((spec) => !this.#isKnown(spec));
    if (fresh.length > 0) this.#add(fresh);
    const pending: Promise<void>[] = [];
    for (const { name } of specs) {
      const needed = this.#known.get(name);
      if (needed === undefined) continue;
      this.#use(needed, user);
      if (!needed.isReady) pending.push(needed.ready);
    }
    if (this.#known.size > this.#most) this.#trim();
    if (pending.length > 0) await Promise.all(pending);
  }

  /** The user has gone. */
  leave({ needs }: ColumnUser): void {
    for (const needed of needs) needed.users--;
    needs.length = 0;
  }

  #use(needed: Needed, { needs }: ColumnUser): void {
    needed.turn = ++this.#turn;
    if (needs.includes(needed)) return;
    needed.users++;
    needs.push(needed);
  }

  #isKnown({ name, type, path }: ColumnSpec): boolean {
    const spec = this.#known.get(name)?.spec;
    if (spec === undefined) return false;
    if (spec.type === type && spec.path === path) return true;
    throw new Error(`another column ${name} is there already`);
  }

  #add(specs: readonly ColumnSpec[]): void {
    const unique = [...new Map(specs.map((spec) => [spec.name, spec])).values()];
    const ready = this.#share.addColumns(unique);
    for (const spec of unique) {
      const needed: Needed = { spec, ready, isReady: false, users: 0, turn: 0 };
      this.#known.set(spec.name, needed);
      ready.then(
        () => {
          needed.isReady = true;
        },
        () => this.#known.delete(spec.name),
      );
    }
  }

  #trim(): void {
    const unused = [...this.#known.values()].filter(({ users, isReady }) => users === 0 && isReady);
    const going = unused
      .toSorted((a, b) => a.turn - b.turn)
      .slice(0, this.#known.size - this.#most);
    for (const { spec } of going) {
      this.#known.delete(spec.name);
      this.#share.releaseColumns([spec.name]);
    }
  }
}
