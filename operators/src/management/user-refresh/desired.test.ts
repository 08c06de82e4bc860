import type { Principal, User } from "@drover/crds";
import { aUser, aUserAttribute } from "@drover/crds/testing";
import { expect } from "chai";
import { type Answer, endingOf, principalAt, refreshedFields } from "./desired.ts";
import { type GroupProvider, localProvider } from "./provider.ts";

const github: GroupProvider = { ...localProvider, name: "github", scheme: "github_user://" };
const providers = [localProvider, github];
const groups = (...names: readonly string[]): readonly Principal[] =>
  names.map((name) => ({ metadata: { name }, principalType: "group" }));
const yes: Answer = { says: "groups", groups: groups() };
const no: Answer = { says: "no-access" };
const away: Answer = { says: "unreachable", error: new Error("away") };
const refused: Answer = { says: "refused", error: new Error("invalid_grant") };
const both = ["local://u-a", "github_user://1"];

describe("principalAt", () => {
  for (const { name, principalIds, expected } of [
    { name: "the one of the provider", principalIds: both, expected: "github_user://1" },
    { name: "none where there is none", principalIds: ["local://u-a"], expected: undefined },
    { name: "none of a user without any", principalIds: undefined, expected: undefined },
    {
      name: "none of a system account",
      principalIds: ["github_user://1", "system://local"],
      expected: undefined,
    },
  ]) {
    it(`is ${name}`, () => {
      const user = aUser(principalIds === undefined ? {} : { principalIds });
      expect(principalAt(github, user)).to.equal(expected);
    });
  }
});

describe("principalAt the local provider", () => {
  it("is that of its name for a user that names none yet", () => {
    const user = aUser({ metadata: { name: "u-new" }, principalIds: ["github_user://1"] });
    expect(principalAt(localProvider, user)).to.equal("local://u-new");
  });

  it("is the one that it names", () => {
    const user = aUser({ principalIds: ["local://fakeuser"] });
    expect(principalAt(localProvider, user)).to.equal("local://fakeuser");
  });
});

describe("endingOf", () => {
  interface Case {
    readonly name: string;
    readonly user?: Partial<User>;
    readonly answers: Readonly<Record<string, Answer>>;
    readonly logins: readonly string[];
    readonly derived: boolean;
  }
  const cases: readonly Case[] = [
    {
      name: "nothing while all let it in",
      answers: { local: yes, github: yes },
      logins: [],
      derived: false,
    },
    {
      name: "the logins of the one that refuses",
      answers: { local: yes, github: no },
      logins: ["github"],
      derived: false,
    },
    {
      name: "everything when all refuse",
      answers: { local: no, github: no },
      logins: ["local", "github"],
      derived: true,
    },
    {
      name: "the logins where it has no principal",
      answers: { github: yes },
      logins: ["local"],
      derived: false,
    },
    {
      name: "no derived ones while one is away",
      answers: { local: no, github: away },
      logins: ["local"],
      derived: false,
    },
    {
      name: "no derived ones while one needs a login",
      answers: { local: no, github: refused },
      logins: ["local"],
      derived: false,
    },
    {
      name: "no derived ones of a user of a provider that is not here",
      user: { principalIds: [...both, "okta_user://1"] },
      answers: { local: no, github: no },
      logins: ["local", "github"],
      derived: false,
    },
    {
      name: "nothing of a system account",
      user: { principalIds: ["system://local"] },
      answers: {},
      logins: [],
      derived: false,
    },
  ];
  for (const { name, user, answers, logins, derived } of cases) {
    it(`ends ${name}`, () => {
      const ending = endingOf(
        aUser({ principalIds: both, ...user }),
        providers,
        new Map(Object.entries(answers)),
      );
      expect([...ending.logins]).to.deep.equal(logins);
      expect(ending.derived).to.equal(derived);
    });
  }
});

describe("refreshedFields", () => {
  const now = Date.parse("2026-03-04T05:06:07.890Z");
  const metadata = { name: "u-a", resourceVersion: "7" };
  const key = "authn.management.cattle.io/refresh-error";
  const base = { NeedsRefresh: false, LastRefresh: "2026-03-04T05:06:07Z" };

  it("have the groups of those that answered, and none of those that refuse", () => {
    const answers = new Map<string, Answer>([
      ["local", no],
      ["github", { says: "groups", groups: groups("github_org://1") }],
    ]);

    expect(refreshedFields(aUserAttribute({ metadata }), providers, answers, now)).to.deep.equal({
      ...base,
      metadata: { resourceVersion: "7" },
      GroupPrincipals: { local: { Items: null }, github: { Items: groups("github_org://1") } },
    });
  });

  it("leave the groups of those that did not, and note why", () => {
    const answers = new Map([["github", refused]]);

    expect(refreshedFields(aUserAttribute({ metadata }), [github], answers, now)).to.deep.equal({
      ...base,
      metadata: { resourceVersion: "7", annotations: { [key]: "github: invalid_grant" } },
      GroupPrincipals: {},
    });
  });

  it("take back the note", () => {
    const attribute = aUserAttribute({
      metadata: { ...metadata, annotations: { [key]: "github: invalid_grant" } },
    });

    const fields = refreshedFields(attribute, [github], new Map([["github", yes]]), now);

    expect(fields.metadata).to.deep.equal({ resourceVersion: "7", annotations: { [key]: null } });
  });

  it("cut a long reason", () => {
    const long: Answer = { says: "refused", error: new Error("x".repeat(10_000)) };

    const fields = refreshedFields(aUserAttribute(), [github], new Map([["github", long]]), now);

    expect(JSON.stringify(fields).length).to.be.lessThan(800);
  });
});
