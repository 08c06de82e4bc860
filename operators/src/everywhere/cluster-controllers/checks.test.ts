import { aCluster } from "@drover/crds/testing";
import { testEnv } from "@drover/env";
import { expect } from "chai";
import { connect, loadConfig } from "kopf-ts";
import { fakeClock } from "kopf-ts/testing";
import { Checks, usualPace } from "./checks.ts";
import { factsOf } from "./facts.ts";

describe("health checks", function () {
  this.timeout(30_000);

  for (const { title, internal, expected } of [
    { title: "ask a cluster at each period", internal: false, expected: true },
    {
      title: "ask the server's own cluster until it has answered",
      internal: true,
      expected: false,
    },
  ]) {
    it(title, async () => {
      let asked = 0;
      const observe = (): void => void asked++;
      const config = await loadConfig({ kubeconfig: (await testEnv()).kubeconfigPath });
      await using client = connect(config, { metrics: { observe } });
      const checks = new Checks({ identify: async () => undefined }, usualPace);
      const facts = factsOf(aCluster({ spec: { internal } }), undefined);
      const around = { clock: fakeClock(0), signal: AbortSignal.timeout(20_000) };

      const first = await checks.check(facts, client, around);
      const before = asked;
      await around.clock.advance(usualPace.period);
      const second = await checks.check(facts, client, around);

      expect(before).to.be.greaterThan(0);
      expect(asked > before).to.equal(expected);
      expect([first.health?.kind, second.health?.kind]).to.deep.equal(["healthy", "healthy"]);
      expect(second.next).to.equal(usualPace.period);
    });
  }
});
