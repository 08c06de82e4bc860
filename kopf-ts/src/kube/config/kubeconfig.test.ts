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
      "/k is no kubeconfig: current-context is no text; put it in quotes",
    ],
  ] as const) {
    it(`refuses ${name}`, async () => {
      const error = await rejection(parseKubeconfig(text, "/k"));

      expect(error).to.include({ name: "ConfigError", message });
    });
  }

  /** A kubeconfig with one cluster, user or context of these fields. */
  const holding = (sort: "cluster" | "user" | "context", fields: string): string =>
    `${sort}s: [{name: a, ${sort}: {${fields}}}]`;

  for (const [text, expected] of [
    ["true", true],
    ["yes", true],
    ["on", true],
    ["false", false],
    ["no", false],
    ["off", false],
    ["N", false],
  ] as const) {
    it(`reads booleans as kubectl does, YAML 1.1: ${text}`, async () => {
      const yaml = holding("cluster", `insecure-skip-tls-verify: ${text}`);

      const { clusters } = await parseKubeconfig(yaml, "/k");

      expect(clusters.get("a")?.entry["insecure-skip-tls-verify"]).to.equal(expected);
    });
  }

  it("reads what looks like a time as text, as kubectl does", async () => {
    const text = holding("user", "token: 2026-01-01, username: 12:30:45");

    const { users } = await parseKubeconfig(text, "/k");

    expect(users.get("a")?.entry).to.deep.equal({ token: "2026-01-01", username: "12:30:45" });
  });

  it("takes null and empty fields as missing ones", async () => {
    const text = holding("user", "token: null, password: '', as-groups: null, exec: null");

    expect((await parseKubeconfig(text, "/k")).users.get("a")?.entry).to.deep.equal({});
  });

  for (const [sort, fields, message] of [
    ["cluster", 'insecure-skip-tls-verify: "false"', "insecure-skip-tls-verify of cluster"],
    ["cluster", "insecure-skip-tls-verify: 0", "insecure-skip-tls-verify of cluster"],
    ["cluster", "insecure-skip-tls-verify: ''", "insecure-skip-tls-verify of cluster"],
    ["cluster", "server: [x]", "server of cluster"],
    ["cluster", "tls-server-name: 1", "tls-server-name of cluster"],
    ["cluster", "certificate-authority-data: true", "certificate-authority-data of cluster"],
    ["cluster", "extensions: {}", "extensions of cluster"],
    ["user", "token: 5", "token of user"],
    ["user", "token: yes", "token of user"],
    ["user", "username: 5", "username of user"],
    ["user", "password: 6", "password of user"],
    ["user", "as: 5", "as of user"],
    ["user", "as: a, as-groups: system:masters", "as-groups of user"],
    ["user", "as: a, as-groups: [5]", "as-groups of user"],
    ["user", "as: a, as-user-extra: {scopes: x}", "as-user-extra of user"],
    ["user", "exec: x", "exec of user"],
    ["user", "exec: {command: 5}", "command of exec of user"],
    ["user", "exec: {command: x, args: x}", "args of exec of user"],
    ["user", "exec: {command: x, env: [{name: A, value: 5}]}", "value of env of exec of user"],
    ["user", "exec: {command: x, provideClusterInfo: 'no'}", "provideClusterInfo of exec of user"],
    ["user", "exec: {command: x, apiVersion: v1alpha1}", "apiVersion of exec of user"],
    ["user", "auth-provider: {name: 5}", "name of auth-provider of user"],
    ["user", "auth-provider: {name: x, config: []}", "config of auth-provider of user"],
    ["context", "namespace: 5", "namespace of context"],
    ["context", "cluster: no", "cluster of context"],
  ] as const) {
    it(`refuses a ${sort} with ${fields}`, async () => {
      const error = await rejection(parseKubeconfig(holding(sort, fields), "/k"));

      expect(error).to.include({ name: "ConfigError" });
      expect(String(error)).to.contain(`/k: ${message} "a"`);
    });
  }

  for (const [fields, message] of [
    ["exec: {args: [x]}", '/k: exec of user "a" has no command'],
    ["exec: {command: x, env: [{value: y}]}", '/k: env of exec of user "a" has no name'],
    ["auth-provider: {}", '/k: auth-provider of user "a" has no name'],
  ] as const) {
    it(`refuses a user with ${fields}`, async () => {
      const error = await rejection(parseKubeconfig(holding("user", fields), "/k"));

      expect(error).to.include({ name: "ConfigError", message });
    });
  }

  it("refuses aliases that grow without end", async () => {
    const row = (name: string, of: string): string => `${name}: &${name} [${`${of},`.repeat(9)}]`;
    const text = [row("a", "x"), row("b", "*a"), row("c", "*b"), row("d", "*c")].join("\n");

    expect(await rejection(parseKubeconfig(text, "/k"))).to.include({
      name: "ConfigError",
      message: "/k is no valid YAML: TOO_MANY_ALIASES",
    });
  });

  it("refuses what is nested too deeply to be read", async () => {
    const error = await rejection(parseKubeconfig("[".repeat(100_000), "/k"));

    expect(error).to.include({ name: "ConfigError" });
  });

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
    const third = await parseKubeconfig("current-context: z", "/3");

    const merged = mergeKubeconfigs([first, second, third]);

    expect(merged.source).to.equal("/1, /2, /3");
    expect(merged.currentContext).to.equal("x");
    expect(merged.clusters.get("a")?.file).to.equal("/1");
    expect(merged.clusters.get("b")?.file).to.equal("/2");
  });
});
