import { annotations, type User } from "@drover/crds";
import { aUser } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import {
  parsePasswordSecret,
  passwordHashAnnotation,
  passwordNamespace,
  verifyPassword,
} from "@drover/platform";
import { expect } from "chai";
import type { KubeObject } from "kopf-ts";
import { Role, type RoleBinding, Secret } from "kopf-ts/kinds";
import { RunningAdmission } from "../../testing/admission.ts";
import { refusal } from "../../testing/refusal.ts";
import { secretDefaults, secrets } from "./index.ts";
import { cloudCredentialType, machinePlanType } from "./names.ts";

const encoded = (text: string): string => Buffer.from(text).toString("base64");

/** What the webhook was asked about. */
const asked: string[] = [];
const mutator = secretDefaults({ env: { CATTLE_PASSWORD_MIN_LENGTH: "12" } });

describe("admission of secrets", function () {
  this.timeout(60_000);

  const namespace = uniqueName("secrets");
  let running: RunningAdmission;
  before(async () => {
    const watched = {
      ...mutator,
      mutate: (...[request, context]: Parameters<typeof mutator.mutate>) => {
        asked.push(`${request.operation} ${request.name}`);
        return mutator.mutate(request, context);
      },
    };
    running = await RunningAdmission.open({ webhooks: [secrets, watched] });
    await running.own.create(namespaceOf(namespace));
    await refusal(running.own.create(namespaceOf(passwordNamespace)));
  });
  after(() => running[Symbol.asyncDispose]());

  const namespaceOf = (name: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  });
  const secret = (fields: Partial<Secret> = {}, metadata: object = {}): Secret => ({
    apiVersion: "v1",
    kind: "Secret",
    ...fields,
    metadata: { name: uniqueName("secret"), namespace, ...metadata },
  });

  describe("with the password of a user", () => {
    const plain = "correct horse battery staple";

    const newUser = (): Promise<User> => running.own.create(aUser());
    const withPassword = (
      { metadata: { name } }: User,
      password: string,
      marks: object = {},
    ): Secret =>
      secret({ stringData: { password } }, { name, namespace: passwordNamespace, ...marks });
    async function matches(stored: Secret, password: string): Promise<boolean> {
      return (await verifyPassword(password, parsePasswordSecret(stored))).matches;
    }

    it("stores a hash that fits, and nothing of the password", async () => {
      const user = await newUser();
      const applied = {
        "kubectl.kubernetes.io/last-applied-configuration": `{"password":"${plain}"}`,
      };

      const stored = await running.client.create(
        withPassword(user, plain, { annotations: applied }),
      );

      expect(await matches(stored, plain)).to.equal(true);
      expect(stored.metadata.annotations).to.deep.equal({
        [passwordHashAnnotation]: "pbkdf2sha3512",
      });
      expect(stored.metadata.ownerReferences?.map(({ uid }) => uid)).to.deep.equal([
        user.metadata.uid,
      ]);
      expect(JSON.stringify(stored)).not.to.contain(plain);
    });

    it("hashes a changed one anew, and leaves a hash alone", async () => {
      const user = await newUser();
      const stored = await running.client.create(withPassword(user, plain));
      const merge = { stringData: { password: "another long password" } };

      const changed = await running.client.patch(stored, { merge });
      const labelled = await running.client.patch(changed, {
        merge: { metadata: { labels: { a: "b" } } },
      });

      expect(await matches(changed, "another long password")).to.equal(true);
      expect(changed.data?.salt).not.to.equal(stored.data?.salt);
      expect(labelled.data).to.deep.equal(changed.data);
    });

    it("takes a hash as it is", async () => {
      const [one, two] = [await newUser(), await newUser()];
      const stored = await running.client.create(withPassword(one, plain));
      const copy = secret(stored, {
        name: two.metadata.name,
        namespace: passwordNamespace,
        annotations: stored.metadata.annotations,
      });

      const restored = await running.client.create(copy);

      expect(restored.data).to.deep.equal(stored.data);
    });

    it("hashes that of a Secret that claims to be on its way out", async () => {
      const deletionTimestamp = new Date().toISOString();

      const stored = await running.client.create(
        withPassword(await newUser(), plain, { deletionTimestamp }),
      );

      expect(await matches(stored, plain)).to.equal(true);
    });

    it("never hashes a hash", async () => {
      const stored = await running.client.create(withPassword(await newUser(), plain));
      const merge = { metadata: { annotations: { [passwordHashAnnotation]: null } } };

      const back = await running.client.patch(stored, { merge });

      expect(back.data).to.deep.equal(stored.data);
      expect(await matches(back, plain)).to.equal(true);
    });

    it("case 76: refuses one that is short, or the username", async () => {
      const user = await running.own.create(aUser({ username: "ada-lovelace-of-london" }));
      const told = "422 data.password is refused: password must";

      expect(await refusal(running.client.create(withPassword(user, "elf signs ok")))).to.equal(
        "accepted",
      );
      expect(
        await refusal(running.client.create(withPassword(await newUser(), "elf signs o"))),
      ).to.equal(`${told} be at least 12 characters`);
      const emoji = "🔑".repeat(11);
      expect(await refusal(running.client.create(withPassword(await newUser(), emoji)))).to.equal(
        `${told} be at least 12 characters`,
      );
      const patched = running.client.patch(withPassword(user, ""), {
        merge: { stringData: { password: "ada-lovelace-of-london" } },
      });
      expect(await refusal(patched)).to.equal(`${told} not be the same as the username`);
    });

    it("refuses one of nobody, and one that is no text", async () => {
      const nobody = withPassword(aUser(), plain);
      const bytes = secret(
        { data: { password: Buffer.from([255, 254, 253]).toString("base64") } },
        { name: (await newUser()).metadata.name, namespace: passwordNamespace },
      );

      expect(await refusal(running.client.create(nobody))).to.equal(
        "400 metadata.name must be that of a User that exists",
      );
      expect(await refusal(running.client.create(bytes))).to.equal(
        "422 data.password must be text in UTF-8",
      );
    });

    it("answers others while it hashes, and shows no password in any log or metric", async () => {
      const users = await Promise.all(Array.from({ length: 8 }, newUser));
      const secrets = users.map((user) => withPassword(user, `${plain} of ${user.metadata.name}`));
      await refusal(running.client.create(withPassword(aUser(), plain)));

      let hashing = true;
      const made = Promise.all(secrets.map((each) => running.client.create(each))).finally(() => {
        hashing = false;
      });
      await running.client.create(secret({ type: cloudCredentialType }), { dryRun: true });
      const meanwhile = hashing;

      expect((await made).length).to.equal(8);
      expect(meanwhile).to.equal(true);
      const shown = running.lines.join("\n") + (await running.metrics.text());
      expect(shown).not.to.contain(plain);
      expect(shown).not.to.contain(encoded(plain).slice(0, 20));
    });
  });

  it("names who made a cloud credential, whoever they say they are", async () => {
    const given = { annotations: { [annotations.creatorId]: "somebody" } };

    const made = await running.client.create(secret({ type: cloudCredentialType }, given));

    expect(made.metadata.annotations?.[annotations.creatorId]).to.equal("test-admin");
  });

  describe("with the plan of a machine", () => {
    const planned = (plan: string): Secret =>
      secret({ type: machinePlanType, data: { plan: encoded(plan), secret: encoded("s") } });

    it("refuses a plan that no machine could read", async () => {
      const made = await running.client.create(planned('{"files":[]}'));
      const patch = (data: object) => refusal(running.client.patch(made, { merge: { data } }));

      expect(await refusal(running.client.create(planned("token-abc")))).to.equal(
        "400 data.plan must be a plan: a JSON object",
      );
      expect(await patch({ plan: encoded('{"files":{}}') })).to.equal(
        "400 data.plan: files must be a list of objects",
      );
      expect(await patch({ "applied-checksum": encoded("x") })).to.equal("accepted");
    });

    it("lets an old plan be", async () => {
      const old = await running.own.create(planned("{"));
      const merge = { data: { "applied-checksum": encoded("x") } };

      expect(await refusal(running.client.patch(old, { merge }))).to.equal("accepted");
    });
  });

  describe("with roles of its own", () => {
    async function withRole(): Promise<{ readonly owner: Secret; readonly role: Role }> {
      const owner = await running.client.create(secret({ type: cloudCredentialType }));
      const { name, uid = "" } = owner.metadata;
      const ownerReferences = [{ apiVersion: "v1", kind: "Secret", name, uid }];
      const metadata = { name, namespace, ownerReferences };
      const apiVersion = "rbac.authorization.k8s.io/v1";
      const rule = { verbs: ["*"], apiGroups: [""], resources: ["secrets"], resourceNames: [name] };
      const role = await running.own.create<Role>({
        apiVersion,
        kind: "Role",
        metadata,
        rules: [rule],
      });
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
      await running.own.create<RoleBinding>({ apiVersion, kind: "RoleBinding", metadata, roleRef });
      return { owner, role };
    }
    const verbsOf = async ({ metadata: { name } }: Role): Promise<unknown> =>
      (await running.own.find(Role, name, { namespace }))?.rules?.map(({ verbs }) => verbs);

    it("refuses to leave them behind", async () => {
      const { owner } = await withRole();
      const { name } = owner.metadata;
      const orphaned = running.client.delete(owner, { propagationPolicy: "Orphan", dryRun: true });

      expect(await refusal(orphaned)).to.equal(
        `400 propagationPolicy must not be Orphan: Role ${name} belongs to the Secret and would stay without it`,
      );
      const alone = await running.client.create(secret());
      const deleted = running.client.delete(alone, { propagationPolicy: "Orphan" });
      expect(await refusal(deleted)).to.equal("accepted");
    });

    it("leaves them the right to delete it, and in a dry run all", async () => {
      const { owner, role } = await withRole();
      const held = { metadata: { finalizers: ["drover.test/hold"] } };
      const kept = await running.own.patch(owner, { merge: held });

      await running.client.delete(kept, { dryRun: true });
      expect(await verbsOf(role)).to.deep.equal([["*"]]);
      await running.client.delete(kept);
      expect(await verbsOf(role)).to.deep.equal([["delete"]]);

      await running.own.patch(owner, { merge: { metadata: { finalizers: null } } });
    });
  });

  it("is not asked about other secrets", async () => {
    asked.length = 0;

    const other = await running.client.create(secret({ stringData: { password: "short" } }));
    await running.client.patch(other, { merge: { stringData: { password: "x" } } });
    await running.client.delete(other, { preconditions: "none" });
    await running.client.deleteCollection(Secret, { namespace, labelSelector: "none=such" });

    expect(asked).to.deep.equal([]);
  });
});
