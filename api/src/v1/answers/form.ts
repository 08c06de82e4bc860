import type { Exchange } from "../../stage.ts";

/** The form of an answer, by its name in `_format`. */
export type FormName = "json" | "jsonl" | "yaml";

/** What the caller wants: `_format`, else what Accept names; JSON for anything else (apiserver: pkg/parse/parse.go). */
export function formOf({ query, request }: Pick<Exchange, "query" | "request">): FormName {
  const wanted = (query.get("_format") ?? "").toLowerCase();
  if (wanted === "json" || wanted === "jsonl" || wanted === "yaml") return wanted;
  const { accept = "" } = request.headers;
  const takes = (type: string): boolean =>
    accept.split(",").some((range) => range.includes(type) && !refused.test(range));
  if (takes("application/yaml")) return "yaml";
  return takes("application/jsonl") ? "jsonl" : "json";
}

/** A quality of nothing (RFC 9110, 12.4.2). */
const refused = /;\s*q=0(\.0*)?\s*$/;
