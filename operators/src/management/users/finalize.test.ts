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
  aGlobalRoleBinding,
  aProjectRoleTemplateBinding,
  aToken,
  aUser,
  aUserAttribute,
} from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, intercept, type KubeObject, type ObjectRef, refTo } from "kopf-ts";
import { ClusterRole, Namespace, Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { RunningConcern } from "../../testing/concern.ts";
import { eventsAbout } from "../../testing/events.ts";
import { users } from "./index.ts";
import {
  anExtToken,
  aSecret,
  bindingsOf,
  passwords,
  patient,
  prepare,
  settled,
} from "./testing/people.ts";

describe("a deleted user", function () {
  this.timeout(60_000);

  before(prepare);

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
    const events = await eventsAbout(concern.client, namespace);
    expect(events.join()).to.match(/^NotDeleted: /);
  });
});

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
