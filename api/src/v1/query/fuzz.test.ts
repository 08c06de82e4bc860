import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { QueryError } from "./errors.ts";
import { anyQuery } from "./fuzz.test.support.ts";
import { parseListQuery } from "./list-query.ts";

const seed = Number(process.env.QUERY_SEED ?? 1);
const cases = Number(process.env.QUERY_CASES ?? 20_000);

describe("parseListQuery, given anything", function () {
  this.timeout(20_000);

  it(`reads it or names the parameter, in ${cases} cases of seed ${seed}`, () => {
    const random = seededRandom(seed);
    let read = 0;
    for (let index = 0; index < cases; index++) {
      const asked = anyQuery(random);
      try {
        parseListQuery(asked);
        read++;
      } catch (thrown) {
        if (!isTold(thrown, asked)) expect.fail(`case ${index}, ${asked}: ${thrown}`);
      }
    }
    expect(read).to.be.within(cases / 10, cases - cases / 10);
  });
});

/** Whether an error names a parameter that was there, in short. */
function isTold(thrown: unknown, asked: URLSearchParams): boolean {
  return thrown instanceof QueryError && asked.has(thrown.parameter) && thrown.message.length < 300;
}
