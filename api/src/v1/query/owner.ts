/** The object whose dependents a list is of: `owner=apps.deployment/default/web`, or `owner=node/worker-1` outside namespaces. */

import { QueryError } from "./errors.ts";
import { shorten } from "./field.ts";

/** An object, as it was named: whether there is such a type decides whoever knows types. */
export interface OwnerName {
  /** Id or plural name. */
  readonly type: string;
  /** Undefined where none was named. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Reads `<type>/<namespace>/<name>` or `<type>/<name>`. Throws QueryError for anything else, and for several. */
export function parseOwner(texts: readonly string[]): OwnerName | undefined {
  const [text = "", ...others] = texts;
  if (others.length > 0) throw new QueryError("owner", "at most one owner is allowed");
  if (text === "") return undefined;
  const parts = text.split("/");
  const [type = "", ...place] = parts;
  const name = place.at(-1) ?? "";
  const isRead = parts.length >= 2 && parts.length <= 3 && !parts.includes("");
  if (isRead) return { type, namespace: place.length === 2 ? place[0] : undefined, name };
  const why = `owner must be <type>/<namespace>/<name> or <type>/<name>, not '${shorten(text)}'`;
  throw new QueryError("owner", why);
}
