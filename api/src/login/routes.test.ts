import { expect } from "chai";
import { routeOf } from "./routes.ts";

describe("routeOf", () => {
  const of = (method: string, path: string, query = "") =>
    routeOf(method, path, new URLSearchParams(query));

  for (const { method, path, query, expected } of [
    {
      ...{ method: "POST", path: "/v1/logout//", query: "all" },
      expected: { action: "logout", all: true },
    },
    {
      method: "GET",
      path: "/v1-public/login/",
      expected: { action: "wrong-method", allow: "POST" },
    },
    { method: "GET", path: "/v1//logout", expected: undefined },
    { method: "GET", path: "/", expected: undefined },
  ] as const) {
    it(`reads ${method} ${path}`, () => {
      expect(of(method, path, query)).to.deep.equal(expected);
    });
  }

  it("takes no longer for a path of many slashes", () => {
    const began = performance.now();

    expect(of("GET", `/a${"/".repeat(65_000)}x`)).to.equal(undefined);

    expect(performance.now() - began).to.be.below(500);
  });
});
