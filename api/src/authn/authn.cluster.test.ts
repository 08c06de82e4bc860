import { Token, User, UserAttribute } from "@drover/crds";
import { aUserAttribute } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { createExtToken, extTokenNamespace, hashKey, readToken } from "@drover/platform";
import { expect } from "chai";
import { type Client, Informers, intercept, refTo, systemClock } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { eventually, leftBehind } from "kopf-ts/testing";
import type { Login } from "../caller.ts";
import { Served } from "../listener/testing/served.ts";
import { type Stage, send } from "../stage.ts";
import { Authn, type AuthnParts } from "./authn.ts";
import { Place, SlowWatches } from "./cluster.test.support.ts";

/** Answers who asks. */
const whoami: Stage = async ({ response, login }) => {
  const body = { ...login.caller, token: login.token?.name };
  send(response, 200, JSON.stringify(body), "application/json");
};

const nobody = {
  username: "system:cattle:error",
  groups: ["system:unauthenticated", "system:cattle:error"],
};

describe("authn, on an API server", function () {
  this.timeout(60_000);
  const within = { within: 20_000 };

  let place: Place;
  before(async () => {
    place = await Place.open();
  });
  after(() => place[Symbol.asyncDispose]());

  /** Authentication that runs, behind a listener. */
  async function open(more: Partial<AuthnParts> = {}) {
    let last: Login = { caller: nobody, token: undefined };
    const remember: Stage = ({ login }, next) => {
      last = login;
      return next();
    };
    const authn = new Authn(place.parts(more));
    const stop = new AbortController();
    const running = authn.start(stop.signal);
    const served = await Served.open([authn.stage, remember, whoami]);
    return {
      authn,
      /** Of the last request. */
      login: () => last,
      ask: async (headers: Readonly<Record<string, string>>, path = "/") => {
        const { status, body } = await served.call(path, { headers });
        return status === 200 ? JSON.parse(body) : { status, ...JSON.parse(body) };
      },
      [Symbol.asyncDispose]: async () => {
        await served[Symbol.asyncDispose]();
        stop.abort();
        await running;
      },
    };
  }

  const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

  it("takes the bearer of a token for its user, with what all providers told", async () => {
    await using server = await open();
    const user = await place.user();
    const { name } = user.metadata;
    const { token, value } = await place.token(user, {
      authProvider: "local",
      groupPrincipals: [{ metadata: { name: "local://g-of-old" } }],
    });
    await place.client.create(
      aUserAttribute({
        metadata: { name },
        UserName: name,
        GroupPrincipals: {
          local: { Items: [{ metadata: { name: "local://g-1" } }] },
          github: {
            Items: [
              { metadata: { name: "github_org://7" } },
              { metadata: { name: "system:masters" } },
            ],
          },
        },
        ExtraByProvider: {
          local: { principalid: [`local://${name}`], username: ["ada"] },
          github: { principalid: ["github_user://9"], username: ["ada-gh"], other: ["x"] },
        },
      }),
    );
    await eventually(
      async () => (await server.ask(bearer(value))).extra?.username?.length === 2,
      within,
    );

    const told = await server.ask({ ...bearer(value), host: "drover.test:8443" });

    expect(told).to.deep.equal({
      username: name,
      uid: name,
      groups: ["github_org://7", "g-1", "system:authenticated", "system:cattle:authenticated"],
      extra: {
        requesttokenid: [token.metadata.name],
        requesthost: ["drover.test:8443"],
        principalid: ["github_user://9", `local://${name}`],
        username: ["ada-gh", "ada"],
      },
      token: token.metadata.name,
    });
  });

  it("knows by basic authentication and by cookie, and by the header alone if there is one", async () => {
    await using server = await open();
    const user = await place.user();
    const { value } = await place.token(user);
    const basic = `Basic ${Buffer.from(value).toString("base64url")}`;

    const told = [
      await server.ask({ authorization: basic }),
      await server.ask({ cookie: `other=1; R_SESS=${value}` }),
      await server.ask({ authorization: "Bearer wrong", cookie: `R_SESS=${value}` }),
      await server.ask({}),
    ];

    const { name } = user.metadata;
    expect(told.map(({ username }) => username)).to.deep.equal([
      ...[name, name, nobody.username, nobody.username],
    ]);
  });

  it("knows a token and its user that were made a moment ago, both stores", async () => {
    await using server = await open();
    await server.authn.whenSynced();

    for (let round = 0; round < 5; round += 1) {
      const user = await place.user();
      const { name } = user.metadata;
      const { value } = await place.token(user);
      const request = {
        userId: name,
        kind: "",
        principal: { metadata: { name: `local://${name}` } },
      };
      const { settings } = place.parts();
      const made = { client: place.client, settings, now: systemClock.now() };
      const ext = await createExtToken({ ...request, provider: "local" }, made);

      expect(await server.ask(bearer(value))).to.include({ username: name });
      expect(await server.ask(bearer(ext.value.reveal()))).to.include({ username: name });
    }
  });

  it("keeps nothing of those who gave up waiting", async () => {
    const authn = new Authn(place.parts());

    expect(await leftBehind((signal) => authn.whenSynced(signal))).to.be.lessThan(200);
  });

  it("lets nobody in with a wrong key, a token that does not count, or one for another cluster", async () => {
    await using server = await open();
    const user = await place.user();
    const disabled = await place.user({ enabled: false });
    const { value } = await place.token(user);
    const scoped = await place.token(user, { clusterName: "c-m-abc" });
    const refused = [
      value.replace(/.$/, "!"),
      (await place.token(user, { enabled: false })).value,
      (await place.token(user, { ttl: 1 })).value,
      (await place.token(disabled)).value,
      (await place.token({ metadata: { name: "no-such-user" } })).value,
      (await place.token(user, { authProvider: "github" })).value,
      scoped.value,
    ];

    for (const each of refused) {
      expect(await server.ask(bearer(each)), each).to.deep.equal(nobody);
    }
    expect(await server.ask(bearer(scoped.value), "/k8s/clusters/c-m-other/api")).to.deep.equal(
      nobody,
    );
    expect(await server.ask(bearer(scoped.value), "/k8s/clusters/c-m-abc/api")).to.include({
      username: user.metadata.name,
    });
    expect(await server.ask(bearer(value))).to.include({ username: user.metadata.name });
  });

  it("follows changes of tokens, users and keys", async () => {
    await using server = await open();
    const user = await place.user();
    const { token, value } = await place.token(user);
    const known = async (): Promise<boolean> =>
      (await server.ask(bearer(value))).username === user.metadata.name;
    const unknown = async (): Promise<boolean> => !(await known());
    expect(await known()).to.equal(true);

    await place.client.patch(refTo(User, user.metadata.name), { merge: { enabled: false } });
    await eventually(unknown, within);
    await place.client.patch(refTo(User, user.metadata.name), { merge: { enabled: true } });
    await eventually(known, within);
    await place.client.patch(refTo(Token, token.metadata.name), { merge: { token: "another" } });
    await eventually(unknown, within);
  });

  it("verifies hashes of all versions", async () => {
    await using server = await open();
    const user = await place.user();
    const key = "d".repeat(54);
    const annotated = { annotations: { "authn.management.cattle.io/token-hashed": "true" } };
    const scrypt =
      "$1:1fa6cbd8d1b4a7c7:15:8:1:" +
      (await scryptOf(key, Buffer.from("1fa6cbd8d1b4a7c7", "hex")))
        .toString("base64")
        .replace(/=+$/, "");
    for (const token of [hashKey(key), scrypt]) {
      const { token: made } = await place.token(user, { token, metadata: annotated });
      const { name } = made.metadata;

      for (let round = 0; round < 3; round += 1) {
        const right = await server.ask(bearer(`${name}:${key}`));
        const wrong = await server.ask(bearer(`${name}:${key.replace("d", "x")}`));

        expect(right).to.include({ username: user.metadata.name });
        expect(wrong).to.deep.equal(nobody);
      }
    }
  });

  it("asks the API server once for a token that does not exist, and seldom for many", async () => {
    let asked = 0;
    const { client } = place;
    const find: Client["find"] = (kind, name, options) => {
      if (kind.kind === "Token") asked += 1;
      return client.find(kind, name, options);
    };
    await using server = await open({ client: { ...intercept(client, {}), find } });
    await server.authn.whenSynced();

    for (let round = 0; round < 10; round += 1) await server.ask(bearer("token-none:abc"));
    expect(asked).to.equal(1);
    const began = performance.now();
    for (let round = 0; round < 300; round += 1)
      await server.ask(bearer(`token-none-${round}:abc`));
    const seconds = (performance.now() - began) / 1_000;

    expect(asked).to.be.at.most(21 + Math.ceil(seconds * 20));
  });

  it("writes when a token was used, and forgets one that was deleted here at once", async () => {
    await using server = await open();
    const user = await place.user();
    const { token, value } = await place.token(user);
    await server.ask(bearer(value));
    const used = await eventually(
      async () => (await place.client.get(Token, token.metadata.name)).lastUsedAt,
      within,
    );

    server.authn.revoke({ uid: token.metadata.uid ?? "" });

    expect(Date.parse(used)).to.be.closeTo(Date.now(), 60_000);
    expect(await server.ask(bearer(value))).to.deep.equal(nobody);
  });

  it("lets a token of one cluster count on where it did, until it is another's", async () => {
    await using server = await open();
    const user = await place.user();
    const { token } = await place.token(user, { clusterName: "local" });
    const caller = { username: user.metadata.name, groups: [] };
    const login = { caller, token: readToken(token) };
    await eventually(() => server.authn.standingOf(login) === "counts", within);

    const other = { merge: { clusterName: "c-1" } };
    await place.client.patch(refTo(Token, token.metadata.name), other);

    await eventually(() => server.authn.standingOf(login) === "ended", within);
  });

  it("knows by any of their names who logs in, and in which groups", async () => {
    await using server = await open();
    const [username, principal] = [uniqueName("ada"), uniqueName("github_user://")];
    const user = await place.user({ username, principalIds: [principal] });
    const { name } = user.metadata;
    const Items = [{ metadata: { name: "github_team://1" } }];
    await place.client.create(
      aUserAttribute({ metadata: { name }, GroupPrincipals: { github: { Items } } }),
    );
    const groups = ["github_team://1", "system:authenticated", "system:cattle:authenticated"];
    const knows = (text: string) => server.authn.personCalled(text);
    await eventually(async () => (await knows(name))?.groups.length === groups.length, within);

    for (const text of [name, username, principal]) {
      expect(await knows(text)).to.deep.equal({ username: name, groups });
    }
    expect(await knows("system:admin")).to.equal(undefined);
  });

  it("takes the user's own principals where no login told of any", async () => {
    await using server = await open();
    const user = await place.user({ principalIds: ["local://x", "github_user://1"] });
    const { value } = await place.token(user, {
      groupPrincipals: [{ metadata: { name: "local://g-of-old" } }],
    });

    const { groups, extra } = await eventually(async () => {
      const told = await server.ask(bearer(value));
      return told.groups.includes("g-of-old") ? told : undefined;
    }, within);

    expect(groups).to.deep.equal([
      ...["g-of-old", "system:authenticated", "system:cattle:authenticated"],
    ]);
    expect(extra).to.deep.include({
      principalid: ["local://x", "github_user://1"],
      username: [user.username],
    });
    expect(await place.client.find(UserAttribute, user.metadata.name)).to.equal(undefined);
  });

  describe("what becomes of a login", () => {
    it("is nothing while caches lag behind, and its end once they know of it", async () => {
      const slow = new SlowWatches(place.client);
      const informers = new Informers(slow.client);
      await using _ = { [Symbol.asyncDispose]: () => informers.dispose() };
      await using server = await open({ informers });
      await server.authn.whenSynced();
      slow.hold();
      const user = await place.user();
      const v3 = await place.token(user);
      const principal = { metadata: { name: `local://${user.metadata.name}` } };
      const ext = await createExtToken(
        { userId: user.metadata.name, kind: "", principal, provider: "local" },
        { client: place.client, settings: place.parts().settings, now: systemClock.now() },
      );
      const logins: Login[] = [];
      for (const value of [v3.value, ext.value.reveal()]) {
        expect(await server.ask(bearer(value))).to.include({ username: user.metadata.name });
        logins.push(server.login());
      }
      const standings = () => logins.map((login) => server.authn.standingOf(login));

      expect(standings()).to.deep.equal(["counts", "counts"]);
      await place.client.delete(refTo(Token, v3.token.metadata.name));
      await place.client.delete(refTo(Secret, ext.token.name, extTokenNamespace));
      slow.release();

      await eventually(() => standings().every((each) => each === "ended"), within);
    });

    it("is its end when it is revoked before any cache knows it", async () => {
      await using server = await open();
      const { token, value } = await place.token(await place.user());
      await server.ask(bearer(value));

      server.authn.revoke({ uid: token.metadata.uid ?? "" });

      expect(server.authn.standingOf(server.login())).to.equal("ended");
    });

    it("is a change when its user leaves a group, and none when they just come again", async () => {
      await using server = await open();
      const user = await place.user();
      const { name } = user.metadata;
      const { value } = await place.token(user);
      const items = (...groups: readonly string[]) => ({
        local: { Items: groups.map((group) => ({ metadata: { name: `local://${group}` } })) },
      });
      const attribute = await place.client.create(
        aUserAttribute({ metadata: { name }, UserName: name, GroupPrincipals: items("a", "b") }),
      );
      const groups = async (): Promise<readonly string[]> =>
        (await server.ask(bearer(value))).groups;
      await eventually(async () => (await groups()).includes("b"), within);
      const login = server.login();
      using attributes = place.informers.acquire(UserAttribute);
      const { metadata } = await place.client.patch(attribute, {
        merge: { lastLogin: "2030-01-01T00:00:00Z", GroupPrincipals: items("b", "a") },
      });
      await attributes.cache.waitFor(metadata.resourceVersion ?? "");
      const after = server.authn.standingOf(login);
      await place.client.patch(attribute, { merge: { GroupPrincipals: items("a") } });

      expect(after).to.equal("counts");
      await eventually(() => server.authn.standingOf(login) === "changed", within);
    });
  });

  describe("in header mode", () => {
    it("believes Impersonate-* headers, and takes everybody else for the server's own user", async () => {
      await using server = await open({ headerAuth: true });

      expect(
        await server.ask({
          "impersonate-user": "jane",
          "impersonate-uid": "u-1",
          "impersonate-group": "dev",
          "impersonate-extra-scopes%2fx": "a",
        }),
      ).to.deep.equal({
        ...{ username: "jane", uid: "u-1", groups: ["dev", "system:authenticated"] },
        extra: { "scopes/x": ["a"] },
      });
      expect(await server.ask({})).to.deep.equal({
        username: "admin",
        groups: ["system:masters", "system:authenticated"],
      });
      expect(await server.ask({ "impersonate-group": "dev" })).to.deep.equal(nobody);
      expect(await server.ask(bearer("token-a:b"))).to.deep.equal(nobody);
    });

    it("is off unless told: headers mean nothing", async () => {
      await using server = await open();

      const told = await server.ask({
        "impersonate-user": "jane",
        "impersonate-group": "system:masters",
      });

      expect(told).to.deep.equal(nobody);
    });
  });
});

async function scryptOf(key: string, salt: Buffer): Promise<Buffer> {
  const { scryptSync } = await import("node:crypto");
  return scryptSync(key, salt, 64, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 });
}
