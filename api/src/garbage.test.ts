import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

const run = promisify(execFile);

/** Makes much that goes at once and keeps a little of it, 33 MB in all, and prints how often the whole heap was collected meanwhile. */
const script = `
  import { constants, PerformanceObserver } from "node:perf_hooks";
  import { setTimeout } from "node:timers/promises";
  const [module] = process.argv.slice(1);
  if (module !== undefined) (await import(module)).markSeldom();
  let majors = 0;
  let begin = Infinity;
  const observer = new PerformanceObserver((list) => {
    for (const { detail, startTime } of list.getEntries())
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR && startTime > begin) majors++;
  });
  observer.observe({ entryTypes: ["gc"] });
  const all = [];
  async function turns(count, kept) {
    for (let turn = 0; turn < count; turn++) {
      for (let each = 0; each < 100; each++) {
        const some = Array.from({ length: 100 }, (_, index) => turn + index + 0.5);
        if (each < kept) all.push(some);
      }
      await setTimeout(1);
    }
  }
  await turns(300, 50);
  gc();
  begin = performance.now();
  await turns(800, 50);
  await setTimeout(10);
  console.log(majors);
`;

describe("markSeldom", function () {
  this.timeout(60_000);

  async function majorsWith(...modules: readonly string[]): Promise<number> {
    const args = ["--expose-gc", "--input-type=module", "--eval", script, ...modules];
    const { stdout } = await run(process.execPath, args);
    return Number(stdout);
  }

  it("makes V8 collect the whole heap less often", async () => {
    const module = new URL("./garbage.js", import.meta.url).href;
    const [usual, seldom] = await Promise.all([majorsWith(), majorsWith(module)]);

    expect(usual).to.be.above(0);
    expect(seldom).to.be.below(usual);
  });
});
