/** One item as an answer. */

import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { stringify } from "yaml";
import type { Exchange } from "../../stage.ts";
import { takesGzip } from "../answer.ts";

const compress = promisify(gzip);
/** Smaller answers are not worth packing. */
const worthPacking = 1_400;
/** Longer items are sent as the JSON that they are, which is YAML too: to write YAML takes 20 ms for so many bytes, in one go. */
const longestYaml = 128 * 1024;

/** Sends an item, in the form that the caller wants: `_format`, else what Accept names (apiserver: pkg/parse/parse.go); JSON for anything else. */
export async function sendItem(
  { request, response, query }: Exchange,
  status: number,
  item: Buffer,
): Promise<void> {
  const wanted = formOf(query, request.headers);
  const body = wanted === "yaml" ? toYaml(item) : item;
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

function toYaml(item: Buffer): Buffer {
  if (item.length > longestYaml) return item;
  return Buffer.from(stringify(JSON.parse(item.toString())));
}
