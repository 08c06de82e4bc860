import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

const run = promisify(execFile);

/** Calls a function once a turn, and prints after how many calls it was compiled by TurboFan; 20,000 when it was not. */
const script = `
  import { setImmediate } from "node:timers/promises";
  const [module] = process.argv.slice(1);
  if (module !== undefined) (await import(module)).optimizeSoon();
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

describe("optimizeSoon", function () {
  this.timeout(60_000);

  async function callsWith(...modules: readonly string[]): Promise<number> {
    const args = ["--allow-natives-syntax", "--input-type=module", "--eval", script, ...modules];
    const { stdout } = await run(process.execPath, args);
    return Number(stdout);
  }

  it("makes V8 compile what is called once for each request after fewer of them", async () => {
    const module = new URL("./tiers.js", import.meta.url).href;
    const [usual, soon] = await Promise.all([callsWith(), callsWith(module)]);

    expect(soon).to.be.below(usual);
  });
});
