import { expect } from "chai";
import type { Secret } from "kopf-ts/kinds";
import { extData, extText } from "./ext-secret.ts";
import { changeExtToken, extTokenSecret, parseExtToken } from "./ext-token.ts";
import { anExtSecret, anExtToken, hour, start } from "./testing/samples.ts";

const limits = { standard: hour, maximum: 10 * hour };

describe("extTokenSecret", () => {
  it("has Rancher's namespace, labels and every key of its data", () => {
    const secret = extTokenSecret(anExtToken(), { labels: { mine: "yes" } });

    expect(secret.metadata).to.deep.equal({
      name: "token-abcde",
      namespace: "cattle-tokens",
      labels: {
        mine: "yes",
        "cattle.io/kind": "token",
        "cattle.io/user-id": "user-ada",
        "authn.management.cattle.io/kind": "kubeconfig",
      },
    });
    const texts = Object.entries(secret.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value, "base64").toString(),
    ]);
    const { hash, principal, ...plain } = Object.fromEntries(texts);
    expect(hash).to.match(/^\$3:1:/);
    expect(JSON.parse(principal)).to.deep.equal({
      name: "local://user-ada",
      provider: "local",
      displayName: "Ada",
    });
    expect(plain).to.deep.equal({
      cluster: "c-abcde",
      description: "mine",
      enabled: "true",
      kind: "kubeconfig",
      "kube-uid": "7d0c2f7e-8a4f-4b0c-a9f0-2f1f5c1b8f10",
      "last-activity-seen": "",
      "last-update-time": "2026-01-01T00:00:00Z",
      "last-used-at": "",
      ttl: "3600000",
      "user-id": "user-ada",
    });
  });

  it("does not let a caller's labels pass for its own", () => {
    const labels = { "cattle.io/user-id": "admin", "cattle.io/kind": "kubeconfig" };

    const secret = extTokenSecret(anExtToken(), { labels });

    expect(secret.metadata.labels).to.include({
      "cattle.io/user-id": "user-ada",
      "cattle.io/kind": "token",
    });
  });
});

describe("parseExtToken", () => {
  for (const { name, token } of [
    { name: "a kubeconfig's", token: anExtToken() },
    { name: "a session", token: anExtToken({ kind: "session", lastActivitySeen: start }) },
    { name: "one that is disabled and never ends", token: anExtToken({ enabled: false, ttl: -1 }) },
    { name: "one that was used", token: anExtToken({ lastUsedAt: start + 1_000 }) },
    { name: "one with other letters", token: anExtToken({ description: "für 漢字 \n" }) },
  ]) {
    it(`reads back ${name}`, () => {
      const read = parseExtToken(extTokenSecretOf(token));

      expect(read).to.deep.equal(token);
      expect(read?.hash.reveal()).to.equal(token.hash.reveal());
    });
  }

  const without = (secret: Secret, ...keys: readonly string[]): Secret => ({
    ...secret,
    data: Object.fromEntries(Object.entries(secret.data ?? {}).filter(([k]) => !keys.includes(k))),
  });
  const having = (secret: Secret, texts: Parameters<typeof extData>[0]): Secret => ({
    ...secret,
    data: { ...secret.data, ...extData(texts) },
  });
  const secret = anExtSecret();
  const { data: _, ...empty } = secret;
  for (const { name, bad } of [
    { name: "no uid", bad: without(secret, "kube-uid") },
    { name: "no user", bad: without(secret, "user-id") },
    { name: "no hash", bad: without(secret, "hash") },
    { name: "no time of its last update", bad: without(secret, "last-update-time") },
    { name: "no ttl", bad: without(secret, "ttl") },
    { name: "a ttl that is none", bad: having(secret, { ttl: "soon" }) },
    { name: "no word on whether it is enabled", bad: without(secret, "enabled") },
    { name: "another word", bad: having(secret, { enabled: "yes" }) },
    { name: "no principal", bad: without(secret, "principal") },
    { name: "a principal that is no JSON", bad: having(secret, { principal: "{" }) },
    { name: "a principal that is null", bad: having(secret, { principal: "null" }) },
    { name: "a principal without provider", bad: having(secret, { principal: '{"name":"x"}' }) },
    { name: "a principal without name", bad: having(secret, { principal: '{"provider":"x"}' }) },
    { name: "no data", bad: empty },
    { name: "another namespace", bad: moved(secret, { namespace: "default" }) },
    { name: "no label of a token", bad: moved(secret, { labels: {} }) },
    { name: "data of another type", bad: { ...secret, data: { ttl: 7 } } as unknown as Secret },
  ]) {
    it(`takes no Secret with ${name}`, () => expect(parseExtToken(bad)).to.equal(undefined));
  }
});

describe("changeExtToken", () => {
  const change = (ttl: number, current = hour) =>
    changeExtToken(anExtToken({ ttl: current }), { ttl }, { limits, now: start + 5_500 }).ttl;

  for (const { name, current, ttl, expected } of [
    { name: "may shrink", current: hour, ttl: 1_000, expected: 1_000 },
    { name: "does not grow", current: hour, ttl: 2 * hour, expected: hour },
    { name: "does not become endless", current: hour, ttl: -1, expected: hour },
    { name: "shrinks to the maximum from endless", current: -1, ttl: -1, expected: 10 * hour },
    { name: "shrinks to the standard for 0", current: 2 * hour, ttl: 0, expected: hour },
    { name: "stays over once it is", current: 0, ttl: hour, expected: 0 },
  ]) {
    it(`ttl ${name}`, () => expect(change(ttl, current)).to.equal(expected));
  }

  it("is the same object when nothing changes", () => {
    const token = anExtToken();

    expect(changeExtToken(token, { ttl: 5 * hour, enabled: true }, { limits, now: 0 })).to.equal(
      token,
    );
  });

  it("says when it changed, and keeps the rest", () => {
    const token = anExtToken();

    const changed = changeExtToken(token, { enabled: false }, { limits, now: start + 5_500 });

    expect(changed).to.deep.equal({
      ...token,
      enabled: false,
      lastUpdateTime: "2026-01-01T00:00:05Z",
    });
    expect(extText(extTokenSecret(changed), "enabled")).to.equal("false");
  });
});

function extTokenSecretOf(token: ReturnType<typeof anExtToken>): Secret {
  return moved(extTokenSecret(token), { creationTimestamp: "2026-01-01T00:00:00Z" });
}

function moved(secret: Secret, metadata: Partial<Secret["metadata"]>): Secret {
  return { ...secret, metadata: { ...secret.metadata, ...metadata } };
}
