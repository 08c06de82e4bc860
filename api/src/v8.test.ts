import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

const run = promisify(execFile);

/** Makes much that goes at once and keeps a fifth of it, and prints how often it did so until the whole heap was collected. */
const turnsUntilCollected = `
  import { constants, PerformanceObserver } from "node:perf_hooks";
  import { setTimeout } from "node:timers/promises";
  const [module] = process.argv.slice(1);
  if (module !== undefined) (await import(module)).tuneV8();
  let begin = Infinity;
  let isCollected = false;
  const observer = new PerformanceObserver((list) => {
    for (const { detail, startTime } of list.getEntries())
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR && startTime > begin) isCollected = true;
  });
  observer.observe({ entryTypes: ["gc"] });
  const all = [];
  async function turn(kept) {
    for (let each = 0; each < 100; each++) {
      const some = Array.from({ length: 100 }, (_, index) => index + 0.5);
      if (each < kept) all.push(some);
    }
    await setTimeout(1);
  }
  for (let turns = 0; turns < 900; turns++) await turn(50);
  gc();
  begin = performance.now();
  let turns = 0;
  for (; turns < 5_000 && !isCollected; turns++) await turn(20);
  console.log(turns);
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

describe("tuneV8", function () {
  this.timeout(60_000);

  /** What a script prints in a process where V8 is told nothing, and where it is. */
  function bothWays(flag: string, script: string): Promise<[untold: number, told: number]> {
    const module = new URL("./v8.js", import.meta.url).href;
    const printed = async (...modules: readonly string[]): Promise<number> => {
      const args = [flag, "--input-type=module", "--eval", script, ...modules];
      return Number((await run(process.execPath, args)).stdout);
    };
    return Promise.all([printed(), printed(module)]);
  }

  it("makes V8 set no more than 32 MiB aside for young objects", async () => {
    const [usual, bounded] = await bothWays("--expose-gc", young);

    expect(usual).to.be.above(32);
    expect(bounded).to.be.within(16, 32);
  });

  it("makes V8 look through the whole heap before much has come on top of what is kept", async () => {
    const [usual, bounded] = await bothWays("--expose-gc", turnsUntilCollected);

    expect(bounded).to.be.within(100, usual - 1);
  });

  it("makes V8 compile what is called once for each request after fewer of them", async () => {
    const [usual, soon] = await bothWays("--allow-natives-syntax", callsUntilCompiled);

    expect(soon).to.be.below(usual);
  });
});
