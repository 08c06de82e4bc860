import { expect } from "chai";
import { interleave, type Outcome, oursFailed, type Turns } from "./bench.ts";
import type { Figures, Rounds } from "./stats.ts";

describe("interleave", () => {
  const turns: Turns = { rounds: 4, wants: (name) => name !== "unwanted", say: () => undefined };

  it("lets every subject begin in turn, and come after different ones", async () => {
    const order: string[] = [];
    const subject = (name: string) => (round: number) => {
      order.push(`${name}${round}`);
      return Promise.resolve({ wall_s: round });
    };

    const subjects = {
      a: subject("a"),
      b: subject("b"),
      unwanted: subject("x"),
      c: subject("c"),
    };
    const rounds = await interleave(turns, subjects, () => []);

    expect(order.join(" ")).to.equal("a0 b0 c0 b1 a1 c1 c2 a2 b2 a3 c3 b3");
    expect([...rounds.keys()]).to.deep.equal(["a", "b", "c"]);
    expect(rounds.get("c")?.map(({ figures }) => figures.wall_s)).to.deep.equal([0, 1, 2, 3]);
  });

  it("keeps why a round failed, and goes on", async () => {
    const a = (round: number): Promise<Figures> =>
      round === 1 ? Promise.reject(new Error("oops")) : Promise.resolve({ wall_s: 1 });
    const rounds = await interleave(turns, { a }, () => []);

    expect(rounds.get("a")?.map(({ error }) => error)).to.deep.equal([
      undefined,
      "oops",
      undefined,
      undefined,
    ]);
  });

  it("tells how fast the machine was before and after each turn", async () => {
    let looks = 0;
    const a = (): Promise<Figures> => Promise.resolve({ looks });
    const rounds = await interleave({ ...turns, rounds: 2 }, { a }, () => [++looks]);

    expect(rounds.get("a")?.map(({ figures }) => figures)).to.deep.equal([
      { looks: 1, machine_best_ms: 1, machine_p90_ms: 2 },
      { looks: 3, machine_best_ms: 3, machine_p90_ms: 4 },
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
