import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { ConfigMap, Namespace } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { eventsOf } from "../../testing/events.ts";
import { systemNamespaces } from "./index.ts";

const aNamespace = (name: string): Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
});
const within = 30_000; // the controller manager ends the deletion

/** The names are ours alone on the shared control plane; nobody else there needs these. */
describe("system-namespaces on an API server", function () {
  this.timeout(60_000);

  before(() => cluster());

  const remove = async (concern: RunningConcern, name: string): Promise<string | undefined> => {
    const { client } = concern;
    const live =
      (await client.find(Namespace, name)) ?? (await client.create(concern.mine(aNamespace(name))));
    const metadata = { labels: { test: concern.label } };
    await client.patch(live, { merge: { metadata } }); // the concern of this test sees only its own
    await client.delete(live, { preconditions: "uid" });
    return live.metadata.uid;
  };
  const back = (
    concern: RunningConcern,
    name: string,
    former: string | undefined,
  ): Promise<Namespace> =>
    eventually(
      async () => {
        const live = await concern.client.find(Namespace, name);
        return live !== undefined && live.metadata.uid !== former && live;
      },
      { within },
    );

  it("makes one again that a person deletes, once its deletion is finished, as often as that happens", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(systemNamespaces());

    for (let round = 0; round < 2; round++) {
      const former = await remove(concern, "cattle-scc-system");
      const { status } = await back(concern, "cattle-scc-system", former);
      expect(status?.phase).to.equal("Active");
    }

    await concern.flush();
    const events = await eventsOf(concern.client, "cattle-scc-system");
    expect(events.map(({ reason }) => reason)).to.include("SystemNamespaceRecreated");
  });

  it("waits while finalizers hold what is inside", async () => {
    await using concern = await RunningConcern.open();
    const { client } = concern;
    const name = "rancher-operator-system";
    const live = (await client.find(Namespace, name)) ?? (await client.create(aNamespace(name)));
    const held = await client.create({
      apiVersion: "v1",
      kind: ConfigMap.kind,
      metadata: { name: uniqueName("held"), namespace: name, finalizers: ["example.com/hold"] },
    });
    await concern.run(systemNamespaces());
    await remove(concern, name);
    await eventually(
      async () => (await client.get(Namespace, name)).status?.phase === "Terminating",
      { within },
    );
    expect(concern.sent.filter(({ verb }) => verb === "create")).to.deep.equal([]);

    await client.patch(held, { merge: { metadata: { finalizers: null } } });

    await back(concern, name, live.metadata.uid);
  });

  it("never makes one of somebody else again", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(systemNamespaces());
    const other = await concern.create(aNamespace(uniqueName("calico-system")));

    await concern.client.delete(other, { preconditions: "uid" });
    const former = await remove(concern, "cattle-scc-system");
    await back(concern, "cattle-scc-system", former);
    await eventually(async () => (await concern.find(Namespace, other)) === undefined, { within });

    const creates = concern.sent.filter(({ verb }) => verb === "create");
    expect(
      creates.map(({ resource }) => resource).filter((each) => each === "namespaces"),
    ).to.have.length(1);
  });

  it("puts labels back, and sends nothing otherwise", async () => {
    await using concern = await RunningConcern.open();
    const { client } = concern;
    const name = "cattle-ui-plugin-system";
    const live = (await client.find(Namespace, name)) ?? (await client.create(aNamespace(name)));
    const labels = { test: concern.label, "app.kubernetes.io/managed-by": null };
    await client.patch(live, { merge: { metadata: { labels } } });

    await concern.run(systemNamespaces());
    await eventually(
      async () =>
        (await client.get(Namespace, name)).metadata.labels?.["app.kubernetes.io/managed-by"] ===
        "rancher",
    );
    await client.patch(live, { merge: { metadata: { labels: { touched: "yes" } } } });

    const writes = (): readonly string[] =>
      concern.sent
        .map(({ verb }) => verb)
        .filter((verb) => !["get", "list", "watch"].includes(verb));
    await eventually(() => writes().length > 0); // once it has been answered
    expect(writes()).to.deep.equal(["patch"]);
  });
});
