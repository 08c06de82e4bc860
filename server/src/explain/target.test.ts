import { expect } from "chai";
import { readTarget } from "./target.ts";

describe("readTarget", () => {
  for (const { text, namespace, expected } of [
    { text: "cluster/c-1", expected: "Cluster c-1" },
    { text: "Clusters/c-1", expected: "Cluster c-1" },
    { text: "project/p-1", namespace: "c-1", expected: "Project c-1/p-1" },
    { text: "crtb/b", namespace: "c-1", expected: "ClusterRoleTemplateBinding c-1/b" },
    { text: "users.management.cattle.io/u-1", expected: "User u-1" },
    { text: "ns/web", expected: "Namespace web" },
    { text: "user/u-1", namespace: "ignored", expected: "User u-1" },
  ]) {
    it(`reads ${text}`, () => {
      const { kind, name, namespace: home } = readTarget(text, namespace);

      expect(`${kind.kind} ${[home, name].filter(Boolean).join("/")}`).to.equal(expected);
    });
  }

  for (const { text, expected } of [
    { text: "c-1", expected: 'write "c-1" as <kind>/<name>, such as project/p-abc12' },
    { text: "project/", expected: 'write "project/" as <kind>/<name>, such as project/p-abc12' },
    { text: "a/b/c", expected: 'write "a/b/c" as <kind>/<name>, such as project/p-abc12' },
    { text: "project/p-1", expected: "a Project is in a namespace: add -n <namespace>" },
    { text: "pod/p-1", expected: /^nothing is known of kind "pod"; there are .*cluster/ },
  ]) {
    it(`refuses ${text}`, () => {
      expect(() => readTarget(text, undefined)).to.throw(expected);
    });
  }
});
