import { expect } from "chai";
import { problem } from "../problem.ts";
import { clustersOf, warningsOf } from "./warnings.ts";

const failed = (cluster: string, message: string) => ({
  cluster,
  problem: problem("ClusterUnavailable", message),
});

describe("warningsOf", () => {
  it("names the clusters that failed, and what answers of others lack", () => {
    const answered = [{ cluster: "local", answer: { warnings: ["half of it"] } }];

    expect(warningsOf([failed("c-1", "it is away")], answered)).to.deep.equal([
      "299 - cluster c-1: it is away",
      "299 - cluster local: half of it",
    ]);
  });

  it("has nothing in it that a header may not have", () => {
    const [text] = warningsOf([failed("c-1", 'a "b" \\ c\r\nX: é')]);

    expect(text).to.equal('299 - cluster c-1: a "b" \\ c??X: ?');
  });

  it("stays short, however much went wrong", () => {
    const many = Array.from({ length: 1000 }, (_, at) => failed(`c-${at}`, "x".repeat(5000)));
    const texts = warningsOf(many);

    expect(texts).to.have.length(21);
    expect(texts.at(-1)).to.equal("299 - 980 more warnings");
    for (const text of texts) expect(text.length).to.be.lessThan(220);
  });
});

describe("clustersOf", () => {
  it("tells what each had, or why it had nothing", () => {
    const answered = [{ cluster: "local", answer: 3 }];

    expect(clustersOf(answered, [failed("c-1", "away")], (count) => ({ count }))).to.deep.equal({
      local: { count: 3 },
      "c-1": { error: { status: 503, code: "ClusterUnavailable", message: "away" } },
    });
  });
});
