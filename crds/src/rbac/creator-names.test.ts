import { expect } from "chai";
import { aProject } from "../testing/fixtures.ts";
import { creatorBindingName, creatorRolesOf, creatorSubject } from "./creator-names.ts";

const annotated = (annotations: Readonly<Record<string, string>>) =>
  aProject({ metadata: { annotations } });

describe("creatorRolesOf", () => {
  const key = "authz.management.cattle.io/creator-role-bindings";
  for (const { text, expected } of [
    { text: undefined, expected: undefined },
    { text: "", expected: undefined },
    { text: "{}", expected: { required: [], created: [] } },
    { text: '{"required":["a","b"]}', expected: { required: ["a", "b"], created: [] } },
    { text: '{"created":["a"],"required":["a"]}', expected: { required: ["a"], created: ["a"] } },
    { text: '{"required":[1,"a",null]}', expected: { required: ["a"], created: [] } },
    { text: '{"required":null}', expected: { required: [], created: [] } },
    { text: "[]", expected: null },
    { text: "null", expected: null },
    { text: "{", expected: null },
  ]) {
    it(`reads ${text}`, () => {
      expect(creatorRolesOf(annotated(text === undefined ? {} : { [key]: text }))).to.deep.equal(
        expected,
      );
    });
  }
});

describe("creatorBindingName", () => {
  it("begins with creator- and is cut to 63 characters", () => {
    expect(creatorBindingName("project-owner")).to.equal("creator-project-owner");
    expect(creatorBindingName("x".repeat(80))).to.have.length(63);
  });
});

describe("creatorSubject", () => {
  const id = "field.cattle.io/creatorId";
  const principal = "field.cattle.io/creator-principal-name";
  for (const { name, annotations, expected } of [
    { name: "nobody without a creator", annotations: {}, expected: undefined },
    {
      name: "nobody by a principal alone",
      annotations: { [principal]: "github_user://1" },
      expected: undefined,
    },
    { name: "the user", annotations: { [id]: "u-1" }, expected: { userName: "u-1" } },
    {
      name: "the user of a local principal",
      annotations: { [id]: "u-1", [principal]: "local://u-1" },
      expected: { userName: "u-1" },
    },
    {
      name: "the principal of another provider",
      annotations: { [id]: "u-1", [principal]: "github_user://1" },
      expected: { userPrincipalName: "github_user://1" },
    },
  ]) {
    it(`is ${name}`, () => expect(creatorSubject(annotated(annotations))).to.deep.equal(expected));
  }
});
