import { expect } from "chai";
import { digestOf } from "../digest.ts";
import { AskedQuestions } from "./asked.ts";

describe("AskedQuestions", () => {
  const known = { at: 1.5, length: 6 * 1024 ** 3 };

  it("know what was asked, and in which state", () => {
    const asked = new AskedQuestions();
    asked.enter("question", "1", { at: 1, length: 1 });
    asked.enter("question", "1", known);

    expect(asked.find("question", "1")).to.deep.equal(known);
    expect(asked.find("question", "2")).to.equal(undefined);
    expect(asked.find("question1", "")).to.equal(undefined);
    expect(asked.find("", "")).to.equal(undefined);
  });

  it("know most of the last thousands, however many came before", () => {
    const asked = new AskedQuestions();
    const questions = Array.from({ length: 100_000 }, (_, index) => digestOf(String(index)));
    for (const question of questions) asked.enter(question, "1", known);
    const found = (some: readonly string[]): number =>
      some.filter((question) => asked.find(question, "1") !== undefined).length;

    expect(found(questions.slice(-4000))).to.be.within(3600, 4000);
    expect(found(questions.slice(0, 4000))).to.be.below(400);
  });
});
