import { expect } from "chai";
import { connect } from "kopf-ts";
import { startScriptedServer } from "kopf-ts/testing";
import { probe } from "./probe.ts";

describe("the probe of a cluster", () => {
  for (const { title, body } of [
    { title: "nothing", body: {} },
    { title: "no uid", body: { metadata: {} } },
  ]) {
    it(`says so when what answers is no API server, and tells ${title} of its namespaces`, async () => {
      await using server = await startScriptedServer((response) =>
        response.setHeader("content-type", "application/json").end(JSON.stringify(body)),
      );
      await using client = connect(server.config);

      const health = await probe(client, { signal: AbortSignal.timeout(1500), timeout: 1000 });

      expect(health).to.deep.equal({
        kind: "unhealthy",
        message: "namespace kube-system has no uid; is this the address of an API server?",
      });
    });
  }
});
