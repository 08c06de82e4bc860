import { User } from "@drover/crds";
import { aUser } from "@drover/crds/testing";
import { passwordNamespace } from "@drover/platform";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { ensureDefaultAdmin } from "./ensure-default.ts";
import { adminLabel } from "./names.ts";
import { generatePassword } from "./password.ts";
import { resetAdminPassword } from "./reset.ts";
import { AdminCluster } from "./testing/admins.ts";

const given = { env: { CATTLE_BOOTSTRAP_PASSWORD: "admin" } };

describe("generatePassword", () => {
  it("gives 20 characters that are other ones each time", () => {
    const passwords = Array.from({ length: 100 }, () => generatePassword().reveal());

    expect(new Set(passwords).size).to.equal(100);
    for (const password of passwords) expect(password).to.match(/^[-_a-zA-Z0-9]{20}$/);
  });

  it("does not show itself", () => {
    const password = generatePassword();
    expect(`${password} ${JSON.stringify({ password })}`).not.to.contain(password.reveal());
  });
});

describe("commands for the default admin on an API server", function () {
  this.timeout(60_000);

  let cluster: AdminCluster;

  before(async () => {
    cluster = await AdminCluster.open();
  });

  beforeEach(() => cluster.reset());

  after(() => cluster?.[Symbol.asyncDispose]());

  const onlyUser = async (): Promise<User> => {
    const { users } = await cluster.found();
    expect(users).to.have.length(1);
    return users[0] ?? expect.fail();
  };
  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => expect.fail("it resolved"),
      (error: unknown) => error,
    );

  describe("resetAdminPassword", () => {
    it("replaces the password, which need not be changed again", async () => {
      await cluster.bootstrap(given);

      const { user, password } = await resetAdminPassword(cluster);

      expect((await onlyUser()).metadata.name).to.equal(user);
      expect((await onlyUser()).mustChangePassword ?? false).to.equal(false);
      expect(await cluster.accepts(user, password.reveal())).to.equal(true);
      expect(await cluster.accepts(user, "admin")).to.equal(false);
    });

    it("gives a password to an admin that has no Secret or one of an old form", async () => {
      const legacy = await cluster.client.create(
        aUser({ metadata: { labels: adminLabel }, password: "$2a$10$old" }),
      );

      const first = await resetAdminPassword(cluster);
      const metadata = { name: first.user, namespace: passwordNamespace };
      await cluster.client.patch(refTo(Secret, metadata.name, metadata.namespace), {
        merge: { metadata: { annotations: { "cattle.io/password-hash": "bcrypt" } } },
      });
      const second = await resetAdminPassword(cluster);

      expect(first.user).to.equal(legacy.metadata.name);
      expect((await onlyUser()).password ?? "").to.equal("");
      expect(await cluster.accepts(second.user, first.password.reveal())).to.equal(false);
      expect(await cluster.accepts(second.user, second.password.reveal())).to.equal(true);
    });

    it("says what to do where there is no default admin", async () => {
      await cluster.client.create(aUser());

      const error = await failure(resetAdminPassword(cluster));

      expect(error).to.have.property("name", "NoSingleAdmin");
      expect(error).to.have.property("message").that.contains("drover ensure-default-admin");
    });

    it("names them where there are several", async () => {
      const metadata = { labels: adminLabel };
      const one = await cluster.client.create(aUser({ metadata }));
      const other = await cluster.client.create(aUser({ metadata }));

      const error = await failure(resetAdminPassword(cluster));

      for (const { metadata } of [one, other]) {
        expect(error).to.have.property("message").that.contains(metadata.name);
      }
    });
  });

  describe("ensureDefaultAdmin", () => {
    it("makes a deleted admin anew, under another name and password", async () => {
      await cluster.bootstrap(given);
      const { metadata } = await onlyUser();
      await cluster.client.delete(refTo(User, metadata.name));

      const { user, password, done } = await ensureDefaultAdmin(cluster);

      const admin = await onlyUser();
      expect(admin.metadata.labels).to.deep.equal(adminLabel);
      expect(admin).to.deep.include({ username: "admin", mustChangePassword: false });
      expect(user).to.equal(admin.metadata.name).and.not.equal(metadata.name);
      expect(done).to.have.length(3);
      expect(password?.reveal()).to.have.length(20);
      expect(await cluster.accepts(user, password?.reveal() ?? "")).to.equal(true);
      const { bindings } = await cluster.found();
      expect(bindings.filter(({ userName }) => userName === user)).to.have.length(1);
      expect((await resetAdminPassword(cluster)).user).to.equal(user);
    });

    it("leaves one alone that lacks nothing", async () => {
      await cluster.bootstrap(given);

      const { user, done, password } = await ensureDefaultAdmin(cluster);

      expect(done).to.deep.equal([]);
      expect(password).to.equal(undefined);
      expect(await cluster.accepts(user, "admin")).to.equal(true);
      expect((await cluster.found()).bindings).to.have.length(1);
    });

    it("enables, labels and binds one that has the name", async () => {
      const created = await cluster.client.create(aUser({ username: "admin", enabled: false }));

      const { user, done } = await ensureDefaultAdmin(cluster);

      const admin = await onlyUser();
      expect(user).to.equal(created.metadata.name);
      expect(done).to.deep.equal([
        "enabled it",
        "gave it the label of the default admin",
        "gave it a password",
        "gave it the GlobalRole admin",
      ]);
      expect(admin.enabled).to.equal(true);
      expect((await ensureDefaultAdmin(cluster)).done).to.deep.equal([]);
    });

    it("refuses to choose between two", async () => {
      await cluster.client.create(aUser({ username: "admin" }));
      await cluster.client.create(aUser({ username: "admin" }));

      const error = await failure(ensureDefaultAdmin(cluster));

      expect(error).to.have.property("message").that.contains("delete all but one");
    });
  });
});
