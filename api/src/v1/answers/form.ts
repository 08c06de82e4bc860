import type { Exchange } from "../../stage.ts";

/** The form of an answer, by its name in `_format`. */
export type FormName = "json" | "jsonl" | "yaml";

/** What the caller wants: `_format`, else what Accept names; JSON for anything else (apiserver: pkg/parse/parse.go). */
export function formOf({ query, request }: Pick<Exchange, "query" | "request">): FormName {
  const wanted = (query.get("_format") ?? "").toLowerCase();
  if (wanted === "json" || wanted === "jsonl" || wanted === "yaml") return wanted;
  const { accept = "" } = request.headers;
  if (accept.includes("application/yaml")) return "yaml";
  return accept.includes("application/jsonl") ? "jsonl" : "json";
}
