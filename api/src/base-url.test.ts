import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { baseUrl } from "./base-url.ts";

function asked(headers: Readonly<Record<string, string>>, encrypted = true): IncomingMessage {
  return { headers, socket: { encrypted } } as unknown as IncomingMessage;
}

describe("baseUrl", () => {
  for (const { name, headers, encrypted = true, expected } of [
    { name: "the host that was called", headers: { host: "d.test" }, expected: "https://d.test" },
    {
      name: "its port",
      headers: { host: "127.0.0.1:8443" },
      expected: "https://127.0.0.1:8443",
    },
    { name: "IPv6", headers: { host: "[::1]:8443" }, expected: "https://[::1]:8443" },
    {
      name: "plain HTTP",
      headers: { host: "d.test" },
      encrypted: false,
      expected: "http://d.test",
    },
    {
      name: "TLS that a proxy terminates",
      headers: { host: "d.test", "x-forwarded-proto": "HTTPS" },
      encrypted: false,
      expected: "https://d.test",
    },
    {
      name: "a websocket over TLS",
      headers: { host: "d.test", "x-forwarded-proto": "wss" },
      encrypted: false,
      expected: "https://d.test",
    },
    {
      name: "a plain websocket",
      headers: { host: "d.test", "x-forwarded-proto": "ws" },
      expected: "http://d.test",
    },
    {
      name: "the first of several proxies",
      headers: {
        host: "c.test",
        "x-forwarded-proto": "https, http",
        "x-forwarded-host": "a.test, b.test",
      },
      encrypted: false,
      expected: "https://a.test",
    },
    {
      name: "the host of the API before the forwarded one",
      headers: { host: "c.test", "x-api-host": "a.test:1", "x-forwarded-host": "b.test" },
      expected: "https://a.test:1",
    },
    {
      name: "a prefix",
      headers: { host: "d.test", "x-api-url-prefix": "/k8s/clusters/c-m-abc12" },
      expected: "https://d.test/k8s/clusters/c-m-abc12",
    },
    {
      name: "a prefix without its last slash",
      headers: { host: "d.test", "x-api-url-prefix": "/a/" },
      expected: "https://d.test/a",
    },
  ]) {
    it(`tells ${name}`, () => {
      expect(baseUrl(asked(headers, encrypted))).to.equal(expected);
    });
  }

  for (const header of ["x-api-host", "x-forwarded-host"]) {
    for (const value of [
      '"onload="x',
      "a.test\\",
      "a.test/path",
      "user@a.test",
      "a.test:port",
      "a.test:123456",
      "[a.test]",
      "-a.test",
      "<b>",
      "a b",
      "ä.test",
      "",
      "a".repeat(300),
    ]) {
      it(`does not believe ${header} ${JSON.stringify(value.slice(0, 20))}`, () => {
        const headers = { host: "d.test", [header]: value };

        expect(baseUrl(asked(headers))).to.equal("https://d.test");
      });
    }
  }

  for (const value of [
    "k8s",
    "//evil.test",
    "/a/../b",
    "/a/./b",
    '/a"',
    "/a b",
    "/a?b",
    "/a#b",
    "/%2e",
    "https://evil.test",
    "/a".repeat(300),
  ]) {
    it(`leaves out prefix ${JSON.stringify(value.slice(0, 20))}`, () => {
      const headers = { host: "d.test", "x-api-url-prefix": value };

      expect(baseUrl(asked(headers))).to.equal("https://d.test");
    });
  }

  it("does not believe another protocol, nor a host that is none", () => {
    expect(baseUrl(asked({ host: "{}", "x-forwarded-proto": "javascript" }))).to.equal(
      "https://localhost",
    );
  });
});
