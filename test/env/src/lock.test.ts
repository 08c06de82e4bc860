import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { acquire, type Holders } from "./lock.ts";
import { identify } from "./process.ts";
import { type Child, startChild } from "./testing/child.ts";
import { until } from "./wait.ts";

describe("acquire", () => {
  let root: string;
  let path: string;
  let children: Child[];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "lock-"));
    path = join(root, "lock");
    children = [];
  });
  afterEach(() => {
    for (const { process: child } of children) child.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
  });

  const held = (holders: Partial<Holders>): void =>
    writeFileSync(
      path,
      JSON.stringify({ id: "other", host: hostname(), processes: [], ...holders }),
    );
  const failure = (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => "acquired",
      (error: Error) => error.message,
    );

  it("gives a free lock at once and leaves nothing after release", async () => {
    const lock = await acquire(path);
    expect(readdirSync(root)).to.deep.equal(["lock"]);

    lock.release();

    expect(readdirSync(root)).to.deep.equal([]);
  });

  it("waits for the holder, tells once who it is, and goes on when it is released", async () => {
    const first = await acquire(path);
    const told: Holders[] = [];
    const second = acquire(path, { onWait: (holders) => told.push(holders) });
    await until("being told", () => (told.length > 0 ? true : undefined), { timeout: 1_000 });

    first.release();
    (await second).release();

    expect(told.map(({ processes }) => processes[0]?.pid)).to.deep.equal([process.pid]);
  });

  it("gives up after the time-out, and when aborted", async () => {
    const first = await acquire(path);

    const late = await failure(acquire(path, { timeout: 150 }));
    const aborted = await failure(acquire(path, { signal: AbortSignal.abort(new Error("no")) }));
    first.release();

    expect(late).to.contain(`waiting for ${path} took longer than 0.15 s`);
    expect(aborted).to.equal("no");
  });

  it("takes over from a process that was killed", async function () {
    this.timeout(10_000);
    const child = startChild(
      `import { acquire } from "$lock.js";
       await acquire(${JSON.stringify(path)});
       setInterval(() => undefined, 1_000);`,
    );
    children.push(child);
    await until("the child holding", () => existsSync(path) || undefined, { timeout: 5_000 });
    const busy = await failure(acquire(path, { timeout: 150 }));

    child.process.kill("SIGKILL");
    const lock = await acquire(path, { timeout: 2_000 });
    lock.release();

    expect(busy).to.contain("took longer");
  });

  it("is not deceived by a process id that was given to another process since", async () => {
    held({ processes: [{ pid: process.pid, started: "1" }] });

    const lock = await acquire(path, { timeout: 1_000 });

    lock.release();
  });

  it("takes over a file that is no lock, past a claim that is none", async () => {
    writeFileSync(path, "{ half");
    writeFileSync(`${path}.takeover.`, "{ half");

    const lock = await acquire(path, { timeout: 1_000 });

    lock.release();
  });

  it("holds as long as any of the processes that share it lives", async () => {
    held({ processes: [{ pid: process.pid, started: "1" }, identify(process.pid)] });

    expect(await failure(acquire(path, { timeout: 150 }))).to.contain("took longer");
  });

  it("believes a holder on another machine while it touches the file", async () => {
    held({ host: "elsewhere", processes: [{ pid: 1, started: "1" }] });
    const busy = await failure(acquire(path, { timeout: 150 }));

    const silent = new Date(Date.now() - 61_000);
    utimesSync(path, silent, silent);
    const lock = await acquire(path, { timeout: 1_000 });
    lock.release();

    expect(busy).to.contain("took longer");
  });

  it("does not free a lock that another has taken over", async () => {
    const lock = await acquire(path);
    held({ id: "successor" });

    lock.release();

    expect(existsSync(path)).to.equal(true);
  });

  it("takes over from a dead holder whose heir died while it took over, and cleans up", async () => {
    held({ id: "a/b" });
    const heir = { id: "heir", host: hostname(), processes: [{ pid: process.pid, started: "1" }] };
    writeFileSync(`${path}.takeover.a%2Fb`, JSON.stringify(heir));

    await acquire(path, { timeout: 1_000 });

    expect(readdirSync(root)).to.deep.equal(["lock"]);
  });

  it("lets one in at a time when many processes find the same dead holder", async function () {
    this.timeout(30_000);
    const dead = { id: "dead", host: hostname(), processes: [{ pid: process.pid, started: "1" }] };
    held(dead);
    const [journal, gate] = [join(root, "journal"), join(root, "go")];
    const script = `
      import { appendFileSync, existsSync, renameSync, writeFileSync } from "node:fs";
      import { acquire } from "$lock.js";
      const [path, journal, gate, dead] = ${JSON.stringify([path, journal, gate, dead])};
      process.stdout.write("ready");
      while (!existsSync(gate)) await new Promise((resolve) => setImmediate(resolve));
      for (let i = 0; i < 50; i++) {
        await acquire(path, { every: 0 });
        appendFileSync(journal, "in\\n");
        for (const end = performance.now() + 3; performance.now() < end; );
        appendFileSync(journal, "out\\n");
        // dies, as far as the others can see, and so does who was about to take over
        const id = process.pid + "-" + i;
        writeFileSync(path + ".takeover." + id, JSON.stringify({ ...dead, id: "heir-" + id }));
        writeFileSync(path + process.pid, JSON.stringify({ ...dead, id }));
        renameSync(path + process.pid, path);
      }
      process.exit();`;
    for (let i = 0; i < 4; i++) children.push(startChild(script));
    const ready = (): true | undefined =>
      children.every((child) => child.stdout() === "ready") || undefined;
    await until("all being ready", ready, { timeout: 10_000 });

    writeFileSync(gate, "");
    const codes = await Promise.all(children.map(({ ended }) => ended));

    expect(codes).to.deep.equal([0, 0, 0, 0]);
    expect(readFileSync(journal, "utf8")).to.equal("in\nout\n".repeat(200));
    const last = readdirSync(root).filter((name) => name.startsWith("lock.takeover."));
    expect(last.length, last.join()).to.equal(1);
  });
});
