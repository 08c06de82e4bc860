/** The informers that one controller declares. */

import type { Cache, Informer, InformerOptions, Requirement } from "../cache/index.ts";
import { matches, parseSelector } from "../cache/index.ts";
import {
  apiVersionOf,
  type Kind,
  type KubeObject,
  keyOf,
  resourceName,
  type SelectorOptions,
} from "../kube/index.ts";
import { type CacheAccess, type CacheChoice, UndeclaredKind } from "./context.ts";
import type { Controller, Owned, Readable, Related, WatchForm } from "./controller.ts";
import { type View, viewOf } from "./view.ts";

/** Where informers come from; `Informers` of cache. */
export interface InformerSource {
  acquire<T extends KubeObject>(kind: Kind<T>, options?: InformerOptions): Informer<T>;
}

/** One declared kind with its informer. */
export interface Source<T extends KubeObject = KubeObject> {
  readonly kind: Kind<T>;
  readonly form: WatchForm;
  readonly informer: Informer<T>;
}

/** A source without its first list. */
export interface Missing {
  readonly resource: string;
  readonly reason: string;
  /** It is one of the hub. */
  readonly hub?: boolean;
}

/** Informers that somebody has declared, and the way to their caches. `reader` names who, for messages. */
export class Declared {
  readonly all: readonly Source[];
  readonly #reader: string;
  readonly #how: string;
  readonly #ready: Promise<unknown>;

  /** `how` is what an entry of the declaration needs besides its kind, for messages. */
  constructor(reader: string, all: readonly Source[], how = "") {
    this.#reader = reader;
    this.#how = how;
    this.all = all;
    this.#ready = Promise.all(all.map(addIndexes));
    this.#ready.catch(() => undefined); // told by `synced`
  }

  /** What is only read; acquires at once. */
  static reads(
    reader: string,
    reads: readonly (Kind | Readable)[],
    informers: InformerSource,
  ): Declared {
    return new Declared(reader, reads.map(withKind).map(plainSource(informers)));
  }

  /** Resolves when every cache holds its first list and every index can be asked. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.all.map(({ informer }) => informer.whenSynced(signal)));
    await this.#ready;
  }

  /** What has not synced, and why. */
  get missing(): readonly Missing[] {
    return this.all
      .filter(({ informer }) => !informer.cache.synced)
      .map(({ kind, informer: { cache } }) => ({
        resource: resourceName(kind),
        reason: cache.watchState.phase === "degraded" ? cache.watchState.message : "listing",
      }));
  }

  /** Context.cache. */
  readonly cache: CacheAccess = <K extends KubeObject>(kind: Kind<K>, choice: CacheChoice = {}) => {
    const found = this.all.find(
      (source) => isSame(source.kind, kind) && suits(source.form, choice),
    );
    if (found !== undefined) return found.informer.cache as unknown as Cache<K>; // same kind, same type
    throw new UndeclaredKind(
      `${this.#reader} reads ${resourceName(kind)} without declaring it: add it to reads, owns or related${this.#how}`,
    );
  };

  release(): void {
    for (const { informer } of this.all) informer.release();
  }
}

/** Where a controller's informers come from. */
export interface SourcesOptions {
  readonly informers: InformerSource;
  readonly hub?: { readonly informers: InformerSource } | undefined;
  /** Name of the cluster. */
  readonly cluster?: string | undefined;
}

/** Which API server a source is of. */
export type Side = "cluster" | "hub";

/** A source as a controller sees it. */
export interface SeenSource<T extends KubeObject = KubeObject> extends Source<T> {
  readonly side: Side;
  readonly view: View<T>;
}

/** All that one controller reads. Acquires on construction; `release` gives everything back. */
export class Sources<T extends KubeObject = KubeObject> {
  readonly primary: SeenSource<T>;
  readonly owned: readonly (SeenSource & { readonly owned: Owned })[];
  readonly related: readonly (SeenSource & { readonly related: Related })[];
  readonly #sides: { readonly [S in Side]: Declared };
  readonly #views: readonly View[];
  /** The hub is this very cluster. */
  readonly #isHub: boolean;

  constructor(controller: Controller<T>, options: SourcesOptions) {
    const { watches, select, indexes, hub } = controller;
    const source = sourceFrom(options);
    const form = { select, indexes, hub } as WatchForm; // its functions only ever get objects of `watches`
    this.primary = source({ ...form, kind: watches } as Readable) as unknown as SeenSource<T>;
    this.owned = (controller.owns ?? [])
      .map(withKind)
      .map((owned) => ({ ...source(owned), owned }));
    this.related = (controller.related ?? []).map((related) => ({ ...source(related), related }));
    const reads = (controller.reads ?? []).map(withKind).map(source);
    const primary = this.primary as unknown as SeenSource;
    const all = [primary, ...this.owned, ...this.related, ...reads];
    this.#views = all.map(({ view }) => view);
    this.#isHub = options.hub?.informers === options.informers;
    const declared = (wanted: Side): Declared =>
      new Declared(
        `controller ${controller.name}`,
        all.filter(({ side }) => side === wanted),
        wanted === "hub" ? " with `hub`" : "",
      );
    this.#sides = { cluster: declared("cluster"), hub: declared("hub") };
  }

  /** Resolves when every cache holds its first list and every index can be asked. */
  async synced(signal: AbortSignal): Promise<void> {
    const { cluster, hub } = this.#sides;
    await Promise.all([cluster.synced(signal), hub.synced(signal)]);
    await Promise.all(this.#views.map(({ ready }) => ready));
  }

  /** What has not synced, and why. */
  get missing(): readonly Missing[] {
    const { cluster, hub } = this.#sides;
    return [...cluster.missing, ...hub.missing.map((each) => ({ ...each, hub: true }))];
  }

  /** Context.cache. */
  get cache(): CacheAccess {
    return this.#sides.cluster.cache;
  }

  /** Hub.cache. */
  get hub(): CacheAccess {
    return this.#sides.hub.cache;
  }

  /** Sources that show what is written to one side: all of them where the hub is the cluster. */
  shown(side: Side): readonly Source[] {
    const { cluster, hub } = this.#sides;
    return this.#isHub ? [...cluster.all, ...hub.all] : this.#sides[side].all;
  }

  /** What comes before the resourceVersions of a side: those of two servers may be equal. */
  server(side: Side): string {
    return side === "hub" && !this.#isHub ? "hub " : "";
  }

  release(): void {
    this.#sides.cluster.release();
    this.#sides.hub.release();
  }
}

/** Those of an object's kind. */
export function ofKind(
  sources: readonly Source[],
  { apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">,
): readonly Source[] {
  return sources.filter(
    (source) => source.kind.kind === kind && apiVersionOf(source.kind) === apiVersion,
  );
}

/** Caches that will show a write of this object. */
export function showing(sources: readonly Source[], object: KubeObject): readonly Cache[] {
  return ofKind(sources, object)
    .filter(({ form, informer }) => covers(form, object) || informer.cache.has(keyOf(object)))
    .map(({ informer }) => informer.cache);
}

function sourceFrom({
  informers,
  hub,
  cluster = "",
}: SourcesOptions): (readable: Readable) => SeenSource {
  return (readable) => {
    const side: Side = readable.hub === undefined ? "cluster" : "hub";
    const from = side === "hub" ? hub?.informers : informers;
    if (from === undefined) throw new TypeError(`${resourceName(readable.kind)}: there is no hub`);
    const informer = from.acquire(readable.kind, optionsOf(readable));
    const view = viewOf(informer, readable.hub, cluster);
    return { kind: readable.kind, form: readable, informer, side, view };
  };
}

/** A source of somebody who knows of one cluster only. */
function plainSource(informers: InformerSource): (readable: Readable) => Source {
  return (readable) => ({
    kind: readable.kind,
    form: readable,
    informer: informers.acquire(readable.kind, optionsOf(readable)),
  });
}

function withKind<D extends Readable>(declared: Kind | D): D | { readonly kind: Kind } {
  return "plural" in declared ? { kind: declared } : declared;
}

function optionsOf({
  select,
  metadataOnly,
}: {
  readonly select?: SelectorOptions | undefined;
  readonly metadataOnly?: boolean;
}): InformerOptions {
  return metadataOnly === undefined ? { ...select } : { ...select, metadataOnly };
}

/** Rejects when another index has one of the names. */
async function addIndexes({ form, informer }: Source): Promise<void> {
  for (const [name, fn] of Object.entries(form.indexes ?? {})) await informer.addIndex(name, fn);
}

function isSame(a: Kind, b: Kind): boolean {
  return a.plural === b.plural && a.group === b.group && a.version === b.version;
}

function suits({ select, metadataOnly = false }: WatchForm, choice: CacheChoice): boolean {
  const { metadataOnly: wanted, ...selection } = choice;
  if (wanted !== undefined && wanted !== metadataOnly) return false;
  return Object.entries(selection).every(
    ([name, value]) => select?.[name as keyof SelectorOptions] === value,
  );
}

/** Whether the object lies in what the form selects; in doubt it does. */
function covers({ select = {} }: WatchForm, object: KubeObject): boolean {
  const { namespace, labelSelector, fieldSelector } = select;
  if (namespace !== undefined && namespace !== object.metadata.namespace) return false;
  if (
    labelSelector !== undefined &&
    !matches(parsed(labelSelector), object.metadata.labels ?? {})
  ) {
    return false;
  }
  return (
    fieldSelector === undefined || fieldSelector.split(",").every((term) => holds(term, object))
  );
}

function parsed(labelSelector: string): readonly Requirement[] {
  return parseSelector(labelSelector);
}

/** One term of a field selector: `metadata.name=a`, `status.phase!=Running`. */
function holds(term: string, object: KubeObject): boolean {
  const [, path = "", operator = "=", wanted = ""] = /^([^=!]+)(!?)={1,2}(.*)$/.exec(term) ?? [];
  const steps = path.trim().split(".");
  const value = steps.reduce<unknown>(
    (at, step) => (typeof at === "object" && at !== null ? Reflect.get(at, step) : undefined),
    object,
  );
  return (String(value ?? "") === wanted.trim()) === (operator !== "!");
}
