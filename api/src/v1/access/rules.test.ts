import { expect } from "chai";
import { Rules } from "./rules.ts";

describe("Rules", () => {
  for (const { url, path, isMatched } of [
    { url: "/healthz", path: "/healthz", isMatched: true },
    { url: "/healthz", path: "/healthz/x", isMatched: false },
    { url: "/healthz/*", path: "/healthz/x", isMatched: true },
    { url: "/health**", path: "/healthz", isMatched: true },
    { url: "*", path: "/", isMatched: true },
  ]) {
    it(`${url} ${isMatched ? "lets" : "does not let"} ${path} be visited`, () => {
      const rules = new Rules([{ nonResourceURLs: [url], verbs: ["get"] }]);

      expect(rules.matchUrl("get", path)).to.equal(isMatched);
    });
  }

  it("takes time in proportion to a URL of many stars", () => {
    const url = `${"*".repeat(64_000)}x*`;
    const rules = new Rules([{ nonResourceURLs: [url], verbs: ["get"] }]);
    const began = performance.now();

    expect(rules.matchUrl("get", "/version")).to.equal(false);

    expect(performance.now() - began).to.be.below(500);
  });
});
