import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { targetOf } from "./target.ts";

describe("targetOf", () => {
  const request = (url: string): IncomingMessage =>
    ({ url, httpVersion: "1.1", rawHeaders: ["Host", "x"] }) as IncomingMessage;
  const read = (url: string) => {
    const target = targetOf(request(url));
    if ("status" in target) return target.status;
    return [target.pathname, target.search, [...target.searchParams]];
  };
  /** What WHATWG URLs make of it. */
  const asUrl = (url: string) => {
    const parsed = /^\/[/\\]/.test(url) ? null : URL.parse(url, "https://localhost");
    if (parsed === null) return 400;
    return [parsed.pathname, parsed.search, [...parsed.searchParams]];
  };

  for (const url of [
    ...["/", "/v1", "/v1/", "/v1/pods", "/v1/management.cattle.io.clusters/c-1", "*", ""],
    ...[
      "/v1//pods",
      "/v1/./pods",
      "/v1/../v3",
      "/v1/..",
      "/v1/.",
      "/v1/...",
      "/v1/a..",
      "/a\\..\\b",
    ],
    ...["/%2e%2e/v1", "/v1/%41", "/v1/a b", "/v1/ä", "/v1/a;b", "/~x/-y/_z", "//host/a", "/\\host"],
    ...["/v1/pods?", "/v1/pods??a=1", "/a?b=c?d=e", "/a?b=c#d", "/a#b", "/a?#", "/a??", "/a?&&="],
    ...[
      "/a?b='c'",
      '/a?b="c"',
      "/a?b=<c>",
      "/a?b=c+d%20e&b=%zz",
      "/a?b=%c3%a4",
      "/a?b=ä",
      "/a?b=\t",
    ],
    ...[
      "/a?b=[c]{d}|e\\f^g`h",
      "/a?b=!$%&()*,-./:;@~",
      "https://other/a?b=c",
      "/a?b=\u0000",
      "a/b",
    ],
  ]) {
    it(`reads ${JSON.stringify(url)} as a URL does`, () =>
      expect(read(url)).to.deep.equal(asUrl(url)));
  }

  it("reads what is put together at random as a URL does", () => {
    const parts = [
      "/",
      "//",
      "?",
      "#",
      "&",
      "=",
      "%",
      "%2e",
      ".",
      "..",
      "\\",
      "'",
      "<",
      "a",
      "v1",
      "ä",
    ];
    let seed = 1;
    const random = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    for (let index = 0; index < 20_000; index++) {
      const length = 1 + (random() % 10);
      const url = `/${Array.from({ length }, () => parts[random() % parts.length]).join("")}`;

      expect(read(url), url).to.deep.equal(asUrl(url));
    }
  });

  it("takes no longer for what is long and almost plain", () => {
    for (const url of [
      `/${"a".repeat(65_000)}%`,
      `/a?${"b".repeat(65_000)}#`,
      "/a".repeat(32_000),
    ]) {
      expect(read(url)).to.deep.equal(asUrl(url));
    }
  });
});
