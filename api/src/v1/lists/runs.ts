/** Items of lists, kept one behind the other: objects that are as they were are not put together again, whatever they are found by. */

import type { Cache } from "kopf-ts";
import type { ResponseCache, ResponseKey } from "../answers/response-cache.ts";
import { type Run, RunMaker } from "../answers/run.ts";
import type { Shape } from "../items/item.ts";
import type { ListItems } from "./list-items.ts";
import { keyOfItems, type ListRequest, type ResponseKeyParts } from "./response-key.ts";

/** More objects than these are looked at one by one only to be written. */
const mostItems = 1000;
/** Less is put together sooner than looked for, and more than waits for a caller goes out in parts; in bytes. */
const [least, most] = [32 * 1024, 2 * 1024 * 1024];

/** Runs of items in the cache of responses. */
export class Runs {
  readonly #responses: ResponseCache;
  readonly #parts: ResponseKeyParts;
  /** Stand for caches: whole answers go at each change, runs do not. */
  readonly #sources = new WeakMap<Cache, object>();

  constructor(responses: ResponseCache, parts: ResponseKeyParts) {
    this.#responses = responses;
    this.#parts = parts;
  }

  /** By what the run of a list is found; undefined for items that are not worth looking for. Whoever finds the same objects in another way has the same key. */
  keyOf(
    { request, shape }: { readonly request: ListRequest; readonly shape: Shape },
    { collection, keys }: ListItems,
  ): ResponseKey | undefined {
    if (collection === undefined || keys.length === 0 || keys.length > mostItems) return undefined;
    const { types, inventory } = this.#parts;
    const state = `${inventory.revision} ${types.revision}`;
    const question = keyOfItems(request, shape, keys);
    return { source: this.#sourceOf(collection.cache), state, question, of: keys };
  }

  /** The run, if nothing in it has changed, else a new one where it is worth making: asked for before in this state. Who asks has to release it. */
  async runFor(key: ResponseKey, items: ListItems, isPacked: boolean): Promise<Run | undefined> {
    const found = this.#responses.findRun(key, (aged) => aged.at(items.now));
    if (found !== undefined) return found;
    const expected = this.#responses.lengthOf(key) ?? 0;
    if (expected < least || expected > most) return undefined;
    const run = await this.#make(key, items, new RunMaker({ isPacked, expected, now: items.now }));
    this.note(key, expected); // asked for again: what is asked for less often makes room for it
    return run;
  }

  /** Items were asked for that no run was found of, for an answer of so many bytes. */
  note(key: ResponseKey, length: number): void {
    this.#responses.note(key, length);
  }

  /** It is kept unless something changed in the cache meanwhile. */
  async #make(key: ResponseKey, items: ListItems, maker: RunMaker): Promise<Run> {
    const { collection, keys, now } = items;
    const revision = collection?.cache.revision;
    const count = await items.writeTo(maker);
    const { until } = items;
    const run = await maker.take({ items: count, until });
    if (collection !== undefined && collection.cache.revision === revision) {
      const isStill = sameStates(collection.cache, keys);
      this.#responses.keep(key, run, { from: now, until, isStill });
    }
    return run;
  }

  #sourceOf(cache: Cache): object {
    const source = this.#sources.get(cache) ?? {};
    this.#sources.set(cache, source);
    return source;
  }
}

/** Whether objects are as they are now. While nothing changes in their cache, none of them is looked at. */
function sameStates(cache: Cache, keys: readonly string[]): () => boolean {
  const states = keys.map((key) => cache.stateOf(key));
  const held = new WeakRef(cache);
  let seenAt = cache.revision;
  return () => {
    const now = held.deref();
    if (now === undefined) return false;
    if (now.revision === seenAt) return true;
    if (!keys.every((key, index) => now.stateOf(key) === states[index])) return false;
    seenAt = now.revision;
    return true;
  };
}
