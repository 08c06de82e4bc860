import { expect } from "chai";
import { collected } from "kopf-ts/testing";
import { Repeated } from "./repeated.ts";

describe("Repeated", () => {
  let made: string[];
  let repeated: Repeated<{ readonly text: string }>;
  const ask = (text: string): { readonly text: string } =>
    repeated.of(text, (of) => {
      made.push(of);
      return { text: of };
    });
  beforeEach(() => {
    made = [];
    repeated = new Repeated();
  });

  it("works out what comes twice twice, and not again", () => {
    const results = [ask("/a"), ask("/a"), ask("/a"), ask("/a")];

    expect(made).to.deep.equal(["/a", "/a"]);
    expect(results[2]).to.equal(results[1]);
    expect(results[3]).to.equal(results[1]);
  });

  it("keeps nothing that comes once", () => {
    for (let time = 0; time < 3; time++) {
      for (let index = 0; index < 1000; index++) ask(`/v1/pods?new=${index}`);
    }
    expect(made.length).to.be.greaterThan(2_500);
  });

  for (const [what, urls] of [
    ["pages", numbered(9, "/v1/pods?page=N&pagesize=100&sort=metadata.name,metadata.namespace")],
    ["namespaces", numbered(10, "/v1/pods/team-N?sort=-metadata.creationTimestamp")],
    ["projects", numbered(10, "/v1/pods?projectsornamespaces=ns-N&page=1&sort=metadata.name")],
    [
      "types of a length",
      ["pods", "jobs"].map((type) => `/v1/${type}?exclude=metadata.managedFields`),
    ],
    ["more than a user interface asks for", numbered(60, "/v1/pods?labelSelector=app=N&limit=100")],
  ] as const) {
    it(`works out few of a round through ${what} again`, () => {
      for (let round = 0; round < 12; round++) {
        for (const url of urls) expect(ask(url).text).to.equal(url);
      }
      const again = made.length - 2 * urls.length;
      expect(again).to.be.at.most(2); // two that have the same place may take turns once
    });
  }

  it("tells the result of each text, whatever comes between", () => {
    const texts = Array.from({ length: 3000 }, (_, index) => `/v1/pods?page=${index % 700}`);
    for (const text of [...texts, ...texts]) expect(ask(text)).to.deep.equal({ text });
  });

  for (const text of ["/a b", "/caf\xe9", "/\u65e5\u672c", "/\ud800x", "/\u0000", ""]) {
    it(`gives ${JSON.stringify(text)} as it came`, () => {
      for (let time = 0; time < 3; time++) expect(ask(text)).to.deep.equal({ text });
      expect(made).to.have.length(2);
    });
  }

  it("keeps texts of up to 1,024 characters", () => {
    const [longest, longer] = ["x".repeat(1024), "x".repeat(1025)];
    for (let time = 0; time < 3; time++) [longest, longer].forEach(ask);

    expect(made.map(({ length }) => length)).to.deep.equal([1024, 1025, 1024, 1025, 1025]);
  });

  it("holds at most 512 results, and nothing of longer texts that it was given parts of", async () => {
    const kept = new Repeated<readonly string[]>();
    const left: WeakRef<object>[] = [];
    const before = (await collected()).heapUsed;
    for (let index = 0; index < 1_000; index++) {
      for (let time = 0; time < 2; time++) {
        const whole = Buffer.alloc(50_000, `/the/segments/of/${index}/`).toString("latin1");
        left.push(new WeakRef(kept.of(whole.slice(0, 100), (text) => [text.slice(0, 50)])));
      }
    }
    const after = (await collected()).heapUsed;

    expect(left.filter((each) => each.deref() !== undefined).length).to.be.within(500, 512);
    expect(after - before).to.be.below(2 * 1024 * 1024);
    expect(kept.of("/a", () => [])).to.deep.equal([]); // it is there still
  });

  it("keeps nothing of what throws or is undefined", () => {
    let times = 0;
    const unclear = new Repeated<readonly string[] | undefined>();
    const attempt = (): readonly string[] | undefined =>
      unclear.of("/a", () => {
        times += 1;
        if (times % 2 === 0) throw new Error("malformed");
        return undefined;
      });

    expect(attempt()).to.equal(undefined);
    expect(attempt).to.throw("malformed");
    expect(attempt()).to.equal(undefined);
    expect(attempt).to.throw("malformed");
    expect(unclear.of("/a", () => ["known"])).to.deep.equal(["known"]);
    expect(unclear.of("/a", () => ["other"])).to.deep.equal(["known"]);
  });
});

function numbered(count: number, text: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => text.replace("N", String(index)));
}
