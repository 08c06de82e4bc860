import type { Kind, KubeObject, SelectorOptions } from "../../kube/index.ts";
import type { Cache } from "../cache.ts";
import type { ColumnSpec } from "../columns/column.ts";
import type { IndexFunction } from "../indexes.ts";
import type { Hold, SharedInformer } from "./shared.ts";

/** What an informer watches, and in which form it keeps it. Users with the same options share one. */
export interface InformerOptions extends SelectorOptions {
  /** For resources that can be listed and not watched: listed anew this many milliseconds after the last list; what differs is told as ever. */
  readonly poll?: number | undefined;
  /** Only apiVersion, kind and metadata come over the wire. */
  readonly metadataOnly?: boolean | undefined;
  /** Objects are asked for as rows of the server's tables: `metadata.fields` of what the cache holds are the cells. See `TableRows`. */
  readonly table?: boolean | undefined;
  /** `columns` does without bytes, unless another user keeps them: they are dropped once the columns have their values. See `hold`. */
  readonly keep?: "objects" | "columns" | undefined;
  /** `cold` keeps managedFields, packed, for `managedFields` and `rawWithManagedFields`; as the Informers are told unless told here. */
  readonly managedFields?: "drop" | "cold" | undefined;
  /**
   * Milliseconds by which changes may come later, so that they are worked off together; at once unless told. The least that any user wants counts, and nothing is held
   * up while somebody waits for a resourceVersion, or follows (`Informers.follow`). Users with other times share an informer all the same.
   */
  readonly gather?: number | undefined;
}

/** One user's share of a watch and its cache. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly cache: Cache<T>;
  /** Resolves when the first list is complete and, for a user who keeps objects, all have their bytes. Rejects with the signal's reason, or when the informer goes first. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Adds columns for as long as this user stays; resolves when queries can use them. Throws for a name that another column has. */
  addColumns(columns: readonly ColumnSpec<T>[]): Promise<void>;
  /** Adds an index for as long as this user stays; resolves when it can be asked. Users who share one pass the same function. */
  addIndex(name: string, fn: IndexFunction<T>): Promise<void>;
  /** Gives the share back; with the last one the watch ends and the cache is gone. Twice is harmless. */
  release(): void;
}

/** A share as its owner has it. */
export interface InformerShare<T extends KubeObject = KubeObject> extends Informer<T>, Disposable {
  /**
   * Asks for bytes for a time, where the share keeps columns: between holds the cache has columns alone, and no change is lost either way. Bytes
   * come back by a new list that tells nobody anything but what differs.
   */
  hold(): Hold;
  /** Takes columns back that this user added. Throws for others. */
  releaseColumns(names: readonly string[]): void;
}

/** Keeps what one user added, to take it back with its share. */
export class Share<T extends KubeObject> implements InformerShare<T> {
  readonly #shared: SharedInformer<T>;
  readonly #onRelease: () => void;
  readonly #columns: string[] = [];
  readonly #indexes: string[] = [];
  readonly #holds = new Set<Hold>();
  /** Of a share that keeps objects. */
  readonly #own: Hold | undefined;
  readonly #pace: Disposable;
  #released = false;

  constructor(shared: SharedInformer<T>, options: InformerOptions, onRelease: () => void) {
    this.#shared = shared;
    this.#onRelease = onRelease;
    this.#pace = shared.gatherFor(options.gather ?? 0);
    this.#own = options.keep === "columns" ? undefined : this.hold();
  }

  get kind(): Kind<T> {
    return this.#shared.kind;
  }

  get cache(): Cache<T> {
    return this.#shared.store;
  }

  async whenSynced(signal?: AbortSignal): Promise<void> {
    await this.#shared.store.whenSynced(signal);
    if (this.#own === undefined || this.#shared.store.hasBytes) return;
    await settled(this.#own.ready, signal);
  }

  hold(): Hold {
    this.#check();
    const hold = this.#shared.hold();
    this.#holds.add(hold);
    return {
      ready: hold.ready,
      get isOnly() {
        return hold.isOnly;
      },
      [Symbol.dispose]: () => {
        this.#holds.delete(hold);
        hold[Symbol.dispose]();
      },
    };
  }

  addColumns(columns: readonly ColumnSpec<T>[]): Promise<void> {
    this.#check();
    return this.#filled(() => {
      const added = this.#shared.store.addColumns(columns);
      this.#columns.push(...columns.map(({ name }) => name));
      return added;
    });
  }

  /** Takes columns back before the share goes. */
  releaseColumns(names: readonly string[]): void {
    if (this.#released) return;
    for (const name of names) {
      const at = this.#columns.indexOf(name);
      if (at < 0) throw new Error(`column ${name} is not this user's`);
      this.#columns.splice(at, 1);
    }
    this.#shared.store.releaseColumns(names);
  }

  addIndex(name: string, fn: IndexFunction<T>): Promise<void> {
    this.#check();
    return this.#filled(() => {
      const added = this.#shared.store.addIndex(name, fn);
      this.#indexes.push(name);
      return added;
    });
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#shared.store.releaseColumns(this.#columns);
    for (const index of this.#indexes) this.#shared.store.releaseIndex(index);
    for (const hold of this.#holds) hold[Symbol.dispose]();
    this.#pace[Symbol.dispose]();
    this.#onRelease();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #check(): void {
    if (this.#released) throw new Error("the informer was released");
  }

  /** Where no bytes are kept, values come from a new list; where they are, they stay until they are read. */
  async #filled(add: () => Promise<void>): Promise<void> {
    const { store } = this.#shared;
    if (store.keepsBytes) {
      using _ = this.#shared.hold();
      await add();
    } else {
      const needsList = store.size > 0;
      await add();
      if (needsList) await this.#shared.relist();
    }
  }
}

/** Rejects with the signal's reason when that aborts first. */
async function settled(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
