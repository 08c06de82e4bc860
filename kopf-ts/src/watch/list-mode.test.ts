import { expect } from "chai";
import { defineKind } from "../kube/index.ts";
import { ListModeMemory } from "./memory.ts";
import {
  ConfigMaps,
  eventually,
  forms,
  type RecordingSink,
  startWatchTest,
  type WatchTest,
} from "./testing/harness.ts";

const names = ["a", "b", "c", "d", "e", "f", "g"] as const;
const noStream = { listSilence: 400, listTotal: 1_200 } as const;
/** For lists of which some have to come through, also on a busy machine. */
const patient = { listSilence: 3_000, listTotal: 5_000 } as const;
const isList = ({ form }: { readonly form: string }): boolean => form === "list";

/** Limits and versions of the lists that were asked for. */
const lists = (test: WatchTest): readonly string[] =>
  test.proxy.requests.filter(isList).map(({ query }) => {
    const more = query.has("continue") ? "continue" : `from ${query.get("resourceVersion")}`;
    return `${more} limit ${query.get("limit")}`;
  });

describe("Watch, when a list cannot be streamed", function () {
  this.timeout(60_000);

  before(async () => {
    await using _ = await startWatchTest();
  });

  describe("falls back to pages", () => {
    for (const code of [400, 422]) {
      it(`at once when the server refuses with ${code}, and remembers it`, async () => {
        await using test = await startWatchTest();
        await test.create("a");
        const memory = new ListModeMemory();
        using _ = test.proxy.always({ kind: "status", code }, ({ form }) => form === "watchList");

        const first = await test.liveWatch({ memory });
        const second = await test.liveWatch({ memory });
        await test.create("b");
        await test.agrees(first.sink);
        await test.agrees(second.sink);

        expect(first.sink.reasons).to.deep.equal([]);
        expect(forms(test)).to.deep.equal(["watchList", "list", "watch", "list", "watch"]);
        expect(memory.modeOf(ConfigMaps)).to.equal("pages");
      });
    }

    it("after silence when the end of the list never comes", async () => {
      await using test = await startWatchTest();
      await test.create("a");
      const memory = new ListModeMemory();
      using _ = test.proxy.always({ kind: "withholdEnd" }, ({ form }) => form === "watchList");

      const { sink } = test.watch({ memory, timing: noStream });
      await test.agrees(sink);
      await test.live(sink);

      expect(sink.reasons).to.deep.equal([]);
      expect(sink.lists).to.equal(1);
      expect(memory.modeOf(ConfigMaps)).to.equal("pages");
      expect(memory.modeOf(defineKind({ ...ConfigMaps, plural: "others" }))).to.equal(undefined);
    });

    it("after a while when the end of the list never comes though changes do", async () => {
      await using test = await startWatchTest();
      await test.create("a");
      const memory = new ListModeMemory();
      using _ = test.proxy.always({ kind: "withholdEnd" }, ({ form }) => form === "watchList");

      const { sink } = test.watch({ memory, timing: patient });
      let touched = 0;
      await eventually(async () => {
        await test.touch("a", String(touched++));
        return sink.lists > 0;
      });
      await test.agrees(sink);

      expect(touched).to.be.greaterThan(10);
      expect(memory.modeOf(ConfigMaps)).to.equal("pages");
    });

    it("when a streamed list is not even answered", async () => {
      await using test = await startWatchTest();
      const memory = new ListModeMemory();
      using _ = test.proxy.always({ kind: "silence" }, ({ form }) => form === "watchList");

      const { sink } = test.watch({ memory, timing: noStream });
      await test.live(sink);

      expect(memory.modeOf(ConfigMaps)).to.equal("pages");
    });
  });

  it("blames the network, not the server, when pages do not work either", async () => {
    await using test = await startWatchTest();
    const memory = new ListModeMemory();
    const silence = test.proxy.always({ kind: "silence" });
    const { sink } = test.watch({ memory, timing: { ...noStream, answer: 200 } });
    await eventually(() => sink.reasons.length > 0);

    silence[Symbol.dispose]();
    await test.live(sink);

    expect(sink.reasons).to.deep.equal(["Timeout"]);
    expect(memory.modeOf(ConfigMaps)).to.not.equal("pages");
  });

  it("gives a streamed list that has worked before a second chance", async () => {
    await using test = await startWatchTest();
    const memory = new ListModeMemory();
    const { sink } = await test.liveWatch({ memory, timing: patient });
    await eventually(() => test.proxy.open() === 1);
    test.proxy.next({ kind: "withholdEnd" }, ({ form }) => form === "watchList");

    test.proxy.now({ kind: "gone" });
    await eventually(() => sink.lists === 2);

    expect(forms(test)).to.deep.equal(["watchList", "watchList", "watchList"]);
    expect(memory.modeOf(ConfigMaps)).to.equal("stream");
  });

  describe("reads pages", () => {
    /** Live on pages of three, though nothing was paged yet: the first list may be as old as the server's cache. */
    async function paged(test: WatchTest): Promise<RecordingSink> {
      await test.create(...names);
      const memory = new ListModeMemory();
      memory.remember(ConfigMaps, "pages");
      const { sink } = await test.liveWatch({ memory, pageSize: 3 });
      await test.agrees(sink);
      await eventually(() => test.proxy.open() === 1);
      return sink;
    }

    it("from the server's cache first, and object by object after the position was lost", async () => {
      await using test = await startWatchTest();
      const sink = await paged(test);
      expect(sink.typed).to.equal(false); // items of built-in kinds lack apiVersion and kind

      await test.remove("b");
      await test.agrees(sink);
      test.proxy.now({ kind: "gone" });
      await eventually(() => sink.lists === 2);
      await test.agrees(sink);

      expect(lists(test)).to.deep.equal([
        "from 0 limit 3",
        ...["from null limit 3", "continue limit 3", "continue limit 3"], // seven objects
      ]);
      expect(sink.told.filter((each) => each === "begin").length).to.equal(2);
    });

    it("whole after they have expired under way", async () => {
      await using test = await startWatchTest();
      const sink = await paged(test);
      test.proxy.next({ kind: "status", code: 410 }, ({ query }) => query.has("continue"));

      test.proxy.now({ kind: "gone" });
      await test.remove("b");
      await eventually(() => sink.lists === 2);
      await test.agrees(sink);

      expect(lists(test).slice(-2)).to.deep.equal(["continue limit 3", "from null limit null"]);
    });

    it("whole from the version it has, which the server's cache answers", async () => {
      await using test = await startWatchTest();
      const sink = await paged(test);
      const version = sink.resourceVersion;
      test.proxy.next({ kind: "status", code: 400 }, ({ form }) => form === "watch");

      test.proxy.now({ kind: "cut" });
      await eventually(() => sink.lists === 2);

      expect(lists(test).at(-1)).to.equal(`from ${version} limit null`);
    });

    for (const kind of ["cut", "halfLine", "stall", "slow"] as const) {
      it(`again after ${kind} in the middle of one`, async () => {
        await using test = await startWatchTest();
        await test.create(...names);
        const memory = new ListModeMemory();
        memory.remember(ConfigMaps, "pages");
        test.proxy.next({ kind }, isList);

        const { sink } = test.watch({ memory, timing: { answer: 3_000 } });
        await test.agrees(sink);
        await test.live(sink);

        expect(test.proxy.count(kind)).to.equal(1);
        expect(lists(test).length).to.equal(kind === "slow" ? 1 : 2);
        expect(sink.lists).to.equal(1);
      });
    }

    it("of the newest where they are preferred, and whole from the version it has", async () => {
      await using test = await startWatchTest();
      await test.create(...names);
      const memory = new ListModeMemory();
      const { sink } = await test.liveWatch({ memory, listMode: "pages", pageSize: 3 });
      await test.agrees(sink);
      const version = sink.resourceVersion;
      await eventually(() => test.proxy.open() === 1);
      test.proxy.next({ kind: "status", code: 400 }, ({ form }) => form === "watch");
      test.proxy.now({ kind: "cut" });
      await eventually(() => sink.lists === 2);

      expect(forms(test)).to.not.include("watchList");
      expect(lists(test)).to.deep.equal([
        ...["from null limit 3", "continue limit 3", "continue limit 3"],
        "from null limit 1", // whether the server still has what it told
        `from ${version} limit null`,
      ]);
      expect(memory.modeOf(ConfigMaps)).to.equal(undefined);
      const proof = test.proxy.requests.find(({ query }) => query.get("limit") === "1");
      expect(proof?.query.get("fieldSelector")).to.match(/^metadata\.name=/);
    });

    it("that come packed, and breaks off like others", async () => {
      await using test = await startWatchTest();
      const data = { text: "x".repeat(200_000) };
      for (const name of names) await test.direct.create({ ...test.configMap(name), data });
      test.proxy.next({ kind: "cut", after: 1 }, isList);

      const { sink } = await test.liveWatch({ listMode: "pages" });
      await test.agrees(sink);

      const [request] = test.proxy.requests.filter(isList);
      expect(request?.headers["accept-encoding"]).to.equal("gzip");
      expect(sink.texts.get(`${test.namespace}/a`)).to.contain(data.text);
      expect(test.proxy.count("cut")).to.equal(1);
    });

    it("as metadata alone", async () => {
      await using test = await startWatchTest();
      await test.direct.create({ ...test.configMap("a"), data: { secret: "x" } });
      const memory = new ListModeMemory();
      memory.remember(ConfigMaps, "pages");

      const { sink } = await test.liveWatch({ memory, metadataOnly: true });
      await test.agrees(sink); // the first list may be as old as the server's cache

      const object = JSON.parse(sink.texts.get(`${test.namespace}/a`) ?? "null");
      expect(object.metadata.name).to.equal("a");
      expect(object.data).to.equal(undefined);
    });
  });
});
