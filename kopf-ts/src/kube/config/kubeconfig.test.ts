import { expect } from "chai";
import { rejection } from "../loopback.test.support.ts";
import { mergeKubeconfigs, parseKubeconfig } from "./kubeconfig.ts";

const yaml = `
apiVersion: v1
kind: Config
current-context: here
clusters:
- name: here
  cluster: {server: "https://here:6443"}
- name: here
  cluster: {server: "https://second:6443"}
users:
- name: me
  user: {token: abc}
contexts:
- name: here
  context: {cluster: here, user: me, namespace: mine}
`;

describe("parseKubeconfig", () => {
  it("reads YAML; the first of two entries of a name counts", async () => {
    const config = await parseKubeconfig(yaml, "/k");

    expect(config.currentContext).to.equal("here");
    expect(config.clusters.get("here")).to.deep.equal({
      entry: { server: "https://here:6443" },
      file: "/k",
    });
    expect(config.users.get("me")?.entry).to.deep.equal({ token: "abc" });
    expect(config.contexts.get("here")?.entry.namespace).to.equal("mine");
  });

  it("reads JSON", async () => {
    const text = JSON.stringify({ clusters: [{ name: "a", cluster: { server: "https://a" } }] });

    const config = await parseKubeconfig(text, "/k");

    expect(config.clusters.get("a")?.entry.server).to.equal("https://a");
    expect(config.currentContext).to.equal("");
  });

  it("reads YAML that begins with a brace", async () => {
    const config = await parseKubeconfig("{current-context: a}", "/k");

    expect(config.currentContext).to.equal("a");
  });

  it("takes missing and null lists as empty", async () => {
    const config = await parseKubeconfig("clusters: null\nusers: []\n", "/k");

    expect(config.clusters.size + config.users.size + config.contexts.size).to.equal(0);
  });

  for (const [name, text, message] of [
    ["an empty file", "", "/k is no kubeconfig: it has no clusters, users and contexts"],
    ["plain text", "hello", "/k is no kubeconfig: it has no clusters, users and contexts"],
    ["a list", "- a", "/k is no kubeconfig: it has no clusters, users and contexts"],
    ["clusters that are no list", "clusters: {}", "/k is no kubeconfig: clusters is no list"],
    ["an entry without a name", "users: [{user: {}}]", "/k: users[0] has no name"],
    ["an entry that is text", "users: [{name: a, user: b}]", "/k: users[0].user is no mapping"],
    [
      "a context that is a number",
      "current-context: 1",
      "/k is no kubeconfig: current-context is no text",
    ],
  ] as const) {
    it(`refuses ${name}`, async () => {
      const error = await rejection(parseKubeconfig(text, "/k"));

      expect(error).to.include({ name: "ConfigError", message });
    });
  }

  it("tells the line of a YAML fault but never the text", async () => {
    const text = "users:\n- name: a\n  user: {token: s3cret\n  bad: [";

    const error = await rejection(parseKubeconfig(text, "/k"));

    expect(error)
      .property("message")
      .match(/^\/k is no valid YAML: [A-Z_]+ at line \d$/);
    expect(String((error as Error).stack)).not.to.contain("s3cret");
  });
});

describe("mergeKubeconfigs", () => {
  it("lets whoever names something first win", async () => {
    const first = await parseKubeconfig("clusters: [{name: a, cluster: {server: 1st}}]", "/1");
    const second = await parseKubeconfig(
      "current-context: x\nclusters: [{name: a, cluster: {server: 2nd}}, {name: b, cluster: {server: 2nd}}]",
      "/2",
    );
    const third = await parseKubeconfig("current-context: y", "/3");

    const merged = mergeKubeconfigs([first, second, third]);

    expect(merged.source).to.equal("/1, /2, /3");
    expect(merged.currentContext).to.equal("x");
    expect(merged.clusters.get("a")?.file).to.equal("/1");
    expect(merged.clusters.get("b")?.file).to.equal("/2");
  });
});
