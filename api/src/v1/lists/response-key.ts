/** By what lists are found in the cache of responses. */

import type { ToldAccess } from "../access/told-rights.ts";
import { formOf } from "../answers/form.ts";
import { takesGzip } from "../answers/gzip-accepted.ts";
import type { ResponseKey } from "../answers/response-cache.ts";
import type { Collection } from "../collections/collection.ts";
import { keyOf } from "../digest.ts";
import type { Inventory } from "../inventory/inventory.ts";
import type { Shape } from "../items/item.ts";
import { textOf } from "../items/shape.ts";
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
function questionOf(of: ListRequest): string {
  const { exchange, type, access } = of;
  const owner = seesOwnOnly(type, access) ? exchange.login.caller.username : "";
  return keyOf(...viewOf(of), exchange.request.url ?? "", owner);
}

/**
 * The same for the items of some objects, in this order. It names a few of them, for all would take longer to read than to compare: others may have the same. No key has a `%`
 * (kubernetes: staging/src/k8s.io/apimachinery/pkg/api/validation/path/name.go).
 */
export function keyOfItems(of: ListRequest, shape: Shape, keys: readonly string[]): string {
  return keyOf(...viewOf(of), textOf(shape), `${keys.length}%${samplesOf(keys).join("%")}`);
}

/** Of so many objects a question has the name. */
const samples = 8;

/** The first, the last, and some between. */
function samplesOf(keys: readonly string[]): readonly string[] {
  if (keys.length <= samples) return keys;
  const step = (keys.length - 1) / (samples - 1);
  return Array.from({ length: samples }, (_, index) => keys[Math.round(index * step)] ?? "");
}

/** The form of an answer, and what follows from who asks. */
function viewOf({
  exchange,
  access,
  base,
}: ListRequest): [form: string, base: string, told: string] {
  const form = `${formOf(exchange)} ${takesGzip(exchange.request) ? "gzip" : ""}`;
  return [form, base, access.told];
}
