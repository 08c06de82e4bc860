import type { AuthConfig, Token, User } from "@drover/crds";
import { anAuthConfig, aToken, aUser } from "@drover/crds/testing";
import { expect } from "chai";
import { Confidential } from "./confidential.ts";
import {
  type Circumstances,
  computedFields,
  judge,
  refusalTexts,
  shownToken,
  standing,
} from "./judge.ts";
import { findToken, readExtToken, readToken, type StoredToken } from "./stored.ts";
import { anExtSecret, aSession, hour, key, start } from "./testing/samples.ts";
import { withHashedKey } from "./token.ts";

const minute = 60_000;
const users: Readonly<Record<string, User>> = {
  "user-abcde": aUser({ metadata: { name: "user-abcde" } }),
  "user-ada": aUser({ metadata: { name: "user-ada" } }),
  disabled: aUser({ metadata: { name: "disabled" }, enabled: false }),
};
const providers: Readonly<Record<string, AuthConfig>> = {
  github: anAuthConfig({ metadata: { name: "github" }, enabled: true }),
  ldap: anAuthConfig({ metadata: { name: "ldap" }, enabled: false }),
};

function at(now: number, more: Partial<Circumstances> = {}): Circumstances {
  return {
    now,
    idleTtl: 16 * hour,
    user: (name) => users[name],
    provider: (name) => providers[name],
    ...more,
  };
}

const withKey = ({ store, name }: StoredToken, text = key) => ({
  store,
  name,
  key: new Confidential(text),
});

describe("judge", () => {
  const session = aSession();

  it("case 79: takes the key of a plain, a hashed and an ext token, and no other", async () => {
    const ext = readExtToken(anExtSecret({ clusterName: "" }));
    const plain = aToken({ token: key, metadata: created });
    for (const token of [session, readToken(withHashedKey(plain)), ext]) {
      if (token === undefined) throw new Error("cannot be read");

      expect(await judge(token, withKey(token), at(start))).to.equal("ok");
      expect(await judge(token, withKey(token, "x"), at(start))).to.equal("key");
      expect(await judge(token, withKey(token, ""), at(start))).to.equal("key");
      expect(await judge(token, withKey(token, token.proof.reveal()), at(start))).to.equal(
        token.hashed ? "key" : "ok",
      );
    }
  });

  it("takes no key for a token that stores none", async () => {
    const empty = aSession({ token: "" });

    expect(await judge(empty, withKey(empty, ""), at(start))).to.equal("key");
  });

  it("knows no token of another name or store", async () => {
    expect(await judge(undefined, withKey(session), at(start))).to.equal("unknown");
    expect(await judge(session, { ...withKey(session), name: "token-other" }, at(start))).to.equal(
      "unknown",
    );
    expect(await judge(session, { ...withKey(session), store: "ext" }, at(start))).to.equal(
      "unknown",
    );
  });

  it("tells nothing else to who does not have the key", async () => {
    const over = aSession({ enabled: false, userId: "disabled" });

    expect(await judge(over, withKey(over, "x"), at(start + 9 * hour))).to.equal("key");
  });

  it("does not hold up the event loop while it computes a costly hash", async () => {
    const hash = `$1:0123456789abcdef:15:8:1:${"A".repeat(86)}`;
    const annotations = { "authn.management.cattle.io/token-hashed": "true" };
    const old = aSession({ token: hash, metadata: { name: "token-old", annotations } });
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);

    await judge(old, withKey(old), at(start));
    clearInterval(ticking);

    expect(turns).to.be.greaterThan(3);
  });
});

const created = { uid: "uid-3", creationTimestamp: "2026-01-01T00:00:00Z" };

describe("standing", () => {
  const cases: readonly {
    readonly name: string;
    readonly token?: Partial<Token>;
    readonly when?: Circumstances;
    readonly expected: string | undefined;
  }[] = [
    { name: "a fresh session", expected: undefined },
    { name: "one that is disabled", token: { enabled: false }, expected: "disabled" },
    { name: "one just before its end", when: at(start + hour - 1), expected: undefined },
    { name: "one at its end", when: at(start + hour), expected: "expired" },
    {
      name: "case 81: one of 0.01 minutes",
      token: { ttl: 600 },
      when: at(start + 601),
      expected: "expired",
    },
    { name: "one without end", token: { ttl: 0 }, when: at(start + 9e9), expected: undefined },
    { name: "one of a disabled user", token: { userId: "disabled" }, expected: "user-disabled" },
    { name: "one of nobody", token: { userId: "" }, expected: "user-unknown" },
    { name: "one of a user that is gone", token: { userId: "gone" }, expected: "user-unknown" },
    { name: "one of the local provider", token: { authProvider: "local" }, expected: undefined },
    {
      name: "one of a provider that is on",
      token: { authProvider: "github" },
      expected: undefined,
    },
    {
      name: "one of a provider that is off",
      token: { authProvider: "ldap" },
      expected: "provider-disabled",
    },
    {
      name: "one of a provider that is unknown",
      token: { authProvider: "saml" },
      expected: "provider-disabled",
    },
    { name: "one of no provider", token: { authProvider: "" }, expected: undefined },
    {
      name: "one of the local provider, which is off",
      when: at(start, { provider: () => anAuthConfig({ enabled: false }) }),
      expected: "provider-disabled",
    },
    {
      name: "one for a cluster, at the server",
      token: { clusterName: "c-a" },
      expected: "cluster",
    },
    {
      name: "one for a cluster, at another",
      token: { clusterName: "c-a" },
      when: at(start, { clusterName: "c-b" }),
      expected: "cluster",
    },
    {
      name: "one for a cluster, there",
      token: { clusterName: "c-a" },
      when: at(start, { clusterName: "c-a" }),
      expected: undefined,
    },
    {
      name: "one for all, at a cluster",
      when: at(start, { clusterName: "c-b" }),
      expected: undefined,
    },
  ];
  for (const { name, token, when = at(start), expected } of cases) {
    it(`of ${name} is ${expected ?? "good"}`, () =>
      expect(standing(aSession(token), when)).to.equal(expected));
  }

  it("has a sentence for every reason", () => {
    for (const { expected } of cases) {
      if (expected !== undefined) expect(refusalTexts).to.have.property(expected);
    }
  });
});

describe("case 85: standing of an idle session", () => {
  const seen = { ttl: 0, activityLastSeenAt: "2026-01-01T00:00:00Z" };
  for (const { name, token, after, idleTtl, expected } of [
    {
      name: "is good until the limit",
      token: seen,
      after: 16 * minute,
      idleTtl: 16 * minute,
      expected: undefined,
    },
    {
      name: "is idle beyond it",
      token: seen,
      after: 16 * minute + 1,
      idleTtl: 16 * minute,
      expected: "idle",
    },
    {
      name: "never is without a limit",
      token: seen,
      after: 9 * hour,
      idleTtl: 0,
      expected: undefined,
    },
    {
      name: "never is with no word of a limit",
      token: seen,
      after: 9 * hour,
      idleTtl: undefined,
      expected: undefined,
    },
    {
      name: "never is for a derived token",
      token: { ...seen, isDerived: true },
      after: 9 * hour,
      idleTtl: minute,
      expected: undefined,
    },
    {
      name: "never is without any activity told",
      token: { ttl: 0 },
      after: 9 * hour,
      idleTtl: minute,
      expected: undefined,
    },
    {
      name: "never is for what is no time",
      token: { ttl: 0, activityLastSeenAt: "x" },
      after: 9 * hour,
      idleTtl: minute,
      expected: undefined,
    },
  ] as const) {
    it(name, () =>
      expect(standing(aSession(token), at(start + after, { idleTtl }))).to.equal(expected),
    );
  }
});

describe("readToken", () => {
  for (const { name, fields } of [
    {
      name: "that is being deleted",
      fields: { metadata: { ...created, deletionTimestamp: "2026-01-01T00:00:00Z" } },
    },
    { name: "whose ttl is a text", fields: { metadata: created, ttl: "9" as never } },
    { name: "that was never created", fields: {} },
  ]) {
    it(`takes no token ${name}`, () =>
      expect(readToken(aToken({ ttl: 5, ...fields }))).to.equal(undefined));
  }

  it("takes what has other types than it should for absent", () => {
    const odd = { token: 7, userId: {}, authProvider: [], clusterName: 1 };
    const token = readToken({ ...aToken({ metadata: created }), ...odd } as unknown as Token);

    expect(token).to.include({ userId: "", provider: "", clusterName: "" });
    expect(token?.proof.reveal()).to.equal("");
  });
});

describe("findToken", () => {
  const token = aToken({ metadata: { name: "token-v3", ...created } });
  const secret = anExtSecret();
  const sources = {
    tokens: { get: (name: string) => (name === "token-v3" ? token : undefined) },
    secrets: { get: (key: string) => (key === "cattle-tokens/token-abcde" ? secret : undefined) },
  };

  it("looks into the store that the value names", () => {
    expect(findToken({ store: "v3", name: "token-v3" }, sources)?.uid).to.equal("uid-3");
    expect(findToken({ store: "ext", name: "token-abcde" }, sources)?.uid).to.equal("uid-2");
    expect(findToken({ store: "ext", name: "token-v3" }, sources)).to.equal(undefined);
    expect(findToken({ store: "v3", name: "token-abcde" }, sources)).to.equal(undefined);
  });

  it("sees both kinds of token as one", () => {
    expect(findToken({ store: "ext", name: "token-abcde" }, sources)).to.deep.include({
      userId: "user-ada",
      provider: "local",
      principal: {
        metadata: { name: "local://user-ada" },
        provider: "local",
        displayName: "Ada",
      },
      derived: true,
      clusterName: "c-abcde",
      expiry: start + hour,
    });
  });
});

describe("computedFields", () => {
  const now = start + 30 * minute;

  it("case 82: say of exactly one token in a list that it is the current one", () => {
    const names = ["token-a", "token-b", "token-c"];
    const list = names.map((name) => aSession({ metadata: { name } }));
    const ext = readExtToken(anExtSecret({ name: "token-b" }));
    if (ext !== undefined) list.push(ext);

    const current = list.map(
      (token) => computedFields(token, { now, current: { store: "v3", name: "token-b" } }).current,
    );

    expect(current).to.deep.equal([false, true, false, false]);
  });

  for (const { name, ttl, expected } of [
    {
      name: "one that lives",
      ttl: hour,
      expected: { expired: false, expiresAt: "2026-01-01T01:00:00Z" },
    },
    {
      name: "one that is over",
      ttl: 1_999,
      expected: { expired: true, expiresAt: "2026-01-01T00:00:01Z" },
    },
    { name: "one that never ends", ttl: 0, expected: { expired: false, expiresAt: "" } },
  ]) {
    it(`tell of ${name}`, () => {
      const current = { store: "v3", name: "other" } as const;

      expect(computedFields(aSession({ ttl }), { now, current })).to.deep.equal({
        ...expected,
        current: false,
      });
    });
  }

  it("replace what is stored, and the key is left out", () => {
    const stored = { expired: true, current: true, expiresAt: "2020-01-01T00:00:00Z" };
    const token = aToken({ token: key, ttl: hour, metadata: created, ...stored });

    const shown = shownToken(token, { now, current: { store: "v3", name: "other" } });

    expect(shown).to.include({ expired: false, current: false, expiresAt: "2026-01-01T01:00:00Z" });
    expect(shown).to.not.have.property("token");
    expect(JSON.stringify(shown)).to.not.contain(key);
  });
});
