import { expect } from "chai";
import { aConfigMap, ConfigMap, clientOf, json, loopback } from "../loopback.test.support.ts";

describe("connections", () => {
  it("stay open behind every verb, a DELETE with a body too", async () => {
    await using server = await loopback((response) => json(response, aConfigMap()));
    await using client = clientOf(server);
    const object = aConfigMap();

    await client.create(object);
    await client.update(object);
    await client.patch(object, { merge: { data: { a: "b" } } });
    for (let count = 0; count < 10; count += 1) await client.delete(object);
    await client.get(ConfigMap, "a", { namespace: "default" });

    expect(server.seen).to.have.length(14);
    expect(server.connections()).to.be.at.most(2);
  });
});
