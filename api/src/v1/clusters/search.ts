/** `GET /v1/search?clusters=`: one search over several clusters. */

import { scopeOf } from "../../caller.ts";
import { jsonOf, sendCollection } from "../answers/answer.ts";
import { reading } from "../lists/problems.ts";
import { parseClusters } from "../query/clusters.ts";
import type { Route } from "../route.ts";
import { searchEnvelope } from "../search/answer.ts";
import { parseSearch } from "../search/query.ts";
import type { Clusters } from "./clusters.ts";
import { compareTuples, merged } from "./merge.ts";
import { clustersOf, warningsOf } from "./warnings.ts";

/** Answers with the best results of all, each with its cluster; `totals` are sums. */
export function searchOfClusters(clusters: Clusters): Route {
  return async (exchange, { access, base, signal }) => {
    const query = parseSearch(exchange.query);
    const names = reading(() => parseClusters(exchange.query)) ?? "all";
    const { caller } = exchange.login;
    const { answered, failed } = await clusters.ask(
      names,
      { caller, scope: scopeOf(exchange.login), access, base, signal },
      (source, place) => source.search({ caller, query, ...place }),
    );
    const ranked = merged(
      answered.map(({ answer }) => answer.results),
      (a, b) => compareTuples(a.order, b.order),
    );
    const results: object[] = [];
    for (const { list, item } of ranked) {
      if (results.length === query.limit) break;
      results.push({ cluster: answered[list]?.cluster, ...item.item });
    }
    for (const warning of warningsOf(failed)) exchange.response.appendHeader("Warning", warning);
    const found = answered.map(({ answer }) => answer);
    const totals = sumOf(found.map((answer) => answer.totals));
    const incomplete = [...new Set(found.flatMap((answer) => answer.incomplete))].sort();
    const more = {
      clusters: clustersOf(answered, failed, (answer) => ({
        totals: Object.fromEntries(answer.totals),
        ...(answer.incomplete.length > 0 && { incomplete: answer.incomplete }),
      })),
    };
    const envelope = searchEnvelope(base + exchange.path, { totals, incomplete }, more);
    await sendCollection(exchange, { envelope, items: jsonOf(results) });
  };
}

function sumOf(totals: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const [type, total] of totals.flatMap((each) => [...each])) {
    sum.set(type, (sum.get(type) ?? 0) + total);
  }
  return sum;
}
