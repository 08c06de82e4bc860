import { expect } from "chai";
import { connect } from "kopf-ts";
import { startScriptedServer } from "kopf-ts/testing";
import { flood } from "../../testing/flood.ts";
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

  for (const { title, endless, said } of [
    { title: "that it is well", endless: "/readyz", said: "more than 64 KiB" },
    { title: "who it is", endless: "/api/v1/namespaces/kube-system", said: "more than 1 MiB" },
  ]) {
    it(`takes a server that never ends telling ${title} for one that is not there`, async () => {
      const written = { bytes: 0 };
      await using server = await startScriptedServer((response, { path }) =>
        path === endless ? flood(response, written) : void response.end("ok"),
      );
      await using client = connect(server.config);

      const health = await probe(client, { signal: new AbortController().signal, timeout: 30_000 });

      expect(health).to.include({ kind: "away", reason: "Unreachable" });
      expect(health).to.have.property("message").that.contains(`answered ${said}`);
      expect(written.bytes).to.be.below(64 << 20); // what buffers on the way hold
    }).timeout(30_000);
  }
});
