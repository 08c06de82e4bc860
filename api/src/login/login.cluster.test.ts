import { Token, User, UserAttribute } from "@drover/crds";
import { uniqueName } from "@drover/env";
import {
  createExtToken,
  hashPassword,
  type LiveSettings,
  liveSettings,
  newSetting,
  parseFeatures,
  passwordNamespace,
  passwordSecret,
} from "@drover/platform";
import { expect } from "chai";
import { refTo, systemClock } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { Place } from "../authn/cluster.test.support.ts";
import { Authn } from "../authn/index.ts";
import { type Answer, type Ask, Served } from "../listener/testing/served.ts";
import { type Stage, send } from "../stage.ts";
import { Logins } from "./index.ts";

/** Answers who asks. */
const whoami: Stage = async ({ response, login }) =>
  send(response, 200, JSON.stringify(login.caller), "application/json");

const password = "correct horse";
/** Of the password, by bcryptjs 3 at cost 4. */
const bcryptOfPassword = "$2b$04$/H4qz7f.saq2TzjLYNiaBu0pSaH9VaRcn1..hO/O2j/zjFbs6nU6a";
const within = { within: 20_000 };
const authFailed = {
  ...{ type: "error", baseType: "error" },
  ...{ code: "Unauthorized", status: 401, message: "authentication failed" },
};

interface Refused {
  readonly name: string;
  readonly path: string;
  readonly ask: Ask;
  readonly status: number;
  readonly code: string;
  readonly fieldName?: string;
}

describe("login, on an API server", function () {
  this.timeout(60_000);

  let place: Place;
  before(async () => {
    place = await Place.open();
  });
  after(() => place[Symbol.asyncDispose]());

  /** Authentication and logins behind a listener. */
  async function open(features = "", settings?: LiveSettings) {
    const parts = place.parts(settings && { settings });
    const authn = new Authn(parts);
    const logins = new Logins({ ...parts, authn, features: parseFeatures(features) });
    const stop = new AbortController();
    const running = authn.start(stop.signal);
    const served = await Served.open([authn.stage, logins.stage, whoami]);
    await authn.whenSynced();
    const call = (path: string, ask?: Ask): Promise<Answer> => served.call(path, ask);
    return {
      call,
      post: (path: string, body: object, headers = {}): Promise<Answer> =>
        call(path, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body),
        }),
      username: async (headers: Readonly<Record<string, string>>): Promise<string> =>
        JSON.parse((await call("/", { headers })).body).username,
      [Symbol.asyncDispose]: async () => {
        await served[Symbol.asyncDispose]();
        logins[Symbol.dispose]();
        stop.abort();
        await running;
      },
    };
  }

  /** Somebody whom the caches of these logins know. */
  async function known(server: Awaited<ReturnType<typeof open>>, overrides = {}) {
    const user = await place.userWithPassword(password, overrides);
    const username = user.username ?? "";
    const body = { type: "localProvider", username, password };
    await eventually(async () => {
      const { status } = await server.post("/v1-public/login", body);
      return status === 201 || status === 403;
    }, within);
    return { user, username, name: user.metadata.name, body };
  }

  it("answers with a session of the length that settings say, whatever is asked for", async () => {
    await using server = await open();
    const { body, name } = await known(server);

    const answer = await server.post("/v1-public/login", { ...body, ttl: 5, description: "mine" });

    const told = JSON.parse(answer.body);
    expect(answer.status).to.equal(201);
    expect(told).to.include({ type: "token", baseType: "token" });
    expect(told.token).to.match(new RegExp(`^${told.id}:[a-z0-9]{54}$`));
    expect(Date.parse(told.expiresAt)).to.be.closeTo(Date.now() + 960 * 60_000, 120_000);
    expect(answer.headers["set-cookie"]).to.equal(undefined);
    const token = await place.client.get(Token, told.id);
    expect(token).to.include({
      ...{ userId: name, authProvider: "local", description: "mine", isDerived: false },
      ttl: 960 * 60_000,
    });
    expect(await server.username({ authorization: `Bearer ${told.token}` })).to.equal(name);
  });

  it("answers with a cookie that scripts cannot read", async () => {
    await using server = await open();
    const { body, name } = await known(server);

    const answer = await server.post("/v1-public/login", { ...body, responseType: "cookie" });

    const [cookie = ""] = answer.headers["set-cookie"] ?? [];
    expect(answer.status).to.equal(200);
    expect(JSON.parse(answer.body)).to.deep.equal({});
    expect(cookie).to.match(
      /^R_SESS=token-[a-z0-9]{5}:[a-z0-9]{54}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(await server.username({ cookie: cookie.split(";")[0] ?? "" })).to.equal(name);
  });

  it("answers with a token for kubeconfigs, of one cluster if asked for", async () => {
    await using server = await open();
    const { body, name } = await known(server);

    const all = await server.post("/v1-public/login", { ...body, responseType: "kubeconfig" });
    const one = await server.post("/v3-public/localProviders/local?action=login", {
      ...{ ...body, responseType: "kubeconfig_c-m-abc" },
    });

    const tokens = [JSON.parse(all.body), JSON.parse(one.body)];
    expect(tokens[0].id).to.match(new RegExp(`^kubeconfig-${name}[a-z0-9]{5}$`));
    expect(tokens[1].id).to.match(new RegExp(`^kubeconfig-${name}\\.c-m-abc[a-z0-9]{5}$`));
    expect(tokens[1]).to.include({ clusterId: "c-m-abc", isDerived: true, userId: name });
    expect(await server.username({ authorization: `Bearer ${tokens[0].token}` })).to.equal(name);
    expect(await server.username({ authorization: `Bearer ${tokens[1].token}` })).to.not.equal(
      name,
    );
    const { isDerived, clusterName } = await place.client.get(Token, tokens[1].id);
    expect({ isDerived, clusterName }).to.deep.equal({ isDerived: true, clusterName: "c-m-abc" });
  });

  it("serves /v3-public as the Terraform provider and the CLI know it", async () => {
    await using server = await open();
    const { body, name } = await known(server);
    const { type: _, ...plain } = body;

    const answer = await server.post("/v3-public/localProviders/local?action=login", {
      ...{ ...plain, responseType: "json", description: "Terraform bootstrap admin session" },
    });

    expect(answer.status).to.equal(201);
    expect(JSON.parse(answer.body)).to.include({
      ...{ type: "token", userId: name, authProvider: "local", current: false, expired: false },
      description: "Terraform bootstrap admin session",
    });
  });

  it("tells which providers there are", async () => {
    await using server = await open();
    const headers = { host: "drover.test" };

    const v1 = await server.call("/v1-public/authproviders", { headers });
    const v3 = await server.call("/v3-public/authProviders", { headers });
    const one = await server.call("/v3-public/localProviders/local", { headers });

    const self = "https://drover.test/v3-public/localProviders/local";
    const local = {
      ...{ id: "local", type: "localProvider", baseType: "authProvider" },
      ...{ links: { self }, actions: { login: `${self}?action=login` } },
    };
    expect(JSON.parse(v1.body)).to.deep.equal({ data: [{ id: "local", type: "localProvider" }] });
    expect(JSON.parse(v3.body)).to.deep.include({ type: "collection", data: [local] });
    expect(JSON.parse(one.body)).to.deep.equal(local);
  });

  it("says the same of a wrong password, an unknown user and one whose name two have", async () => {
    await using server = await open();
    const { body } = await known(server);
    const twin = uniqueName("twin");
    for (const each of [twin, twin]) await place.userWithPassword(password, { username: each });

    const answers = [
      await server.post("/v1-public/login", { ...body, password: "wrong" }),
      await server.post("/v1-public/login", { ...body, username: uniqueName("nobody") }),
      await server.post("/v1-public/login", { ...body, username: twin }),
    ];

    for (const { status, body: text, headers } of answers) {
      expect(status).to.equal(401);
      expect(JSON.parse(text)).to.deep.equal(authFailed);
      expect(headers["set-cookie"]).to.equal(undefined);
    }
  });

  it("tells a disabled user so, but only with the right password", async () => {
    await using server = await open();
    const { body } = await known(server, { enabled: false });

    const right = await server.post("/v1-public/login", body);
    const wrong = await server.post("/v1-public/login", { ...body, password: "wrong" });

    expect(right.status).to.equal(403);
    expect(JSON.parse(right.body)).to.include({ type: "error", code: "PermissionDenied" });
    expect(JSON.parse(wrong.body)).to.deep.equal(authFailed);
  });

  it("tells that the password must be changed", async () => {
    await using server = await open();
    const { body } = await known(server, { mustChangePassword: true });

    const json = await server.post("/v1-public/login", body);
    const cookie = await server.post("/v1-public/login", { ...body, responseType: "cookie" });

    expect(JSON.parse(json.body)).to.include({ mustChangePassword: true });
    expect(JSON.parse(cookie.body)).to.deep.equal({ mustChangePassword: true });
  });

  it("writes down who logged in and when, and leaves what other providers told", async () => {
    await using server = await open();
    const { user, name, username, body } = await known(server);
    const first = await place.client.get(UserAttribute, name);
    const merge = { ExtraByProvider: { github: { username: ["gh"] } }, lastLogin: null };
    await place.client.patch(refTo(UserAttribute, name), { merge });

    await server.post("/v1-public/login", body);

    const { lastLogin = "", ...second } = await place.client.get(UserAttribute, name);
    expect(first.metadata.ownerReferences?.[0]).to.include({
      kind: "User",
      uid: user.metadata.uid,
    });
    expect(first).to.include({ UserName: name, NeedsRefresh: false });
    expect(Date.parse(lastLogin)).to.be.closeTo(Date.now(), 60_000);
    expect(second.GroupPrincipals).to.deep.equal({ local: { Items: [] } });
    expect(second.ExtraByProvider).to.deep.equal({
      local: { principalid: [`local://${name}`], username: [username] },
      github: { username: ["gh"] },
    });
  });

  it("stores a password of old as new ones are", async () => {
    await using server = await open();
    const user = await place.user();
    const bcrypt = { algorithm: "bcrypt", text: bcryptOfPassword } as const;
    const { metadata } = await place.client.create(passwordSecret(user, bcrypt));
    const body = { type: "localProvider", username: user.username, password };
    const login = async (): Promise<boolean> =>
      (await server.post("/v1-public/login", body)).status === 201;
    await eventually(login, within);

    const stored = await place.client.get(Secret, metadata.name, { namespace: passwordNamespace });

    expect(stored.metadata.annotations?.["cattle.io/password-hash"]).to.equal("pbkdf2sha3512");
    expect(await login()).to.equal(true);
  });

  it("ends a session, and all sessions of a user", async () => {
    await using server = await open();
    const { body, name } = await known(server);
    const login = async (): Promise<string> =>
      JSON.parse((await server.post("/v1-public/login", body)).body).token;
    const [one, two, three] = [await login(), await login(), await login()];
    const key = await place.token({ metadata: { name } }, { isDerived: true });
    const principal = { metadata: { name: `local://${name}` } };
    const ext = await createExtToken(
      { userId: name, kind: "session", principal, provider: "local" },
      { client: place.client, settings: place.parts().settings, now: systemClock.now() },
    );
    const count = async (): Promise<number> => {
      const { items } = await place.client.list(Token);
      return items.filter(({ userId }) => userId === name).length;
    };
    const before = await count();

    const first = await server.post("/v1/logout", {}, { cookie: `R_SESS=${one}` });
    const after = await server.username({ cookie: `R_SESS=${one}` });
    const others = await server.username({ cookie: `R_SESS=${two}` });
    const again = await server.post("/v1/logout", {}, { cookie: `R_SESS=${one}` });

    expect(first.status).to.equal(200);
    const ended = ["R_SESS", "CSRF", "R_OIDC_ID"].map(
      (cookie) => `${cookie}=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax`,
    );
    expect(first.headers["set-cookie"]).to.deep.equal(ended);
    expect(again.headers["set-cookie"]).to.deep.equal(ended);
    expect([after, others]).to.deep.equal(["system:cattle:error", name]);
    expect(again.status).to.equal(401);
    expect(await count()).to.equal(before - 1);

    const isGone = async (): Promise<boolean> => {
      const session = await login();
      await server.post("/v3/tokens?action=logoutAll", {}, { cookie: `R_SESS=${session}` });
      return (await count()) === 1;
    };
    await eventually(isGone, within);
    expect(await server.username({ cookie: `R_SESS=${three}` })).to.equal("system:cattle:error");
    const extSession = { authorization: `Bearer ${ext.value.reveal()}` };
    expect(await server.username(extSession)).to.equal("system:cattle:error");
    expect(await server.username({ authorization: `Bearer ${key.value}` })).to.equal(name);
  });

  it("leaves everything below /v3-public to the next stage while the feature is off", async () => {
    await using server = await open("v3-public=false");
    const { body } = await known(server);

    const answers = await Promise.all([
      server.post("/v3-public/localProviders/local?action=login", body),
      server.call("/v3-public/authProviders"),
      server.call("/v3-public/localProviders/local"),
    ]);
    const other = await server.post("/v1-public/login", body);

    for (const answer of answers) {
      expect(JSON.parse(answer.body)).to.include({ username: "system:cattle:error" });
    }
    expect(other.status).to.equal(201);
  });

  it("slows down whoever guesses, whether there is such a user or not", async () => {
    await using server = await open();
    const { body } = await known(server);

    for (const username of [body.username, uniqueName("nobody")]) {
      const guess = { ...body, username, password: "wrong" };
      const slowed = await eventually(async () => {
        const answer = await server.post("/v1-public/login", guess);
        return answer.status === 429 && answer;
      }, within);

      expect(JSON.parse(slowed.body)).to.include({ code: "TooManyRequests", status: 429 });
      expect(Number(slowed.headers["retry-after"])).to.be.within(1, 60);
    }
  });

  it("takes no longer body than setting public-api-body-limit says", async () => {
    const object = newSetting("public-api-body-limit", {});
    const set = { ...object, value: "2Ki" };
    await using server = await open("", liveSettings({ get: () => set }, {}));
    const sent = (length: number): Promise<Answer> =>
      server.call("/v3-public/localProviders/local?action=login", {
        ...{ method: "POST", body: "{}".padEnd(length) },
      });

    expect((await sent(2049)).status).to.equal(413);
    expect((await sent(2048)).status).to.equal(422);
  });

  const refused: readonly Refused[] = [
    {
      name: "GET of the login",
      path: "/v1-public/login",
      ask: {},
      status: 405,
      code: "MethodNotAllowed",
    },
    {
      name: "DELETE of the providers",
      ...{ path: "/v3-public/authProviders", ask: { method: "DELETE" } },
      ...{ status: 405, code: "MethodNotAllowed" },
    },
    {
      name: "broken JSON",
      ...{ path: "/v1-public/login", ask: { method: "POST", body: "{" } },
      ...{ status: 422, code: "InvalidBodyContent" },
    },
    {
      name: "a form",
      path: "/v1-public/login",
      ask: {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "username=a",
      },
      ...{ status: 415, code: "UnsupportedMediaType" },
    },
    {
      name: "a body over the limit",
      ...{ path: "/v1-public/login", ask: { method: "POST", body: " ".repeat((1 << 20) + 1) } },
      ...{ status: 413, code: "RequestEntityTooLarge" },
    },
    {
      name: "a provider that nobody knows",
      path: "/v1-public/login",
      ask: { method: "POST", body: '{"type":"x","username":"a","password":"b"}' },
      ...{ status: 422, code: "InvalidOption", fieldName: "type" },
    },
    {
      name: "a provider that nobody knows in the path",
      path: "/v3-public/githubProviders/github?action=login",
      ask: { method: "POST", body: '{"username":"a","password":"b"}' },
      ...{ status: 404, code: "NotFound" },
    },
    {
      name: "another action than login",
      path: "/v3-public/localProviders/local?action=test",
      ask: { method: "POST", body: "{}" },
      ...{ status: 404, code: "ActionNotAvailable" },
    },
    {
      name: "a logout of nobody",
      ...{ path: "/v1/logout", ask: { method: "POST" }, status: 401, code: "Unauthorized" },
    },
  ];
  for (const { name, path, ask, status, code, fieldName } of refused) {
    it(`refuses ${name} with ${status} ${code}`, async () => {
      await using server = await open();

      const answer = await server.call(path, ask);

      expect(answer.status).to.equal(status);
      const told = JSON.parse(answer.body);
      expect(told).to.include({ type: "error", baseType: "error", status, code });
      if (fieldName !== undefined) expect(told.fieldName).to.equal(fieldName);
    });
  }

  it("takes no cookies from whoever shows none, as forms of other sites do not", async () => {
    await using server = await open();

    for (const path of ["/v1/logout", "/v1/logout?all", "/v3/tokens?action=logoutAll"]) {
      const answer = await server.post(path, {});

      expect(answer.status).to.equal(401);
      expect(answer.headers["set-cookie"]).to.equal(undefined);
    }
  });

  it("works with the password that was set last", async () => {
    await using server = await open();
    const { user, body } = await known(server);
    const { data } = passwordSecret(user, await hashPassword("another one"));
    const ref = { apiVersion: "v1", kind: "Secret", metadata: { name: user.metadata.name } };
    const secret = { ...ref, metadata: { ...ref.metadata, namespace: passwordNamespace } };
    await place.client.patch(secret, { merge: { data } });

    const old = await server.post("/v1-public/login", body);
    const now = await server.post("/v1-public/login", { ...body, password: "another one" });

    expect([old.status, now.status]).to.deep.equal([401, 201]);
    expect(await place.client.find(User, user.metadata.name)).to.not.equal(undefined);
  });
});
