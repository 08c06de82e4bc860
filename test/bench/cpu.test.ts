import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect } from "chai";
import { CpuMeter } from "./cpu.ts";

/** What the kernel tells this process of itself, in seconds. */
function own(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Keeps the processor busy for a tenth of a second. */
function work(): void {
  const end = own() + 0.1;
  while (own() < end);
}

const worker = `const until = process.threadCpuUsage().user + 1e5;
  while (process.threadCpuUsage().user < until);
  require("node:worker_threads").parentPort.on("message", () => process.exit()).postMessage("done");`;

/** A thread that has taken 0.1 s; `end` resolves when it has ended. */
async function thread(): Promise<{ end(): Promise<unknown> }> {
  const started = new Worker(worker, { eval: true });
  await once(started, "message");
  return {
    end: () => {
      started.postMessage("end");
      return once(started, "exit");
    },
  };
}

describe("CpuMeter", () => {
  let meter: CpuMeter;
  beforeEach(() => {
    meter = new CpuMeter(process.pid);
  });

  it("tells what a process takes, not in ticks, and knows of what ended before", async () => {
    await (await thread()).end();
    const before = meter.seconds;
    work();
    const after = meter.seconds;

    const ticks = (after - before) * 100;
    expect(ticks).to.be.within(8, 30);
    expect(ticks).not.to.be.closeTo(Math.round(ticks), 1e-5);
    expect(after).to.be.closeTo(own(), 0.05);
  });

  for (const [what, isSeen] of [
    ["was seen", true],
    ["was never seen", false],
  ] as const) {
    it(`counts a thread that has ended and ${what}`, async () => {
      const before = meter.seconds;
      const { end } = await thread();
      if (isSeen) expect(meter.seconds - before).to.be.greaterThan(0.08);
      await end();

      expect(meter.seconds - before).to.be.within(0.08, 2);
      expect(meter.seconds).to.be.closeTo(own(), 0.05);
    });
  }
});
