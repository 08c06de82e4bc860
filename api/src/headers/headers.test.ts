import { expect } from "chai";
import { fakeAuthn, Served } from "../listener/testing/served.ts";
import { notFound } from "../not-found/index.ts";
import { cattleAuth, headers, steveHeaders } from "./index.ts";

describe("headers", () => {
  let served: Served;
  afterEach(() => served[Symbol.asyncDispose]());

  it("forbid to sniff and to store any answer", async () => {
    served = await Served.open([headers, notFound]);

    const answer = await served.call("/x");

    expect(answer.headers).to.include({
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache, no-store, must-revalidate",
    });
  });

  for (const { needed, shown, expected } of [
    { needed: true, shown: {}, expected: "false" },
    { needed: true, shown: { authorization: "Bearer x:y" }, expected: "true" },
    { needed: false, shown: {}, expected: "none" },
    { needed: false, shown: { authorization: "Bearer x:y" }, expected: "none" },
  ]) {
    const who = "authorization" in shown ? "somebody" : "nobody";
    it(`say ${expected} to ${who} where a login is ${needed ? "" : "not "}needed`, async () => {
      served = await Served.open([fakeAuthn, cattleAuth(needed), notFound]);

      const answer = await served.call("/v1/pods", { headers: shown });

      expect(answer.headers["x-api-cattle-auth"]).to.equal(expected);
    });
  }

  for (const { path, has } of [
    { path: "/v1", has: true },
    { path: "/v1/pods?x=1", has: true },
    { path: "/v1-public/login", has: false },
    { path: "/v3", has: false },
  ]) {
    it(`name the schemas ${has ? "" : "not "}at ${path}`, async () => {
      served = await Served.open([steveHeaders, notFound]);

      const answer = await served.call(path, { headers: { "x-forwarded-host": "drover.test" } });

      const [schemas, expires] = ["https://drover.test/v1/schemas", "Wed 24 Feb 1982 18:42:00 GMT"];
      expect(answer.headers["x-api-schemas"]).to.equal(has ? schemas : undefined);
      expect(answer.headers.expires).to.equal(has ? expires : undefined);
    });
  }
});
