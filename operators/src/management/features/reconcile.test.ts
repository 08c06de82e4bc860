import { Feature } from "@drover/crds";
import { aFeature } from "@drover/crds/testing";
import { newFeature, parseFeatures } from "@drover/platform";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { features } from "./index.ts";

const defaults = parseFeatures("");
/** Features that no other test of the shared control plane uses. */
const name = "legacy";

describe("features on an API server", function () {
  this.timeout(30_000);

  before(() => cluster());
  afterEach(async () => {
    await using concern = await RunningConcern.open();
    const left = await concern.client.find(Feature, name);
    if (left !== undefined) await concern.client.delete(left, { preconditions: "none" });
  });

  const writes = ({ sent }: RunningConcern): readonly string[] =>
    sent.map(({ verb }) => verb).filter((verb) => !["get", "list", "watch"].includes(verb));

  it("refreshes what the server says, and keeps what a person chose", async () => {
    await using concern = await RunningConcern.open();
    const stale = { spec: { value: true }, status: { default: true, dynamic: false } };
    await concern.create({ ...newFeature(name, defaults), ...stale });

    await concern.run(features({ features: defaults }));

    const after = await eventually(async () => {
      const live = await concern.client.get(Feature, name);
      return live.status?.dynamic === true && live;
    });
    expect(after.spec).to.deep.equal({ value: true });
    expect(after.status?.default).to.equal(false);
    await eventually(() => writes(concern).length > 0); // once it has been answered
    expect(writes(concern)).to.deep.equal(["patch"]);
  });

  it("makes a deleted built-in feature again with nothing chosen, and no other", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(features({ features: defaults }));
    const other = await concern.create(aFeature());
    const feature = await concern.create({
      ...newFeature(name, defaults),
      spec: { value: true },
    });

    await concern.client.delete(other);
    await concern.client.delete(feature);

    const again = await eventually(async () => {
      const live = await concern.client.find(Feature, name);
      return live?.metadata.uid !== feature.metadata.uid && live;
    });
    expect(again.spec?.value ?? undefined).to.equal(undefined);
    await eventually(() => writes(concern).length > 0); // once it has been answered
    expect(writes(concern)).to.deep.equal(["create"]);
  });

  it("locks token-hashing as soon as it is on", async () => {
    await using concern = await RunningConcern.open();
    const former = await concern.client.find(Feature, "token-hashing");
    if (former !== undefined) await concern.client.delete(former, { preconditions: "none" });
    const feature = await concern.create(newFeature("token-hashing", defaults));
    await concern.run(features({ features: defaults }));

    await concern.client.patch(feature, { merge: { spec: { value: true } } });

    await eventually(
      async () => (await concern.client.get(Feature, "token-hashing")).status?.lockedValue === true,
    );
    await concern.client.delete(feature, { preconditions: "none" });
  });
});
