import { Token, User } from "@drover/crds";
import { aToken, aUser } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { RunningConcern } from "../../testing/concern.ts";
import { eventsAbout } from "../../testing/events.ts";
import { users } from "./index.ts";
import { anExtToken, patient, prepare, settled, textIn } from "./testing/people.ts";

describe("a disabled user", function () {
  this.timeout(60_000);

  before(prepare);

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
    await eventually(async () => (await concern.find(Secret, session)) === undefined, patient);
    const late = await client.create(anExtToken(metadata.name, "session"));
    await eventually(async () => (await concern.find(Secret, late)) === undefined, patient);
    const disabled = await eventually(async () => {
      const found = await concern.find(Secret, derived);
      return textIn(found, "enabled") === "false" ? found : undefined;
    }, patient);

    expect(textIn(disabled, "hash")).to.equal("$3:1:abc:def");
    expect(await concern.find(Secret, others)).not.to.equal(undefined);
    expect(await client.get(Token, v3.metadata.name)).not.to.have.property("enabled");
    await concern.flush();
    const events = await eventsAbout(concern.client, metadata.name);
    expect(events.join()).to.match(/^UserLockedOut: /);
  });
});
