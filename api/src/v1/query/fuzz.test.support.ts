/** Queries that nobody means, for tests. */

import type { Random } from "kopf-ts/testing";

const parameters = [
  ...["filter", "filter", "filter", "sort", "page", "pagesize", "limit", "continue", "revision"],
  ...["summary", "summaryonly", "summarynamespaced", "includeAssociatedData"],
  ...[
    "labelSelector",
    "fieldSelector",
    "projectsornamespaces",
    "projectsornamespaces!",
    "owner",
    "other",
  ],
];

/** What queries are made of, and what breaks them. */
const pieces = [
  ...["metadata.name", "metadata.labels[app.kubernetes.io/name]", "metadata.labels.x", "id"],
  ...["metadata.fields[3][0]", "spec.containers.0.image", "spec.replicas", "__proto__", "a..b"],
  ...["=", "==", "!=", "~", "!~", "<", ">", " lt ", " GT ", " in ", " NotIn ", " contains ", "!"],
  ...["(", ")", ",", " ", "\t", "'", '"', "\\", "\\'", "[", "]", "[]", "-", "+", "ip(", "|", "%"],
  ...["a", "web-0", "0", "-1", "3", "1e9", "99999999999999999999", "true", "", "constructor"],
  ...["\u0000", "\ud800", "é", "日本", "😀", "\n", "eyJ2IjoxfQ", "bnVsbA", "x".repeat(300)],
];

function text(random: Random): string {
  const length = random.below(8);
  return Array.from({ length }, () => pieces[random.below(pieces.length)]).join("");
}

/** Parameters of a list with anything in them. */
export function anyQuery(random: Random): URLSearchParams {
  const query = new URLSearchParams();
  for (let left = 1 + random.below(3); left > 0; left--) {
    query.append(parameters[random.below(parameters.length)] ?? "", text(random));
  }
  return query;
}
