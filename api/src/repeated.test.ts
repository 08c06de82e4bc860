import { expect } from "chai";
import { Repeated } from "./repeated.ts";

describe("Repeated", () => {
  let made: string[];
  let repeated: Repeated<{ readonly text: string }>;
  const ask = (text: string): { readonly text: string } =>
    repeated.of(text, (of) => {
      made.push(of);
      return { text: of };
    });
  beforeEach(() => {
    made = [];
    repeated = new Repeated();
  });

  it("works out what comes twice twice, and not again", () => {
    const results = [ask("/a"), ask("/a"), ask("/a"), ask("/a")];

    expect(made).to.deep.equal(["/a", "/a"]);
    expect(results[2]).to.equal(results[1]);
    expect(results[3]).to.equal(results[1]);
  });

  it("tells the result of each text, whatever comes between", () => {
    const texts = Array.from({ length: 3000 }, (_, index) => `/v1/pods?page=${index % 700}`);
    for (const text of [...texts, ...texts]) expect(ask(text)).to.deep.equal({ text });
    expect(made.length).to.be.lessThan(2 * texts.length);
  });

  it("tells texts apart that end alike", () => {
    const [a, b] = ["/v1/pods", "/v2/pods"].map((path) => `${path}?${"x".repeat(30)}`);

    for (let time = 0; time < 3; time++) {
      expect(ask(a ?? "").text).to.equal(a);
      expect(ask(b ?? "").text).to.equal(b);
    }
  });

  it("keeps nothing of texts that are too long", () => {
    const long = `/${"x".repeat(1024)}`;
    for (let time = 0; time < 3; time++) ask(long);

    expect(made).to.have.length(3);
  });

  it("keeps nothing of what throws", () => {
    let times = 0;
    const fail = (): never => {
      times += 1;
      throw new Error("malformed");
    };
    expect(() => repeated.of("/b", fail)).to.throw("malformed");
    expect(() => repeated.of("/b", fail)).to.throw("malformed");
    expect(ask("/b")).to.deep.equal({ text: "/b" });
    expect(times).to.equal(2);
  });

  it("lets go of a text for the one that has its place", () => {
    for (let index = 0; index < 5000; index++) {
      ask(`/v1/pods?page=${index}`);
      ask(`/v1/pods?page=${index}`);
    }
    made = [];
    for (let index = 0; index < 5000; index++) ask(`/v1/pods?page=${index}`);

    expect(made.length).to.be.within(5000 - 512, 5000);
  });
});
