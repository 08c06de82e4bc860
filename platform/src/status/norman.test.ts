import { Cluster } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import { type Client, isConflict, type NormanConditionUpdate, type ObjectEvents } from "kopf-ts";
import { fakeClock } from "kopf-ts/testing";
import { connected } from "../tokens/testing/cluster.ts";
import { isTrue, tellConditions } from "./norman.ts";

const clock = fakeClock(Date.parse("2026-01-01T00:00:00Z"));
const holds = (type: string): NormanConditionUpdate => ({ type, status: "True" });

describe("tellConditions on an API server", function () {
  this.timeout(60_000);

  let client: Client;
  let told: string[];
  const events: Pick<ObjectEvents, "event"> = {
    event: ({ reason, message }) => void told.push(`${reason}: ${message}`),
  };
  const context = () => ({ client, clock, events: events as ObjectEvents });
  const make = () => client.create(aCluster());
  const live = ({ metadata }: Cluster) => client.get(Cluster, metadata.name);

  before(async () => {
    client = await connected();
  });
  beforeEach(() => {
    told = [];
  });
  after(() => client[Symbol.asyncDispose]());

  it("sets conditions and fields, and sends nothing where the status says so", async () => {
    const cluster = await make();

    const once = await tellConditions(cluster, [holds("A")], context(), { nodeCount: 1 });
    const twice = await tellConditions(once, [holds("A")], context(), { nodeCount: 1 });

    expect(isTrue(once, "A")).to.equal(true);
    expect(once.status?.nodeCount).to.equal(1);
    expect(twice).to.equal(once);
    expect((await live(cluster)).metadata.resourceVersion).to.equal(once.metadata.resourceVersion);
  });

  it("lets no writer undo what another said, though all of them began with the same", async () => {
    const cluster = await make();
    const types = ["A", "B", "C", "D"];

    await Promise.all(types.map((type) => tellConditions(cluster, [holds(type)], context())));

    const { status } = await live(cluster);
    expect(status?.conditions?.map(({ type }) => type)).to.have.members(types);
  });

  it("says nothing of another object under the name", async () => {
    const cluster = await make();
    await client.delete(cluster, { preconditions: "uid" });
    const { name } = cluster.metadata;
    await client.create(aCluster({ metadata: { name } }));

    const failed = await tellConditions(cluster, [holds("A")], context()).catch(
      (error: unknown) => error,
    );

    expect(isConflict(failed)).to.equal(true);
    expect((await live(cluster)).status).to.equal(undefined);
  });

  it("tells a failure as an Event once, and again when its words change", async () => {
    const fails = (message: string) =>
      ({ type: "A", status: "False", reason: "No", message }) as const;
    const cluster = await make();

    const once = await tellConditions(cluster, [fails("no"), holds("B")], context());
    const twice = await tellConditions(once, [fails("no")], context());
    await tellConditions(twice, [fails("still no")], context());

    expect(told).to.deep.equal(["No: no", "No: still no"]);
  });
});
