import { expect } from "chai";
import type { Walk } from "../load.ts";
import { pagesByContinue, pagesByNumber } from "./walks.ts";

/** The paths of a walk, given the answers in turn; the last one stands for all that follow. */
function paths(walk: Walk, bodies: readonly string[]): readonly string[] {
  const asked: string[] = [];
  for (let step = walk.next(); !step.done; ) {
    asked.push(step.value);
    const body = Buffer.from(bodies[asked.length - 1] ?? bodies.at(-1) ?? "");
    step = walk.next(() => body);
  }
  return asked;
}

describe("pagesByNumber", () => {
  for (const { total, last } of [
    { total: 0, last: 1 },
    { total: 100, last: 1 },
    { total: 101, last: 2 },
    { total: 400, last: 4 },
  ]) {
    it(`asks for ${last} pages of ${total} objects`, () => {
      const body = `{"type":"collection","revision":"77","count":${total},"data":[]}`;

      const asked = paths(pagesByNumber("/v1/pods"), [body]);

      expect(asked[0]).to.equal("/v1/pods?pagesize=100&page=1");
      expect(asked).to.have.length(last);
      if (last > 1) expect(asked.at(-1)).to.equal(`/v1/pods?pagesize=100&page=${last}&revision=77`);
    });
  }

  it("throws where no total is told", () => {
    expect(() => paths(pagesByNumber("/v1/pods"), ["{}"])).to.throw("/v1/pods tells no total");
  });
});

describe("pagesByContinue", () => {
  it("goes on as long as it is told how", () => {
    const bodies = ['{"metadata":{"continue":"a+b="}}', '{"metadata":{"resourceVersion":"7"}}'];

    expect(paths(pagesByContinue("/api/v1/pods"), bodies)).to.deep.equal([
      "/api/v1/pods?limit=100",
      "/api/v1/pods?limit=100&continue=a%2Bb%3D",
    ]);
  });
});
