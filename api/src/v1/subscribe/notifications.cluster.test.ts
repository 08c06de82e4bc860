import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import { subscribeBed } from "./bed.test.support.ts";

describe("notifications and what is no resource", function () {
  this.timeout(90_000);

  const bed = subscribeBed();

  describe("notifications", () => {
    it("come at once, then at most one per interval, with the newest revision", async () => {
      const clock = Object.assign(fakeClock(), { now: () => Date.now() });
      await using paced = await bed.serve({ clock });
      const admin = await paced.subscriber();
      const observer = await paced.subscriber();
      await admin.watch(bed.configMaps({ mode: "resource.changes", debounceMs: 700 }));
      await observer.watch(bed.configMaps());

      await bed.make("one");
      const first = await admin.heard("resource.changes");
      await observer.heard("resource.create", "one");
      await bed.make("two");
      await bed.make("three");
      const { revision } = await observer.heard("resource.create", "three");

      expect(admin.named("resource.changes")).to.have.length(1);
      expect(first).to.deep.include({
        ...{ mode: "resource.changes", resourceType: "configmap", namespace: bed.namespace },
        data: { type: "subscribe", links: {} },
      });
      await clock.advance(699);
      expect(admin.named("resource.changes")).to.have.length(1);
      await clock.advance(1);
      await admin.until(() => admin.named("resource.changes").length === 2, "the second");
      expect(admin.named("resource.changes")[1]?.revision).to.equal(revision);
    });

    it("tell at the start that something followed the revision", async () => {
      await bed.make("one");
      const revision = await bed.revisionWith("one");
      await bed.make("two");
      await bed.revisionWith("two");
      const admin = await bed.server.subscriber();

      await admin.watch(bed.configMaps({ mode: "resource.changes", resourceVersion: revision }));

      await admin.heard("resource.changes");
    });
  });

  it("tells of what is no resource of the cluster", async () => {
    const told: ((text: string) => void)[] = [];
    await using other = await bed.serve({
      specials: {
        count: ({ caller }, tell) => {
          const item = (text: string): Buffer => Buffer.from(`{"text":"${text}"}`);
          told.push((text) => tell({ name: "resource.change", item: [item(text)] }));
          tell({ name: "resource.change", revision: "1", item: [item(caller.username)] });
          return { accessChanged: () => undefined, [Symbol.dispose]: () => void told.pop() };
        },
      },
    });
    const admin = await other.subscriber();

    await admin.watch({ resourceType: "counts" });
    told[0]?.("more");

    await admin.until(() => admin.named("resource.change").length === 2, "both");
    expect(admin.named("resource.change").map(({ data }) => data.text)).to.deep.equal([
      ...["admin", "more"],
    ]);
    admin.send({ resourceType: "counts", stop: true });
    await admin.heard("resource.stop");
    expect(told).to.deep.equal([]);
  });
});
