import { Setting, User, UserAttribute } from "@drover/crds";
import { aSetting, aUser, aUserAttribute } from "@drover/crds/testing";
import { type ControlPlane, startControlPlane, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, intercept, refTo } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { install, RunningConcern } from "../../testing/concern.ts";
import { userLabels } from "./index.ts";

const login = "2026-01-01T00:00:00Z";
const seconds = Date.parse(login) / 1_000;
const hour = 3_600;
const [last, disable, remove] = [
  "cattle.io/last-login",
  "cattle.io/disable-after",
  "cattle.io/delete-after",
] as const;
const patient = { within: 10_000 };

describe("user-labels on an API server", function () {
  this.timeout(90_000);

  // A control plane of its own: settings have names that other tests use too.
  let controlPlane: ControlPlane;

  before(async () => {
    controlPlane = await startControlPlane({ name: "user-labels", controllerManager: false });
    await install(controlPlane);
    await using concern = await RunningConcern.open({ controlPlane });
    for (const name of ["disable-inactive-user-after", "delete-inactive-user-after"]) {
      await concern.client.create(aSetting({ metadata: { name }, value: "", default: "" }));
    }
  });

  beforeEach(async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    await set(concern, "disable-inactive-user-after", "10h");
    await set(concern, "delete-inactive-user-after", "400h");
  });

  after(() => controlPlane[Symbol.asyncDispose]());

  it("case 91: follows the attributes of a user", async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    await concern.run(userLabels({ env: {} }));
    const name = await aKnownUser(concern, { lastLogin: login });

    const first = await labelled(concern, name, last);
    await change(concern, name, { lastLogin: "2026-01-02T00:00:00Z", disableAfter: "1h" });
    const second = await labelled(concern, name, last, String(seconds + 24 * hour));
    await change(concern, name, { disableAfter: "0s", deleteAfter: "0s" });
    const third = await labelled(concern, name, disable, undefined);

    expect(first).to.include({
      [last]: String(seconds),
      [disable]: String(seconds + 10 * hour),
      [remove]: String(seconds + 400 * hour),
    });
    expect(second).to.include({ [disable]: String(seconds + 25 * hour) });
    expect(third).to.include({ [last]: String(seconds + 24 * hour) });
    expect(third).not.to.have.property(remove);
  });

  it("case 91: tries a conflict again, with the user that has the name by then", async () => {
    const test: { client?: Client } = {};
    const name = uniqueName("user");
    let replaced: User | undefined;
    const meddling = (client: Client): Client =>
      intercept(client, {
        beforeWrite: async (verb, ref) => {
          if (verb !== "patch" || ref?.kind !== "User" || replaced !== undefined) return;
          const old = await test.client?.get(User, name);
          await test.client?.delete(refTo(User, name));
          const labels = { test: old?.metadata.labels?.test ?? "" };
          replaced = await test.client?.create(aUser({ metadata: { name, labels } }));
        },
      });
    await using concern = await RunningConcern.open({ controlPlane, through: meddling });
    test.client = concern.client;
    await concern.run(userLabels({ env: {} }));

    await aKnownUser(concern, { lastLogin: login }, name);
    await labelled(concern, name, last);

    await eventually(() => codes(concern).length > 1); // the answer may come after the watch
    expect(codes(concern)).to.deep.equal([409, 200]);
    expect((await concern.client.get(User, name)).metadata.uid).to.equal(replaced?.metadata.uid);
  });

  it("case 91: loses nothing that others write at the same moment", async () => {
    const test: { client?: Client } = {};
    const name = uniqueName("user");
    let meddled = false;
    const meddling = (client: Client): Client =>
      intercept(client, {
        beforeWrite: async (verb) => {
          if (verb !== "patch" || meddled) return;
          meddled = true;
          const merge = { enabled: false, metadata: { labels: { theirs: "yes" } } };
          await test.client?.patch(refTo(User, name), { merge });
        },
      });
    await using concern = await RunningConcern.open({ controlPlane, through: meddling });
    test.client = concern.client;
    await concern.run(userLabels({ env: {} }));

    await aKnownUser(concern, { lastLogin: login }, name);
    const labels = await labelled(concern, name, last);

    await eventually(() => codes(concern).length > 1); // the answer may come after the watch
    expect(codes(concern)).to.deep.equal([409, 200]);
    expect(labels).to.include({ theirs: "yes" });
    expect((await concern.client.get(User, name)).enabled).to.equal(false);
  });

  it("follows the settings", async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    await concern.run(userLabels({ env: {} }));
    const name = await aKnownUser(concern, { lastLogin: login });
    await labelled(concern, name, disable);

    await set(concern, "disable-inactive-user-after", "20h");
    const longer = await labelled(concern, name, disable, String(seconds + 20 * hour));
    await set(concern, "delete-inactive-user-after", "");
    const never = await labelled(concern, name, remove, undefined);

    expect(longer[remove]).to.equal(String(seconds + 400 * hour));
    expect(never[disable]).to.equal(String(seconds + 20 * hour));
  });

  it("takes the labels away with the attributes, and puts back what somebody changed", async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    await concern.run(userLabels({ env: {} }));
    const name = await aKnownUser(concern, { lastLogin: login });
    await labelled(concern, name, disable);

    await concern.client.patch(refTo(User, name), {
      merge: { metadata: { labels: { [disable]: "1", mine: "yes" } } },
    });
    const back = await labelled(concern, name, disable, String(seconds + 10 * hour));
    await concern.client.delete(refTo(UserAttribute, name));
    const without = await labelled(concern, name, last, undefined);

    expect(back).to.include({ mine: "yes" });
    expect(without).to.include({ mine: "yes" });
    expect(without).not.to.have.property(disable);
  });

  it("sends one patch per user, and nothing when only other fields change", async () => {
    await using concern = await RunningConcern.open({ controlPlane });
    await concern.run(userLabels({ env: {} }));
    const name = await aKnownUser(concern, { lastLogin: login });
    await labelled(concern, name, disable);

    await change(concern, name, { NeedsRefresh: true });
    await concern.client.patch(refTo(User, name), { merge: { description: "touched" } });
    const other = await aKnownUser(concern, { lastLogin: login });
    await labelled(concern, other, disable);
    await eventually(() => codes(concern).length > 1, patient); // the answer may come after the watch

    const sent = concern.sent.map(({ verb }) => verb).filter((verb) => !/list|watch/.test(verb));
    expect(sent).to.deep.equal(["patch", "patch"]);
  });
});

/** A user with attributes; both are seen by the concern. */
async function aKnownUser(
  concern: RunningConcern,
  fields: Partial<UserAttribute>,
  name = uniqueName("user"),
): Promise<string> {
  await concern.client.create(aUserAttribute({ ...fields, metadata: { name } }));
  await concern.create(aUser({ metadata: { name } }));
  return name;
}

function codes({ sent }: RunningConcern): readonly number[] {
  return sent.filter(({ verb }) => verb === "patch").map(({ code }) => code);
}

/** The user's labels once one of them has the value (any, unless told). */
async function labelled(
  { client }: RunningConcern,
  name: string,
  key: string,
  ...value: readonly (string | undefined)[]
): Promise<Readonly<Record<string, string>>> {
  return eventually(async () => {
    const { labels = {} } = (await client.get(User, name)).metadata;
    const found = labels[key];
    const fits = value.length === 0 ? found !== undefined : found === value[0];
    return fits ? labels : undefined;
  }, patient);
}

async function change({ client }: RunningConcern, name: string, merge: object): Promise<void> {
  await client.patch(refTo(UserAttribute, name), { merge });
}

async function set({ client }: RunningConcern, name: string, value: string): Promise<void> {
  await client.patch(refTo(Setting, name), { merge: { value } });
}
