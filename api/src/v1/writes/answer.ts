/** One item as an answer. */

import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Exchange } from "../../stage.ts";
import { takesGzip } from "../answer.ts";
import { toYaml } from "../yaml-text.ts";

const compress = promisify(gzip);
/** Smaller answers are not worth packing. */
const worthPacking = 1_400;

/** Sends an item, in the form that the caller wants: `_format`, else what Accept names (apiserver: pkg/parse/parse.go); JSON for anything else. */
export async function sendItem(
  { request, response, query }: Exchange,
  status: number,
  item: Buffer,
): Promise<void> {
  const wanted = formOf(query, request.headers);
  const body = wanted === "yaml" ? Buffer.from(toYaml(item)) : item;
  const packs = body.length >= worthPacking && takesGzip(request);
  const sent = packs ? await compress(body, { level: 1 }) : body;
  if (packs) response.setHeader("Content-Encoding", "gzip");
  response.setHeader("Vary", "Accept-Encoding");
  response.writeHead(status, {
    "Content-Type": `application/${wanted}`,
    "Content-Length": sent.length,
  });
  response.end(sent);
}

function formOf(query: URLSearchParams, { accept = "" }: IncomingHttpHeaders): string {
  const wanted = query.get("_format") ?? "";
  if (["json", "jsonl", "yaml"].includes(wanted)) return wanted;
  if (accept.includes("application/yaml")) return "yaml";
  return accept.includes("application/jsonl") ? "jsonl" : "json";
}
