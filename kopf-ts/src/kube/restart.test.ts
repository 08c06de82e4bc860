import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import type { Client } from "./client.ts";
import { loadConfig } from "./config/load.ts";
import { connect } from "./connect.ts";
import { installWidgets, uniqueGroup } from "./custom-kind.test.support.ts";
import type { ServedKind } from "./discovery/discover.ts";
import { RestMapper } from "./discovery/mapper.ts";
import { ConfigMap, rejection } from "./loopback.test.support.ts";

describe("an API server that is killed and comes back", function () {
  this.timeout(60_000);
  let plane: ControlPlane;
  let client: Client;
  before(async function () {
    this.timeout(120_000);
    plane = await startControlPlane({ controllerManager: false }); // of its own, since it is killed
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
  });
  after(async () => {
    await client[Symbol.asyncDispose]();
    await plane.stop();
  });

  it("fails streams and calls meanwhile, serves the same client afterwards, and its kinds are followed on", async () => {
    const mapper = new RestMapper(client);
    const stop = new AbortController();
    let told: readonly ServedKind[] = [];
    using _ = mapper.subscribe((kinds) => {
      told = kinds;
    });
    const following = mapper.start(stop.signal);
    const watch = await client.stream({ method: "GET", path: "/api/v1/configmaps?watch=1" });
    const watching = rejection(watch.pipe(() => undefined));

    await plane.killApiServer();
    expect(await watching).to.include({ code: 0, reason: "Unreachable" });
    expect(await rejection(client.list(ConfigMap))).to.include({ code: 0, reason: "Unreachable" });
    await plane.restartApiServer();
    await client.list(ConfigMap);

    const group = uniqueGroup();
    await installWidgets(client, group);
    const end = performance.now() + 20_000;
    while (!told.some((kind) => kind.group === group)) {
      if (performance.now() > end) throw new Error("the new kind was not told within 20 s");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    stop.abort();
    await following;
  });
});
