import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { Others, type Running, undisturbed } from "./others.ts";

/** A process that takes a whole core, and has begun. */
async function busy(): Promise<ChildProcess & AsyncDisposable> {
  const program = "process.stdout.write('begun'); for (;;);";
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  return Object.assign(child, {
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGKILL");
      await ended;
    },
  });
}

/** Of these, and the test itself, whatever else the machine does. */
function only(...processes: readonly ChildProcess[]): Running {
  return () => [process.pid, ...processes.flatMap(({ pid }) => pid ?? [])];
}

/** Resolves when one of those has taken a fifth of the time, and some ticks. */
async function taken(running: Running): Promise<Others> {
  const [others, begin] = [new Others([], running), performance.now()];
  const isEnough = (cores: number): boolean =>
    cores > 0.2 && (performance.now() - begin) * cores > 200;
  while (!isEnough(others.busiest.cores)) await new Promise((resolve) => setTimeout(resolve, 10)); // the kernel tells in ticks
  return others;
}

describe("Others", () => {
  it("names who takes most, from its making on", async () => {
    await using other = await busy();
    const { pid, name, cores } = (await taken(only(other))).busiest;

    expect(pid).to.equal(other.pid);
    expect(name).to.match(/node|MainThread/);
    expect(cores).to.be.within(0.2, 1.2);
  });

  it("passes over those that are measured, and this process", async () => {
    await using measured = await busy();
    const others = new Others([measured.pid ?? 0], only(measured));
    await taken(only(measured));

    expect(others.busiest).to.deep.equal({ pid: 0, name: "nobody", cores: 0 });
  });
});

describe("undisturbed", () => {
  it("measures again while somebody takes a core, and says who did when that is always so", async () => {
    await using other = await busy();
    const running = only(other);
    let times = 0;
    const measure = async (): Promise<void> => {
      times++;
      await taken(running);
    };
    const outcome = await undisturbed([], measure, { running, patience: 0 }).catch(String);

    expect(outcome).to.match(new RegExp(`\\(pid ${other.pid}\\) took [01]\\.\\d\\d of a core`));
    expect(times).to.equal(5);
  });

  it("keeps what was measured once it was quiet, of the measured ones alone", async () => {
    await using other = await busy();
    await using measured = await busy();
    let times = 0;
    const measure = async (): Promise<number> => {
      if (times === 2) await other[Symbol.asyncDispose]();
      await taken(only(times === 2 ? measured : other));
      return ++times;
    };
    const running = only(other, measured);
    const found = await undisturbed([measured.pid ?? 0], measure, { running, patience: 0 });

    expect(found).to.equal(3);
  });

  it("waits for somebody who takes a core to be done, and measures again but once", async () => {
    await using other = await busy();
    const running = only(other);
    let times = 0;
    const measure = async (): Promise<void> => {
      times++;
      if (times > 1) return;
      await taken(running);
      setTimeout(() => other.kill("SIGKILL"), 500); // while it is waited for
    };
    await undisturbed([], measure, { running });

    expect(times).to.equal(2);
  });

  it("measures again all the same when its patience is over", async () => {
    await using other = await busy();
    const running = only(other);
    const begin = performance.now();
    const outcome = await undisturbed([], () => taken(running), { running, patience: 1 }).catch(
      String,
    );

    expect(outcome).to.contain("each of 5 times");
    expect(performance.now() - begin).to.be.at.least(4000);
  });
});
