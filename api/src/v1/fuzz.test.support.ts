/** Requests to /v1 that nobody means, for tests. */

import type { Random } from "kopf-ts/testing";
import { anyQuery } from "./query/fuzz.test.support.ts";

/** A request. */
export interface AnyRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Where requests go, and in whose name. */
export interface Target {
  /** The type's plural name in paths. */
  readonly plural: string;
  readonly namespace: string;
  /** Somebody who may do little. */
  readonly user: string;
}

const fields = [
  "metadata",
  "metadata.name",
  "metadata.fields",
  "spec.size",
  "spec.any",
  "id",
  "a..b",
];
const numbers = ["0", "1", "3", "200", "-1", "1e9", "999999999", "x", ""];
const truths = ["", "true", "false", "x"];

/** What parameters may say; the empty text and noise come besides. */
const values: Readonly<Record<string, readonly string[]>> = {
  include: fields,
  exclude: fields,
  excludeValues: fields,
  truncate: numbers,
  checkPermissions: ["pods", "pods,secrets", "nothing", ",", "__proto__", "x,".repeat(250)],
  clusters: ["all", "local", "local,c-none", "", ",", "A", "local:1"],
  _format: ["json", "yaml", "jsonl", "html", "constructor", ""],
  _method: ["GET", "get", "DELETE", "PUT", "PATCH", "POST", "HEAD", "__proto__", ""],
  action: ["login", "x", "", "__proto__"],
  revision: ["0", "1", "+3", "-1", "local:1", "local:x", "x", "99999999999999999999", ""],
  link: ["view", "x"],
  sort: ["metadata.name", "-spec.size,metadata.name", "spec.any.x", "spec.tags"],
  filter: ["spec.size>3", "spec.color~re", "spec.tags contains x", "metadata.labels.tier"],
  summary: ["spec.color", "metadata.namespace,spec.size"],
  pagesize: numbers,
  page: numbers,
  limit: numbers,
  summaryonly: truths,
  includeAssociatedData: truths,
  projectsornamespaces: ["default", "p-1,default", ","],
  labelSelector: ["tier=1", "!tier", "tier in (1,2)", "tier=("],
  fieldSelector: ["metadata.name=g-1", "spec.size!=3", "x"],
};
const names = Object.keys(values);
const places = ["default", "g-none", "..", ".", "", "%2e%2e", "%", "%00", "%ff", "x".repeat(300)];
const routes = [
  "",
  "counts",
  "search",
  "schemas",
  "schemaDefinitions",
  "apiRoots",
  "access",
  "nothing",
];
const methods = ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"];
const types = ["application/json", "application/yaml", "application/merge-patch+json", "x"];
const bodies = [
  "",
  "{",
  "[]",
  "null",
  "a: [",
  '{"type":5}',
  '{"metadata":[]}',
  '{"metadata":{"name":5}}',
];

/** A list most of the time, and anything else sometimes. Nothing that is there changes: what is written has no name that an object has. */
export function anyRequest(random: Random, target: Target): AnyRequest {
  const method = random.chance(0.85) ? "GET" : of(random, methods);
  const query = random.chance(0.3) ? anyQuery(random) : new URLSearchParams();
  for (let left = 1 + random.below(4); left > 0; left--) {
    const name = of(random, names);
    query.append(name, of(random, values[name] ?? []));
  }
  const path = `/v1/${pathOf(random, target)}?${query}`;
  return { method, path, headers: headersOf(random, target), body: of(random, bodies) };
}

function of(random: Random, choices: readonly string[]): string {
  return choices[random.below(choices.length)] ?? "";
}

function pathOf(random: Random, { plural, namespace }: Target): string {
  const name = random.chance(0.9) ? plural : of(random, routes);
  const place = random.chance(0.7) ? namespace : of(random, places);
  const more = Array.from({ length: random.below(3) }, () => of(random, places));
  return random.chance(0.6) ? name : [name, place, ...more].join("/");
}

function headersOf(random: Random, { user }: Target): Readonly<Record<string, string>> {
  return {
    "Content-Type": of(random, types),
    ...(random.chance(0.3) && { "X-User": random.chance(0.7) ? user : "nobody" }),
    ...(random.chance(0.2) && { "Accept-Encoding": of(random, ["gzip", "br", "gzip;q=0, *"]) }),
    ...(random.chance(0.2) && { Accept: of(random, ["application/yaml", "text/html", "x/y;"]) }),
    ...(random.chance(0.1) && { "If-None-Match": of(random, ["*", '"x"', "x"]) }),
  };
}
