/** Lists that are asked for again while nothing has changed. */

import { formOf } from "../answers/form.ts";
import { takesGzip } from "../answers/gzip-accepted.ts";
import type { Grounds, Repeats } from "../answers/repeats.ts";
import type { Collection } from "../collections/collection.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { seesOwnOnly } from "../own-objects.ts";
import type { TypeRequest } from "../request.ts";
import type { Types } from "../types/resource-type.ts";

/** What lists are told apart by. */
export interface AgainParts {
  readonly types: Types;
  readonly inventory: Inventory;
  readonly repeats: Repeats;
}

/** A list that may have been sent before. */
export interface Again {
  readonly repeats: Repeats;
  readonly grounds: Grounds;
}

/** Undefined for who asks whether an answer is the one that he has: that is worked out of its bytes. */
export function againOf(
  { types, inventory, repeats }: AgainParts,
  request: TypeRequest,
  { cache }: Collection,
): Again | undefined {
  const isTagged = request.exchange.request.headers["if-none-match"] !== undefined;
  if (isTagged) return undefined;
  const revisions = [cache.revision, inventory.revision, types.revision];
  const state = `${revisions.join(" ")} ${cache.resourceVersion}`;
  return { repeats, grounds: { source: cache, state, question: questionOf(request) } };
}

/** All that makes a difference beside objects and types, in lines: no header and no URL has more than one. */
function questionOf({ exchange, type, access, base }: TypeRequest): string {
  const { request, login } = exchange;
  const form = `${formOf(exchange)} ${takesGzip(request) ? "gzip" : ""}`;
  const owner = seesOwnOnly(type, access) ? login.caller.username : "";
  return [form, base, access.fingerprint, request.url, owner].join("\n");
}
