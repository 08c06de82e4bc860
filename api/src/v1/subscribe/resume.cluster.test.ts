import { expect } from "chai";
import { connect, loadConfig } from "kopf-ts";
import { eventually, seededRandom, startFaultProxy } from "kopf-ts/testing";
import { subscribeBed, unseen, within } from "./bed.test.support.ts";
import type { Subscriber } from "./websockets.test.support.ts";

const seed = Number(process.env.SUBSCRIBE_SEED ?? 1);

describe("subscriptions of those who come back, or read late", function () {
  this.timeout(90_000);

  const bed = subscribeBed();

  /** Somebody who goes on from where another one is, while that one has not heard of everything. */
  async function resume(live: Subscriber): Promise<readonly [Subscriber, revision: string]> {
    const revision = live.told.at(-1)?.revision ?? "";
    const late = await bed.server.subscriber();
    late.send(bed.configMaps({ resourceVersion: revision }));
    return [late, revision];
  }

  const eventsOf = ({ told }: Subscriber): readonly string[] =>
    told.filter(({ revision }) => revision).map(({ name, revision }) => `${name} ${revision}`);

  describe("a revision", () => {
    it("is where a watch goes on: all that followed, once and in order", async () => {
      const live = await bed.server.subscriber();
      await live.watch(bed.configMaps());
      const names = ["a", "b", "c", "d"] as const;
      for (const name of names) await bed.make(name);
      await live.heard("resource.create", "d");
      const random = seededRandom(seed);
      const late: (readonly [Subscriber, revision: string])[] = [];
      for (let index = 0; index < 60; index++) {
        if (index % 15 === 0) late.push(await resume(live));
        await bed.change(random.pick(names), { data: { n: String(index) } });
      }
      await bed.remove("a");
      await live.heard("resource.remove", "a");
      late.push(await resume(live));
      await bed.make("end");

      await live.heard("resource.create", "end");
      const all = eventsOf(live);
      for (const [each, revision] of late) {
        await each.heard("resource.create", "end");
        const from = all.findIndex((event) => event.endsWith(` ${revision}`));
        expect(eventsOf(each)).to.deep.equal(all.slice(from + 1));
      }
    });

    it("that is too old ends in an error that says so, and a stop, without a start", async () => {
      const admin = await bed.server.subscriber();

      admin.send(bed.configMaps({ resourceVersion: "1" }));

      await admin.heard("resource.stop");
      expect(admin.course).to.deep.equal(["error", "stop"]);
      expect((await admin.heard("resource.error")).data.error).to.contain("too old");
    });

    it("that nobody has told yet is waited for, but not for ever", async () => {
      const admin = await bed.server.subscriber();

      admin.send(bed.configMaps({ resourceVersion: "9999999999999" }));

      await admin.heard("resource.stop");
      expect((await admin.heard("resource.error")).data.error).to.contain("too old");
    });
  });

  it("tells what a new list finds, when the cache had to begin anew", async () => {
    const { kubeconfigPath } = bed.plane;
    await using proxy = await startFaultProxy(await loadConfig({ kubeconfig: kubeconfigPath }));
    await using client = connect(proxy.config);
    await using other = await bed.serve({}, client);
    for (const name of ["same", "changed", "gone", "left"]) {
      await bed.make(name, { labels: { tier: "front" } });
    }
    const live = await other.subscriber();
    const selecting = await other.subscriber();
    await live.watch(bed.configMaps());
    await selecting.watch(bed.configMaps({ selector: "tier=front" }));
    await bed.make("last", { labels: { tier: "front" } });
    const { revision } = await live.heard("resource.create", "last");

    using _tooOld = await unseen(proxy, "/api/v1/configmaps", async () => {
      await bed.change("changed", { data: { n: "1" } });
      await bed.change("left", { metadata: { labels: null } });
      await bed.remove("gone");
      await bed.make("new", { labels: { tier: "front" } });
    });

    for (const each of [live, selecting]) {
      await each.heard("resource.create", "new");
      await each.heard("resource.remove", "gone");
      await each.heard("resource.change", "changed");
      expect(each.named("resource.stop")).to.deep.equal([]);
      expect(each.course.filter((text) => / same$/.test(text))).to.deep.equal([]);
    }
    await live.heard("resource.change", "left");
    await selecting.heard("resource.remove", "left");
    const late = await other.subscriber();
    late.send(bed.configMaps({ resourceVersion: revision }));
    await late.heard("resource.stop");
    expect((await late.heard("resource.error")).data.error).to.contain("too old");
  });

  describe("a subscriber who does not read", () => {
    const big = "x".repeat(900_000);
    const unpacked = { perMessageDeflate: false };

    it("gets all of it later, in order, and others are not held up", async () => {
      const slow = await bed.server.subscriber(undefined, unpacked);
      const quick = await bed.server.subscriber();
      await slow.watch(bed.configMaps());
      await quick.watch(bed.configMaps());
      slow.ws.pause();

      for (let index = 0; index < 24; index++) await bed.make(`big-${index}`, {}, { big });
      await quick.heard("resource.create", "big-23");
      expect(slow.course).not.to.include("create big-23");
      expect(await bed.server.metric("drover_subscribe_fell_behind_total")).to.be.above(0);
      const { course } = quick;
      quick.ws.terminate(); // with it goes the group that both were in
      await eventually(() => bed.server.subscriptions.stats.sessions === 1, within);
      slow.ws.resume();

      await slow.heard("resource.create", "big-23");
      expect(slow.course).to.deep.equal(course);
      await bed.make("after");
      await slow.heard("resource.create", "after");
    });

    it("is told that too much was missed", async () => {
      const slow = await bed.server.subscriber(undefined, unpacked);
      const quick = await bed.server.subscriber(undefined, {}, "?exclude=data");
      await bed.make("big");
      await slow.watch(bed.configMaps());
      await quick.watch(bed.configMaps());
      slow.ws.pause();

      for (let index = 0; index < 24; index++)
        await bed.change("big", { data: { big, n: `${index}` } });
      await bed.make("end");
      await quick.heard("resource.create", "end");
      slow.ws.resume();

      await slow.heard("resource.stop");
      expect((await slow.heard("resource.error")).data.error).to.contain("too old");
    });

    it("and goes on asking is cut off", async () => {
      const deaf = await bed.server.subscriber();
      deaf.ws.pause();
      for (let index = 0; index < 2_000; index++) deaf.send({ resourceType: "x".repeat(8_000) });

      await eventually(() => bed.server.subscriptions.stats.sessions === 0, within);
    });
  });
});
