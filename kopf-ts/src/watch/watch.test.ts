import { expect } from "chai";
import {
  eventually,
  forms,
  RecordingSink,
  startWatchTest,
  story,
  type WatchTest,
} from "./testing/harness.ts";

const versions = (test: WatchTest): readonly (string | null)[] =>
  test.proxy.requests.map(({ query }) => query.get("resourceVersion"));

/** The connection is open and quiet: what happens next is the test's doing. */
const open = (test: WatchTest): Promise<boolean> => eventually(() => test.proxy.open() === 1);
/** The second stream is open. */
const reopened = (test: WatchTest): Promise<boolean> =>
  eventually(() => test.proxy.requests.length > 1 && test.proxy.open() === 1);

describe("Watch", function () {
  this.timeout(60_000);

  before(async () => {
    await using _ = await startWatchTest(); // no single test pays for the start of the control plane
  });

  describe("on a server in good health", () => {
    it("streams the list and then the changes on one request", async () => {
      await using test = await startWatchTest();
      await test.create("a");
      const { sink } = await test.liveWatch();

      await test.create("b");
      await test.touch("a");
      await test.remove("b");
      await test.agrees(sink);

      expect(story(sink)).to.deep.equal([
        ...["listing", "begin", "item a", "end", "live"],
        ...["ADDED b", "MODIFIED a", "DELETED b"],
      ]);
      expect(forms(test)).to.deep.equal(["watchList"]);
      const { query } = test.proxy.requests[0] ?? {};
      expect(query?.get("resourceVersionMatch")).to.equal("NotOlderThan");
      expect(query?.get("allowWatchBookmarks")).to.equal("true");
      expect(Number(query?.get("timeoutSeconds"))).to.be.within(300, 600);
      expect(sink.typed).to.equal(true);
    });

    it("tells an empty list, too", async () => {
      await using test = await startWatchTest();
      const { sink } = await test.liveWatch({ labelSelector: "nothing=has-it" });

      expect(sink.told).to.deep.equal(["listing", "begin", "end", "live"]);
    });

    it("tells the object as it was last for a deletion", async () => {
      await using test = await startWatchTest();
      await test.create("a");
      const { sink } = await test.liveWatch({ labelSelector: "!x" });

      // an object that leaves the selection is as good as deleted
      await test.direct.patch(test.configMap("a"), { merge: { metadata: { labels: { x: "y" } } } });
      await eventually(() => sink.told.includes("DELETED a"));

      expect(sink.objects.has(`${test.namespace}/a`)).to.equal(false);
    });

    it("comes back where it was when the server ends the watch in time", async () => {
      await using test = await startWatchTest();
      const timing = { serverTimeoutMin: 1_000, serverTimeoutMax: 1_000 };
      const begin = performance.now();
      const { sink } = await test.liveWatch({ timing });
      await test.create("a");
      await eventually(() => test.proxy.requests.length >= 2);

      await test.create("b");
      await test.agrees(sink);

      const [first, ...others] = forms(test);
      expect([first, ...new Set(others)]).to.deep.equal(["watchList", "watch"]);
      expect(others.length).to.be.at.most(Math.ceil((performance.now() - begin) / 1_000)); // one for each second
      expect(story(sink).filter((each) => each !== "bookmark")).to.deep.equal([
        ...["listing", "begin", "end", "live"],
        ...["ADDED a", "ADDED b"],
      ]);
    });

    it("asks for metadata alone", async () => {
      await using test = await startWatchTest();
      await test.direct.create({ ...test.configMap("a"), data: { secret: "x" } });
      const { sink } = await test.liveWatch({ metadataOnly: true });

      const object = JSON.parse(sink.texts.get(`${test.namespace}/a`) ?? "null");
      expect(object.kind).to.equal("PartialObjectMetadata");
      expect(object.data).to.equal(undefined);
    });

    it("resolves when its signal aborts and leaves nothing open", async () => {
      await using test = await startWatchTest();
      const { done } = await test.liveWatch();

      await test.stop();
      await done;

      await eventually(() => test.proxy.open() === 0);
    });

    it("resolves when its signal aborts while it waits", async () => {
      await using test = await startWatchTest();
      using _ = test.proxy.always({ kind: "status", code: 403 });
      const { sink, done } = test.watch({ timing: { slowRetry: 60_000 } });
      await eventually(() => sink.phase === "degraded");

      await test.stop();
      await done;

      expect(sink.reasons).to.deep.equal(["Forbidden"]);
    });

    for (const { call, disturb } of [
      { call: "begin" },
      { call: "item a" },
      { call: "end" },
      { call: "live" },
      { call: "ADDED b", disturb: (test: WatchTest) => test.create("b") },
      { call: "degraded Forbidden" },
    ]) {
      it(`rejects with what its consumer threw at ${call}, and closes the connection`, async () => {
        await using test = await startWatchTest();
        await test.create("a");
        const bug = new Error("a bug in the consumer");
        const sink = new RecordingSink();
        sink.trap = (told) => {
          if (told === call) throw bug;
        };
        if (call.startsWith("degraded")) test.proxy.next({ kind: "status", code: 403 });
        const { done } = test.watch({ sink });

        if (disturb !== undefined) {
          await test.live(sink);
          await disturb(test);
        }

        expect(await done.catch((thrown: unknown) => thrown)).to.equal(bug);
        await eventually(() => test.proxy.open() === 0);
      });
    }

    it("rejects with what its consumer threw when a quiet watch proves to be live again", async () => {
      await using test = await startWatchTest();
      const sink = new RecordingSink();
      const { done } = await test.liveWatch({ sink });
      await open(test);
      const bug = new Error("a bug in the consumer");
      sink.trap = (told) => {
        if (told === "live") throw bug;
      };
      test.proxy.next({ kind: "status", code: 403 });

      test.proxy.now({ kind: "cut" });

      expect(await done.catch((thrown: unknown) => thrown)).to.equal(bug);
      await eventually(() => test.proxy.open() === 0);
    });

    it("ends at once when its consumer aborts in a call", async () => {
      await using test = await startWatchTest();
      test.proxy.next({ kind: "status", code: 403 });
      const sink = new RecordingSink();
      const ending = Promise.withResolvers<void>();
      sink.trap = (told) => {
        if (told.startsWith("degraded")) void test.stop().then(ending.resolve);
      };
      const { done } = test.watch({ sink, timing: { slowRetry: 600_000 } });

      await done;
      await ending.promise;
    });

    it("starts once", async () => {
      await using test = await startWatchTest();
      const { watch } = await test.liveWatch();

      const again = await watch.start(new AbortController().signal).catch(String);

      expect(again).to.equal("Error: a watch starts once");
    });
  });

  describe("when the stream breaks", () => {
    for (const kind of ["cut", "halfLine", "end"] as const) {
      it(`goes on where it was after ${kind}, without a new list`, async () => {
        await using test = await startWatchTest();
        const { sink } = await test.liveWatch();
        await open(test);

        test.proxy.now({ kind });
        await test.create("a"); // half of which is told, or nothing
        await reopened(test);
        await test.create("b");
        await test.agrees(sink);

        expect(test.proxy.count(kind)).to.equal(1);
        expect(forms(test)).to.deep.equal(["watchList", "list", "watch"]);
        expect(story(sink)).to.deep.equal([
          ...["listing", "begin", "end", "live"],
          ...["ADDED a", "ADDED b"],
        ]);
      });
    }

    it("goes on when the server is restarted", async () => {
      await using test = await startWatchTest();
      await test.create("a");
      const { sink } = await test.liveWatch();

      await test.proxy.down();
      await test.create("b");
      await test.remove("a");
      await eventually(() => sink.phase === "degraded", { within: 20_000 });
      await test.proxy.up();
      await test.agrees(sink, { within: 20_000 });
      await test.live(sink);

      expect(sink.reasons).to.deep.equal(["Unreachable"]);
      expect(forms(test).filter((form) => form !== "watch")).to.deep.equal([
        ...["watchList", "list", "list"], // what was told last is gone: as it is now, and as it was
      ]);
    });

    it("begins the list again when it breaks off, and sweeps by the whole one only", async () => {
      await using test = await startWatchTest();
      await test.create("a", "b", "c");
      test.proxy.next({ kind: "cut", after: 2 });

      const { sink } = test.watch();
      await test.agrees(sink);

      expect(sink.told.filter((each) => each === "begin").length).to.equal(2);
      expect(sink.lists).to.equal(1);
      expect(forms(test)).to.deep.equal(["watchList", "watchList"]);
    });

    it("keeps what it told while it lists again", async () => {
      await using test = await startWatchTest();
      await test.create("a", "b");
      const { sink } = await test.liveWatch();
      await open(test);
      test.proxy.next({ kind: "halfLine", after: 1 });

      test.proxy.now({ kind: "gone" });
      await test.remove("b");
      await eventually(() => sink.lists === 2);

      await test.agrees(sink);
      expect(sink.told.filter((each) => each.startsWith("DELETED"))).to.deep.equal([]);
      expect(forms(test)).to.deep.equal(["watchList", "watchList", "watchList"]);
    });

    it("lists again when the same place cannot be read three times", async () => {
      await using test = await startWatchTest();
      const { sink } = await test.liveWatch();
      await open(test);
      for (let i = 0; i < 3; i++)
        test.proxy.next({ kind: "halfLine" }, ({ form }) => form === "watch");

      test.proxy.now({ kind: "halfLine" });
      await test.create("a");
      await test.agrees(sink);

      expect(sink.lists).to.equal(2);
      expect(sink.reasons).to.deep.equal(["BadAnswer"]);
    });

    it("waits longer each time a watch ends at once", async () => {
      await using test = await startWatchTest();
      const { sink } = await test.liveWatch({ timing: { shortWatch: 1_000 } });
      const watches = (): number => forms(test).filter((form) => form === "watch").length;
      await open(test);
      const started = performance.now();
      test.proxy.now({ kind: "cut" });
      for (let i = 0; i < 6; i++) {
        const before = watches();
        await eventually(() => watches() > before && test.proxy.open() === 1);
        test.proxy.now({ kind: "end" });
      }

      // 8 + 16 + 32 + 3 x 50 ms at least
      await eventually(() => watches() === 7);
      expect(performance.now() - started).to.be.greaterThan(200);
      expect(sink.reasons).to.deep.equal(["ShortWatch"]);
      await test.live(sink);
    });

    it("tells twice what comes twice, and reads what comes byte by byte", async () => {
      await using test = await startWatchTest();
      const { sink } = await test.liveWatch();
      await open(test);

      test.proxy.now({ kind: "duplicate" });
      await test.create("a");
      await eventually(() => sink.objects.has(`${test.namespace}/a`));
      test.proxy.now({ kind: "slow" });
      await test.create("b");
      await test.agrees(sink);

      const told = story(sink).slice(4);
      expect(told.filter((each) => each !== "bookmark")).to.deep.equal([
        ...["ADDED a", "ADDED a", "ADDED b"], // bookmarks come when the server sends them
      ]);
    });
  });

  describe("when the connection goes silent", () => {
    it("comes back where it was, once the server is known to send bookmarks", async () => {
      await using test = await startWatchTest();
      const { sink } = await test.liveWatch({ timing: { stallWithBookmarks: 3_000 } });
      await open(test);

      test.proxy.now({ kind: "stall" });
      await test.create("a");
      await eventually(() => forms(test).includes("watch"));
      await test.agrees(sink);

      expect(forms(test)).to.deep.equal(["watchList", "list", "watch"]);
      expect(sink.reasons).to.deep.equal([]); // no news, since it came back at once
    });

    it("does not take silence for a fault again on a server that sends no further bookmarks", async () => {
      await using test = await startWatchTest();
      const serverTimeout = { serverTimeoutMin: 1_000, serverTimeoutMax: 1_000 };
      const timing = { ...serverTimeout, stallWithBookmarks: 200 };
      const { sink } = await test.liveWatch({ timing });
      await eventually(() => test.proxy.requests.length === 3);
      const second = performance.now();
      await eventually(() => test.proxy.requests.length === 4);

      expect(performance.now() - second).to.be.greaterThan(800); // the server's end, not ours
      expect(forms(test)).to.deep.equal(["watchList", "list", "watch", "watch"]);
      expect(sink.reasons).to.deep.equal([]);
    });

    it("outlasts the server's own end of the watch by little", async () => {
      await using test = await startWatchTest();
      const timing = { serverTimeoutMin: 1_000, serverTimeoutMax: 1_000, stallMargin: 100 };
      const refused = { kind: "status", code: 400 } as const; // without a streamed list there is no bookmark either
      test.proxy.next(refused, ({ form }) => form === "watchList");
      test.proxy.next({ kind: "stall" }, ({ form }) => form === "watch");

      const { sink } = test.watch({ timing });
      await eventually(() => forms(test).filter((form) => form === "watch").length === 2, {
        within: 5_000,
      });
      await test.create("a");
      await test.agrees(sink);

      expect(sink.reasons.every((reason) => reason === "Stalled")).to.equal(true);
    });

    it("gives up a request that is never answered", async () => {
      await using test = await startWatchTest();
      const { sink } = await test.liveWatch({ timing: { answer: 3_000 } });
      await open(test);
      test.proxy.next({ kind: "silence" });

      test.proxy.now({ kind: "cut" });
      await test.create("a");
      await test.agrees(sink);

      expect(sink.reasons).to.deep.equal(["Timeout"]);
    });
  });

  describe("when the server forgot its position", () => {
    for (const { name, fault } of [
      { name: "in the stream", fault: { kind: "gone" } },
      { name: "as an answer", fault: { kind: "cut" } },
    ] as const) {
      it(`lists the newest after 410 ${name}`, async () => {
        await using test = await startWatchTest();
        await test.create("a", "b");
        const { sink } = await test.liveWatch();
        await open(test);
        const before = sink.resourceVersion;
        if (fault.kind === "cut")
          test.proxy.next({ kind: "status", code: 410 }, ({ form }) => form === "watch");

        test.proxy.now(fault);
        await test.remove("a");
        await test.create("c");
        await eventually(() => sink.lists === 2);
        await test.agrees(sink);

        expect(forms(test).filter((form) => form === "watchList").length).to.equal(2);
        expect(versions(test).at(-1)).to.equal(null);
        expect(Number(sink.resourceVersion)).to.be.greaterThan(Number(before));
      });
    }

    it("lists from where it was when only the stream's contents are in doubt", async () => {
      await using test = await startWatchTest();
      const { sink } = await test.liveWatch();
      await test.create("a");
      await test.agrees(sink);
      const version = sink.resourceVersion;
      test.proxy.next({ kind: "status", code: 400 }, ({ form }) => form === "watch");

      test.proxy.now({ kind: "cut" });
      await eventually(() => sink.lists === 2);

      expect(versions(test).at(-1)).to.equal(version);
    });
  });

  describe("when the server sends an error in the stream", () => {
    it("waits as long as 429 asks", async () => {
      await using test = await startWatchTest();
      const { sink } = await test.liveWatch();
      await open(test);
      const started = performance.now();

      test.proxy.now({ kind: "error", code: 429, retryAfter: 1 });
      await test.create("a");
      await test.agrees(sink);

      expect(performance.now() - started).to.be.greaterThan(990);
      expect(sink.reasons).to.deep.equal(["TooManyRequests"]);
      expect(forms(test)).to.deep.equal(["watchList", "watch"]);
    });

    it("comes back after a while for any other", async () => {
      await using test = await startWatchTest();
      const { sink } = await test.liveWatch();
      await open(test);

      test.proxy.now({ kind: "error", code: 500 });
      await test.create("a");
      await test.agrees(sink);
      await test.live(sink);

      expect(sink.reasons).to.deep.equal(["InternalError"]);
      expect(forms(test)).to.deep.equal(["watchList", "list", "watch"]);
    });
  });
});
