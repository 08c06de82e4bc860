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
    { method: "POST", path: "/v1-public/login", expected: { action: "login", api: "v1" } },
    { method: "GET", path: "/v1-public/authproviders", expected: { action: "list", api: "v1" } },
    { method: "GET", path: "/v3-public/authProviders", expected: { action: "list", api: "v3" } },
    {
      ...{ method: "POST", path: "/v3-public/localProviders/local", query: "action=login" },
      expected: { action: "login", api: "v3", types: "localProviders", name: "local" },
    },
    {
      method: "GET",
      path: "/v3-public/localProviders/local/",
      expected: { action: "show", types: "localProviders", name: "local" },
    },
    {
      ...{ method: "POST", path: "/v3/tokens//", query: "action=logoutAll" },
      expected: { action: "logout", all: true },
    },
    { method: "POST", path: "/v3/tokens", expected: undefined },
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
