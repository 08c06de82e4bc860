import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { identify, isAlive } from "../process.ts";
import { until } from "../wait.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { ControlPlaneOptions } from "./options.ts";
import { startControlPlane } from "./start.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

describe("the life of a control plane", function () {
  this.timeout(60_000);
  let root: string;
  let started: ControlPlane[];
  let lines: string[];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "life-"));
    started = [];
    lines = [];
  });
  afterEach(async () => {
    await Promise.all(started.map((controlPlane) => controlPlane.stop()));
    rmSync(root, { recursive: true, force: true });
  });

  async function start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    const controlPlane = await startControlPlane({ log: (line) => lines.push(line), ...options });
    started.push(controlPlane);
    return controlPlane;
  }
  const create = async (controlPlane: ControlPlane, name: string): Promise<number> =>
    (await controlPlane.request("POST", MAPS, { body: { metadata: { name } } })).status;
  const find = async (controlPlane: ControlPlane, name: string): Promise<number> =>
    (await controlPlane.request("GET", `${MAPS}/${name}`)).status;
  const alive = (pids: ControlPlane["pids"]): number =>
    Object.values(pids).filter((pid) => pid !== undefined && isAlive(identify(pid))).length;

  describe("with a folder", () => {
    it("has the same data, port, kubeconfig and tokens in the next run", async () => {
      const dir = join(root, "state");
      const first = await start({ dir });
      await create(first, "kept");
      const token = await first.serviceAccountToken("default", "robot");
      const { kubeconfig, port, pids } = first;
      await first.stop();
      const left = alive(pids);

      const second = await start({ dir });

      expect(left).to.equal(0);
      expect(await find(second, "kept")).to.equal(200);
      expect(second.port).to.equal(port);
      expect(readFileSync(second.kubeconfigPath, "utf8")).to.equal(kubeconfig);
      const { path } = await second.kubeconfigFor({ token });
      const { stdout } = await second.kubectl(["auth", "whoami"], { kubeconfig: path });
      expect(stdout).to.contain("system:serviceaccount:default:robot");
    });

    it("rewrites the kubeconfig when its old port was taken meanwhile", async () => {
      const dir = join(root, "state");
      const first = await start({ dir, controllerManager: false });
      await create(first, "kept");
      await first.stop();
      const squatter = createServer().listen(first.port, "127.0.0.1");
      await once(squatter, "listening");

      const second = await start({ dir, controllerManager: false });
      squatter.close();

      expect(second.port).to.not.equal(first.port);
      expect(lines.join()).to.contain(`port ${first.port} is taken, using ${second.port}`);
      expect(readFileSync(second.kubeconfigPath, "utf8")).to.contain(`server: ${second.url}\n`);
      expect(await find(second, "kept")).to.equal(200);
    });

    it("is refused to a second control plane while the first runs, which is not disturbed", async () => {
      const dir = join(root, "state");
      const first = await start({ dir, controllerManager: false });

      const begin = performance.now();
      const error = await start({ dir }).catch((e: Error) => e);

      expect(String(error)).to.contain(
        `${dir} is in use by a control plane of process ${process.pid}`,
      );
      expect(performance.now() - begin).to.be.below(2_000);
      expect(await create(first, "more")).to.equal(201);
    });

    it("is emptied of its state, and of nothing else, when it shall not persist", async () => {
      writeFileSync(join(root, "mine"), "");

      const controlPlane = await start({ dir: root, persist: false, controllerManager: false });
      const during = readdirSync(root);
      await controlPlane.stop();

      expect(during).to.include.members(["etcd", "kubeconfig", "logs", "mine", "pki"]);
      expect(readdirSync(root)).to.deep.equal(["mine"]);
    });

    it("keeps its secrets to its owner", async () => {
      const controlPlane = await start({ dir: join(root, "state"), controllerManager: false });

      for (const path of [
        controlPlane.dir,
        controlPlane.kubeconfigPath,
        join(controlPlane.dir, "pki"),
      ]) {
        expect(statSync(path).mode & 0o077, path).to.equal(0);
      }
    });
  });

  describe("without a folder", () => {
    it("leaves no process and no file behind, and can be stopped twice", async () => {
      const { pids, dir, ...rest } = await start({ controllerManager: false });
      const [controlPlane] = started;
      expect(rest).to.not.equal(undefined);

      await controlPlane?.stop();
      await controlPlane?.stop();

      expect(alive(pids)).to.equal(0);
      expect(existsSync(dir)).to.equal(false);
    });

    it("runs beside others that know nothing of it", async () => {
      const [one, two] = await Promise.all([start({ name: "one" }), start({ name: "two" })]);

      await create(one, "only-here");
      const { path } = await one.kubeconfigFor({ name: "jane", groups: ["system:masters"] });
      const own = await one.kubectl(["get", "configmap", "only-here"], { kubeconfig: path });
      const foreign = readFileSync(path, "utf8").replace(one.url, two.url);
      writeFileSync(path, foreign);
      const other = await two.kubectl(["get", "configmap", "only-here"], { kubeconfig: path });

      expect(await find(two, "only-here")).to.equal(404);
      expect(one.kubeconfig).to.contain('current-context: "one"');
      expect(own.code).to.equal(0);
      expect(other.stderr).to.contain("certificate signed by unknown authority");
    });
  });

  it("stops when its signal aborts", async () => {
    const abort = new AbortController();
    const { pids } = await start({ signal: abort.signal, controllerManager: false });

    abort.abort();

    await until("all processes ending", () => alive(pids) === 0 || undefined, { timeout: 15_000 });
  });

  it("leaves nothing running when its start is aborted", async () => {
    const abort = new AbortController();
    const dir = join(root, "state");
    const starting = start({ dir, signal: abort.signal }).catch((e: Error) => e);
    const log = join(dir, "logs", "kube-apiserver.log");
    await until("the kube-apiserver", () => existsSync(log) || undefined, { timeout: 10_000 });

    abort.abort(new Error("enough"));

    expect(String(await starting)).to.equal("Error: enough");
    const second = await start({ dir, controllerManager: false }); // so the folder is free again
    expect(await create(second, "after")).to.equal(201);
  });

  it("knows users by the tokens it was given", async () => {
    const tokens = [{ token: "s3cret", name: "jane", groups: ["a b", 'with"quote'] }];
    const controlPlane = await start({ tokens, controllerManager: false });
    const { path } = await controlPlane.kubeconfigFor({ token: "s3cret" });

    const { stdout } = await controlPlane.kubectl(["auth", "whoami", "-o", "json"], {
      kubeconfig: path,
    });

    const { username, groups } = JSON.parse(stdout).status.userInfo;
    expect(username).to.equal("jane");
    expect(groups).to.include.members(["a b", 'with"quote']);
  });

  describe("whose processes fail", () => {
    let controlPlane: ControlPlane;
    beforeEach(async () => {
      controlPlane = await start();
    });

    it("serves the same data on the same port after the kube-apiserver was killed or restarted", async () => {
      const { port, pids } = controlPlane;
      await create(controlPlane, "before");

      await controlPlane.killApiServer();
      const cut = await find(controlPlane, "before").catch((e: Error) => e);
      await controlPlane.restartApiServer();
      const afterKill = await find(controlPlane, "before");
      await controlPlane.restartApiServer();

      expect(String(cut)).to.contain("ECONNREFUSED");
      expect(afterKill).to.equal(200);
      expect(await find(controlPlane, "before")).to.equal(200);
      expect(controlPlane.port).to.equal(port);
      expect(controlPlane.pids["kube-apiserver"]).to.not.equal(pids["kube-apiserver"]);
      expect(controlPlane.pids["kube-controller-manager"]).to.equal(
        pids["kube-controller-manager"],
      );
      expect(lines).to.deep.equal([]);
    });

    it("loses nothing when etcd is killed and started again", async () => {
      await create(controlPlane, "before");

      await controlPlane.stopProcess("etcd", "SIGKILL");
      await controlPlane.startProcess("etcd");
      await controlPlane.ready();

      const found = async () => (await find(controlPlane, "before")) === 200 || undefined;
      await until("the data", found, { timeout: 15_000 });
    });

    it("tells when a process ends that nobody stopped, and which log to read", async () => {
      process.kill(controlPlane.pids["kube-controller-manager"] ?? 0, "SIGKILL");

      const { message } = await controlPlane.failure;

      expect(message).to.contain("kube-controller-manager ended (SIGKILL)");
      expect(message).to.contain(controlPlane.logOf("kube-controller-manager"));
      expect(lines).to.deep.equal([message]);
    });

    it("can be halted and resumed without being taken for lost", async () => {
      controlPlane.signalProcess("kube-apiserver", "SIGSTOP");
      const halted = await controlPlane
        .request("GET", "/readyz", { timeout: 300 })
        .catch((e: Error) => e);
      controlPlane.signalProcess("kube-apiserver", "SIGCONT");

      await controlPlane.ready();

      expect(String(halted)).to.contain("TimeoutError");
      expect(lines).to.deep.equal([]);
    });
  });

  describe("that cannot start", () => {
    /** Programs of which one, in place of `name`, is the shell script `body`. */
    async function with_(name: string, body: string): Promise<string> {
      const { findBinaries } = await import("../binaries/find.ts");
      const real = await findBinaries();
      const folder = join(root, "bin");
      mkdirSync(folder);
      const programs = {
        etcd: real.etcd,
        "kube-apiserver": real.apiServer,
        "kube-controller-manager": real.controllerManager,
      };
      for (const [program, path] of Object.entries(programs)) {
        const script = program === name ? body : 'exec "$real" "$@"';
        writeFileSync(join(folder, program), `#!/bin/sh\nreal=${path}\n${script}\n`, {
          mode: 0o755,
        });
      }
      return folder;
    }

    it("says which process ended and the end of its log, and leaves nothing running", async () => {
      const binaries = await with_("etcd", "echo cannot do that >&2; exit 7");
      const dir = join(root, "state");

      const error = await start({ binaries, dir }).catch((e: Error) => e);

      expect(String(error)).to.contain("etcd ended (exit code 7)").and.contain("cannot do that");
      expect(existsSync(join(dir, "lock"))).to.equal(false);
    });

    it("says what it waited for when time is up", async () => {
      const binaries = await with_("kube-apiserver", "exec sleep 600");

      const error = await start({ binaries, timeout: 500 }).catch((e: Error) => e);

      expect(String(error))
        .to.contain("kube-apiserver answering took longer than 0.5 s")
        .and.contain("ECONNREFUSED");
    });

    it("tries another port when its own is taken between the choice and the use", async () => {
      const binaries = await with_(
        "kube-apiserver",
        `until [ -e ${root}/squatting ] || [ -e ${root}/second ]; do sleep 0.02; done
         touch ${root}/second
         exec "$real" "$@"`,
      );
      const servers: Server[] = [];
      const port = await (await import("./port.ts")).freePort();
      const starting = start({ binaries, port, controllerManager: false });
      const squatter = createServer();
      servers.push(squatter);
      await until("squatting", async () => existsSync(join(root, "bin")) || undefined, {
        timeout: 5_000,
      });
      squatter.listen(port, "127.0.0.1");
      await once(squatter, "listening");
      writeFileSync(join(root, "squatting"), "");

      const controlPlane = await starting;
      for (const server of servers) server.close();

      expect(controlPlane.port).to.not.equal(port);
      expect(lines.join()).to.contain("was taken in between, trying another");
      expect(await create(controlPlane, "there")).to.equal(201);
    });
  });
});
