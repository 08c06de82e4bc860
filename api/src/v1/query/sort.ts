/** Sort orders as clients write them: `-metadata.creationTimestamp,ip(status.podIP)`. */

import { QueryError } from "./errors.ts";
import { type FieldPath, parseField, shorten } from "./field.ts";
import { splitOutside } from "./split.ts";

/** One key of an order. `isAddress`: texts are IP addresses, and ordered by their numbers. */
export interface SortKey {
  readonly field: FieldPath;
  readonly descending: boolean;
  readonly isAddress: boolean;
}

/** More keys than anybody can look at. */
const most = 16;

/** Reads a `sort` parameter; empty keys are left out, as Steve does. Throws QueryError. */
export function parseSort(text: string, parameter = "sort"): readonly SortKey[] {
  const keys = splitOutside(text, "[]").filter((part) => part !== "");
  if (keys.length > most) throw new QueryError(parameter, `more than ${most} keys to sort by`);
  return keys.map((key) => sortKey(key, parameter));
}

function sortKey(text: string, parameter: string): SortKey {
  const [, address, plain = address] = /^(?:ip\((.+)\)|(.+))$/s.exec(text) ?? [];
  const [, sign, field = ""] = /^(-?)(.*)$/s.exec(plain ?? "") ?? [];
  if (field === "") throw new QueryError(parameter, `nothing to sort by in '${shorten(text)}'`);
  return {
    field: parseField(field, parameter),
    descending: sign === "-",
    isAddress: address !== undefined,
  };
}
