import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { aggregate, RemoteServer, services } from "../types/aggregated.test.support.ts";
import { aKind, send } from "../types/testing.test.support.ts";
import { isTold } from "../types/told.ts";
import { subscribeBed, within } from "./bed.test.support.ts";

describe("subscriptions", function () {
  this.timeout(90_000);

  const bed = subscribeBed();

  it("tell the cells that an aggregated API's server makes", async () => {
    const kind = aKind("remote");
    const resourceType = `${kind.group}.remote`;
    await using behind = await RemoteServer.start(kind);
    const service = await aggregate(bed.client, kind.group, behind.port);
    const type = () => bed.server.types.find(resourceType);
    await eventually(() => isTold({ cells: type()?.cells }), within);
    const [created, seen] = [Date.now() - 12 * 3_600_000, Date.now() - 10 * 3_600_000];
    const one = { name: "one", colour: "red", size: 3, created, seen };
    const admin = await bed.server.subscriber();
    await admin.watch({ resourceType });

    behind.put(one);
    const { data: made } = await admin.heard("resource.create", "one");
    behind.put({ ...one, colour: "blue" });
    const { data: changed } = await admin.heard("resource.change", "one");
    behind.remove("one");
    const { data: removed } = await admin.heard("resource.remove", "one");

    expect(made.metadata.fields).to.deep.equal(["one", "red", 3, "10h", "12h"]);
    expect(changed.metadata.fields).to.deep.equal(["one", "blue", 3, "10h", "12h"]);
    expect(removed.id).to.equal("default/one");
    expect(behind.asked.filter((each) => each === "watch table")).to.have.length(1);
    await send(bed.client, "DELETE", `${services}/${service}`);
  });
});
