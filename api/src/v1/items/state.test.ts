import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { GzipBody } from "../pieces/gzip.ts";
import { type Cell, shown } from "../printers/cell.ts";
import { printerOf } from "../printers/printers.ts";
import { Fields, fieldsAsTold } from "./fields.ts";
import { podState } from "./state.ts";
import { noon } from "./testing.test.support.ts";

describe("podState", () => {
  for (const [status, expected] of [
    ["Running", "running"],
    ["CrashLoopBackOff", "crashLoopBackOff"],
    ["Completed", "completed"],
    ["OOMKilled", "oomKilled"],
    ["ContainerCreating", "containerCreating"],
    ["Init:0/1", "init:0/1"],
    ["ExitCode:137", "exitCode:137"],
    ["NotReady", "notReady"],
    ["X", "x"],
    ["ABC", "abc"],
    ["aB", "aB"],
    ["", ""],
    ["Échec", "échec"],
  ] as const) {
    it(`makes ${JSON.stringify(expected)} of ${JSON.stringify(status)}`, () => {
      expect(podState(status)).to.equal(expected);
    });
  }
});

describe("metadata.fields", () => {
  const seconds = 1000;
  const at = (cells: readonly Cell[], now = noon): unknown =>
    JSON.parse(`{${new Fields(cells).at(now)}"":0}`).fields;

  for (const { title, cells, expected } of [
    { title: "nothing", cells: [], expected: [] },
    {
      title: "what stands still",
      cells: ["a", 1, true, null, 'q"\\'],
      expected: ["a", 1, true, null, 'q"\\'],
    },
    {
      title: "ages",
      cells: [{ since: noon - 90 * seconds }, "x", { since: noon - 7_200_000 }],
      expected: ["90s", "x", "120m"],
    },
    {
      title: "restarts",
      cells: ["p", { restarts: 4, since: noon - 13_080_000 }],
      expected: ["p", "4 (3h38m ago)"],
    },
  ]) {
    it(`shows ${title}`, () => {
      expect(at(cells)).to.deep.equal(expected);
    });
  }

  it("has ages that go on", () => {
    const fields = new Fields(["a", { since: noon }]);

    expect(fields.at(noon + 5 * seconds)).to.equal('"fields":["a","5s"],');
    expect(fields.at(noon + 300 * seconds)).to.equal('"fields":["a","5m"],');
    expect(fields.at(noon - 5 * seconds)).to.equal('"fields":["a","<invalid>"],');
  });

  it("tells until when a text stays right, unless somebody asked for another time since", () => {
    const fields = new Fields([{ since: noon }]);
    const now = noon + 5 * seconds;

    fields.at(now);
    expect(fields.untilFrom(now + 500)).to.equal(noon + 6 * seconds);
    fields.at(now + 2 * seconds);
    expect(fields.untilFrom(now)).to.equal(now);
    fields.at(now - 2 * seconds);
    expect(fields.untilFrom(now)).to.equal(now);
  });

  it("has ages below 0 as they are at each millisecond", () => {
    const fields = new Fields([{ since: noon }]);
    for (let now = noon - 3_500; now < noon + 1_500; now++)
      expect(fields.at(now)).to.equal(`"fields":["${shown({ since: noon }, now)}"],`);
  });

  it("has the ages of any time, also of one before another, and is packed as it is", async () => {
    const random = seededRandom(3);
    const cells = [{ since: noon - 900 * seconds }, { restarts: 2, since: noon }, "x".repeat(70)];
    const fields = new Fields(cells);
    for (let turn = 0, now = noon; turn < 5000; turn++) {
      const longest = [900, 20_000, 4_000_000, 90_000_000, 40_000_000_000][turn % 5] ?? 0;
      now += random.below(longest) - longest / 3;

      const expected = `"fields":${JSON.stringify(cells.map((cell) => shown(cell, now)))},`;
      expect(fields.at(now), String(now - noon)).to.equal(expected);
      if (turn % 100 > 0) continue;
      const body = new GzipBody();
      body.addDeflated(fields.packedAt(now));
      expect(String(gunzipSync(Buffer.concat(await body.end())))).to.equal(expected);
    }
  });

  it("has a Job's duration until it ends", () => {
    const printer = printerOf("batch", "v1", "Job");
    const started = new Date(noon - 60 * seconds).toISOString();
    const ended = new Date(noon - 30 * seconds).toISOString();
    const cellsOf = (status: object) =>
      printer?.({ metadata: { name: "j" }, spec: {}, status }) ?? [];

    expect(at(cellsOf({ startTime: started }))).to.include("60s");
    expect(
      at(cellsOf({ startTime: started, completionTime: ended }), noon + 3600 * seconds),
    ).to.include("30s");
  });

  it("is as the server told it", () => {
    expect(fieldsAsTold(["a", 5, null, "1y"])).to.equal('"fields":["a",5,null,"1y"],');
  });
});
