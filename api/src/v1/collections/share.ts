/** What somebody has of a type's cache. */

import type { Cache, ColumnSpec } from "kopf-ts";
import type { ResourceType } from "../types/resource-type.ts";
import type { Collection } from "./collection.ts";
import type { ColumnUser } from "./needed-columns.ts";

/** What shares need of their cache. */
export interface ShareOwner extends Pick<Collection, "follow"> {
  need(columns: readonly ColumnSpec[], share: Share): Promise<void>;
  leave(share: Share): void;
}

/** Whose it is may still wait for it. (It is a class: an object with a method by a symbol takes V8 longer to make.) */
export class Share implements Collection, ColumnUser {
  readonly type: ResourceType;
  readonly cache: Cache;
  readonly gone: AbortSignal;
  readonly needs: ColumnUser["needs"] = [];
  hasLeft = false;
  readonly #owner: ShareOwner;

  constructor(
    { type, cache, gone }: Pick<Collection, "type" | "cache" | "gone">,
    owner: ShareOwner,
  ) {
    this.type = type;
    this.cache = cache;
    this.gone = gone;
    this.#owner = owner;
  }

  need(columns: readonly ColumnSpec[]): Promise<void> {
    return this.#owner.need(columns, this);
  }

  follow(): Disposable {
    return this.#owner.follow();
  }

  [Symbol.dispose](): void {
    this.#owner.leave(this);
  }
}
