import { annotations } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import { creatorProblem, withCreator } from "./creator.ts";

const id = annotations.creatorId;
const principal = annotations.creatorPrincipalName;
const none = annotations.noCreatorRbac;

const made = (given: Readonly<Record<string, string>>) =>
  aCluster({ metadata: { name: "c", annotations: given } });
const ada = { username: "u-ada", groups: [], extra: {} };

describe("annotations about who made an object", () => {
  for (const { name, before, after, expected } of [
    { name: "none", after: {}, expected: undefined },
    { name: "a creator", after: { [id]: "u-a" }, expected: undefined },
    { name: "a creator and its principal", after: { [id]: "u-a", [principal]: "local://u-a" } },
    { name: "none wanted", after: { [none]: "true" }, expected: undefined },
    {
      name: "a creator and none wanted",
      after: { [id]: "u-a", [none]: "true" },
      expected: `annotations ${id} and ${none} exclude each other`,
    },
    {
      name: "a principal of nobody",
      after: { [principal]: "local://u-a" },
      expected: `annotation ${principal} needs annotation ${id}`,
    },
    { name: "the same creator as before", before: { [id]: "u-a" }, after: { [id]: "u-a" } },
    { name: "a removed creator", before: { [id]: "u-a", [principal]: "x" }, after: {} },
    {
      name: "another creator than before",
      before: { [id]: "u-a" },
      after: { [id]: "u-b" },
      expected: `annotation ${id} may be removed but not changed`,
    },
    {
      name: "a creator that was not there before",
      before: {},
      after: { [id]: "u-b" },
      expected: `annotation ${id} may be removed but not changed`,
    },
    {
      name: "a principal that was not there before",
      before: { [id]: "u-a" },
      after: { [id]: "u-a", [principal]: "local://u-b" },
      expected: `annotation ${principal} may be removed but not changed`,
    },
    {
      name: "none wanted any more",
      before: {},
      after: { [none]: "" },
      expected: `annotation ${none} may be removed but not changed`,
    },
    {
      name: "an old pair that excludes itself",
      before: { [id]: "a", [none]: "" },
      after: { [id]: "a", [none]: "" },
    },
  ]) {
    it(`${expected === undefined ? "may" : "must not"} name ${name}`, () => {
      const problem = creatorProblem(made(after), before && made(before));

      expect(problem).to.equal(expected);
    });
  }

  it("name who makes an object, unless they name somebody", () => {
    expect(withCreator(made({}), ada).metadata.annotations).to.deep.equal({ [id]: "u-ada" });
    expect(withCreator(made({ [id]: "" }), ada).metadata.annotations?.[id]).to.equal("u-ada");
    expect(withCreator(made({ [id]: "u-b" }), ada).metadata.annotations).to.deep.equal({
      [id]: "u-b",
    });
  });

  it("name nobody who can be no user", () => {
    const object = made({});

    for (const username of ["system:admin", "system:serviceaccount:a:b", ""]) {
      expect(withCreator(object, { ...ada, username })).to.equal(object);
    }
  });

  it("name nobody where no bindings are wanted", () => {
    const object = made({ [none]: "true" });

    expect(withCreator(object, ada)).to.equal(object);
  });
});
