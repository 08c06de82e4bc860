import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { QueryError } from "./errors.ts";
import { anyQuery } from "./fuzz.test.support.ts";
import { parseListQuery } from "./list-query.ts";

const seed = Number(process.env.QUERY_SEED ?? 1);
const cases = Number(process.env.QUERY_CASES ?? 20_000);

describe("parseListQuery, given anything", () => {
  it(`reads it or names the parameter, in ${cases} cases of seed ${seed}`, () => {
    const random = seededRandom(seed);
    let read = 0;
    for (let index = 0; index < cases; index++) {
      const asked = anyQuery(random);
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
