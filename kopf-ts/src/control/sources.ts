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

/** Where informers come from; `Informers` of cache. */
export interface InformerSource {
  acquire<T extends KubeObject>(kind: Kind<T>, options?: InformerOptions): Informer<T>;
}

/** One declared kind with its informer. */
export interface Source {
  readonly kind: Kind;
  readonly form: WatchForm;
  readonly informer: Informer;
}

/** Informers that somebody has declared, and the way to their caches. `reader` names who, for messages. */
export class Declared {
  readonly all: readonly Source[];
  readonly #reader: string;
  readonly #ready: Promise<unknown>;

  constructor(reader: string, all: readonly Source[]) {
    this.#reader = reader;
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
    return new Declared(reader, reads.map(withKind).map(sourceFrom(informers)));
  }

  /** Resolves when every cache holds its first list and every index can be asked. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.all.map(({ informer }) => informer.whenSynced(signal)));
    await this.#ready;
  }

  /** What has not synced, and why. */
  get missing(): readonly { readonly resource: string; readonly reason: string }[] {
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
      `${this.#reader} reads ${resourceName(kind)} without declaring it: add it to reads, owns or related`,
    );
  };

  release(): void {
    for (const { informer } of this.all) informer.release();
  }
}

/** All that one controller reads. Acquires on construction; `release` gives everything back. */
export class Sources<T extends KubeObject = KubeObject> {
  readonly primary: Informer<T>;
  readonly owned: readonly (Source & { readonly owned: Owned })[];
  readonly related: readonly (Source & { readonly related: Related })[];
  readonly #declared: Declared;

  constructor(controller: Controller<T>, informers: InformerSource) {
    const { watches, select, indexes } = controller;
    this.primary = informers.acquire(watches, optionsOf({ select }));
    const source = sourceFrom(informers);
    this.owned = (controller.owns ?? [])
      .map(withKind)
      .map((owned) => ({ ...source(owned), owned }));
    this.related = (controller.related ?? []).map((related) => ({ ...source(related), related }));
    const reads = (controller.reads ?? []).map(withKind).map(source);
    const primary = { kind: watches, form: { select, indexes }, informer: this.primary };
    const all = [primary as unknown as Source, ...this.owned, ...this.related, ...reads];
    this.#declared = new Declared(`controller ${controller.name}`, all);
  }

  /** Resolves when every cache holds its first list and every index can be asked. */
  synced(signal: AbortSignal): Promise<void> {
    return this.#declared.synced(signal);
  }

  /** What has not synced, and why. */
  get missing(): Declared["missing"] {
    return this.#declared.missing;
  }

  /** Context.cache. */
  get cache(): CacheAccess {
    return this.#declared.cache;
  }

  /** Caches that will show a write of this object. */
  showing(object: KubeObject): readonly Cache[] {
    return this.ofKind(object)
      .filter(({ form, informer }) => covers(form, object) || informer.cache.has(keyOf(object)))
      .map(({ informer }) => informer.cache);
  }

  /** Sources of an object's kind. */
  ofKind({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): readonly Source[] {
    return this.#declared.all.filter(
      (source) => source.kind.kind === kind && apiVersionOf(source.kind) === apiVersion,
    );
  }

  release(): void {
    this.#declared.release();
  }
}

function sourceFrom(informers: InformerSource): (readable: Readable) => Source {
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
