import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { environment } from "../environment.ts";
import { tail } from "../log-file.ts";
import { identify, isAlive } from "../process.ts";
import { type Child, processesWith, startChild } from "../testing/child.ts";
import { until } from "../wait.ts";
import { Guard, type Guarded } from "./guard.ts";
import { readLines } from "./protocol.ts";

describe("Guard", function () {
  this.timeout(30_000);

  let root: string;
  let log: string;
  let guards: Guard[];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "guard-"));
    log = join(root, "log");
    guards = [];
  });
  afterEach(async () => {
    await Promise.all(guards.map((guard) => guard.stop()));
    rmSync(root, { recursive: true, force: true });
  });

  function aGuard(grace = 1_000, remove: readonly string[] = []): Guard {
    const guard = new Guard({ grace, remove, log: join(root, "guardian.log") });
    guard.start();
    guards.push(guard);
    return guard;
  }

  /** A shell with a script; `root` is in its command line, so that `processesWith` finds it. */
  const shell = (guard: Guard, script: string): Promise<Guarded> =>
    guard.run({
      command: "/bin/sh",
      args: ["-c", script, root],
      cwd: root,
      env: environment({ MARK: "yes" }),
      log,
    });
  const gone = (): Promise<true> =>
    until("everything ending", () => (processesWith(root).length === 0 ? true : undefined), {
      timeout: 5_000,
    });

  it("runs a program in its folder with its environment and collects both outputs", async () => {
    const program = await shell(aGuard(), 'pwd; echo "$MARK" >&2; exit 3');

    expect(await program.ended).to.deep.equal({ code: 3, signal: null });
    expect(tail(log, 2)).to.equal(`${root}\nyes`);
  });

  it("rejects a program that cannot be executed, saying why", async () => {
    const run = aGuard().run({ command: join(root, "none"), args: [], cwd: root, env: {}, log });

    expect(String(await run.catch((e: Error) => e))).to.contain("none ENOENT");
  });

  it("rejects once stopped", async () => {
    const guard = aGuard();
    await guard.stop();

    expect(String(await shell(guard, "true").catch((e: Error) => e))).to.contain("does not run");
  });

  it("sends a signal to a program and everything it started", async () => {
    const nap = `sleep 1${process.pid}`; // a duration that no other process has
    const program = await shell(aGuard(), `${nap} & ${nap}`);
    await until("both running", () => processesWith(nap).length >= 3 || undefined, {
      timeout: 5_000,
    });

    program.signal("SIGTERM");

    expect(await program.ended).to.deep.equal({ code: null, signal: "SIGTERM" });
    await until("both ending", () => processesWith(nap).length === 0 || undefined, {
      timeout: 5_000,
    });
  });

  it("ends the newest program first, each before the next", async () => {
    const guard = aGuard(5_000); // none is to be killed, however long it takes
    const journal = join(root, "journal");
    for (const name of ["first", "second", "third"]) {
      await shell(
        guard,
        `trap 'sleep 0.05; echo ${name} >> ${journal}; exit' TERM; echo up; while :; do sleep 0.01; done`,
      );
    }
    await until("all running", () => (tail(log, 3) === "up\nup\nup" ? true : undefined), {
      timeout: 5_000,
    });

    await guard.stop();

    expect(readFileSync(journal, "utf8")).to.equal("third\nsecond\nfirst\n");
  });

  it("kills what ignores SIGTERM once the grace is over, also when it was stopped by SIGSTOP", async () => {
    const guard = aGuard(200);
    const stubborn = await shell(guard, "trap '' TERM; echo up; while :; do sleep 0.01; done");
    await until("running", () => tail(log, 1) || undefined, { timeout: 5_000 });
    stubborn.signal("SIGSTOP");

    const begin = performance.now();
    await guard.stop();

    expect(performance.now() - begin).to.be.within(150, 1_500);
    expect(await stubborn.ended).to.deep.equal({ code: null, signal: "SIGKILL" });
  });

  it("removes its folders when it stops", async () => {
    const folder = join(root, "folder");
    mkdirSync(folder);

    await aGuard(0, [folder]).stop();

    expect(existsSync(folder)).to.equal(false);
  });

  it("kills the programs itself when the guardian is killed", async () => {
    const guard = aGuard();
    const program = await shell(guard, "trap '' TERM; while :; do sleep 0.01; done");

    process.kill(guard.pid ?? 0, "SIGKILL");

    expect(await program.ended).to.deep.equal({ code: null, signal: "SIGKILL" });
    await gone();
  });

  it("tears down on SIGTERM to the guardian and survives SIGINT and SIGHUP", async () => {
    const guard = aGuard();
    const program = await shell(guard, "sleep 60");
    const pid = guard.pid ?? 0;
    const guardian = identify(pid);

    process.kill(pid, "SIGINT");
    process.kill(pid, "SIGHUP");
    const echo = await shell(guard, "true");
    expect(await echo.ended).to.deep.equal({ code: 0, signal: null });
    process.kill(pid, "SIGTERM");

    expect(await program.ended).to.deep.equal({ code: null, signal: "SIGTERM" });
    await until("the guardian ending", () => !isAlive(guardian) || undefined, { timeout: 5_000 });
  });

  describe("of a process that ends", () => {
    let child: Child;
    afterEach(() => child.process.kill("SIGKILL"));

    /** A process with a guard and a program under it, which then does `rest`. */
    function launcher(rest: string): Child {
      const path = JSON.stringify(root);
      return startChild(`
        import { Guard } from "$guardian/guard.js";
        const guard = new Guard({ grace: 0, remove: [], log: ${path} + "/guardian.log" });
        guard.start();
        const program = { command: "/bin/sh", args: ["-c", "trap '' TERM; while :; do sleep 0.01; done", ${path}] };
        await guard.run({ ...program, cwd: ${path}, env: {}, log: ${path} + "/log" });
        ${rest}
        process.stdout.write("up");`);
    }
    const up = (): Promise<true> =>
      until("the launcher", () => (child.stdout() === "up" ? true : undefined), { timeout: 5_000 });

    for (const signal of ["SIGKILL", "SIGINT", "SIGHUP"] as const) {
      it(`leaves nothing behind when ${signal} ends it`, async function () {
        this.timeout(10_000);
        child = launcher("setInterval(() => undefined, 1_000);");
        await up();

        child.process.kill(signal);

        await gone();
      });
    }

    it("leaves nothing behind when it exits without stopping, and is not kept alive by its guard", async function () {
      this.timeout(10_000);
      child = launcher("");

      expect(await child.ended).to.equal(0);
      await gone();
    });

    it("goes on when only the terminal's foreground group is interrupted and it ignores that", async function () {
      this.timeout(10_000);
      child = launcher(
        'process.on("SIGINT", () => process.stdout.write("!")); setInterval(() => undefined, 1_000);',
      );
      await up();

      process.kill(-child.pid, "SIGINT");
      await until("the interrupt", () => (child.stdout() === "up!" ? true : undefined), {
        timeout: 5_000,
      });

      expect(processesWith(`sleep 0.01; done ${root}`)).to.not.deep.equal([]); // two while it begins to sleep
      child.process.kill("SIGKILL");
      await gone();
    });
  });
});

describe("readLines", () => {
  it("puts lines together whatever way they were cut", async () => {
    async function* chunks(): AsyncGenerator<string> {
      yield '{"a":';
      yield '1}\n{"b":2}\n\n{"c"';
      yield ":3}\n";
    }

    const objects: unknown[] = [];
    for await (const object of readLines(chunks())) objects.push(object);

    expect(objects).to.deep.equal([{ a: 1 }, { b: 2 }, { c: 3 }]);
  });
});
