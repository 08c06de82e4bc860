/** Which clusters a question is put to: `clusters=local,c-abcde`, or `all`. Pure. */

import { problem } from "../problem.ts";
import { shorten } from "../query/field.ts";

/** More than anybody writes; who has more clusters asks `all`. */
const most = 200;

/** The names that were written, each once; "all" for all. Undefined where the question is not put to several. Throws Problems (422). */
export function parseClusters(query: URLSearchParams): "all" | readonly string[] | undefined {
  if (!query.has("clusters")) return undefined;
  const texts = query.getAll("clusters").flatMap((text) => text.split(","));
  const names = [...new Set(texts.filter((name) => name !== ""))];
  if (names.length === 0) {
    throw problem(
      "InvalidFormat",
      "clusters must be names with commas between, or all",
      "clusters",
    );
  }
  if (names.length > most) throw problem("InvalidFormat", `more than ${most} clusters`, "clusters");
  const wrong = names.find((name) => !/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name));
  if (wrong !== undefined) {
    throw problem("InvalidFormat", `'${shorten(wrong)}' is no name of a cluster`, "clusters");
  }
  return names.includes("all") ? "all" : names;
}
