import { expect } from "chai";
import { serverUser } from "./authn/index.ts";
import { nobody } from "./caller.ts";
import { isForged } from "./forged.ts";

const cookie = "R_SESS=token-abc:key";
const own = { host: "drover.example.com", cookie };

type Asked = Parameters<typeof isForged>[0];

function asked(method: string, headers: Readonly<Record<string, string>>): Asked {
  return { request: { method, headers, socket: {} }, login: nobody } as unknown as Asked;
}

describe("isForged", () => {
  for (const [what, method, headers, expected] of [
    ["a page of another site", "POST", { origin: "https://evil.example.net" }, true],
    ["a page of another host of the site", "POST", { origin: "https://evil.example.com" }, true],
    ["a page of another port", "PUT", { origin: "https://drover.example.com:8443" }, true],
    ["a page without an origin", "DELETE", { origin: "null" }, true],
    ["a frame that only says where it is", "PATCH", { "sec-fetch-site": "same-site" }, true],
    ["a link of another site", "POST", { "sec-fetch-site": "cross-site" }, true],
    ["our own page", "POST", { origin: "https://drover.example.com" }, false],
    ["our own page, which says where it is", "POST", { "sec-fetch-site": "same-origin" }, false],
    [
      "our own page behind a proxy that names another host",
      "POST",
      { origin: "https://public.example.com", "sec-fetch-site": "same-origin" },
      false,
    ],
    [
      "a page that says where it is, whatever its origin",
      "POST",
      { origin: "https://drover.example.com", "sec-fetch-site": "same-site" },
      true,
    ],
    ["no browser", "POST", {}, false],
    ["a read", "GET", { origin: "https://evil.example.net" }, false],
    [
      "our own page behind a proxy",
      "POST",
      { origin: "https://drover.example.com", host: "10.0.0.1", "x-forwarded-host": own.host },
      false,
    ],
    [
      "who shows a token besides",
      "POST",
      { origin: "https://evil.example.net", authorization: "Bearer token-abc:key" },
      false,
    ],
    ["who has no session", "POST", { origin: "https://evil.example.net", cookie: "CSRF=a" }, false],
  ] as const) {
    it(`is ${expected} for ${what}`, () => {
      expect(isForged(asked(method, { ...own, ...headers }))).to.equal(expected);
    });
  }

  for (const [what, site, expected] of [
    ["a page of another site", "cross-site", true],
    ["our own page", "same-origin", false],
  ] as const) {
    it(`is ${expected} for ${what} where nobody needs to log in`, () => {
      const { host } = own;
      const login = { caller: serverUser, token: undefined };
      expect(isForged({ ...asked("POST", { host, "sec-fetch-site": site }), login })).to.equal(
        expected,
      );
    });
  }
});
