import { expect } from "chai";
import { interleave, type Outcome, oursFailed, type Turns } from "./bench.ts";
import type { Rounds } from "./stats.ts";

describe("interleave", () => {
  const turns: Turns = { rounds: 4, wants: (name) => name !== "unwanted", say: () => undefined };

  it("lets every subject begin in turn, and come after different ones", async () => {
    const order: string[] = [];
    const subject = (name: string) => (round: number) => {
      order.push(`${name}${round}`);
      return Promise.resolve({ wall_s: round });
    };

    const rounds = await interleave(turns, {
      a: subject("a"),
      b: subject("b"),
      unwanted: subject("x"),
      c: subject("c"),
    });

    expect(order.join(" ")).to.equal("a0 b0 c0 b1 a1 c1 c2 a2 b2 a3 c3 b3");
    expect([...rounds.keys()]).to.deep.equal(["a", "b", "c"]);
    expect(rounds.get("c")?.map(({ figures }) => figures.wall_s)).to.deep.equal([0, 1, 2, 3]);
  });

  it("keeps why a round failed, and goes on", async () => {
    const rounds = await interleave(turns, {
      a: (round) =>
        round === 1 ? Promise.reject(new Error("oops")) : Promise.resolve({ wall_s: 1 }),
    });

    expect(rounds.get("a")?.map(({ error }) => error)).to.deep.equal([
      undefined,
      "oops",
      undefined,
      undefined,
    ]);
  });
});

describe("oursFailed", () => {
  const outcome = (subject: string): Outcome => {
    const rounds: Rounds = new Map([[subject, [{ figures: {}, error: "oops" }]]]);
    return { n: 1, rounds, targets: [], missing: {} };
  };

  it("is true when kopf-ts or drover failed a round, and false when a peer did", () => {
    const failed = ["kopf-ts", "drover", "kopf"].filter((name) => oursFailed(outcome(name)));

    expect(failed).to.deep.equal(["kopf-ts", "drover"]);
  });
});
