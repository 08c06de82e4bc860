import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

const run = promisify(execFile);

/** Keeps so many lists of 0.8 KB; then makes more, keeps an eighth of it, and prints how many percent had come on top when the whole heap was collected. */
const percentUntilCollected = (kept: number): string => `
  import { constants, PerformanceObserver } from "node:perf_hooks";
  import { setTimeout } from "node:timers/promises";
  const [module] = process.argv.slice(1);
  if (module !== undefined) (await import(module)).tuneV8();
  let isCollected = false;
  const observer = new PerformanceObserver((list) => {
    const kinds = list.getEntries().map(({ detail }) => detail.kind);
    if (kinds.includes(constants.NODE_PERFORMANCE_GC_MAJOR)) isCollected = true;
  });
  observer.observe({ entryTypes: ["gc"] });
  const all = [];
  async function turn(made, kept) {
    for (let each = 0; each < made; each++) {
      const some = Array.from({ length: 100 }, (_, index) => index + 0.5);
      if (each < kept) all.push(some);
    }
    await setTimeout(1);
  }
  while (all.length < ${kept}) await turn(500, 500);
  for (const _ of ["for what is there", "with what follows from that"]) {
    isCollected = false;
    gc();
    while (!isCollected) await setTimeout(1); // it is told of in a later turn
  }
  isCollected = false;
  while (all.length < ${4 * kept} && !isCollected) await turn(400, 50);
  console.log(100 * (all.length / ${kept} - 1));
`;

/** Makes more and more that stays a while, a little at a time, and prints the most MiB that were set aside for young objects. */
const young = `
  import { setTimeout } from "node:timers/promises";
  import { getHeapSpaceStatistics } from "node:v8";
  const [module] = process.argv.slice(1);
  if (module !== undefined) (await import(module)).tuneV8();
  const size = () => getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size;
  let most = 0;
  let all = [];
  for (let turn = 0; turn < 2000; turn++) {
    for (let each = 0; each < 4000; each++) all.push({ turn, each, some: [turn, each] });
    if (all.length > 400_000) all = [];
    most = Math.max(most, size());
    await setTimeout(0);
  }
  console.log(most / 1024 ** 2);
`;

/** Calls a function once a turn, and prints after how many calls it was compiled by TurboFan; 20,000 when it was not. */
const callsUntilCompiled = `
  import { setImmediate } from "node:timers/promises";
  const [module] = process.argv.slice(1);
  if (module !== undefined) (await import(module)).tuneV8();
  const isCompiledWell = (one) => (%GetOptimizationStatus(one) & (1 << 6)) !== 0;
  const area = ({ width, height }) => width * height + 0.5;
  let calls = 0;
  let sum = 0;
  while (calls < 20_000 && !isCompiledWell(area)) {
    sum += area({ width: calls++, height: 2 });
    await setImmediate();
  }
  console.log(calls);
`;

/** Keeps what it makes for some turns, while V8 prints how each collection went. */
const survivors = `
  const [module] = process.argv.slice(1);
  if (module !== undefined) (await import(module)).tuneV8();
  const kept = [];
  for (let turn = 0; turn < 200; turn++)
    kept[turn % 8] = Array.from({ length: 20_000 }, (_, index) => ({ turn, index }));
`;

/** Keeps all that it makes, in ever new code, while V8 prints from where objects begin as old ones. V8 decides that only once the room for young objects has grown. */
const keeper = `
  const [module] = process.argv.slice(1);
  if (module !== undefined) (await import(module)).tuneV8();
  const kept = [];
  for (let turn = 0; turn < 40; turn++) {
    const make = new Function("index", "return { turn: " + turn + ", some: [index, index] };");
    for (let each = 0; each < 50_000; each++) kept.push(make(each));
  }
`;

describe("tuneV8", function () {
  this.timeout(60_000);

  const module = new URL("./v8.js", import.meta.url).href;

  /** What a script prints in a process where V8 is told what the module says, or nothing. */
  async function printed(
    flag: string,
    script: string,
    ...modules: readonly string[]
  ): Promise<number> {
    const args = [flag, "--input-type=module", "--eval", script, ...modules];
    return Number((await run(process.execPath, args)).stdout);
  }

  function bothWays(flag: string, script: string): Promise<[untold: number, told: number]> {
    return Promise.all([printed(flag, script), printed(flag, script, module)]);
  }

  /** How long other threads helped with each collection of young garbage, in milliseconds. */
  async function helped(...modules: readonly string[]): Promise<number[]> {
    const args = ["--trace-gc-nvp", "--input-type=module", "--eval", survivors, ...modules];
    const { stdout } = await run(process.execPath, args);
    return [...stdout.matchAll(/ background\.scavenge\.parallel=([\d.]+)/g)].map(([, took]) =>
      Number(took),
    );
  }

  it("makes V8 set 32 MiB aside for young objects, seldom 64, and never 128", async () => {
    const [usual, bounded] = await bothWays("--expose-gc", young);

    expect(usual).to.be.above(64);
    expect(bounded).to.be.within(16, 64);
  });

  it("makes V8 collect young garbage in the thread that made it", async () => {
    const [usual, alone] = await Promise.all([helped(), helped(module)]);

    expect(usual).to.satisfy((of: number[]) => of.some((milliseconds) => milliseconds > 0));
    expect(alone.length).to.be.above(2);
    expect(new Set(alone)).to.deep.equal(new Set([0]));
  });

  it("makes V8 begin all objects as young ones", async () => {
    const decided = async (...modules: readonly string[]): Promise<number> => {
      const args = ["--trace-pretenuring-statistics", "--input-type=module", "--eval", keeper];
      const { stdout } = await run(process.execPath, [...args, ...modules]);
      return [...stdout.matchAll(/ tenured=[1-9]/g)].length;
    };
    const [usual, young] = await Promise.all([decided(), decided(module)]);

    expect(usual).to.be.above(0);
    expect(young).to.equal(0);
  });

  for (const { kept, what, least, most } of [
    { kept: 20_000, what: "as much as there is", least: 80, most: 150 }, // not 300
    { kept: 90_000, what: "48 MiB", least: 50, most: 90 },
    { kept: 200_000, what: "two fifths", least: 30, most: 60 },
  ])
    it(`makes V8 look through the whole heap when ${what} came on top of ${kept} lists`, async () => {
      const percent = await printed("--expose-gc", percentUntilCollected(kept), module);

      expect(percent).to.be.within(least, most);
    });

  it("makes V8 compile what is called once for each request after fewer of them", async () => {
    const [usual, soon] = await bothWays("--allow-natives-syntax", callsUntilCompiled);

    expect(soon).to.be.below(usual);
  });
});
