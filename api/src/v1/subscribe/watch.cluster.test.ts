import { freshNamespace } from "@drover/env";
import { expect } from "chai";
import { eventually, fakeClock } from "kopf-ts/testing";
import { subscribeBed, within } from "./bed.test.support.ts";
import type { Subscriber } from "./websockets.test.support.ts";

describe("subscriptions", function () {
  this.timeout(90_000);

  const bed = subscribeBed();

  describe("a watch", () => {
    it("tells what is made, changed and removed, and nothing of what was there", async () => {
      await bed.make("before");
      await bed.revisionWith("before");
      const admin = await bed.server.subscriber();

      await admin.watch(bed.configMaps());
      await bed.make("one");
      await bed.change("one", { data: { n: "1" } });
      await bed.remove("one");

      await admin.heard("resource.remove", "one");
      expect(admin.course).to.include.members(["start", "create one", "change one", "remove one"]);
      expect(admin.course).not.to.include("create before");
      expect(admin.told[0]).to.deep.equal({
        ...{ name: "resource.start", resourceType: "configmap", namespace: bed.namespace },
        data: { type: "subscribe", links: {} },
      });
    });

    it("tells at once what would gather if nobody listened", async () => {
      await using server = await bed.serve({ informersClock: fakeClock() });
      const admin = await server.subscriber();
      await admin.watch(bed.configMaps());

      for (const name of ["one", "two", "three"]) {
        await bed.make(name);
        await admin.heard("resource.create", name);
      }
    });

    it("shows objects as lists do, with their revision", async () => {
      const admin = await bed.server.subscriber();
      await admin.watch(bed.configMaps());
      await bed.make("one");

      const { resourceType, revision, data } = await admin.heard("resource.create", "one");

      expect(resourceType).to.equal("configmap");
      expect(revision).to.equal(data.metadata.resourceVersion);
      expect(data).to.include({ id: `${bed.namespace}/one`, type: "configmap", kind: "ConfigMap" });
      expect(data.links.self).to.equal(
        `http://127.0.0.1:${bed.server.port}/v1/configmaps/${bed.namespace}/one`,
      );
      expect(data.metadata.state).to.include({ name: "active", error: false });
      expect(data.metadata.fields.slice(0, 2)).to.deep.equal(["one", 1]);
    });

    it("shapes objects as the URL says", async () => {
      const query = "?exclude=metadata.managedFields&exclude=data";
      const admin = await bed.server.subscriber(undefined, {}, query);
      await admin.watch(bed.configMaps());
      await bed.make("one");

      const { data } = await admin.heard("resource.create", "one");

      expect(data).not.to.have.property("data");
      expect(data.metadata).not.to.have.property("managedFields");
    });

    it("is found by id, plural name and any case, and echoes what was sent", async () => {
      const admin = await bed.server.subscriber();
      for (const resourceType of ["configmap", "configmaps", "ConfigMap"]) {
        await admin.watch(bed.configMaps({ resourceType }));
      }
      await bed.make("one");

      await admin.until(() => admin.named("resource.create").length >= 3, "three events");
      const types = admin.named("resource.create").map((each) => each.resourceType);
      expect(types).to.have.members(["configmap", "configmaps", "ConfigMap"]);
    });

    it("may be of a type that the server can only list", async () => {
      const admin = await bed.server.subscriber();

      await admin.watch({ resourceType: "componentstatus" });
    });

    it("of another namespace beside it hears of that one alone", async () => {
      const admin = await bed.server.subscriber();
      const [elsewhere, nowhere] = [
        await freshNamespace(bed.plane, "elsewhere"),
        await freshNamespace(bed.plane, "nowhere"),
      ];
      const places = [bed.namespace, elsewhere];
      for (const namespace of [elsewhere, nowhere])
        await bed.revisionWith("kube-root-ca.crt", namespace); // else it may be told of
      for (const namespace of places) await admin.watch({ resourceType: "configmap", namespace });
      for (const namespace of [nowhere, ...places]) await bed.make("one", { namespace });

      await admin.until(() => admin.named("resource.create").length >= 2, "both events");
      const told = admin
        .named("resource.create")
        .map(({ namespace, data }) => [namespace, data.metadata.namespace]);
      expect(told).to.have.deep.members(places.map((namespace) => [namespace, namespace]));

      admin.send({ resourceType: "configmap", namespace: bed.namespace, stop: true });
      await admin.until(() => admin.named("resource.stop").length === 1, "the end of one");
      for (const namespace of places) await bed.make("two", { namespace });
      const { namespace } = await admin.heard("resource.create", "two");
      expect(namespace).to.equal(elsewhere);
    });

    it("of one object hears of no other", async () => {
      const admin = await bed.server.subscriber();
      await admin.watch({ resourceType: "configmap", id: `${bed.namespace}/two` });
      await admin.watch(bed.configMaps({ id: "two" }));
      await bed.make("one");
      await bed.make("two");
      await bed.make("three");

      await admin.until(() => admin.named("resource.create").length === 2, "both events");
      await bed.change("two", { data: { n: "1" } });
      await admin.until(() => admin.named("resource.change").length === 2, "both changes");
      expect(admin.course.filter((each) => !/two|start/.test(each))).to.deep.equal([]);
    });

    it("of a selector tells of objects that begin and cease to match", async () => {
      const admin = await bed.server.subscriber();
      await admin.watch(bed.configMaps({ selector: "tier in (front),!old" }));
      await bed.make("one", { labels: { tier: "front" } });
      await bed.make("two", { labels: { tier: "back" } });
      await bed.change("two", { metadata: { labels: { tier: "front" } } });
      await bed.change("one", { data: { n: "1" } });
      await bed.change("one", { metadata: { labels: { old: "yes" } } });
      await bed.change("one", { data: { n: "2" } });
      await bed.remove("one");
      await bed.remove("two");

      await admin.heard("resource.remove", "two");
      expect(admin.course).to.deep.equal([
        ...["start", "create one", "create two", "change one", "remove one", "remove two"],
      ]);
    });

    it("tells each what they may see, with the links that they have", async () => {
      const lister = await bed.server.subscriber(await bed.somebody());
      const named = await bed.server.subscriber(
        await bed.somebody([
          { apiGroups: [""], resources: ["configmaps"], resourceNames: ["two"], verbs: ["get"] },
          { apiGroups: [""], resources: ["configmaps"], verbs: ["delete"] },
        ]),
      );
      const admin = await bed.server.subscriber();
      const elsewhere = await freshNamespace(bed.plane, "elsewhere");
      for (const each of [lister, named, admin]) await each.watch({ resourceType: "configmap" });

      await bed.make("other", { namespace: elsewhere });
      await bed.make("one");
      await bed.make("two");

      for (const each of [lister, named, admin]) await each.heard("resource.create", "two");
      await admin.heard("resource.create", "other");
      expect(lister.course).to.deep.equal([...["start", "create one", "create two"]]);
      expect(named.course).to.deep.equal(["start", "create two"]);
      const linksOf = async (each: Subscriber): Promise<readonly string[]> =>
        Object.keys((await each.heard("resource.create", "two")).data.links).sort();
      expect(await linksOf(lister)).to.deep.equal(["self"]);
      expect(await linksOf(named)).to.deep.equal(["remove", "self", "view"]);
      expect(await linksOf(admin)).to.include.members([
        "patch",
        "remove",
        "self",
        "update",
        "view",
      ]);
      await bed.client.delete({
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: elsewhere },
      });
    });
  });

  it("sends long messages packed, to those who take that", async () => {
    const text = "packs well ".repeat(10_000);
    const ways = [
      {},
      { perMessageDeflate: false },
      { perMessageDeflate: { serverMaxWindowBits: 9 } },
    ];
    const all = await Promise.all(ways.map((way) => bed.server.subscriber(undefined, way)));
    for (const each of all) await each.watch(bed.configMaps());

    await bed.make("long", {}, { text });

    for (const each of all) {
      expect((await each.heard("resource.create", "long")).data.data.text).to.equal(text);
    }
    expect(all.map(({ ws }) => ws.extensions)).to.deep.equal(["permessage-deflate", "", ""]);
  });

  it("tells 1,000 subscribers the same, in the same order, and writes it once for those with equal rights", async () => {
    const users = [undefined, await bed.somebody(), await bed.somebody()];
    const count = 1_000;
    const all = await Promise.all(
      Array.from({ length: count }, (_, at) => bed.server.subscriber(users[at % users.length])),
    );
    await Promise.all(all.map((each) => each.watch(bed.configMaps())));
    const counted = ["drover_subscribe_events_made_total", "drover_subscribe_events_sent_total"];
    const events = (): Promise<number[]> =>
      Promise.all(counted.map((name) => bed.server.metric(name)));
    const [madeBefore = 0, sentBefore = 0] = await events();

    const names = Array.from({ length: 10 }, (_, index) => `map-${index}`);
    for (const name of names) await bed.make(name);
    for (const name of names) await bed.remove(name);

    await Promise.all(all.map((each) => each.heard("resource.remove", "map-9")));
    const course = ["create", "remove"].flatMap((what) => names.map((name) => `${what} ${name}`));
    for (const each of all) expect(each.course).to.deep.equal(["start", ...course]);
    expect(bed.server.subscriptions.stats).to.include({ sessions: count, watches: count });
    const [made = 0, sent = 0] = await events();
    expect(sent - sentBefore).to.equal(count * 20);
    expect(made - madeBefore).to.be.at.most(users.length * 20);
    expect(await bed.server.metric("drover_subscribe_watches")).to.equal(count);
    await bed.server.closeAll();
    await eventually(() => bed.server.subscriptions.stats.feeds === 0, within);
  });

  it("pings every 30 s", async () => {
    const clock = Object.assign(fakeClock(), { now: () => Date.now() });
    await using paced = await bed.serve({ clock });
    const admin = await paced.subscriber();

    await clock.advance(29_999);
    expect(admin.told).to.deep.equal([]);
    await clock.advance(60_001);

    await admin.until(() => admin.named("ping").length === 3, "three pings");
    expect(admin.told[0]?.data.version).to.equal("v0");
  });

  it("hands on the cookies of the answer", async () => {
    const { cookies } = await bed.server.subscriber();

    expect(cookies).to.deep.equal(["CSRF=1", "other=2"]);
  });
});
