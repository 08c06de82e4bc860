import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { subscribeBed, within } from "./bed.test.support.ts";

describe("subscribe, on an API server", function () {
  this.timeout(90_000);

  const bed = subscribeBed();

  describe("the end of a watch", () => {
    it("is told when the same message says stop; nothing follows", async () => {
      const admin = await bed.server.subscriber();
      await admin.watch(bed.configMaps());
      await admin.watch(bed.configMaps({ selector: "a=b" }));

      admin.send(bed.configMaps({ stop: true, resourceVersion: "7" }));
      await admin.heard("resource.stop");
      admin.send(bed.configMaps({ stop: true }));
      await bed.make("one");
      await bed.make("two", { labels: { a: "b" } });

      await admin.heard("resource.create", "two");
      expect(admin.course).to.deep.equal(["start", "start", "stop", "create two"]);
    });

    it("can be followed by a start at once, and a second start is ignored", async () => {
      const admin = await bed.server.subscriber();
      for (const stop of [false, false, true, false, true, false, false]) {
        admin.send(bed.configMaps({ stop }));
      }
      await admin.until(() => admin.course.at(-1) === "start", "the last start");
      await bed.make("one");

      await admin.heard("resource.create", "one");
      await bed.change("one", { data: { n: "1" } });
      await admin.heard("resource.change", "one");
      expect(admin.named("resource.stop")).to.have.length(2);
      expect(admin.named("resource.create")).to.have.length(1);
      expect(bed.server.subscriptions.stats.watches).to.equal(1);
    });

    it("comes when the type goes, for ever or to change", async () => {
      const kind = uniqueName("Widget").replaceAll("-", "");
      const plural = kind.toLowerCase();
      const group = "subscribe.example.com";
      const crd = {
        ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
        metadata: { name: `${plural}.${group}` },
        spec: {
          ...{ group, scope: "Namespaced", names: { plural, kind } },
          versions: [
            {
              ...{ name: "v1", served: true, storage: true },
              schema: {
                openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              },
            },
          ],
        },
      };
      await bed.client.create(crd);
      const resourceType = `${group}.${plural}`;
      const columns = (): number => bed.server.types.find(resourceType)?.columns.length ?? 0;
      await eventually(() => columns() > 0, within); // with them the type may be made anew
      const admin = await bed.server.subscriber();
      await admin.watch({ resourceType });
      await eventually(
        () =>
          bed.client.create({
            apiVersion: `${group}/v1`,
            kind,
            metadata: { name: "w", namespace: bed.namespace },
          }),
        within,
      );
      await admin.heard("resource.create", "w");

      await bed.client.delete(crd);

      await admin.heard("resource.stop");
      await eventually(() => bed.server.types.find(resourceType) === undefined, within);
      admin.send({ resourceType });
      const { data } = await admin.heard("resource.error");
      expect(data.error).to.equal(`failed to find schema ${resourceType}`);
    });

    it("comes politely when the server stops, with the connection", async () => {
      await using other = await bed.serve();
      const admin = await other.subscriber();
      await admin.watch(bed.configMaps());

      other.stopping.abort();

      await admin.until(() => admin.closed !== undefined, "the end");
      expect(admin.course).to.deep.equal(["start", "stop"]);
      expect(admin.closed).to.deep.equal([1001, "the server stops"]);
    });

    it("leaves nothing of a login to be looked at once the connection has gone", async () => {
      const { tenures } = bed.server;
      await eventually(() => tenures.size === 0, within);
      const admin = await bed.server.subscriber();
      await admin.watch(bed.configMaps());
      expect(tenures.size).to.equal(1);

      admin.ws.close();

      await eventually(() => tenures.size === 0, within);
    });

    it("comes for good when the login has ended: what is still said begins nothing", async () => {
      const watches = (): number => bed.server.subscriptions.stats.watches;
      const user = await bed.server.subscriber(await bed.somebody());
      await user.watch({ resourceType: "configmap" });
      user.ws.pause(); // so that the connection stays half closed
      bed.server.standings.set(user.user, "ended");
      await eventually(() => watches() === 0, within);

      user.send({ resourceType: "configmap", selector: "a=b" });
      const admin = await bed.server.subscriber();
      await admin.watch(bed.configMaps());

      expect(watches()).to.equal(1);
      user.ws.resume();
      await user.until(() => user.closed !== undefined, "the end");
    });

    for (const { standing, closed } of [
      { standing: "ended", closed: [1008, "the login has ended"] },
      { standing: "changed", closed: [1013, "the login has changed, connect again"] },
    ] as const) {
      it(`comes when the login has ${standing}`, async () => {
        const user = await bed.server.subscriber(await bed.somebody());
        await user.watch({ resourceType: "configmap" });

        bed.server.standings.set(user.user, standing);

        await user.until(() => user.closed !== undefined, "the end");
        expect(user.course).to.deep.equal(["start", "stop"]);
        expect(user.closed).to.deep.equal(closed);
      });
    }
  });
});
