import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { identify } from "../process.ts";
import { freshLog, recall, remember, type StatePaths, statePaths, takeState } from "./state.ts";

describe("state folder", () => {
  let paths: StatePaths;
  beforeEach(() => {
    paths = statePaths(mkdtempSync(join(tmpdir(), "state-")));
  });
  afterEach(() => rmSync(paths.dir, { recursive: true, force: true }));

  it("remembers the port for the next run, and knows nothing when the note is damaged", () => {
    const before = recall(paths);
    remember(paths, { port: 6443 });
    const after = recall(paths);
    writeFileSync(paths.memory, "{");

    expect([before, after, recall(paths)]).to.deep.equal([{}, { port: 6443 }, {}]);
  });

  it("keeps the log of the run before beside the new one", () => {
    const log = freshLog(paths, "etcd");
    writeFileSync(log, "first");
    freshLog(paths, "etcd");
    writeFileSync(log, "second");
    freshLog(paths, "etcd");

    expect(readdirSync(paths.logs)).to.deep.equal(["etcd.previous.log"]);
    expect(readFileSync(join(paths.logs, "etcd.previous.log"), "utf8")).to.equal("second");
  });

  it("refuses at once a folder that another launcher uses", async () => {
    const lock = await takeState(paths, undefined);

    const error = await takeState(paths, undefined).catch((e: Error) => e);
    lock.release();

    expect(String(error)).to.contain(
      `${paths.dir} is in use by a control plane of process ${process.pid}`,
    );
  });

  it("waits while only the guardian of a killed launcher is left", async () => {
    const launcher = { pid: process.pid, started: "1" }; // this id, but of a process long gone
    const processes = [launcher, identify(process.pid)];
    writeFileSync(paths.lock, JSON.stringify({ id: "last", host: hostname(), processes }));
    const taking = takeState(paths, undefined);

    rmSync(paths.lock);

    (await taking).release();
  });
});
