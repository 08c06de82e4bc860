import { expect } from "chai";
import {
  bindingName,
  clusterSubjects,
  duplicateKeys,
  globalSubjects,
  projectSubjects,
  subjectOf,
  subjectProblem,
} from "./role-subjects.ts";

const many = /more than one of them$/;
const none = /names nobody$/;

describe("subjectProblem", () => {
  for (const { name, binding, classes, problem } of [
    { name: "a user", binding: { userName: "u" }, classes: clusterSubjects, problem: undefined },
    {
      name: "a user by name and principal",
      binding: { userName: "u", userPrincipalName: "local://u" },
      classes: clusterSubjects,
      problem: undefined,
    },
    {
      name: "a group by name and principal",
      binding: { groupName: "g", groupPrincipalName: "x://g" },
      classes: projectSubjects,
      problem: undefined,
    },
    {
      name: "a service account",
      binding: { serviceAccount: "ns:bot" },
      classes: projectSubjects,
      problem: undefined,
    },
    { name: "nobody", binding: {}, classes: clusterSubjects, problem: none },
    { name: "empty names", binding: { userName: "" }, classes: globalSubjects, problem: none },
    {
      name: "a service account of a cluster",
      binding: { serviceAccount: "ns:bot" },
      classes: clusterSubjects,
      problem: none,
    },
    {
      name: "a group by name of all clusters",
      binding: { groupName: "g" },
      classes: globalSubjects,
      problem: none,
    },
    {
      name: "a user and a group",
      binding: { userPrincipalName: "local://u", groupName: "g" },
      classes: clusterSubjects,
      problem: many,
    },
    {
      name: "a group and a service account",
      binding: { groupPrincipalName: "x://g", serviceAccount: "ns:bot" },
      classes: projectSubjects,
      problem: many,
    },
  ]) {
    it(`${problem === undefined ? "is none" : "is told"} for ${name}`, () => {
      const found = subjectProblem(binding, classes);

      if (problem === undefined) expect(found).to.equal(undefined);
      else expect(found).to.match(problem);
    });
  }
});

describe("bindingName", () => {
  // Computed by another implementation: clients rely on the formula.
  for (const { parts, expected } of [
    { parts: ["local://user-abcde", "cluster-member", "c-abcde"], expected: "icn5nqfuuw" },
    { parts: ["u-1", "project-member", "c-1:p-1"], expected: "7djajsf6yc" },
  ] as const) {
    const [subject, role, place] = parts;
    it(`of ${parts.join("/")} is ${expected}`, () => {
      expect(bindingName("x-", subject, role, place)).to.equal(`x-${expected}`);
    });
  }
});

describe("subjectOf", () => {
  it("prefers principals to names, and users to groups", () => {
    const all = {
      userPrincipalName: "a",
      userName: "b",
      groupPrincipalName: "c",
      groupName: "d",
      serviceAccount: "e",
    };
    const order: (string | undefined)[] = [];

    let left: Readonly<Record<string, string>> = all;
    for (let each = subjectOf(left); each !== undefined; each = subjectOf(left)) {
      order.push(each);
      left = Object.fromEntries(Object.entries(left).filter(([, value]) => value !== each));
    }

    expect(order).to.deep.equal(["a", "b", "c", "d", "e"]);
  });
});

describe("duplicateKeys", () => {
  it("differ by place, role, field and subject, and cannot be confused", () => {
    const keys = [
      ...duplicateKeys({ userName: "a" }, "r", "p"),
      ...duplicateKeys({ groupName: "a" }, "r", "p"),
      ...duplicateKeys({ userName: "b" }, "r", "p"),
      ...duplicateKeys({ userName: "a" }, "s", "p"),
      ...duplicateKeys({ userName: "a" }, "r", "q"),
      ...duplicateKeys({ userName: "a" }, 'r","x', "p"),
    ];

    expect(new Set(keys).size).to.equal(6);
  });

  it("are one per subject, so that a principal and a name are both found", () => {
    const both = duplicateKeys({ userName: "a", userPrincipalName: "local://a" }, "r", "p");

    expect(both).to.have.length(2);
    expect(both).to.include(duplicateKeys({ userName: "a" }, "r", "p")[0]);
  });
});
