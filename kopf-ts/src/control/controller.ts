/** A controller as data. */

import type { BackoffOptions } from "../base/index.ts";
import type { Kind, KubeObject, SelectorOptions } from "../kube/index.ts";
import type { CacheAccess, Context, Place } from "./context.ts";
import type { Predicate } from "./predicates.ts";
import type { Result } from "./result.ts";

/** Objects of the hub, the cluster that manages those of a ClusterSet. */
export interface FromHub<T extends KubeObject = KubeObject> {
  /**
   * Names of the clusters that an object concerns; all of them unless told. Must not depend on anything but the object, and must not throw.
   * Make it once: caches and clusters that are given the same function share what follows from it.
   */
  readonly clusters?: (object: T) => readonly string[];
}

/** How a kind is watched and kept for a controller. */
export interface WatchForm<T extends KubeObject = KubeObject> {
  /** Taken from the hub instead of the cluster that the controller works for; `true`: every object concerns every cluster. */
  readonly hub?: FromHub<T> | true;
  /** Narrows the watch; objects outside of it do not exist for the controller. */
  readonly select?: SelectorOptions;
  /** Keeps apiVersion, kind and metadata alone: enough for mapping and existence, at a fraction of the memory. */
  readonly metadataOnly?: boolean;
  /** Ways to find objects in its cache: `cache(kind).byIndex(name, value)`. Controllers that share a name must share the function. */
  readonly indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
}

/** What `owned` adds to a kind. */
export interface OwnedOptions<T extends KubeObject> extends WatchForm<T> {
  /** Which changes to an owned object are worth a run of its owner; all unless told. */
  readonly when?: Predicate<T>;
  /** Also follows ownerReferences without `controller: true`. */
  readonly anyOwner?: boolean;
}

/** What `related` adds to a kind. */
export interface RelatedOptions<T extends KubeObject> extends WatchForm<T> {
  /** Which changes are worth a look; all unless told. */
  readonly when?: Predicate<T>;
  /** Keys of the objects that a change of this one concerns. Asked for both states of a change; must not depend on anything but its arguments. */
  readonly map: (object: T, caches: CacheAccess, place: Place) => Iterable<string>;
}

/** A kind that is only read; made by `readable`, or the kind itself. */
export interface Readable extends WatchForm {
  readonly kind: Kind;
}

/** A kind whose objects have an owner among those of the controller; made by `owned`, or the kind itself. */
export interface Owned extends OwnedOptions<KubeObject> {
  readonly kind: Kind;
}

/** A kind whose changes concern objects of the controller; made by `related`. */
export interface Related extends RelatedOptions<KubeObject> {
  readonly kind: Kind;
}

/** Changes to objects of `kind` run the key of the object that controls them, by ownerReference or by the marks of applySet. */
export function owned<T extends KubeObject>(kind: Kind<T>, options: OwnedOptions<T> = {}): Owned {
  return { ...options, kind } as unknown as Owned; // its functions only ever get objects of `kind`
}

/** Changes to objects of `kind` run the keys that `map` names. */
export function related<T extends KubeObject>(kind: Kind<T>, options: RelatedOptions<T>): Related {
  return { ...options, kind } as unknown as Related; // its functions only ever get objects of `kind`
}

/** Objects of `kind` can be read from the cache; their changes run nothing. */
export function readable<T extends KubeObject>(
  kind: Kind<T>,
  options: WatchForm<T> = {},
): Readable {
  return { ...options, kind } as unknown as Readable; // its functions only ever get objects of `kind`
}

/**
 * Keeps the world as the objects of one kind ask for. `reconcile` gets an object and reads state, never the event that led to the run; it
 * runs again whenever something it depends on changed, so it must do no harm when there is nothing to do.
 *
 * Guarantees: a key never runs twice at once; the last state of every object, and every deletion while the process runs (`gone`) or ever
 * (`finalize`), reaches it; before a key runs again the cache shows what its last run wrote (for up to 5 s).
 */
export interface Controller<T extends KubeObject = KubeObject> {
  /** kebab-case; names it in logs and metrics and is the suffix of its field manager. */
  readonly name: string;
  readonly watches: Kind<T>;
  /** The objects are those of the hub; Events, status and finalizer are written there, what it owns is in the cluster. */
  readonly hub?: FromHub<T> | true;
  readonly select?: SelectorOptions;
  /**
   * Which changes of the object itself are worth a run; all unless told. Deletions and the beginning of one always are, and changes of owned
   * and related objects are not asked about.
   */
  readonly when?: Predicate<T>;
  readonly owns?: readonly (Kind | Owned)[];
  readonly related?: readonly Related[];
  readonly reads?: readonly (Kind | Readable)[];
  /** Of the cache of `watches`. */
  readonly indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;

  reconcile(object: T, context: Context): Promise<Result>;
  /**
   * Called while the object is being deleted and carries our finalizer, which is added before `reconcile` first sees the object and removed
   * after an answer that asks for no other run. Called again after that only by another process, when this one dies between the two.
   */
  finalize?(object: T, context: Context): Promise<Result>;
  /**
   * `kopf-ts.dev/<name>` unless told, `kopf-ts.dev/<name>_<cluster>` for objects of the hub, which each cluster holds for itself. A function gets
   * the cluster's name.
   */
  readonly finalizer?: string | ((cluster: string) => string);
  /**
   * The object is no more: it was deleted while this process ran, or something owned or related still names it. When another object has
   * taken its name, this comes first, then `reconcile`. An answer with `requeueAfter` or `requeueAt` asks to be called again. What was deleted while no
   * process ran is not told: what must not be missed needs `finalize`.
   */
  gone?(key: string, context: Context): Promise<Result>;
  /** Reconcile objects that are being deleted as well. Without it they are left alone, so that nothing is made anew for them. */
  readonly terminating?: boolean;

  /** Keys in work at once; 10 unless told. */
  readonly concurrency?: number;
  /** Milliseconds after which the signal of a run aborts; 60,000 unless told. */
  readonly timeout?: number;
  /** Delays after errors, per key; 5 ms doubling to 30 s unless told. */
  readonly backoff?: BackoffOptions;
}

/** The finalizer of a controller, in one cluster. */
export function finalizerOf(
  { finalizer, hub, name }: Pick<Controller, "finalizer" | "name"> & { readonly hub?: unknown },
  cluster = "",
): string {
  if (typeof finalizer === "function") return finalizer(cluster);
  return finalizer ?? `kopf-ts.dev/${hub === undefined ? name : `${name}_${cluster}`}`;
}
