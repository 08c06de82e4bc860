import {
  apiVersionOf,
  type Clock,
  defineKind,
  type Informer,
  type Informers,
  type Kind,
  type KubeObject,
  type Logger,
  messageOf,
  type Subscription,
} from "kopf-ts";
import { at, textAt, wholeAt } from "../tree.ts";
import { type Crd, type CrdVersion, readCrd, schemaOf } from "./crds.ts";

const definitions: Kind = defineKind({
  ...{ group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" },
  ...{ kind: "CustomResourceDefinition", scope: "Cluster" },
});

const services: Kind = defineKind({
  ...{ group: "apiregistration.k8s.io", version: "v1", plural: "apiservices" },
  ...{ kind: "APIService", scope: "Cluster" },
});

/** Milliseconds of work between two turns of the event loop. */
const SLICE = 5;

/** What TypeSources work with. */
export interface TypeSourcesParts {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A CustomResourceDefinition and where it stands. */
interface Held {
  readonly key: string;
  readonly crd: Crd;
}

/**
 * The objects from which an API server's types come. Guarantees: one that cannot be read, or declares nonsense, harms no type but its own; each
 * is read once per change, a few milliseconds at a time. Schemas are not kept: they are read from the cache when asked for.
 */
export class TypeSources implements Disposable {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #definitions: Informer & Disposable;
  readonly #services: Informer & Disposable;
  readonly #subscriptions: readonly Subscription[];
  /** Definitions that changed and were not read since. */
  readonly #unread = new Set<string>();
  readonly #byKey = new Map<string, Held>();
  readonly #byKind = new Map<string, Held>();

  /** Begins to watch; `onChange` is called for every change. */
  constructor({ informers, clock, log }: TypeSourcesParts, onChange: () => void) {
    this.#clock = clock;
    this.#log = log;
    this.#definitions = informers.acquire(definitions);
    this.#services = informers.acquire(services);
    const onDefinition = ({ key }: { readonly key: string }): void => {
      this.#unread.add(key);
      onChange();
    };
    this.#subscriptions = [
      this.#definitions.cache.subscribe(onDefinition, { replay: true }),
      this.#services.cache.subscribe(onChange, { replay: true }),
    ];
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    this.#definitions.release();
    this.#services.release();
  }

  /** Resolves when everything that was there has been told, or when the signal aborts. */
  async synced(signal: AbortSignal): Promise<void> {
    const lists = [this.#definitions, this.#services].map((each) => each.whenSynced(signal));
    await Promise.allSettled([...lists, ...this.#subscriptions.map(({ replayed }) => replayed)]);
  }

  /** Reads what changed. */
  async read(): Promise<void> {
    let begun = this.#clock.monotonic();
    for (const key of this.#unread) {
      this.#unread.delete(key);
      this.#readOne(key);
      if (this.#clock.monotonic() - begun < SLICE) continue;
      await new Promise(setImmediate);
      begun = this.#clock.monotonic();
    }
  }

  #readOne(key: string): void {
    const before = this.#byKey.get(key);
    if (before !== undefined) {
      this.#byKey.delete(key);
      const name = kindName(before.crd);
      if (this.#byKind.get(name) === before) this.#byKind.delete(name);
    }
    const crd = this.#tryRead(key);
    if (crd === undefined) return;
    const held = { key, crd };
    this.#byKey.set(key, held);
    this.#byKind.set(kindName(crd), held);
  }

  #tryRead(key: string): Crd | undefined {
    try {
      return readCrd(this.#definitions.cache.get(key));
    } catch (thrown) {
      const fields = { name: key, error: messageOf(thrown) };
      this.#log.warn("a CustomResourceDefinition cannot be read", fields);
      return undefined;
    }
  }

  /** What a CustomResourceDefinition says of a kind in its version; undefined for other kinds. */
  crdOf(kind: Kind): CrdVersion | undefined {
    return this.#byKind.get(kindName(kind))?.crd.versions.get(kind.version);
  }

  /** The schema that a CustomResourceDefinition has now for a kind in its version. */
  schemaOf(kind: Kind): unknown {
    const held = this.#byKind.get(kindName(kind));
    return held && schemaOf(this.#definitions.cache.get(held.key), kind.version);
  }

  /** The groups and versions that other servers serve, each with what changes when its APIService does. */
  aggregated(): ReadonlyMap<string, string> {
    const found = this.#services.cache.list().filter(isRemote);
    return new Map(found.map((service) => [apiVersionOfService(service), stampOf(service)]));
  }
}

function kindName({ group, kind }: Pick<Kind, "group" | "kind">): string {
  return `${group} ${kind.toLowerCase()}`;
}

/** The API server serves what has no service. */
function isRemote(service: KubeObject): boolean {
  return (at(service, "spec", "service") ?? null) !== null;
}

function apiVersionOfService(service: KubeObject): string {
  const group = textAt(service, "spec", "group");
  return apiVersionOf({ group, version: textAt(service, "spec", "version") });
}

/** Whether it answers counts as well: tables that could not be had may be had now. */
function stampOf(service: KubeObject): string {
  const conditions = at(service, "status", "conditions");
  const available = Array.isArray(conditions) ? conditions.find(isAvailability) : undefined;
  const { uid = "" } = service.metadata;
  return `${uid} ${wholeAt(service, "metadata", "generation")} ${textAt(available, "status")}`;
}

function isAvailability(condition: unknown): boolean {
  return textAt(condition, "type") === "Available";
}
