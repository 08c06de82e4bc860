import { LRUCache } from "lru-cache";
import type { KubeObject } from "../kube/index.ts";
import { differences, fingerprint } from "./differences.ts";
import { appliedAnnotation } from "./marks.ts";

/**
 * Remembers where the server stores something else than what was sent: it turns `1000m` into `1`, drops empty lists, moves stringData,
 * merges list items of others. Without it such an object would be sent again at every call. Only hashes are kept, of the newest
 * `max` such objects; a forgotten one costs one apply that changes nothing.
 */
export class AppliedForms {
  readonly #forms: LRUCache<string, string>;

  constructor({ max = 10_000 }: { readonly max?: number } = {}) {
    this.#forms = new LRUCache({ max });
  }

  /** The differences that were left when exactly this object had just been applied. */
  get(object: KubeObject): string | undefined {
    return this.#forms.get(identityOf(object));
  }

  /** Learns from an apply and its answer. */
  learn(object: KubeObject, answer: KubeObject): void {
    const found = differences(object, answer);
    if (found.length > 0) this.#forms.set(identityOf(object), fingerprint(found));
  }
}

/** The applied annotation has a hash of all content, so it is the name of what was sent. */
function identityOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.namespace ?? ""}/${metadata.name}/${metadata.annotations?.[appliedAnnotation]}`;
}

const beside = new WeakMap<object, AppliedForms>();

/** From now on `alias` knows, and learns, what `source` does: clients made anew for each run talk to one server. */
export function shareForms(source: object, alias: object): void {
  beside.set(alias, formsBeside(source));
}

/** What was learnt about the objects that a cache, or a client, shows; it lives as long as that does. */
export function formsBeside(source: object): AppliedForms {
  const forms = beside.get(source) ?? new AppliedForms();
  beside.set(source, forms);
  return forms;
}
