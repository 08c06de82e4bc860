import { expect } from "chai";
import { namedCaller } from "./header-mode.ts";

/** As node:http has them, one line for each value. */
function raw(headers: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    values.flatMap((value) => [name, value]),
  );
}

describe("namedCaller", () => {
  for (const { name, headers, expected } of [
    { name: "nobody", headers: {}, expected: undefined },
    { name: "an empty name", headers: { "impersonate-user": [""] }, expected: undefined },
    {
      name: "a user alone",
      headers: { "impersonate-user": ["jane"] },
      expected: { username: "jane", groups: ["system:authenticated"] },
    },
    {
      name: "groups, each once, as they are",
      headers: {
        "impersonate-user": ["jane"],
        "impersonate-group": ["a", "b", "a", "system:authenticated"],
      },
      expected: { username: "jane", groups: ["a", "b", "system:authenticated"] },
    },
    {
      name: "somebody anonymous",
      headers: {
        "impersonate-user": ["system:anonymous"],
        "impersonate-group": ["system:unauthenticated"],
      },
      expected: { username: "system:anonymous", groups: ["system:unauthenticated"] },
    },
    {
      name: "uid and extra values",
      headers: {
        "impersonate-user": ["jane"],
        "impersonate-uid": ["7"],
        "impersonate-extra-a%2fb": ["1", "2"],
        "impersonate-extra-%zz": ["3"],
      },
      expected: {
        ...{ username: "jane", uid: "7", groups: ["system:authenticated"] },
        extra: { "a/b": ["1", "2"], "%zz": ["3"] },
      },
    },
    {
      name: "names in any case, and no other headers",
      headers: {
        "X-Impersonate-User": ["joe"],
        "Impersonate-USER": ["jane"],
        "Impersonate-Groups": ["a"],
        "IMPERSONATE-Extra-A": ["1"],
      },
      expected: { username: "jane", groups: ["system:authenticated"], extra: { a: ["1"] } },
    },
    { name: "groups of nobody", headers: { "impersonate-group": ["a"] }, expected: "malformed" },
    { name: "a uid of nobody", headers: { "impersonate-uid": ["a"] }, expected: "malformed" },
  ]) {
    it(`reads ${name}`, () => expect(namedCaller(raw(headers))).to.deep.equal(expected));
  }
});
