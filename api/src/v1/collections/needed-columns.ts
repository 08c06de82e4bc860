import type { ColumnSpec, InformerShare } from "kopf-ts";

interface Needed {
  readonly spec: ColumnSpec;
  /** Resolves when it can be used. */
  readonly ready: Promise<void>;
  isReady: boolean;
  /** Collections that are open and needed it. */
  readonly users: Set<object>;
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
  /** In the order in which they were last needed. */
  readonly #known = new Map<string, Needed>();
  readonly #uses = new Map<object, Set<Needed>>();

  constructor(share: ColumnShare, most: number) {
    this.#share = share;
    this.#most = most;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Adds what is not there; resolves when all can be used. They stay while the user does. */
  async need(specs: readonly ColumnSpec[], user: object): Promise<void> {
    const fresh = specs.filter((spec) => !this.#isKnown(spec));
    if (fresh.length > 0) this.#add(fresh);
    const uses = this.#uses.get(user) ?? new Set();
    this.#uses.set(user, uses);
    const pending: Promise<void>[] = [];
    for (const { name } of specs) {
      const needed = this.#known.get(name);
      if (needed === undefined) continue;
      this.#known.delete(name);
      this.#known.set(name, needed);
      needed.users.add(user);
      uses.add(needed);
      if (!needed.isReady) pending.push(needed.ready);
    }
    if (this.#known.size > this.#most) this.#trim();
    await Promise.all(pending);
  }

  /** The user has gone. */
  leave(user: object): void {
    for (const { users } of this.#uses.get(user) ?? []) users.delete(user);
    this.#uses.delete(user);
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
      const needed: Needed = { spec, ready, isReady: false, users: new Set() };
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
    for (const [name, { users, isReady }] of this.#known) {
      if (this.#known.size <= this.#most) return;
      if (users.size > 0 || !isReady) continue;
      this.#known.delete(name);
      this.#share.releaseColumns([name]);
    }
  }
}
