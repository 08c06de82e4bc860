import { expect } from "chai";
import type { Access } from "./access.ts";
import { accessOf, aRule, type Held } from "./held.test.support.ts";
import { everything } from "./held-access.ts";
import { ToldRights, wholly } from "./told-rights.ts";

const pods = { group: "", plural: "pods" };
const secrets = { group: "", plural: "secrets" };
const reads = aRule("get,list", "pods");

describe("ToldRights", () => {
  let rights: ToldRights;
  beforeEach(() => {
    rights = new ToldRights();
  });

  const of = (held: Held | Access, type = "pod") =>
    rights.of(type, "may" in held ? (held as Access) : accessOf(held as Held));
  const areAlike = (one: Held | Access, other: Held | Access, type?: string): boolean =>
    of(one, type).told === of(other, type).told;

  it("are alike for all before anything was asked", () => {
    expect(areAlike({ "": [reads] }, { a: [aRule("*", "*")] })).to.equal(true);
  });

  for (const [what, ask] of [
    ["a reach", (access: Access) => access.reach(["get"], pods)],
    ["what is listed", (access: Access) => access.listed(pods)],
    ["what somebody may", (access: Access) => access.may("get", pods, "a", "x")],
  ] as const) {
    describe(`when ${what} was asked for`, () => {
      beforeEach(() => ask(of({})));

      for (const [name, one, other] of [
        ["everywhere or in a namespace", { "": [reads] }, { a: [reads] }],
        ["everywhere or nowhere", { "": [reads] }, {}],
        ["in one namespace or another", { a: [reads] }, { b: [reads] }],
        ["in two or one of them", { a: [reads], b: [reads] }, { a: [reads] }],
        ["on all or one", { a: [reads] }, { a: [aRule("get", "pods", "x")] }],
        [
          "on one or another",
          { a: [aRule("get", "pods", "x")] },
          { a: [aRule("get", "pods", "y")] },
        ],
        [
          "on one or on two whose names read like its",
          { a: [aRule("get", "pods", "x y")] },
          { a: [aRule("get", "pods", "x", "y")] },
        ],
        [
          "on one here or there",
          { a: [aRule("get", "pods", "x")] },
          { b: [aRule("get", "pods", "x")] },
        ],
        [
          "on one here or everywhere",
          { a: [aRule("get", "pods", "x")] },
          { "": [aRule("get", "pods", "x")] },
        ],
      ] as const) {
        it(`are others for who may ${name}`, () => {
          expect(areAlike(one, other)).to.equal(false);
          expect(areAlike(one, one)).to.equal(true);
        });
      }

      it("are alike whatever else somebody may, and by whatever roles", () => {
        const more = {
          a: [reads, aRule("delete", "pods"), aRule("*", "secrets")],
          b: [aRule("*", "nodes")],
        };

        expect(areAlike({ a: [reads] }, more)).to.equal(true);
        expect(areAlike({ a: [reads], b: [reads] }, { b: [aRule("*", "*")], a: [reads] })).to.equal(
          true,
        );
        expect(areAlike({ "": [reads] }, everything)).to.equal(true);
      });

      it("are alike for other types, of which nothing was asked", () => {
        expect(areAlike({ a: [reads] }, {}, "secret")).to.equal(true);
      });
    });
  }

  it("answer what the rights themselves do", () => {
    const access = accessOf({ a: [reads], "": [{ verbs: ["get"], nonResourceURLs: ["/x"] }] });
    const told = of(access);

    expect(told.reach(["get"], pods)).to.equal(access.reach(["get"], pods));
    expect(told.listed(pods)).to.equal(access.listed(pods));
    expect([told.may("get", pods, "a"), told.may("get", pods, "b")]).to.deep.equal([true, false]);
    expect([told.mayVisit("get", "/x"), told.mayVisit("get", "/y")]).to.deep.equal([true, false]);
    expect(told.fingerprint).to.equal(access.fingerprint);
  });

  it("tell more as more is asked, by whomever", () => {
    const [one, other] = [{ a: [reads] }, { a: [reads, aRule("get", "secrets")] }];
    of(one).reach(["get"], pods);
    const before = of(one).told;
    expect(areAlike(one, other)).to.equal(true);

    of(everything).reach(["get"], secrets);

    expect(of(one).told).to.not.equal(before);
    expect(areAlike(one, other)).to.equal(false);
  });

  it("tell all once they were asked for a path, or for too much", () => {
    const [one, other] = [{ a: [reads] }, { a: [reads, aRule("get", "secrets")] }];
    of(one).mayVisit("get", "/x");
    for (let index = 0; index <= 200; index++)
      of(one, "many").reach(["get"], { group: "", plural: `things${index}` });

    for (const type of ["pod", "many"]) expect(areAlike(one, other, type)).to.equal(false);
  });

  it("tell all of rights of which there is too much to tell, and nothing of that to others", () => {
    const names = Array.from({ length: 12_000 }, (_, index) => `name${index}`);
    const many = { a: [aRule("get", "pods", ...names)] };
    of({}).reach(["get"], pods);

    expect(areAlike(many, { a: [...many.a, reads] })).to.equal(false);
    expect(areAlike(many, { a: [...many.a, aRule("get", "secrets")] })).to.equal(false);
    expect(areAlike(many, many)).to.equal(true);
    expect(areAlike({ a: [reads] }, { a: [reads, aRule("get", "secrets")] })).to.equal(true);
  });

  it("count as a whole until all was asked, a few milliseconds at a time", () => {
    const asked: string[] = [];
    let now = 0;
    const slow = (held: Held): Access => ({
      ...accessOf(held),
      ...{ fingerprint: accessOf(held).fingerprint, may: () => false, mayVisit: () => false },
      listed: () => "all",
      reach: (verbs, resource) => {
        now += 2;
        asked.push(resource.plural);
        return accessOf(held).reach(verbs, resource);
      },
    });
    rights = new ToldRights({ monotonic: () => now });
    const plurals = ["a", "b", "c", "d", "e"].map((letter) => `${letter}s`);
    for (const plural of plurals) of({}).reach(["get"], { group: "", plural });
    const [one, other] = [slow({ a: [reads] }), slow({ a: [reads, aRule("get", "nodes")] })];

    const told = [1, 2, 3].map(() => of(one).told);

    expect(asked).to.deep.equal(plurals);
    expect(told).to.deep.equal([one.fingerprint, told[2], told[2]]);
    expect(told[2]).to.not.equal(one.fingerprint);
    expect([1, 2, 3].map(() => of(other).told)).to.deep.equal([
      ...[other.fingerprint, told[2], told[2]],
    ]);
  });

  it("are asked for what they were not asked before", () => {
    const asked: string[] = [];
    const access = accessOf({ a: [reads] });
    const counted: Access = {
      ...{ fingerprint: access.fingerprint, may: access.may, mayVisit: access.mayVisit },
      reach: (verbs, resource) => {
        asked.push(resource.plural);
        return access.reach(verbs, resource);
      },
      listed: (resource) => access.listed(resource),
    };
    for (const resource of [pods, secrets]) {
      of({}).reach(["get"], resource);
      for (let times = 0; times < 3; times++) of(counted).told;
    }

    expect(asked).to.deep.equal(["pods", "secrets"]);
  });

  it("remember what is asked of what was noted already", () => {
    const noted = rights.of("pod", of({}, "secret"));
    noted.reach(["get"], pods);

    expect(areAlike({ "": [reads] }, {}, "pod")).to.equal(false);
    expect(areAlike({ "": [reads] }, {}, "secret")).to.equal(true);
  });
});

describe("wholly", () => {
  it("are alike only where all rights are", () => {
    const [one, other] = [
      accessOf({ a: [reads] }),
      accessOf({ a: [reads, aRule("get", "nodes")] }),
    ];

    expect(wholly(one).told).to.not.equal(wholly(other).told);
    expect(wholly(one).told).to.equal(wholly(accessOf({ a: [reads] })).told);
  });
});
