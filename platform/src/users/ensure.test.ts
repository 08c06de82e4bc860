import { type GlobalRole, installCrds, kinds, User } from "@drover/crds";
import { aUser } from "@drover/crds/testing";
import { testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import {
  type Client,
  connect,
  intercept,
  loadConfig,
  refTo,
  silentLogger,
  TemporaryError,
} from "kopf-ts";
import {
  ensureUser,
  findUser,
  globalRolesForNewUsers,
  type UserSources,
  usersByPrincipal,
} from "./ensure.ts";
import { localPrincipal, principalLabels, userNameFor } from "./principals.ts";

const label = "hashed-principal-name";
const aPrincipal = (): string => `github_user://${uniqueName("ensure")}`;

/** Caches that show nothing but these, as behind the server as can be. */
function showing(users: readonly User[] = [], roles: readonly string[] = []) {
  return {
    users: {
      get: (name: string) => users.find(({ metadata }) => metadata.name === name),
      byIndex: (index: string, value: string) =>
        index === usersByPrincipal.name
          ? users.filter((user) => usersByPrincipal.of(user).includes(value))
          : [],
    },
    globalRoles: { keysByIndex: () => roles },
  };
}

describe("indexes of users", () => {
  it("find users by every principal", () => {
    expect(usersByPrincipal.of(aUser({ principalIds: ["local://a", "x://b"] }))).to.deep.equal([
      "local://a",
      "x://b",
    ]);
    expect(usersByPrincipal.of(aUser())).to.deep.equal([]);
  });

  for (const { name, role, expected } of [
    { name: "a default", role: { newUserDefault: true }, expected: ["true"] },
    { name: "no default", role: { newUserDefault: false }, expected: [] },
    { name: "one that says nothing", role: {}, expected: [] },
  ]) {
    it(`tell GlobalRoles of new users: ${name}`, () => {
      const object = { metadata: { name: "role" }, ...role } as GlobalRole;
      expect(globalRolesForNewUsers.of(object)).to.deep.equal(expected);
    });
  }

  it("leave out a GlobalRole that is being deleted", () => {
    const metadata = { name: "role", deletionTimestamp: "2026-01-01T00:00:00Z" };
    const object = { metadata, newUserDefault: true } as unknown as GlobalRole;
    expect(globalRolesForNewUsers.of(object)).to.deep.equal([]);
  });
});

describe("ensureUser on an API server", function () {
  this.timeout(90_000);

  let client: Client;
  const sources = (
    users: readonly User[] = [],
    roles: readonly string[] = [],
    through: Client = client,
  ): UserSources => ({ client: through, ...showing(users, roles) });

  before(async () => {
    const { kubeconfigPath } = await testEnv();
    client = connect(await loadConfig({ kubeconfig: kubeconfigPath }), { kinds });
    await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
  });

  after(async () => {
    await client[Symbol.asyncDispose]();
  });

  it("makes the user with the name, label and annotation that follow", async () => {
    const principal = aPrincipal();

    const user = await ensureUser(sources([], ["user-base", "user"]), principal, "Ada");

    const { metadata, ...fields } = await client.get(User, userNameFor(principal));
    expect(user.metadata.uid).to.equal(metadata.uid);
    expect(fields).to.include({ displayName: "Ada" });
    expect(fields.principalIds).to.deep.equal([principal]);
    expect(Object.values(metadata.labels ?? {})).to.deep.equal([label]);
    expect(metadata.annotations).to.deep.equal({
      "authz.management.cattle.io/creator-role-bindings": '{"required":["user","user-base"]}',
    });
  });

  it("makes one user for ten callers at once whose caches show none", async () => {
    const principal = aPrincipal();

    const users = await Promise.all(
      Array.from({ length: 10 }, () => ensureUser(sources(), principal)),
    );

    expect(new Set(users.map(({ metadata }) => metadata.uid)).size).to.equal(1);
  });

  it("asks nothing when the cache shows the user", async () => {
    const principal = aPrincipal();
    const known = aUser({ principalIds: [principal] });
    const silent = {} as Client; // every request would throw

    const user = await ensureUser(sources([known], [], silent), principal);

    expect(user).to.equal(known);
  });

  it("finds a labelled user that the cache does not show yet", async () => {
    const principal = aPrincipal();
    const other = await client.create(
      aUser({
        metadata: { labels: principalLabels(principal) },
        principalIds: ["local://x", principal],
      }),
    );

    const user = await ensureUser(sources(), principal);

    expect(user.metadata.name).to.equal(other.metadata.name);
  });

  it("takes local://<name> for the user of that name, cached or not", async () => {
    const created = await client.create(aUser());
    const principal = localPrincipal(created.metadata.name);

    const live = await ensureUser(sources(), principal);
    const cached = await ensureUser(sources([created], [], {} as Client), principal);

    expect([live, cached].map(({ metadata }) => metadata.uid)).to.deep.equal([
      created.metadata.uid,
      created.metadata.uid,
    ]);
  });

  for (const principal of ["local://", "local://no such name", "local://../namespaces"]) {
    it(`makes a user of ${principal}, which names none`, async () => {
      const { metadata } = await ensureUser(sources(), principal);

      expect(metadata.name).to.equal(userNameFor(principal));
      await client.delete(refTo(User, metadata.name));
    });
  }

  it("tells principals apart that share their label", async () => {
    const common = `openldap_user://cn=${uniqueName("a")},${"ou=somewhere,".repeat(8)}`;

    const one = await ensureUser(sources(), `${common}dc=one`);
    const other = await ensureUser(sources(), `${common}dc=other`);

    expect(Object.keys(one.metadata.labels ?? {})).to.deep.equal(
      Object.keys(other.metadata.labels ?? {}),
    );
    expect(one.metadata.uid).not.to.equal(other.metadata.uid);
  });

  it("refuses to choose between two users of one principal", async () => {
    const principal = aPrincipal();
    const two = ["u-b", "u-a"].map((name) =>
      aUser({ metadata: { name }, principalIds: [principal] }),
    );

    const thrown = await failureOf(ensureUser(sources(two), principal));

    expect(thrown).to.be.instanceOf(TemporaryError);
    expect(thrown.message).to.equal(`principal ${principal} belongs to several users: u-a, u-b`);
  });

  it("prefers the user itself to another that claims its local principal", async () => {
    const name = uniqueName("own");
    const principal = localPrincipal(name);
    const claims = aUser({ principalIds: [principal] });
    const own = aUser({ metadata: { name }, principalIds: [principal] });

    expect(await ensureUser(sources([claims, own]), principal)).to.equal(own);
  });

  it("waits for a user of the name to be gone, and then makes a new one", async () => {
    const principal = aPrincipal();
    const first = await ensureUser(sources(), principal);
    const hold = { metadata: { finalizers: ["drover.test/hold"] } };
    await client.patch(first, { merge: hold });
    await client.delete(refTo(User, first.metadata.name));

    const thrown = await failureOf(ensureUser(sources(), principal));
    await client.patch(refTo(User, first.metadata.name), {
      merge: { metadata: { finalizers: null } },
    });
    const second = await ensureUser(sources(), principal);

    expect(thrown).to.be.instanceOf(TemporaryError);
    expect(thrown.message).to.contain("is being deleted");
    expect(second.metadata.uid).not.to.equal(first.metadata.uid);
  });

  it("does not hand out a user that lost the principal", async () => {
    const principal = aPrincipal();
    const user = await ensureUser(sources(), principal);
    await client.patch(user, { merge: { principalIds: ["local://other"] } });

    const thrown = await failureOf(ensureUser(sources(), principal));

    expect(thrown).to.be.instanceOf(TemporaryError);
    expect(thrown.message).to.contain("does not have its principal");
  });

  it("is content with a user that another process made at the last moment", async () => {
    const principal = aPrincipal();
    let theirs: User | undefined;
    const late = intercept(client, {
      beforeWrite: async (verb) => {
        if (verb === "create") theirs ??= await ensureUser(sources(), principal);
      },
    });

    const ours = await ensureUser(sources([], [], late), principal);

    expect(ours.metadata.uid).to.equal(theirs?.metadata.uid);
  });

  it("finds nobody for a principal without a user", async () => {
    expect(await findUser(client, aPrincipal())).to.equal(undefined);
  });
});

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const thrown: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Error)) throw new Error("it did not fail");
  return thrown;
}
