/** By what lists are found in the cache of responses. */

import type { ToldAccess } from "../access/told-rights.ts";
import { formOf } from "../answers/form.ts";
import { takesGzip } from "../answers/gzip-accepted.ts";
import type { ResponseKey } from "../answers/response-cache.ts";
import type { Collection } from "../collections/collection.ts";
import { keyOf } from "../digest.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { seesOwnOnly } from "../own-objects.ts";
import type { TypeRequest } from "../request.ts";
import type { Types } from "../types/resource-type.ts";

/** A request that is answered by rights of which it is known what the answer tells. */
export interface ListRequest extends TypeRequest {
  readonly access: ToldAccess;
}

/** What a list tells of beside the objects of its type. */
export interface ResponseKeyParts {
  readonly types: Pick<Types, "revision">;
  readonly inventory: Pick<Inventory, "revision">;
}

/** Undefined for who asks whether a response is the one that he has: that is worked out of its bytes. */
export function responseKeyOf(
  { types, inventory }: ResponseKeyParts,
  request: ListRequest,
  { cache }: Pick<Collection, "cache">,
): ResponseKey | undefined {
  if (request.exchange.request.headers["if-none-match"] !== undefined) return undefined;
  const revisions = [cache.revision, inventory.revision, types.revision];
  const state = `${revisions.join(" ")} ${cache.resourceVersion}`;
  return { source: cache, state, question: questionOf(request) };
}

/**
 * All that makes a difference beside objects and types: no header and no URL has more than one line. A list that asks for more of the caller's rights than any before is kept by a
 * question that nobody will have again.
 */
function questionOf({ exchange, type, access, base }: ListRequest): string {
  const { request, login } = exchange;
  const form = `${formOf(exchange)} ${takesGzip(request) ? "gzip" : ""}`;
  const owner = seesOwnOnly(type, access) ? login.caller.username : "";
  return keyOf(form, base, access.told, request.url ?? "", owner);
}
