import { inspect } from "node:util";
import { labels, Token } from "@drover/crds";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, intercept, PermanentError } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import {
  createExtToken,
  createToken,
  derivedFrom,
  ensureSystemToken,
  type NewToken,
  type TokenMaker,
} from "./create.ts";
import { judge } from "./judge.ts";
import { readToken } from "./stored.ts";
import { connected } from "./testing/cluster.ts";
import { aSession } from "./testing/samples.ts";
import { parseTokenValue } from "./value.ts";

const minute = 60_000;
const namespace = "cattle-tokens";
const principal = { metadata: { name: "local://user-ada" }, displayName: "Ada" };
const request = { userId: "user-ada", kind: "session", principal, provider: "local" };

/** The settings' own defaults. */
const settings: TokenMaker["settings"] = {
  milliseconds: (name) => (name === "auth-user-session-ttl-minutes" ? 960 : 129_600) * minute,
};

const circumstances = {
  now: Date.now(),
  idleTtl: 0,
  user: () => ({ apiVersion: "v3", kind: "User", metadata: { name: "user-ada" } }),
  provider: () => undefined,
};

/** Whether the value of a new token lets its owner in. */
async function verdict({ token, value }: NewToken): Promise<string> {
  const parsed = parseTokenValue(value.reveal());
  return parsed === undefined ? "malformed" : judge(token, parsed, circumstances);
}

describe("tokens on an API server", function () {
  this.timeout(90_000);
  let client: Client;
  const maker = (hashing: boolean, through: Client = client): TokenMaker => ({
    client: through,
    settings,
    isOn: (feature) => feature === "token-hashing" && hashing,
  });

  before(async () => {
    client = await connected();
  });

  after(async () => {
    await client[Symbol.asyncDispose]();
  });

  describe("createToken", () => {
    for (const hashing of [true, false]) {
      it(`makes a session whose value lets in, with token-hashing ${hashing}`, async () => {
        const made = await createToken(request, maker(hashing));

        const { name } = made.token;
        const stored = await client.get(Token, name);
        expect(name).to.match(/^token-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        expect(made.value.reveal()).to.match(new RegExp(`^${name}:[a-z2-9]{54}$`));
        expect(await verdict(made)).to.equal("ok");
        expect(stored.token?.startsWith("$3:1:")).to.equal(hashing);
        expect(stored.metadata.annotations ?? {}).to.deep.equal(
          hashing ? { "authn.management.cattle.io/token-hashed": "true" } : {},
        );
        expect(stored).to.deep.include({
          userId: "user-ada",
          userPrincipal: principal,
          authProvider: "local",
          isDerived: false,
          ttl: 960 * minute,
        });
        expect(stored.metadata.labels).to.deep.equal({
          "authn.management.cattle.io/token-userId": "user-ada",
          "authn.management.cattle.io/kind": "session",
        });
      });
    }

    describe("case 80: the ttl of a new token", () => {
      for (const { ttl, expected } of [
        { ttl: 0, expected: 129_600 * minute },
        { ttl: -1, expected: 129_600 * minute },
        { ttl: 129_601 * minute, expected: 129_600 * minute },
        { ttl: 5 * minute, expected: 5 * minute },
      ]) {
        it(`becomes ${expected} for ${ttl}`, async () => {
          const { token } = await createToken({ ...request, kind: "", ttl }, maker(true));

          expect((await client.get(Token, token.name)).ttl).to.equal(expected);
        });
      }
    });

    it("keeps the caller's labels, annotations, cluster and prefix", async () => {
      const metadata = {
        labels: { [labels.kubeconfigId]: "kubeconfig-x" },
        annotations: { note: "mine" },
      };
      const more = {
        kind: "kubeconfig",
        clusterName: "c-abcde",
        prefix: "kubeconfig-ada.c-abcde-",
      };

      const { token } = await createToken({ ...request, ...more, metadata }, maker(true));

      const stored = await client.get(Token, token.name);
      expect(token).to.include({ kind: "kubeconfig", clusterName: "c-abcde", derived: true });
      expect(token.name).to.match(/^kubeconfig-ada\.c-abcde-.{5}$/);
      expect(stored.metadata.labels).to.include(metadata.labels);
      expect(stored.metadata.annotations).to.include(metadata.annotations);
    });

    it("chooses another name when one is taken", async () => {
      let taken = "";
      const through = intercept(client, {
        beforeWrite: async (_, ref) => {
          if (ref === undefined || taken !== "") return;
          taken = ref.metadata.name;
          await client.create({ ...tokenOf(taken), description: "was there before" });
        },
      });

      const made = await createToken(request, maker(true, through));

      expect(made.token.name).to.not.equal(taken);
      expect(await verdict(made)).to.equal("ok");
    });

    it("refuses a ttl that is no whole number, before anything is sent", async () => {
      const silent = {} as Client; // every request would throw

      const making = createToken({ ...request, ttl: 0.5 }, maker(true, silent));

      expect(await making.catch((error: unknown) => error)).to.be.instanceOf(PermanentError);
    });

    it("shows no key of what it made", async () => {
      for (const made of [
        await createToken(request, maker(false)),
        await createExtToken(request, { client, settings, now: Date.now() }),
      ]) {
        const key = made.value.reveal().slice(-54);

        expect(inspect(made, { depth: 9, showHidden: true })).to.not.contain(key);
        expect(JSON.stringify(made)).to.not.contain(key);
      }
    });
  });

  describe("createExtToken", () => {
    it("stores a Secret with the hash, and gives a value that lets in", async () => {
      const made = await createExtToken(
        { ...request, kind: "kubeconfig", description: "mine", ttl: 5 * minute },
        { client, settings, now: Date.parse("2026-01-01T00:00:00Z") },
      );

      const { name } = made.token;
      const secret = await client.get(Secret, name, { namespace });
      const text = (key: string) => Buffer.from(secret.data?.[key] ?? "", "base64").toString();
      expect(made.value.reveal()).to.match(new RegExp(`^ext/${name}:[a-z2-9]{54}$`));
      expect(await verdict(made)).to.equal("ok");
      expect(text("hash")).to.match(/^\$3:1:/);
      expect(text("ttl")).to.equal("300000");
      expect(text("last-update-time")).to.equal("2026-01-01T00:00:00Z");
      expect(text("kube-uid")).to.match(/^[0-9a-f-]{36}$/);
      expect(JSON.stringify(secret)).to.not.contain(made.value.reveal().slice(-54));
    });

    it("writes -1 for a token that never ends", async () => {
      const endless = { milliseconds: () => 0 };

      const { token } = await createExtToken(
        { ...request, kind: "kubeconfig", ttl: -1 },
        { client, settings: endless, now: Date.now() },
      );

      const secret = await client.get(Secret, token.name, { namespace });
      expect(Buffer.from(secret.data?.ttl ?? "", "base64").toString()).to.equal("-1");
      expect(token.expiry).to.equal(undefined);
    });
  });

  describe("ensureSystemToken", () => {
    const input = { userId: "u-system", kind: "agent", description: "Agent" };

    it("makes one token, and replaces it so that the last value counts", async () => {
      const name = uniqueName("agent");

      const first = await ensureSystemToken({ ...input, name }, maker(true));
      const second = await ensureSystemToken({ ...input, name }, maker(true));

      const stored = readToken(await client.get(Token, name));
      expect(first.token.uid).to.not.equal(second.token.uid);
      expect(stored).to.include({ derived: true, provider: "local", userId: "u-system" });
      expect(stored && (await verdict({ token: stored, value: second.value }))).to.equal("ok");
      expect(stored && (await verdict({ token: stored, value: first.value }))).to.equal("key");
    });

    it("replaces a token that changes at that moment", async () => {
      const name = uniqueName("agent");
      const { token } = await ensureSystemToken({ ...input, name }, maker(true));
      let changed = 0;
      const through = intercept(client, {
        beforeWrite: async (verb) => {
          if (verb !== "delete" || changed > 0) return;
          changed += 1;
          const merge = { expiresAt: "2030-01-01T00:00:00Z" };
          await client.patch(tokenOf(name), { merge });
        },
      });

      const made = await ensureSystemToken({ ...input, name }, maker(true, through));

      expect(changed).to.equal(1);
      expect(made.token.uid).to.not.equal(token.uid);
      expect(await verdict(made)).to.equal("ok");
    });

    it("lets several callers at once each have a value, of which one counts", async () => {
      const name = uniqueName("agent");

      const made = await Promise.all(
        [1, 2, 3].map(() => ensureSystemToken({ ...input, name }, maker(true))),
      );

      const stored = readToken(await client.get(Token, name));
      const verdicts = await Promise.all(
        made.map(({ value }) => (stored ? verdict({ token: stored, value }) : "gone")),
      );
      expect(verdicts.filter((each) => each === "ok")).to.have.length(1);
    });

    it("makes another each time when its name is random", async () => {
      const name = `${uniqueName("helm")}-`;
      const ttl = 5 * minute;

      const one = await ensureSystemToken({ ...input, name, ttl, randomize: true }, maker(false));
      const two = await ensureSystemToken({ ...input, name, ttl, randomize: true }, maker(false));

      expect(one.token.name).to.not.equal(two.token.name);
      expect((await client.get(Token, one.token.name)).ttl).to.equal(ttl);
      expect(await verdict(one)).to.equal("ok");
    });

    it("refuses names of generated tokens", async () => {
      const making = ensureSystemToken({ ...input, name: "token-mine" }, maker(true));

      expect(await making.catch((error: unknown) => error)).to.be.instanceOf(PermanentError);
    });
  });
});

describe("derivedFrom", () => {
  const session = aSession({ userPrincipal: principal });

  it("takes user, principal and provider of the parent, and nothing of the caller's", () => {
    const eve = { userId: "eve", provider: "github", principal: {} } as object;

    expect(derivedFrom(session, { description: "key", ttl: 5, ...eve })).to.deep.equal({
      userId: "user-abcde",
      principal,
      provider: "local",
      kind: "",
      description: "key",
      ttl: 5,
      clusterName: "",
    });
  });

  it("may be for one cluster, but never for more than the parent", () => {
    const scoped = aSession({ clusterName: "c-a", isDerived: true });

    expect(derivedFrom(session, { clusterName: "c-a" }).clusterName).to.equal("c-a");
    expect(derivedFrom(scoped, {}).clusterName).to.equal("c-a");
    expect(() => derivedFrom(scoped, { clusterName: "c-b" })).to.throw(PermanentError, "c-a");
    expect(() => derivedFrom(scoped, { clusterName: "" })).to.throw(PermanentError, "c-a");
  });

  it("is no session", () => {
    expect(() => derivedFrom(session, { kind: "session" })).to.throw(PermanentError, "session");
  });
});

function tokenOf(name: string): Token {
  return { apiVersion: "management.cattle.io/v3", kind: "Token", metadata: { name } };
}
