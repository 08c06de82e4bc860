// Whatever happens to the process that started a control plane, nothing of it stays behind.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { findBinaries } from "./binaries/find.ts";
import { type Child, processesWith, startChild, startCli } from "./testing/child.ts";
import { pause, until } from "./wait.ts";

describe("no orphans", function () {
  this.timeout(60_000);
  let root: string;
  let children: Child[];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "orphans-"));
    children = [];
  });
  afterEach(() => {
    for (const { process: child } of children) child.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
  });

  /** Everything of a control plane has a path below `root` in its command line, the guardian included. */
  const gone = (timeout = 5_000): Promise<true> =>
    until("everything ending", () => processesWith(root).length === 0 || undefined, { timeout });

  /** A process that starts a control plane, prints what it is, and waits. */
  function launcher(options: object = {}): Child {
    const child = startChild(
      `import { startControlPlane } from "$control-plane/start.js";
       const controlPlane = await startControlPlane(JSON.parse(process.env.OPTIONS));
       process.stdout.write(JSON.stringify(controlPlane.pids));
       setInterval(() => undefined, 1_000);`,
      { TMPDIR: root, OPTIONS: JSON.stringify(options) },
    );
    children.push(child);
    return child;
  }
  async function ready(child: Child): Promise<Record<string, number>> {
    const look = (): true | undefined => {
      if (child.process.exitCode !== null) throw new Error(child.stderr());
      return child.stdout().endsWith("}") || undefined;
    };
    await until("the control plane", look, { timeout: 40_000 });
    return JSON.parse(child.stdout());
  }

  it("stay when the launcher is killed; temporary files neither", async () => {
    const child = launcher();
    await ready(child);
    const before = processesWith(root).length;

    child.process.kill("SIGKILL");

    await gone();
    expect(before).to.equal(4); // guardian, etcd, kube-apiserver, kube-controller-manager
    expect(readdirSync(root)).to.deep.equal([]);
  });

  it("stay when the launcher is killed at any moment of the start", async () => {
    for (let delay = 60; delay < 4_000; delay = Math.round(delay * 1.6)) {
      const child = launcher({ controllerManager: delay % 2 === 0 });
      await pause(delay);

      child.process.kill("SIGKILL");

      await gone();
    }
  });

  it("stay when a persistent one's launcher is killed, and the next run has its data", async () => {
    const dir = join(root, "state");
    const first = launcher({ dir });
    await ready(first);

    first.process.kill("SIGKILL");
    const second = launcher({ dir }); // while the first is still ending
    await ready(second);

    expect(processesWith(root).length).to.equal(4);
    const log = readFileSync(join(dir, "logs", "kube-apiserver.previous.log"), "utf8");
    expect(log).to.contain("Stopped listening"); // it ended in order
    second.process.kill("SIGKILL");
    await gone(15_000);
  });

  it("stay when guardian and launcher are killed at once, with the programs of hack/controlplane", async function () {
    const { origin } = await findBinaries();
    if (process.platform !== "linux" || !origin.startsWith("hack/controlplane")) return this.skip();
    const child = launcher();
    const { guardian } = await ready(child);

    child.process.kill("SIGSTOP"); // so that it does not notice
    process.kill(guardian ?? 0, "SIGKILL");
    child.process.kill("SIGKILL");

    await gone(15_000);
  });

  describe("of drover-env up", () => {
    const url = (child: Child): string => / at (\S+)/.exec(child.stdout())?.[1] ?? "";
    async function up(): Promise<Child> {
      const child = startCli(["up", "--dir", join(root, "state")], { TMPDIR: root });
      children.push(child);
      await until("the control plane", () => child.stdout().includes("KUBECONFIG=") || undefined, {
        timeout: 40_000,
      });
      return child;
    }

    it("stay after Ctrl-C, which interrupts the whole foreground group; the next run has the same address", async () => {
      const first = await up();

      process.kill(-first.pid, "SIGINT");

      expect(await first.ended).to.equal(0);
      expect(processesWith(root)).to.deep.equal([]);
      expect(existsSync(join(root, "state", "lock"))).to.equal(false);
      const log = readFileSync(join(root, "state", "logs", "kube-apiserver.log"), "utf8");
      expect(log).to.contain("Stopped listening");
      const second = await up();
      expect(url(second)).to.equal(url(first));
    });

    it("end it with a message when one of the processes ends", async () => {
      const child = await up();
      const etcd = processesWith(root).find(({ command }) => command.includes("--data-dir"));

      process.kill(etcd?.pid ?? 0, "SIGKILL");

      expect(await child.ended).to.equal(1);
      expect(child.stderr()).to.contain("etcd ended (SIGKILL)");
      await gone();
    });
  });
});
