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
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { findBinaries } from "../binaries/find.ts";
import { identify, isAlive } from "../process.ts";
import { processesWith } from "../testing/child.ts";
import { until } from "../wait.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { Outcome } from "./kubectl.ts";
import type { ControlPlaneOptions } from "./options.ts";
import { freePort } from "./port.ts";
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
  /** Resolves once kubectl watches; the result awaits its end. */
  async function watch(controlPlane: ControlPlane): Promise<() => Promise<Outcome>> {
    const watching = controlPlane.kubectl(["get", "podtemplates", "--watch"]);
    const metric =
      /apiserver_longrunning_requests\{[^}]*resource="podtemplates"[^}]*verb="WATCH"\S* 1/;
    const arrived = async (): Promise<true | undefined> =>
      metric.test((await controlPlane.request("GET", "/metrics")).body) || undefined;
    await until("the watch", arrived, { timeout: 10_000 });
    return () => watching;
  }
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

    it("is refused to a second while the first runs; that ends cleanly and soon, though watched", async () => {
      const dir = join(root, "state");
      const first = await start({ dir, controllerManager: false });
      const begin = performance.now();
      const refusal = await start({ dir }).catch((e: Error) => e);
      const refused = performance.now();
      const watching = await watch(first);
      const log = first.logOf("kube-apiserver");

      const end = performance.now();
      await first.stop();

      expect(String(refusal)).to.contain(
        `${dir} is in use by a control plane of process ${process.pid}`,
      );
      expect(refused - begin).to.be.below(2_000);
      expect(performance.now() - end).to.be.below(8_000); // 10 s would mean that it was killed
      expect((await watching()).code).to.equal(0);
      expect(readFileSync(log, "utf8")).to.contain("Stopped listening");
    });

    it("is emptied of its state, and of nothing else, when an abort stops what shall not persist", async () => {
      writeFileSync(join(root, "mine"), "");

      const abort = new AbortController();
      const options = { dir: root, persist: false, controllerManager: false, signal: abort.signal };

      const controlPlane = await start(options);
      const during = readdirSync(root);
      const secrets = [controlPlane.kubeconfigPath, join(root, "pki"), join(root, "etcd")];
      const readable = secrets.filter((path) => (statSync(path).mode & 0o077) !== 0);
      abort.abort();
      expect(await controlPlane.untilEnded()).to.equal(undefined);

      expect(during).to.include.members(["etcd", "kubeconfig", "logs", "mine", "pki"]);
      expect(readable, "what others can read").to.deep.equal([]);
      expect(readdirSync(root)).to.deep.equal(["mine"]);
    });
  });

  describe("without a folder", () => {
    it("leaves no process and no file behind, and can be stopped twice", async () => {
      const controlPlane = await start({ controllerManager: false });
      const { pids, dir } = controlPlane;

      await controlPlane.stop();
      await controlPlane.stop();

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

  it("leaves nothing running when its start is aborted", async () => {
    const abort = new AbortController();
    const dir = join(root, "state");
    const starting = start({ dir, signal: abort.signal }).catch((e: Error) => e);
    const log = join(dir, "logs", "kube-apiserver.log");
    await until("the kube-apiserver", () => existsSync(log) || undefined, { timeout: 10_000 });

    abort.abort(new Error("enough"));

    expect(String(await starting)).to.equal("Error: enough");
    expect(processesWith(dir)).to.deep.equal([]);
    expect(existsSync(join(dir, "lock"))).to.equal(false);
  });

  describe("with tokens, whose processes fail", () => {
    let controlPlane: ControlPlane;
    before(async () => {
      const tokens = [{ token: "s3cret", name: "jane", groups: ["a b", 'with"quote'] }];
      controlPlane = await startControlPlane({ tokens, log: (line) => lines.push(line) });
    });
    after(() => controlPlane.stop());

    it("knows users by the tokens it was given", async () => {
      const { path: kubeconfig } = await controlPlane.kubeconfigFor({ token: "s3cret" });

      const { stdout } = await controlPlane.kubectl(["auth", "whoami", "-o", "json"], {
        kubeconfig,
      });

      const { username, groups } = JSON.parse(stdout).status.userInfo;
      expect(username).to.equal("jane");
      expect(groups).to.include.members(["a b", 'with"quote']);
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

    it("can be halted and resumed without being taken for lost", async () => {
      controlPlane.signalProcess("kube-apiserver", "SIGSTOP");
      const refusal = async (): Promise<Error | undefined> => {
        const answer = controlPlane.request("GET", "/readyz", { timeout: 300 });
        return await answer.then(() => undefined).catch((error: Error) => error);
      };
      const halted = await until("silence", refusal, { timeout: 15_000 }); // a signal takes its time
      controlPlane.signalProcess("kube-apiserver", "SIGCONT");

      await controlPlane.ready();

      expect(String(halted)).to.contain("no answer to GET /readyz within 0.3 s");
      expect(lines).to.deep.equal([]);
    });

    it("tells when a process ends that nobody stopped, and which log to read", async () => {
      process.kill(controlPlane.pids["kube-controller-manager"] ?? 0, "SIGKILL");

      const { message } = await controlPlane.failure;

      expect(message).to.contain("kube-controller-manager ended (SIGKILL)");
      expect(message).to.contain(controlPlane.logOf("kube-controller-manager"));
      expect(lines).to.deep.equal([message]);
    });
  });

  describe("that cannot start", () => {
    /** Programs of which one, in place of `name`, is the shell script `body`. */
    async function setWith(name: string, body: string): Promise<string> {
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
      const binaries = await setWith("etcd", "echo cannot do that >&2; exit 7");
      const dir = join(root, "state");

      const error = await start({ binaries, dir }).catch((e: Error) => e);

      expect(String(error)).to.contain("etcd ended (exit code 7)").and.contain("cannot do that");
      expect(existsSync(join(dir, "lock"))).to.equal(false);
    });

    it("says what it waited for when time is up", async () => {
      const binaries = await setWith("kube-apiserver", "exec sleep 600");

      const error = await start({ binaries, timeout: 500 }).catch((e: Error) => e);

      expect(String(error))
        .to.contain("kube-apiserver answering took longer than 0.5 s")
        .and.contain("ECONNREFUSED");
    });

    it("tries another port when its own is taken between the choice and the use", async () => {
      const binaries = await setWith(
        "kube-apiserver",
        `touch ${root}/starting
         until [ -e ${root}/squatting ]; do sleep 0.02; done
         exec "$real" "$@"`,
      );
      const port = await freePort();
      const starting = start({ binaries, port, controllerManager: false });
      const chosen = () => existsSync(join(root, "starting")) || undefined;
      await until("the port being chosen", chosen, { timeout: 10_000 });
      const squatter = createServer().listen(port, "127.0.0.1");
      await once(squatter, "listening");
      writeFileSync(join(root, "squatting"), "");

      const controlPlane = await starting;
      squatter.close();

      expect(controlPlane.port).to.not.equal(port);
      expect(lines.join()).to.contain(`port ${port} was taken in between, trying another`);
      expect(await create(controlPlane, "there")).to.equal(201);
    });
  });
});
