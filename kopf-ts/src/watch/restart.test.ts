import { startControlPlane } from "@drover/env";
import { expect } from "chai";
import { eventually, forms, startWatchTest } from "./testing/harness.ts";

describe("Watch of an API server that dies", function () {
  this.timeout(120_000);

  it("goes on where it was when the server is killed and comes back", async () => {
    await using controlPlane = await startControlPlane();
    await using test = await startWatchTest({ controlPlane });
    await test.create("a", "b");
    const { sink } = await test.liveWatch({ timing: { backoffMax: 500 } });

    await controlPlane.killApiServer();
    await eventually(() => sink.phase === "degraded", { within: 30_000 });
    await controlPlane.restartApiServer();
    await test.remove("a");
    await test.create("c");
    await test.agrees(sink, { within: 30_000 });
    await test.live(sink);

    // An empty or half-started server must never look like an empty list.
    expect(sink.told.filter((each) => each === "DELETED b")).to.deep.equal([]);
    expect(sink.objects.has(`${test.namespace}/b`)).to.equal(true);
    expect(forms(test)[0]).to.equal("watchList");
  });
});
