import {
  ClusterRoleTemplateBinding,
  GlobalRoleBinding,
  ProjectRoleTemplateBinding,
  Token,
  User,
  UserAttribute,
} from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aGlobalRole,
  aGlobalRoleBinding,
  aProjectRoleTemplateBinding,
  aToken,
  aUser,
  aUserAttribute,
} from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { ensureUser } from "@drover/platform";
import { expect } from "chai";
import {
  type Client,
  connect,
  findCondition,
  intercept,
  isAlreadyExists,
  type KubeObject,
  loadConfig,
  type ObjectRef,
  refTo,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { users } from "./index.ts";

const passwords = "cattle-local-user-passwords";
const tokens = "cattle-tokens";
const finalizer = "controller.cattle.io/mgmt-auth-users-controller";
const bcrypt = "$2a$10$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe";
const rolesFor = (...required: readonly string[]) => ({
  "authz.management.cattle.io/creator-role-bindings": JSON.stringify({ required }),
});
const patient = { within: 10_000 };

describe("users on an API server", function () {
  this.timeout(60_000);

  before(async () => {
    const { kubeconfigPath } = await cluster();
    await using client = connect(await loadConfig({ kubeconfig: kubeconfigPath }));
    for (const name of [passwords, tokens, "cattle-system"]) {
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }).catch(known);
    }
  });

  describe("a new user", () => {
    it("gets a principal, a role to see itself, and the finalizer", async () => {
      await using concern = await RunningConcern.open();
      await concern.run(users());

      const { metadata } = await concern.create(aUser());
      const user = await settled(concern, metadata.name);

      expect(user.principalIds).to.deep.equal([`local://${metadata.name}`]);
      expect(user.metadata.finalizers).to.deep.equal([finalizer]);
      expect(user.metadata.annotations).to.include({
        "lifecycle.cattle.io/create.mgmt-auth-users-controller": "true",
      });
      const role = await concern.client.get(ClusterRole, `${metadata.name}-view`);
      expect(role.rules?.[0]?.resourceNames).to.deep.equal([metadata.name]);
      const binding = await concern.client.get(ClusterRoleBinding, `grb-${metadata.name}-view`);
      expect(binding.roleRef.name).to.equal(`${metadata.name}-view`);
      expect(binding.metadata.ownerReferences?.[0]).to.include({ kind: "User", uid: metadata.uid });
    });

    it("can read itself and no other user", async () => {
      await using concern = await RunningConcern.open();
      await concern.run(users());
      const [one, other] = [await concern.create(aUser()), await concern.create(aUser())];
      await settled(concern, one.metadata.name);
      const as = concern.client.as({ user: one.metadata.name, groups: ["system:authenticated"] });

      const own = await eventually(() => as.get(User, one.metadata.name), patient);
      const thrown: unknown = await as.get(User, other.metadata.name).catch((error) => error);

      expect(own.metadata.uid).to.equal(one.metadata.uid);
      expect(thrown).to.include({ code: 403 });
    });

    it("case 78: made for local://fakeuser gets bindings of exactly the roles of new users, and the condition", async () => {
      await using concern = await RunningConcern.open();
      const wanted = [await aRole(concern), await aRole(concern)];
      await aRole(concern);
      await concern.run(users());
      const principal = `local://${uniqueName("fakeuser")}`;
      const caches = {
        users: { get: () => undefined, byIndex: () => [] },
        globalRoles: { keysByIndex: () => wanted },
      };

      const made = await ensureUser({ client: concern.client, ...caches }, principal, "Fake");
      await concern.client.patch(made, { merge: { metadata: concern.mine(made).metadata } });
      await populated(concern, made.metadata.name);

      const user = await concern.client.get(User, made.metadata.name);
      expect(user.principalIds).to.deep.equal([principal]);
      const bindings = await bindingsOf(concern, made.metadata.name);
      expect(bindings.map(({ globalRoleName }) => globalRoleName).toSorted()).to.deep.equal(
        wanted.toSorted(),
      );
      for (const { metadata } of bindings) expect(metadata.name).to.match(/^grb-/);
    });

    it("gets no second binding when the process dies right after the first", async () => {
      const role = uniqueName("role");
      let killed = 0;
      const dying = (client: Client): Client =>
        intercept(client, {
          beforeWrite: (verb, ref) => {
            if (verb !== "patch" || ref?.kind !== "User" || killed >= 3) return;
            killed += 1;
            throw new Error("killed before the user was written");
          },
        });
      await using concern = await RunningConcern.open({ through: dying });
      await concern.client.create(aGlobalRole({ metadata: { name: role } }));
      await concern.run(users());

      const { metadata } = await concern.create(
        aUser({ metadata: { finalizers: [finalizer], annotations: rolesFor(role) } }),
      );
      await populated(concern, metadata.name);

      expect(killed).to.equal(3);
      expect(await bindingsOf(concern, metadata.name)).to.have.length(1);
    });

    it("keeps a binding that somebody made of the role, and gets no other", async () => {
      await using concern = await RunningConcern.open();
      const role = await aRole(concern);
      const name = uniqueName("user");
      await concern.client.create(aGlobalRoleBinding({ userName: name, globalRoleName: role }));
      await concern.run(users());

      await concern.create(aUser({ metadata: { name, annotations: rolesFor(role) } }));
      await populated(concern, name);

      expect(await bindingsOf(concern, name)).to.have.length(1);
    });

    it("says which role is missing, and gets it when it comes", async () => {
      await using concern = await RunningConcern.open();
      const role = uniqueName("late");
      await concern.run(users());

      const { metadata } = await concern.create(
        aUser({ metadata: { annotations: rolesFor(role) } }),
      );
      const refused = await eventually(async () => {
        const condition = await conditionOf(concern, metadata.name);
        return condition?.status === "False" ? condition : undefined;
      }, patient);
      await concern.client.create(aGlobalRole({ metadata: { name: role } }));
      await populated(concern, metadata.name);

      expect(refused).to.include({
        reason: "GlobalRoleMissing",
        message: `there is no GlobalRole ${role}`,
      });
      expect(await bindingsOf(concern, metadata.name)).to.have.length(1);
    });

    it("does not get back a role that was taken away later", async () => {
      await using concern = await RunningConcern.open();
      const role = await aRole(concern);
      await concern.run(users());
      const { metadata } = await concern.create(
        aUser({ metadata: { annotations: rolesFor(role) } }),
      );
      await populated(concern, metadata.name);
      const [binding] = await bindingsOf(concern, metadata.name);

      await concern.client.delete(binding as GlobalRoleBinding);
      await concern.client.patch(refTo(User, metadata.name), { merge: { description: "touched" } });
      await quiet(concern);

      expect(await bindingsOf(concern, metadata.name)).to.have.length(0);
    });
  });

  describe("the view of itself", () => {
    it("is put back when it is changed, deleted or replaced by another", async () => {
      await using concern = await RunningConcern.open();
      await concern.run(users());
      const { metadata } = await concern.create(aUser());
      const { name } = metadata;
      await settled(concern, name);
      const { client } = concern;
      const [role, binding] = [
        refTo(ClusterRole, `${name}-view`),
        refTo(ClusterRoleBinding, `grb-${name}-view`),
      ];

      await client.patch(role, { merge: { rules: [] } });
      await eventually(
        async () => (await client.get(ClusterRole, `${name}-view`)).rules?.length === 1,
        patient,
      );
      await client.delete(role);
      await eventually(() => client.find(ClusterRole, `${name}-view`), patient);
      await client.delete(binding);
      const imposter = {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: `grb-${name}-view` },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
      };
      await client.create(imposter).catch(known);
      const back = await eventually(async () => {
        const found = await client.find(ClusterRoleBinding, `grb-${name}-view`);
        return found?.roleRef.name === `${name}-view` && found.subjects?.length === 1
          ? found
          : undefined;
      }, patient);

      expect(back.subjects?.[0]?.name).to.equal(name);
    });
  });

  describe("a password of old", () => {
    it("case 77: moves to a Secret of the user, once", async () => {
      await using concern = await RunningConcern.open();
      await concern.run(users());

      const { metadata } = await concern.create(aUser({ password: bcrypt }));
      await settled(concern, metadata.name);

      const secret = await concern.client.get(Secret, metadata.name, { namespace: passwords });
      const user = await concern.client.get(User, metadata.name);
      expect(user.password).to.equal(undefined);
      expect(secret.metadata.annotations).to.include({ "cattle.io/password-hash": "bcrypt" });
      expect(Buffer.from(secret.data?.password ?? "", "base64").toString()).to.equal(bcrypt);
      expect(secret.metadata.ownerReferences?.[0]?.uid).to.equal(metadata.uid);
      expect(JSON.stringify(concern.lines)).not.to.contain(bcrypt);
    });

    it("never replaces a newer one", async () => {
      await using concern = await RunningConcern.open();
      const name = uniqueName("user");
      const newer = aSecret(passwords, name, { password: "newer" });
      await concern.client.create(newer);
      await concern.run(users());

      await concern.create(aUser({ metadata: { name }, password: bcrypt }));
      await settled(concern, name);

      const secret = await concern.client.get(Secret, name, { namespace: passwords });
      expect(Buffer.from(secret.data?.password ?? "", "base64").toString()).to.equal("newer");
      expect((await concern.client.get(User, name)).password).to.equal(undefined);
    });

    it("is not lost with the Secret of a former user of the name", async () => {
      await using concern = await RunningConcern.open();
      const name = uniqueName("user");
      const uid = "00000000-0000-4000-8000-000000000000";
      const former = { apiVersion: "management.cattle.io/v3", kind: "User", name, uid };
      const old = aSecret(passwords, name, { password: "former" });
      await concern.client.create({
        ...old,
        metadata: { ...old.metadata, ownerReferences: [former] },
      });
      await concern.run(users());

      const { metadata } = await concern.create(aUser({ metadata: { name }, password: bcrypt }));
      const secret = await eventually(async () => {
        const found = await concern.client.find(Secret, name, { namespace: passwords });
        return found?.metadata.ownerReferences?.[0]?.uid === metadata.uid ? found : undefined;
      }, patient);

      expect(Buffer.from(secret.data?.password ?? "", "base64").toString()).to.equal(bcrypt);
    });

    it("that is a plain text stays, is told, and never shown", async () => {
      await using concern = await RunningConcern.open();
      await concern.run(users());

      const { metadata } = await concern.create(aUser({ password: "correct horse battery" }));
      await settled(concern, metadata.name);
      await concern.flush();
      const events = await eventsOf(concern, metadata.name);

      expect((await concern.client.get(User, metadata.name)).password).to.equal(
        "correct horse battery",
      );
      expect(events.map(({ reason }) => reason)).to.deep.equal(["PasswordUnreadable"]);
      expect(JSON.stringify([events, concern.lines])).not.to.contain("correct horse");
    });
  });

  describe("a disabled user", () => {
    it("loses its sessions, keeps other ext tokens disabled, and its v3 tokens as they are", async () => {
      await using concern = await RunningConcern.open();
      await concern.run(users());
      const { metadata } = await concern.create(aUser());
      const { client } = concern;
      const session = await client.create(anExtToken(metadata.name, "session"));
      const derived = await client.create(anExtToken(metadata.name, "kubeconfig"));
      const others = await client.create(anExtToken(uniqueName("other"), "session"));
      const v3 = await client.create(aToken({ userId: metadata.name, isDerived: false }));
      await settled(concern, metadata.name);

      await client.patch(refTo(User, metadata.name), { merge: { enabled: false } });
      await eventually(async () => (await find(concern, session)) === undefined, patient);
      const late = await client.create(anExtToken(metadata.name, "session"));
      await eventually(async () => (await find(concern, late)) === undefined, patient);
      const disabled = await eventually(async () => {
        const found = await concern.find(Secret, derived);
        return textIn(found, "enabled") === "false" ? found : undefined;
      }, patient);

      expect(textIn(disabled, "hash")).to.equal("$3:1:abc:def");
      expect(await find(concern, others)).not.to.equal(undefined);
      expect(await client.get(Token, v3.metadata.name)).not.to.have.property("enabled");
      await concern.flush();
      const events = await eventsOf(concern, metadata.name);
      expect(events.map(({ reason }) => reason)).to.contain("UserLockedOut");
    });
  });

  describe("a deleted user", () => {
    it("takes along all that refers to it, and nothing else", async () => {
      await using concern = await RunningConcern.open();
      await concern.run(users());
      const { client } = concern;
      const { metadata } = await concern.create(aUser());
      const { name } = metadata;
      await settled(concern, name);
      const namespace = await aNamespace(concern);
      const principal = `local://${name}`;
      const inside = { metadata: { namespace } };
      const its = await createAll(client, [
        aClusterRoleTemplateBinding({ ...inside, userName: name }),
        { ...aClusterRoleTemplateBinding(inside), userName: "", userPrincipalName: principal },
        aProjectRoleTemplateBinding({ ...inside, userName: name }),
        aGlobalRoleBinding({ userName: name }),
        aToken({ userId: name }),
        aUserAttribute({ metadata: { name } }),
        anExtToken(name, "session"),
        anExtToken(name, "kubeconfig"),
        aSecret(passwords, name, { password: "x" }),
        aSecret("cattle-system", `${name}-secret`, {}),
        { apiVersion: "v1", kind: "Namespace", metadata: { name } },
      ]);
      const other = uniqueName("other");
      const others = await createAll(client, [
        aClusterRoleTemplateBinding({ ...inside, userName: other }),
        aProjectRoleTemplateBinding({ ...inside, userName: other }),
        aGlobalRoleBinding({ userName: other }),
        aToken({ userId: other }),
        anExtToken(other, "session"),
        aSecret(passwords, other, { password: "x" }),
      ]);

      await client.delete(refTo(User, name));
      await eventually(async () => (await client.find(User, name)) === undefined, patient);

      for (const object of its) {
        const found = await find(concern, object);
        const label = `${object.kind} ${object.metadata.name}`;
        expect(found?.metadata.deletionTimestamp ?? "gone", label).to.be.a("string");
        if (object.kind !== "Namespace") expect(found, label).to.equal(undefined);
      }
      for (const object of others) expect(await find(concern, object)).not.to.equal(undefined);
      await eventually(async () => (await client.find(ClusterRole, `${name}-view`)) === undefined, {
        within: 20_000,
      });
    });

    it("takes along what is created while it goes", async () => {
      const name = uniqueName("user");
      let late: GlobalRoleBinding | undefined;
      const test: { client?: Client } = {};
      const meddling = (client: Client): Client =>
        intercept(client, {
          beforeWrite: async (verb, ref) => {
            if (verb !== "delete" || ref?.kind !== "Token") return;
            late ??= await test.client?.create(aGlobalRoleBinding({ userName: name }));
          },
        });
      await using concern = await RunningConcern.open({ through: meddling });
      test.client = concern.client;
      await concern.run(users());
      await concern.create(aUser({ metadata: { name } }));
      await settled(concern, name);
      await concern.client.create(aToken({ userId: name }));

      await concern.client.delete(refTo(User, name));
      await eventually(async () => (await concern.client.find(User, name)) === undefined, patient);

      expect(late).not.to.equal(undefined);
      expect(await bindingsOf(concern, name)).to.have.length(0);
    });

    it("leaves a namespace that only has its name, and says so", async () => {
      await using concern = await RunningConcern.open();
      const namespace = await aNamespace(concern);
      const { metadata: older } = await concern.client.get(Namespace, namespace);
      const nextSecond = Date.parse(older.creationTimestamp ?? "") + 1_000;
      await eventually(() => Date.now() > nextSecond, patient);
      await concern.run(users());
      await concern.create(aUser({ metadata: { name: namespace } }));
      await settled(concern, namespace);

      await concern.client.delete(refTo(User, namespace));
      await eventually(
        async () => (await concern.client.find(User, namespace)) === undefined,
        patient,
      );
      await concern.flush();

      const found = await concern.client.get(Namespace, namespace);
      expect(found.metadata.deletionTimestamp).to.equal(undefined);
      const events = await eventsOf(concern, namespace);
      expect(events.map(({ reason }) => reason)).to.deep.equal(["NotDeleted"]);
    });
  });

  it("sends nothing for users that are as they should be", async () => {
    await using concern = await RunningConcern.open();
    const role = await aRole(concern);
    await concern.run(users());
    const names = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const user = aUser({ metadata: { annotations: rolesFor(role) } });
        return (await concern.create(user)).metadata.name;
      }),
    );
    for (const name of names) await populated(concern, name);
    await quiet(concern);
    const before = concern.sent.length;

    for (const name of names) {
      await concern.client.patch(refTo(User, name), { merge: { description: "touched" } });
    }
    await quiet(concern);

    const sent = concern.sent.slice(before).filter(({ verb }) => verb !== "watch");
    expect(sent).to.deep.equal([]);
  });
});

interface Condition {
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

async function conditionOf(
  { client }: RunningConcern,
  name: string,
): Promise<Condition | undefined> {
  const user = await client.get(User, name);
  return findCondition(user.status?.conditions, "InitialRolesPopulated");
}

async function populated(concern: RunningConcern, name: string): Promise<void> {
  await eventually(async () => (await conditionOf(concern, name))?.status === "True", patient);
}

/** The user once the controller has written it. */
async function settled({ client }: RunningConcern, name: string): Promise<User> {
  return eventually(async () => {
    const user = await client.get(User, name);
    const marked = Object.keys(user.metadata.annotations ?? {}).some((key) =>
      key.startsWith("lifecycle.cattle.io/create."),
    );
    return marked ? user : undefined;
  }, patient);
}

/** Waits until the controller has had nothing to do for a while. */
async function quiet(concern: RunningConcern): Promise<void> {
  const total = 'controller_runtime_reconcile_total{controller="users",result="success"}';
  let [last, since] = [-1, Date.now()];
  await eventually(async () => {
    const runs = await concern.metric(total);
    if (runs !== last) [last, since] = [runs, Date.now()];
    return Date.now() - since > 400;
  }, patient);
}

async function aRole({ client }: RunningConcern): Promise<string> {
  return (await client.create(aGlobalRole())).metadata.name;
}

async function bindingsOf(
  { client }: RunningConcern,
  user: string,
): Promise<readonly GlobalRoleBinding[]> {
  const { items } = await client.list(GlobalRoleBinding);
  return items.filter(({ userName }) => userName === user);
}

interface EventObject extends KubeObject {
  readonly reason: string;
  readonly note: string;
}

async function eventsOf({ client }: RunningConcern, user: string): Promise<readonly EventObject[]> {
  const path = `/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=regarding.name%3D${user}`;
  const { body } = await client.request({ method: "GET", path });
  const { items } = JSON.parse(body.toString()) as { readonly items: readonly EventObject[] };
  return items;
}

function aSecret(namespace: string, name: string, data: Readonly<Record<string, string>>): Secret {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData: data };
}

function anExtToken(user: string, kind: string): Secret {
  const data = { kind, enabled: "true", hash: "$3:1:abc:def", "user-id": user };
  const secret = aSecret(tokens, uniqueName("token"), data);
  const labels = { "cattle.io/kind": "token", "cattle.io/user-id": user };
  return { ...secret, metadata: { ...secret.metadata, labels } };
}

function textIn(secret: Secret | undefined, key: string): string {
  return Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
}

async function createAll(
  client: Client,
  objects: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const created: KubeObject[] = [];
  for (const object of objects) created.push(await client.create(object));
  return created;
}

const kindsOfTest = [
  ClusterRoleTemplateBinding,
  GlobalRoleBinding,
  ProjectRoleTemplateBinding,
  Token,
  UserAttribute,
  Secret,
  Namespace,
];

async function find({ client }: RunningConcern, { kind, metadata }: ObjectRef) {
  const found = kindsOfTest.find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`the test knows no ${kind}`);
  return client.find<KubeObject>(found, metadata.name, { namespace: metadata.namespace });
}

async function aNamespace({ client }: RunningConcern): Promise<string> {
  const name = uniqueName("users");
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return name;
}

function known(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
