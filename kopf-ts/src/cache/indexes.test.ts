import { expect } from "chai";
import { Indexes } from "./indexes.ts";
import { Rows } from "./rows.ts";

const words = (text: string): readonly string[] => text.split(" ").filter((each) => each !== "");

describe("Indexes", () => {
  it("finds rows by each of their values, and no longer by former ones", () => {
    const rows = new Rows();
    const indexes = new Indexes<string>(rows, () => undefined);
    indexes.add("words", words);
    const [a = 0, b = 0, c = 0] = ["a", "b", "c"].map((key) => rows.add(key));

    indexes.set(a, "red green");
    indexes.set(b, "red red");
    indexes.set(c, "red");
    indexes.set(a, "green blue");
    indexes.delete(c);

    expect([...indexes.find("words", "red")]).to.deep.equal([b]);
    expect([...indexes.find("words", "green")]).to.deep.equal([a]);
    expect([...indexes.find("words", "blue")]).to.deep.equal([a]);
    expect([...indexes.find("words", "none")]).to.deep.equal([]);
  });

  it("leaves out an object whose function throws, and says so", () => {
    const rows = new Rows();
    const errors: unknown[] = [];
    const indexes = new Indexes<string>(rows, (...error) => errors.push(error));
    const failure = new Error("no words");
    indexes.add("words", (text) => {
      if (text === "bad") throw failure;
      return words(text);
    });

    indexes.set(rows.add("a"), "good");
    indexes.set(rows.add("b"), "bad");

    expect([...indexes.find("words", "good")]).to.deep.equal([0]);
    expect(errors).to.deep.equal([["words", failure]]);
  });

  it("answers nothing it does not know for sure", () => {
    const rows = new Rows();
    const indexes = new Indexes<string>(rows, () => undefined);
    rows.add("was there before");

    const index = indexes.add("words", words);

    expect(index.filled).to.equal(false);
    expect(indexes.unfilled).to.deep.equal([index]);
    expect(() => indexes.find("words", "x")).to.throw("still being filled");
    expect(() => indexes.find("others", "x")).to.throw("no index others");
    index.filled = true;
    expect([...indexes.find("words", "x")]).to.deep.equal([]);
  });

  it("is shared by those who pass the same function, until the last one leaves", () => {
    const indexes = new Indexes<string>(new Rows(), () => undefined);
    indexes.add("words", words);
    indexes.add("words", words);

    expect(() => indexes.add("words", () => [])).to.throw("another index words");
    indexes.release("words");
    expect(() => indexes.find("words", "x")).to.not.throw();
    indexes.release("words");
    expect(() => indexes.find("words", "x")).to.throw("no index");
  });
});
