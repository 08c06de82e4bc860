import { annotations } from "@drover/crds";
import { type AccessSources, accessReads, accessSources } from "@drover/platform";
import {
  type CacheAccess,
  type Informer,
  type Informers,
  type Kind,
  type KubeObject,
  type Logger,
  messageOf,
} from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";

/**
 * What people declare in the management cluster: role template bindings, global role bindings and what they grant, as `declaredChains` reads them, and the projects of namespaces.
 * What of it is not served, or not listed yet, is missing until it is.
 */
export class DeclaredAccess {
  readonly #informers: Informers;
  readonly #log: Logger;
  readonly #held = new Map<string, Informer<KubeObject>>();
  #sources: AccessSources | undefined;

  constructor({ informers, log }: { readonly informers: Informers; readonly log: Logger }) {
    this.#informers = informers;
    this.#log = log;
  }

  /** Undefined until it can be asked. */
  get sources(): AccessSources | undefined {
    return this.#sources;
  }

  /** `<cluster>:<project>` of a namespace of the management cluster; undefined for one that is in none. */
  projectOf(namespace: string): string | undefined {
    const found = this.#held.get(Namespace.plural)?.cache.get(namespace);
    return found?.metadata.annotations?.[annotations.projectId];
  }

  /** Follows the cluster until the signal aborts. */
  start(signal: AbortSignal): void {
    this.#held.set(Namespace.plural, this.#informers.acquire(Namespace));
    const indexed = accessReads.map(async ({ kind, indexes = {} }) => {
      const informer = this.#informers.acquire(kind);
      this.#held.set(kind.plural, informer);
      for (const [name, index] of Object.entries(indexes)) await informer.addIndex(name, index);
    });
    const end = (): void => {
      this.#sources = undefined;
      for (const informer of this.#held.values()) informer.release();
      this.#held.clear();
    };
    signal.addEventListener("abort", end, { once: true });
    const begin = (): void => {
      if (!signal.aborted) this.#sources = accessSources(this.#cacheOf());
    };
    Promise.all(indexed).then(begin, (error) => {
      if (signal.aborted) return;
      this.#log.error("declared rights cannot be followed", { error: messageOf(error) });
    });
  }

  #cacheOf(): CacheAccess {
    return <T extends KubeObject>(kind: Kind<T>) => {
      const informer = this.#held.get(kind.plural);
      if (informer === undefined) throw new Error(`${kind.kind} is not declared`);
      return informer.cache as unknown as Informer<T>["cache"]; // found by its kind
    };
  }
}
