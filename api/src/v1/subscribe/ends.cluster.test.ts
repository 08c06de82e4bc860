import { expect } from "chai";
import type { KubeObject } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { at } from "../tree.ts";
import {
  aKind,
  change,
  crdOf,
  install,
  type TestVersion,
  uninstall,
} from "../types/testing.test.support.ts";
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

    describe("of a type that is not what it was", () => {
      const colour = { name: "Colour", type: "string", jsonPath: ".spec.colour" };
      const size = { name: "Size", type: "integer", jsonPath: ".spec.size" };

      /** A kind that is watched, and an object of it that was told. */
      async function watched(...versions: readonly TestVersion[]) {
        const kind = aKind("widget");
        const resourceType = `${kind.group}.widget`;
        await install(bed.client, crdOf(kind, ...versions));
        await eventually(() => columnsOf(resourceType).length > 0, within); // with them the type may be made anew
        const admin = await bed.server.subscriber();
        await admin.watch({ resourceType });
        const make = (name: string, version = "v1"): Promise<KubeObject> => {
          const metadata = { name, namespace: bed.namespace };
          const apiVersion = `${kind.group}/${version}`;
          const object = {
            apiVersion,
            kind: kind.kind,
            metadata,
            spec: { colour: "red", size: 3 },
          };
          return eventually(() => bed.client.create(object), within); // a kind that is new may have to wait for its storage
        };
        await make("one");
        await admin.heard("resource.create", "one");
        return { kind, resourceType, admin, make };
      }

      const columnsOf = (resourceType: string): readonly string[] =>
        (bed.server.types.find(resourceType)?.columns ?? []).map(({ name }) => name);

      it("comes when it has gone", async () => {
        const { kind, resourceType, admin } = await watched({});

        await uninstall(bed.client, kind);

        await admin.heard("resource.stop");
        await eventually(() => bed.server.types.find(resourceType) === undefined, within);
        admin.send({ resourceType });
        const { data } = await admin.heard("resource.error");
        expect(data.error).to.equal(`failed to find schema ${resourceType}`);
      });

      it("comes when it has other columns, and who goes on has missed nothing and is told them", async () => {
        const { kind, resourceType, admin, make } = await watched({ columns: [colour] });
        const { revision, data } = await admin.heard("resource.create", "one");
        expect(data.metadata.fields).to.deep.equal(["one", "red"]);

        await change(bed.client, crdOf(kind, { columns: [colour, size] }));
        await admin.heard("resource.stop");
        await make("between");
        await admin.watch({ resourceType, resourceVersion: revision });
        await make("two");

        await admin.heard("resource.create", "two");
        expect(admin.course).to.deep.equal([
          ...["start", "create one", "stop", "start", "create between", "create two"],
        ]);
        const told = admin.named("resource.create").map((each) => each.data.metadata.fields);
        expect(told.slice(1)).to.deep.equal([
          ["between", "red", 3],
          ["two", "red", 3],
        ]);
        await uninstall(bed.client, kind);
      });

      it("comes when another version of it is served, and who begins anew is told that one", async () => {
        const { kind, resourceType, admin, make } = await watched({ name: "v1" });

        await change(bed.client, crdOf(kind, { name: "v1", served: false }, { name: "v2" }));
        await admin.heard("resource.stop");
        await eventually(() => bed.server.types.find(resourceType)?.kind.version === "v2", within);
        await admin.watch({ resourceType });
        await make("two", "v2");

        const { data } = await admin.heard("resource.create", "two");
        expect(at(data, "apiVersion")).to.equal(`${kind.group}/v2`);
        expect(admin.course).to.deep.equal([
          ...["start", "create one", "stop", "start", "create two"],
        ]);
        await uninstall(bed.client, kind);
      });
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
