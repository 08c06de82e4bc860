import { expect } from "chai";
import { type Random, seededRandom } from "kopf-ts/testing";
import { QueryError } from "./errors.ts";
import { parseListQuery } from "./list-query.ts";

const seed = Number(process.env.QUERY_SEED ?? 1);
const cases = Number(process.env.QUERY_CASES ?? 20_000);

const parameters = [
  ...["filter", "filter", "filter", "sort", "page", "pagesize", "limit", "continue", "revision"],
  ...["summary", "summaryonly", "summarynamespaced", "includeAssociatedData"],
  ...["labelSelector", "fieldSelector", "projectsornamespaces", "projectsornamespaces!", "other"],
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

function query(random: Random): URLSearchParams {
  const query = new URLSearchParams();
  for (let left = 1 + random.below(3); left > 0; left--) {
    query.append(parameters[random.below(parameters.length)] ?? "", text(random));
  }
  return query;
}

describe("parseListQuery, given anything", () => {
  it(`reads it or names the parameter, in ${cases} cases of seed ${seed}`, () => {
    const random = seededRandom(seed);
    let read = 0;
    for (let index = 0; index < cases; index++) {
      const asked = query(random);
      try {
        parseListQuery(asked);
        read++;
      } catch (thrown) {
        expect(thrown, asked.toString()).to.be.instanceOf(QueryError);
        if (!(thrown instanceof QueryError)) continue;
        expect(asked.has(thrown.parameter), `${asked}: ${thrown.parameter}`).to.equal(true);
        expect(thrown.message.length, asked.toString()).to.be.below(300);
      }
    }
    expect(read).to.be.within(cases / 10, cases - cases / 10);
  });
});
