import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { reading } from "../lists/problems.ts";
import { Problem } from "../problem.ts";
import { parseClusters } from "../query/clusters.ts";
import { parseSearch } from "./query.ts";
import { fitsImages, fitsLabels, matchesOf, rankOfName } from "./rank.ts";

const seed = Number(process.env.SEARCH_SEED ?? 1);
const cases = Number(process.env.SEARCH_CASES ?? 5000);

const pieces = [
  ...[
    "web",
    "App=Web",
    "a/b",
    "=",
    "/",
    "|",
    ",",
    " ",
    "\t",
    "é",
    "日本",
    "😀",
    "\ud800",
    "\u0000",
  ],
  ...["0", "-1", "1e9", "99999999999999999999", "constructor", "__proto__", "İ", "x".repeat(300)],
];
const parameters = ["q", "q", "q", "types", "namespaces", "limit", "clusters", "other"];

describe("searches that nobody means", () => {
  it(`are read or refused, whatever they are (seed ${seed}, ${cases} cases)`, () => {
    const random = seededRandom(seed);
    const text = (): string =>
      Array.from({ length: random.below(6) }, () => pieces[random.below(pieces.length)]).join("");
    for (let left = cases; left > 0; left--) {
      const query = new URLSearchParams();
      for (let more = 1 + random.below(3); more > 0; more--) {
        query.append(parameters[random.below(parameters.length)] ?? "", text());
      }
      const searched = { key: `${text()}/${text()}`, labels: text(), images: text() };
      try {
        reading(() => parseClusters(query));
        for (const word of parseSearch(query).words) look(searched, word);
      } catch (thrown) {
        expect(thrown, String(query)).to.be.instanceOf(Problem);
        expect(thrown).to.include({ status: 422 });
      }
    }
  });
});

/** Whatever is found is told, and the other way round. */
function look(searched: Parameters<typeof matchesOf>[0], word: string): void {
  const found = [
    rankOfName(searched.key, word) !== undefined,
    fitsLabels(searched.labels, word),
    fitsImages(searched.images, word),
  ];
  expect(matchesOf(searched, [word]).length > 0).to.equal(found.includes(true));
}
