import { aUserAttribute } from "@drover/crds/testing";
import { expect } from "chai";
import { givenGroups, groupsOfLogin } from "./groups.ts";

const items = (...names: readonly string[]) => ({
  Items: names.map((name) => ({ metadata: { name } })),
});
const everybody = ["system:authenticated", "system:cattle:authenticated"];

describe("groupsOfLogin", () => {
  it("gives those of everybody to whom nothing is told of", () => {
    expect(groupsOfLogin(undefined)).to.deep.equal(everybody);
    expect(groupsOfLogin(aUserAttribute({ GroupPrincipals: null }))).to.deep.equal(everybody);
  });

  it("gives those of all providers and the token's own, local:// cut, each once", () => {
    const attribute = aUserAttribute({
      GroupPrincipals: { local: items("local://g-1", "x://y"), github: items("x://y", "z") },
    });

    const own = [{ metadata: { name: "local://t" } }];
    expect(groupsOfLogin(attribute, own)).to.deep.equal(["g-1", "x://y", "z", "t", ...everybody]);
  });

  it("gives none that is Kubernetes' own, however it is written", () => {
    const attribute = aUserAttribute({
      GroupPrincipals: { local: items("system:masters", "local://system:masters", "local://") },
    });

    expect(groupsOfLogin(attribute)).to.deep.equal(everybody);
  });

  it("takes what is stored without a schema for what it is", () => {
    const stored = [null, 5, "x", {}, { metadata: null }, { metadata: { name: 7 } }];
    const GroupPrincipals = JSON.parse(JSON.stringify({ a: null, b: {}, c: { Items: stored } }));

    const own = JSON.parse('{"metadata": 1}');
    expect(groupsOfLogin(aUserAttribute({ GroupPrincipals }), own)).to.deep.equal(everybody);
  });
});

describe("givenGroups", () => {
  for (const { username, expected } of [
    { username: "ada", expected: ["system:authenticated"] },
    { username: "system:anonymous", expected: ["system:unauthenticated"] },
    {
      username: "system:serviceaccount:ns:x",
      expected: ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
    },
    { username: "system:serviceaccount:ns", expected: ["system:authenticated"] },
  ]) {
    it(`puts ${username} in ${expected.join(", ")}`, () => {
      expect(givenGroups(username)).to.deep.equal(expected);
    });
  }
});
