import type { Kind, KubeObject, SelectorOptions } from "../../kube/index.ts";
import type { Cache } from "../cache.ts";
import type { ColumnSpec } from "../columns/column.ts";
import type { IndexFunction } from "../indexes.ts";
import type { SharedInformer } from "./shared.ts";

/** What an informer watches, and in which form it keeps it. Users with the same options share one. */
export interface InformerOptions extends SelectorOptions {
  /** Only apiVersion, kind and metadata come over the wire. */
  readonly metadataOnly?: boolean | undefined;
  /** `columns` drops the bytes once the columns have their values, unless another user keeps them. */
  readonly keep?: "objects" | "columns" | undefined;
  /** `cold` keeps managedFields, packed, for `rawWithManagedFields`; as the Informers are told unless told here. */
  readonly managedFields?: "drop" | "cold" | undefined;
}

/** One user's share of a watch and its cache. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly cache: Cache<T>;
  /** Rejects with the signal's reason, or when the informer goes first. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Adds columns for as long as this user stays; resolves when queries can use them. Throws for a name that another column has. */
  addColumns(columns: readonly ColumnSpec<T>[]): Promise<void>;
  /** Adds an index for as long as this user stays; resolves when it can be asked. Users who share one pass the same function. */
  addIndex(name: string, fn: IndexFunction<T>): Promise<void>;
  /** Gives the share back; with the last one the watch ends and the cache is gone. Twice is harmless. */
  release(): void;
}

/** Keeps what one user added, to take it back with its share. */
export class Share<T extends KubeObject> implements Informer<T>, Disposable {
  readonly #shared: SharedInformer<T>;
  readonly #onRelease: () => void;
  readonly #columns: string[] = [];
  readonly #indexes: string[] = [];
  #released = false;

  constructor(shared: SharedInformer<T>, onRelease: () => void) {
    this.#shared = shared;
    this.#onRelease = onRelease;
  }

  get kind(): Kind<T> {
    return this.#shared.kind;
  }

  get cache(): Cache<T> {
    return this.#shared.store;
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#shared.store.whenSynced(signal);
  }

  addColumns(columns: readonly ColumnSpec<T>[]): Promise<void> {
    this.#check();
    const added = this.#shared.store.addColumns(columns);
    this.#columns.push(...columns.map(({ name }) => name));
    return this.#filled(added);
  }

  addIndex(name: string, fn: IndexFunction<T>): Promise<void> {
    this.#check();
    const added = this.#shared.store.addIndex(name, fn);
    this.#indexes.push(name);
    return this.#filled(added);
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#shared.store.releaseColumns(this.#columns);
    for (const index of this.#indexes) this.#shared.store.releaseIndex(index);
    this.#onRelease();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #check(): void {
    if (this.#released) throw new Error("the informer was released");
  }

  /** Where no bytes are kept, values come from a new list. */
  async #filled(added: Promise<void>): Promise<void> {
    const { store, keepsBytes } = this.#shared;
    const needsList = !keepsBytes && store.size > 0;
    await added;
    if (needsList) await this.#shared.relist();
  }
}
