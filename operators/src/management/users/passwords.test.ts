import { User } from "@drover/crds";
import { aUser } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { RunningConcern } from "../../testing/concern.ts";
import { eventsAbout } from "../../testing/events.ts";
import { users } from "./index.ts";
import { aSecret, passwords, patient, prepare, settled } from "./testing/people.ts";

const bcrypt = "$2a$10$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe";

describe("a password of old", function () {
  this.timeout(60_000);

  before(prepare);

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
    const events = await eventsAbout(concern.client, metadata.name);

    expect((await concern.client.get(User, metadata.name)).password).to.equal(
      "correct horse battery",
    );
    expect(events.join()).to.match(/^PasswordUnreadable: /);
    expect(JSON.stringify([events, concern.lines])).not.to.contain("correct horse");
  });
});
