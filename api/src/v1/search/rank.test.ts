import { expect } from "chai";
import { fitsImages, fitsLabels, matchesOf, rankOfName, ranks } from "./rank.ts";

const names: readonly (readonly [
  key: string,
  word: string,
  rank: keyof typeof ranks | undefined,
])[] = [
  ["default/web", "web", "name"],
  ["web", "web", "name"],
  ["default/Web", "web", "name"],
  ["default/web-1", "web", "prefix"],
  ["default/my-web", "web", "word"],
  ["default/my.web.x", "web", "word"],
  ["system:web", "web", "word"],
  ["default/cobweb-web", "web", "word"],
  ["default/cobweb", "web", "part"],
  ["default/1web", "web", "part"],
  ["web/other", "web", undefined],
  ["default/we-b", "web", undefined],
  ["default/web", "default/web", "name"],
  ["default/web-1", "default/w", "prefix"],
  ["my-default/web", "default/web", "word"],
  ["a", "ab", undefined],
];

const labels = "app=Web|app.kubernetes.io/name=shop|empty=";
const labelled: readonly (readonly [word: string, fits: boolean])[] = [
  ["web", true],
  ["we", true],
  ["sho", true],
  ["app", false],
  ["app=web", true],
  ["app=w", true],
  ["app=", true],
  ["app=eb", false],
  ["ap=web", false],
  ["name=shop", true],
  ["app.kubernetes.io/name=shop", true],
  ["io/name=shop", false],
  ["empty=", true],
  ["empty=x", false],
  ["=web", false],
  ["=", false],
];

describe("rankOfName", () => {
  for (const [key, word, rank] of names) {
    it(`finds ${word} in ${key}: ${rank ?? "not at all"}`, () => {
      expect(rankOfName(key, word)).to.equal(rank && ranks[rank]);
    });
  }
});

describe("fitsLabels", () => {
  for (const [word, fits] of labelled) {
    it(`says ${fits} for ${word}`, () => expect(fitsLabels(labels, word)).to.equal(fits));
  }

  it("finds nothing where there are no labels", () => {
    expect(fitsLabels("", "")).to.equal(false);
  });
});

describe("fitsImages", () => {
  for (const [word, fits] of [
    ["nginx", true],
    ["example.com/nginx:1", true],
    ["nginx:1|busy", false],
    ["redis", false],
  ] as const) {
    it(`says ${fits} for ${word}`, () => {
      expect(fitsImages("example.com/NGINX:1|busybox", word)).to.equal(fits);
    });
  }
});

describe("matchesOf", () => {
  it("tells each place once, and all of them", () => {
    const images = "example.com/web:1|busybox";

    expect(matchesOf({ key: "a/web-1", labels, images }, ["web", "app=web", "a/w"])).to.deep.equal([
      { field: "metadata.name", value: "web-1" },
      { field: "metadata.labels[app]", value: "Web" },
      { field: "image", value: "example.com/web:1" },
      { field: "id", value: "a/web-1" },
    ]);
  });
});
