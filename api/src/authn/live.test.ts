import { Token } from "@drover/crds";
import { expect } from "chai";
import { connect, silentLogger } from "kopf-ts";
import { fakeClock, startScriptedServer } from "kopf-ts/testing";
import { Live } from "./live.ts";

const token = {
  ...{ apiVersion: "management.cattle.io/v3", kind: "Token" },
  metadata: { name: "token-a", uid: "u", resourceVersion: "450" },
};

it("an object that was found counts until caches are as far, and for no longer than it takes them", async () => {
  await using server = await startScriptedServer((response) => {
    response.end(JSON.stringify(token));
  });
  await using client = connect(server.config, { kinds: [Token] });
  const clock = fakeClock();
  const live = new Live({ client, clock, log: silentLogger });
  const behind = { resourceVersion: "440" };

  await live.token({ store: "v3", name: "token-a" });

  expect(live.isAhead("another", behind)).to.equal(false);
  expect(live.isAhead("u", { resourceVersion: "450" })).to.equal(false);
  expect(live.isAhead("u", behind)).to.equal(true);
  await clock.advance(119_999);
  expect(live.isAhead("u", behind)).to.equal(true);
  await clock.advance(1);
  expect(live.isAhead("u", behind), "the server was restored").to.equal(false);
});
