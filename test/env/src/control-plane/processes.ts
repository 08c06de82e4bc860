// The processes of one control plane: starting, probing, stopping, starting again.
import { join } from "node:path";
import type { Binaries } from "../binaries/find.ts";
import { environment } from "../environment.ts";
import type { Guard } from "../guardian/guard.ts";
import { until } from "../wait.ts";
import { Api } from "./api.ts";
import { type Command, Component } from "./component.ts";
import {
  apiServerArguments,
  controllerManagerArguments,
  etcdArguments,
  type Layout,
} from "./components.ts";
import { kubeconfigYaml } from "./kubeconfig.ts";
import type { ControlPlaneOptions, ProcessName } from "./options.ts";
import { type Pki, readPair, writeSecret } from "./pki.ts";
import { freePort } from "./port.ts";
import { freshLog, type StatePaths } from "./state.ts";

/** What the processes are made of. */
export interface Parts {
  readonly paths: StatePaths;
  /** Working directory and place of the sockets; gone with the guardian. */
  readonly run: string;
  readonly binaries: Binaries;
  readonly pki: Pki;
  readonly guard: Guard;
  readonly options: ControlPlaneOptions;
}

const START_TIMEOUT = 60_000;
const STOP_GRACE = 10_000;
/** How often a start looks for another port when the chosen one was taken in between. */
const PORT_ATTEMPTS = 5;

/** Starts and stops etcd, kube-apiserver and kube-controller-manager, and knows when they are ready. */
export class Processes {
  readonly #parts: Parts;
  readonly #components: Readonly<Record<ProcessName, Component>>;
  #api: Api | undefined;
  #port = 0;

  constructor(parts: Parts, onLost: (error: Error) => void) {
    const { guard, paths } = parts;
    const component = (name: ProcessName): Component =>
      new Component(guard, name, freshLog(paths, name), onLost);
    this.#parts = parts;
    this.#components = {
      etcd: component("etcd"),
      "kube-apiserver": component("kube-apiserver"),
      "kube-controller-manager": component("kube-controller-manager"),
    };
  }

  /** Port of the kube-apiserver on loopback. */
  get port(): number {
    return this.#port;
  }

  /** The administrator's connections to the kube-apiserver. */
  get api(): Api {
    if (this.#api === undefined) throw new Error("the control plane does not run");
    return this.#api;
  }

  /** The process called `name`, whether it runs or not. */
  component(name: ProcessName): Component {
    return this.#components[name];
  }

  /** Starts all processes, the kube-apiserver on `wanted` if that is free; resolves when they are ready. */
  async start(wanted: number | undefined): Promise<void> {
    const { options } = this.#parts;
    this.#port = await freePort(wanted);
    if (wanted !== undefined && this.#port !== wanted) {
      options.log?.(`port ${wanted} is taken, using ${this.#port}`);
    }
    await this.run("etcd");
    await this.#serve(PORT_ATTEMPTS);
    await this.#healthy("/healthz"); // the controller manager looks once, then only every second
    if (options.controllerManager !== false) await this.run("kube-controller-manager");
    await this.ready();
  }

  /** Starts one process. */
  async run(name: ProcessName): Promise<void> {
    await this.#components[name].start(this.#command(name));
  }

  /** Ends one process with `signal`, after 10 s with SIGKILL; resolves once it is gone. */
  async stop(name: ProcessName, signal: NodeJS.Signals): Promise<void> {
    await this.#components[name].stop(signal, STOP_GRACE);
  }

  /** Ends the kube-apiserver and starts it on the same port; resolves when it is ready. */
  async restartApiServer(signal: NodeJS.Signals): Promise<void> {
    await this.stop("kube-apiserver", signal);
    await this.#serve(1);
    await this.ready();
  }

  /** Resolves when the API server and the controllers are ready; rejects if one of them has ended. */
  async ready(): Promise<void> {
    await this.#healthy("/readyz");
    if (this.#components["kube-controller-manager"].pid === undefined) return;
    const defaults = ["serviceaccounts/default", "configmaps/kube-root-ca.crt"];
    await this.#await("kube-controller-manager becoming ready", async () => {
      const answers = defaults.map((path) => this.#answer(`/api/v1/namespaces/default/${path}`));
      return (await Promise.all(answers)).every((status) => status === 200);
    });
  }

  /** Forgets the processes, which the guard ends, and closes the connections. */
  close(): void {
    for (const component of Object.values(this.#components)) component.forget();
    this.#api?.close();
  }

  /** Starts the kube-apiserver and waits until it answers at all; a port taken meanwhile costs an attempt. */
  async #serve(attempts: number): Promise<void> {
    const { options, pki } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      this.#api?.close();
      this.#api = new Api(`https://127.0.0.1:${this.#port}`, pki.ca.cert, pki.admin);
      await this.run("kube-apiserver");
      try {
        return await this.#await(
          "kube-apiserver answering",
          async () => (await this.#answer("/livez")) > 0,
        );
      } catch (error) {
        if (attempt >= attempts || !isPortTaken(error)) throw error;
      }
      options.log?.(`port ${this.#port} was taken in between, trying another`);
      this.#port = await freePort();
    }
  }

  async #healthy(path: string): Promise<void> {
    await this.#await(
      "kube-apiserver becoming ready",
      async () => (await this.#answer(path)) === 200,
    );
  }

  async #answer(path: string): Promise<number> {
    return (await this.api.request("GET", path, { timeout: 2_000 })).status;
  }

  /** Waits for `probe`; rejects at once when a process is lost. */
  async #await(what: string, probe: () => Promise<boolean>): Promise<void> {
    const { guard, options } = this.#parts;
    const look = async (): Promise<true | Error | undefined> => {
      const lost = Object.values(this.#components).find(
        (component) => component.lost !== undefined,
      )?.lost;
      return lost ?? ((await probe()) ? true : undefined);
    };
    const { timeout = START_TIMEOUT, signal } = options;
    const answer = await guard.hold(until(what, look, { timeout, signal }));
    if (answer instanceof Error) throw answer;
  }

  #command(name: ProcessName): Command {
    const { binaries, run, options, paths } = this.#parts;
    const place = { cwd: run, env: environment() };
    const layout = this.#layout();
    if (name === "etcd") {
      return { ...place, command: binaries.etcd, args: etcdArguments(layout, options) };
    }
    if (name === "kube-apiserver") {
      if (options.tokens !== undefined) writeSecret(paths.tokens, tokenTable(options.tokens));
      const tokens = options.tokens === undefined ? undefined : paths.tokens;
      const args = apiServerArguments(layout, tokens, options);
      return { ...place, command: binaries.apiServer, args };
    }
    this.#writeControllerManagerKubeconfig(layout.controllerManagerKubeconfig);
    const args = controllerManagerArguments(layout, options);
    return { ...place, command: binaries.controllerManager, args };
  }

  #layout(): Layout {
    const { paths, run } = this.#parts;
    return {
      etcdData: paths.etcd,
      pki: paths.pki,
      run,
      port: this.#port,
      controllerManagerKubeconfig: join(run, "controller-manager.kubeconfig"),
    };
  }

  #writeControllerManagerKubeconfig(path: string): void {
    const { pki } = this.#parts;
    const credentials = readPair(pki.dir, "controller-manager") ?? pki.admin;
    const server = `https://127.0.0.1:${this.#port}`;
    writeSecret(path, kubeconfigYaml({ name: "local", server, ca: pki.ca.cert, credentials }));
  }
}

/** The kube-apiserver's format: token, name, uid, quoted groups. */
function tokenTable(users: NonNullable<ControlPlaneOptions["tokens"]>): string {
  const rows = users.map(({ token, name, groups = [] }) =>
    [token, name, name, groups.join(",")]
      .map((field) => `"${field.replaceAll('"', '""')}"`)
      .join(","),
  );
  return `${rows.join("\n")}\n`;
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && error.message.includes("address already in use");
}
