import { expect } from "chai";
import { connect } from "../kube/index.ts";
import { endOfList, eventLine, startScriptedServer } from "../testing/index.ts";
import {
  ConfigMaps,
  eventually,
  forms,
  quick,
  RecordingSink,
  startWatchTest,
  type WatchTest,
} from "./testing/harness.ts";
import { Watch } from "./watch.ts";

interface Shown {
  readonly metadata: { readonly creationTimestamp: string; readonly fields?: unknown };
}

/** What the sink has of one of the test's objects. */
function shown(test: WatchTest, { texts }: RecordingSink, name: string): Shown | undefined {
  const text = texts.get(`${test.namespace}/${name}`);
  return text === undefined ? undefined : JSON.parse(text);
}

/** What stands in the cells of a ConfigMap's table. */
function cells(name: string, data: number, object: Shown | undefined): readonly unknown[] {
  return [name, data, { since: Date.parse(object?.metadata.creationTimestamp ?? "") }];
}

describe("Watch, of tables", function () {
  this.timeout(60_000);

  before(async () => {
    await using _ = await startWatchTest();
  });

  for (const { way, code } of [
    { way: "a stream", code: undefined },
    { way: "pages", code: 400 },
  ]) {
    it(`tells the objects of ${way} with their cells, and then the changes`, async () => {
      await using test = await startWatchTest();
      await test.create("a", "b", "c", "d");
      await test.touch("b");
      const isRefused = ({ form }: { readonly form: string }): boolean =>
        code !== undefined && form === "watchList";
      using _ = test.proxy.always({ kind: "status", code: 400 }, isRefused);
      const { sink } = await test.liveWatch({ table: true });
      await test.agrees(sink); // the first of pages may be as old as the server's cache
      const listed = ["a", "b"].map((name) => shown(test, sink, name));

      await test.create("e");
      await test.touch("a");
      await test.remove("c");
      await test.agrees(sink);

      const [a, b] = listed;
      expect(listed.map((each) => each?.metadata.fields)).to.deep.equal([
        ...[cells("a", 0, a), cells("b", 1, b)],
      ]);
      const changed = ["a", "e"].map((name) => shown(test, sink, name));
      expect(changed.map((each) => each?.metadata.fields)).to.deep.equal([
        ...[cells("a", 1, a), cells("e", 0, changed[1])],
      ]);
      expect(sink.reasons).to.deep.equal([]);
      expect(sink.typed).to.equal(true);
      expect(sink.told).to.include("DELETED c");
      expect(forms(test)).to.deep.equal(
        code === undefined ? ["watchList"] : ["watchList", "list", "watch"],
      );
    });
  }

  it("tells the same objects as a watch without tables, but for their cells", async () => {
    await using test = await startWatchTest();
    await test.create("a", "b");
    const [table, plain] = [await test.liveWatch({ table: true }), await test.liveWatch()];
    await test.touch("b");
    await test.agrees(table.sink);
    await test.agrees(plain.sink);

    for (const [key, text] of plain.sink.texts) {
      const found = JSON.parse(table.sink.texts.get(key) ?? "null");
      const { fields, ...metadata } = found.metadata;
      expect(fields).to.have.length(3);
      expect({ ...found, metadata }).to.deep.equal(JSON.parse(text));
    }
  });

  it("goes on from where it was when the connection breaks", async () => {
    await using test = await startWatchTest();
    await test.create("a");
    const { sink } = await test.liveWatch({ table: true });
    await eventually(() => test.proxy.open() === 1);
    test.proxy.now({ kind: "cut" });
    await test.touch("a");
    await test.agrees(sink);

    expect(shown(test, sink, "a")?.metadata.fields).to.deep.equal(
      cells("a", 1, shown(test, sink, "a")),
    );
    expect(sink.lists).to.equal(1);
    expect(forms(test).filter((form) => form !== "list")).to.deep.equal(["watchList", "watch"]);
  });

  it("takes metadata alone where that is asked for", async () => {
    await using test = await startWatchTest();
    await test.create("a");
    await test.touch("a");
    const { sink } = await test.liveWatch({ table: true, metadataOnly: true });

    const found = shown(test, sink, "a");
    expect(found).to.include({ kind: "PartialObjectMetadata" });
    expect(found).to.not.have.property("data");
    expect(found?.metadata.fields).to.deep.equal(cells("a", 1, found));
  });

  it("takes what a server without tables sends", async () => {
    const object = (resourceVersion: string): object => ({
      metadata: { name: "a", resourceVersion },
    });
    await using server = await startScriptedServer((response) => {
      response.write(eventLine("ADDED", object("1")) + endOfList("1"));
      response.write(eventLine("MODIFIED", object("2")));
    });
    await using client = connect(server.config);
    const sink = new RecordingSink();
    const stop = new AbortController();
    const running = new Watch(client, ConfigMaps, sink, { table: true, timing: quick }).start(
      stop.signal,
    );
    await eventually(() => sink.told.includes("MODIFIED a"));
    stop.abort();
    await running;

    expect(sink.texts.get("a")).to.equal(JSON.stringify(object("2")));
    expect(sink.reasons).to.deep.equal([]);
  });
});
