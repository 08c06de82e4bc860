import { expect } from "chai";
import { Served } from "../listener/testing/served.ts";
import { send } from "../stage.ts";
import { csrf } from "./index.ts";

const browser = "MOZILLA/5.0";
const value = "0123456789abcdef0123456789abcdef";
const cookie = `a=b; CSRF=${value}`;

describe("csrf", () => {
  let served: Served;
  before(async () => {
    served = await Served.open([
      csrf,
      async ({ response }) => {
        response.appendHeader("Set-Cookie", "R_SESS=x");
        send(response, 200, "in", "text/plain");
      },
    ]);
  });
  after(() => served[Symbol.asyncDispose]());

  it("gives a browser the cookie once, beside those of others", async () => {
    const first = await served.call("/v1/pods", { headers: { "user-agent": browser } });
    const second = await served.call("/v1/pods", { headers: { "user-agent": browser, cookie } });

    const [given, other] = first.headers["set-cookie"] ?? [];
    expect(given).to.match(/^CSRF=[0-9a-f]{32}; Path=\/; Secure; SameSite=Lax$/);
    expect(other).to.equal("R_SESS=x");
    expect(second.headers["set-cookie"]).to.deep.equal(["R_SESS=x"]);
  });

  for (const { name, agent = browser, method = "POST", path = "/v1/pods", headers = {}, ok } of [
    {
      name: "a write that repeats the cookie in the header",
      headers: { cookie, "X-API-CSRF": value },
      ok: true,
    },
    {
      name: "a write that repeats it in the query",
      path: `/v1/pods?CSRF=${value}`,
      headers: { cookie },
      ok: true,
    },
    { name: "a write that does not repeat it", headers: { cookie }, ok: false },
    {
      name: "a write that repeats something else",
      headers: { cookie, "X-API-CSRF": `${value}0` },
      ok: false,
    },
    {
      name: "a write with an empty cookie",
      headers: { cookie: "CSRF=", "X-API-CSRF": "" },
      ok: false,
    },
    { name: "a write without the cookie", ok: true },
    {
      name: "a write of another origin with the session's cookie, though it has the value",
      headers: {
        ...{ cookie: `${cookie}; R_SESS=token-a:b`, "X-API-CSRF": value },
        ...{ origin: "https://other.example.com", "sec-fetch-site": "same-site" },
      },
      ok: false,
    },
    {
      name: "a write of another origin without the cookie CSRF",
      headers: { cookie: "R_SESS=token-a:b", "sec-fetch-site": "same-site" },
      ok: false,
    },
    { name: "a read", method: "GET", headers: { cookie }, ok: true },
    { name: "a HEAD", method: "HEAD", headers: { cookie }, ok: true },
    { name: "a PUT", method: "PUT", headers: { cookie }, ok: false },
    { name: "a PATCH", method: "PATCH", headers: { cookie }, ok: false },
    {
      name: "a DELETE below /v3",
      method: "DELETE",
      path: "/v3/tokens/x",
      headers: { cookie },
      ok: false,
    },
    {
      name: "a read that _method makes a write",
      method: "GET",
      path: "/v1/pods?_method=delete",
      headers: { cookie },
      ok: false,
    },
    {
      name: "a link that _method makes a write, without the cookie",
      method: "GET",
      path: "/v1/pods?_method=DELETE",
      ok: false,
    },
    {
      name: "a POST that _method calls a read",
      path: "/v1/pods?_method=GET",
      headers: { cookie },
      ok: false,
    },
    {
      name: "a logout of all sessions that _method calls a read",
      path: "/v1/logout?all&_method=GET",
      headers: { cookie },
      ok: false,
    },
    {
      name: "one below /v3",
      path: "/v3/tokens?action=logoutAll&_method=GET",
      headers: { cookie },
      ok: false,
    },
    {
      name: "a POST that _method calls a read, and that repeats the cookie",
      path: "/v1/pods?_method=GET",
      headers: { cookie, "X-API-CSRF": value },
      ok: true,
    },
    {
      name: "an empty _method",
      method: "GET",
      path: "/v1/pods?_method=",
      headers: { cookie },
      ok: true,
    },
    { name: "a login", path: "/v1-public/login", headers: { cookie }, ok: true },
    { name: "a write to Kubernetes", path: "/api/v1/namespaces", headers: { cookie }, ok: true },
    { name: "a write of what is no browser", agent: "kubectl/1.35", headers: { cookie }, ok: true },
  ] as const) {
    it(`${ok ? "lets pass" : "refuses"} ${name}`, async () => {
      const answer = await served.call(path, {
        method,
        headers: { "user-agent": agent, ...headers },
      });

      expect(answer.status).to.equal(ok ? 200 : 422);
      if (!ok) {
        expect(JSON.parse(answer.body)).to.include({ type: "error", code: "InvalidCSRFToken" });
        expect(answer.body).not.to.contain(value);
      }
    });
  }
});
