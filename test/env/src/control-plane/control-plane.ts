// A running control plane: etcd, kube-apiserver and kube-controller-manager of our own.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Binaries } from "../binaries/find.ts";
import type { Lock } from "../lock.ts";
import type { Call, Reply } from "./api.ts";
import { type Credentials, kubeconfigYaml } from "./kubeconfig.ts";
import { type KubectlCall, type Outcome, runKubectl } from "./kubectl.ts";
import type { ProcessName, UserKubeconfig } from "./options.ts";
import { type ClientIdentity, issueClient, issueServer, type KeyPair, writeSecret } from "./pki.ts";
import { type Parts, Processes } from "./processes.ts";
import { recall, remember } from "./state.ts";

/**
 * A control plane; made by `startControlPlane`. Its processes end with `stop`, with `await using`, and with
 * this process. While nobody awaits one of its answers it does not keep this process alive.
 */
export class ControlPlane implements AsyncDisposable {
  /** Name of cluster, user and context in its kubeconfigs. */
  readonly name: string;
  /** Folder of its state. */
  readonly dir: string;
  /** Path of the administrator's kubeconfig (group system:masters). */
  readonly kubeconfigPath: string;
  /** Resolves with the reason when a process ends that nobody stopped; never rejects. */
  readonly failure: Promise<Error>;

  readonly #parts: Parts;
  readonly #lock: Lock;
  readonly #processes: Processes;
  readonly #stopOnAbort = (): void => void this.stop();
  readonly #ended = Promise.withResolvers<undefined>();
  #version = "";
  #users = 0;
  #stopped: Promise<void> | undefined;

  constructor(parts: Parts, lock: Lock) {
    const failed = Promise.withResolvers<Error>();
    this.#parts = parts;
    this.#lock = lock;
    this.name = parts.options.name ?? "drover";
    this.dir = parts.paths.dir;
    this.kubeconfigPath = parts.paths.kubeconfig;
    this.failure = failed.promise;
    this.#processes = new Processes(parts, (error) => {
      parts.options.log?.(error.message);
      if (this.#version !== "") failed.resolve(error);
    });
  }

  /** Port of the kube-apiserver on 127.0.0.1. */
  get port(): number {
    return this.#processes.port;
  }

  /** Address of the kube-apiserver. */
  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** What the kube-apiserver calls itself, such as "v1.35.4". */
  get version(): string {
    return this.#version;
  }

  /** PEM certificate of the authority that signs the server's and the users' certificates. */
  get ca(): string {
    return this.#parts.pki.ca.cert;
  }

  /** PEM certificate of the authority that an aggregated API server trusts for X-Remote-* headers. */
  get frontProxyCa(): string {
    return this.#parts.pki.frontProxyCa.cert;
  }

  /** The programs it runs, kubectl among them. */
  get binaries(): Binaries {
    return this.#parts.binaries;
  }

  /** Text of the administrator's kubeconfig. */
  get kubeconfig(): string {
    return this.#kubeconfigOf(this.#parts.pki.admin);
  }

  /** Process id of each process that runs, for tests that look at processes. */
  get pids(): Readonly<Record<ProcessName | "guardian", number | undefined>> {
    const pid = (name: ProcessName): number | undefined => this.#processes.component(name).pid;
    return {
      guardian: this.#parts.guard.pid,
      etcd: pid("etcd"),
      "kube-apiserver": pid("kube-apiserver"),
      "kube-controller-manager": pid("kube-controller-manager"),
    };
  }

  /** Path of the log of a process. */
  logOf(process: ProcessName): string {
    return this.#processes.component(process).log;
  }

  /** Starts the processes; called once, by `startControlPlane`. */
  async start(): Promise<void> {
    const { options, paths } = this.#parts;
    await this.#processes.start(options.port ?? recall(paths).port);
    const { body } = await this.request("GET", "/version");
    this.#version = String(JSON.parse(body).gitVersion);
    writeSecret(this.kubeconfigPath, this.kubeconfig);
    remember(paths, { port: this.port });
    options.signal?.throwIfAborted();
    options.signal?.addEventListener("abort", this.#stopOnAbort, { once: true });
  }

  /** Ends all processes; removes the state of a temporary control plane. Safe to call again. */
  async stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  /**
   * Keeps this process alive until the control plane is stopped, then resolves with `undefined`, or until it
   * fails, then with the reason.
   */
  async untilEnded(): Promise<Error | undefined> {
    return this.#parts.guard.hold(Promise.race([this.failure, this.#ended.promise]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Starts a process that was stopped, the kube-apiserver on its old port; see `ready`. */
  async startProcess(name: ProcessName): Promise<void> {
    return this.#processes.run(name);
  }

  /** Ends one process with `signal`, after 10 s with SIGKILL, and resolves once it is gone. */
  async stopProcess(name: ProcessName, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    return this.#processes.stop(name, signal);
  }

  /** Sends a signal, such as SIGSTOP and SIGCONT, to a process that should go on. */
  signalProcess(name: ProcessName, signal: NodeJS.Signals): void {
    this.#processes.component(name).signal(signal);
  }

  /** Kills the kube-apiserver: every connection to it is cut at this moment. */
  async killApiServer(): Promise<void> {
    return this.stopProcess("kube-apiserver", "SIGKILL");
  }

  /** Ends the kube-apiserver if it runs and starts it on the same port and data; resolves when it is ready. */
  async restartApiServer(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    return this.#processes.restartApiServer(signal);
  }

  /** Resolves when the kube-apiserver is ready and the controller manager, if it runs, works. */
  async ready(): Promise<void> {
    return this.#processes.ready();
  }

  /** Sends a request as the administrator and resolves with the answer, whatever its status. */
  async request(method: string, path: string, call: Call = {}): Promise<Reply> {
    return this.#parts.guard.hold(this.#processes.api.request(method, path, call));
  }

  /** Runs kubectl as the administrator, or with another kubeconfig. */
  async kubectl(args: readonly string[], call: KubectlCall = {}): Promise<Outcome> {
    const { kubectl } = this.#parts.binaries;
    if (kubectl === undefined) throw new Error("there is no kubectl in KUBEBUILDER_ASSETS or PATH");
    const { kubeconfig = this.kubeconfigPath } = call;
    return runKubectl(kubectl, args, { ...call, kubeconfig, cacheDir: this.#parts.paths.cache });
  }

  /**
   * A kubeconfig for a user: by name and groups (a client certificate is issued; one whose `notAfter` lies in
   * the past has expired), or by a bearer token.
   */
  async kubeconfigFor(user: ClientIdentity | { readonly token: string }): Promise<UserKubeconfig> {
    const { users } = this.#parts.paths;
    const yaml = this.#kubeconfigOf("token" in user ? user : await this.clientCertificate(user));
    const path = join(users, `${process.pid}-${++this.#users}.kubeconfig`);
    mkdirSync(users, { recursive: true, mode: 0o700 });
    writeSecret(path, yaml);
    return { path, yaml };
  }

  /** A client certificate that the kube-apiserver accepts. */
  async clientCertificate(identity: ClientIdentity): Promise<KeyPair> {
    return issueClient(this.#parts.pki.ca, identity);
  }

  /** A serving certificate, signed by `ca`, for a server of the caller's own: webhook, aggregated API. */
  async serverCertificate(hosts: readonly string[]): Promise<KeyPair> {
    return issueServer(this.#parts.pki.ca, hosts);
  }

  /** A token of a ServiceAccount, which is created if missing; valid for `seconds` (at least 600). */
  async serviceAccountToken(namespace: string, name: string, seconds = 3_600): Promise<string> {
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    const created = await this.request("POST", accounts, { body: { metadata: { name } } });
    if (created.status !== 409)
      expectStatus(created, 201, `create ServiceAccount ${namespace}/${name}`);
    const reply = await this.request("POST", `${accounts}/${name}/token`, {
      body: { spec: { expirationSeconds: seconds } },
    });
    expectStatus(reply, 201, `create a token of ServiceAccount ${namespace}/${name}`);
    return String(JSON.parse(reply.body).status.token);
  }

  #kubeconfigOf(credentials: Credentials): string {
    return kubeconfigYaml({ name: this.name, server: this.url, ca: this.ca, credentials });
  }

  async #end(): Promise<void> {
    this.#parts.options.signal?.removeEventListener("abort", this.#stopOnAbort);
    this.#processes.close();
    await this.#parts.guard.stop();
    this.#lock.release();
    this.#ended.resolve(undefined);
  }
}

/** Throws what the server said when it did not answer as expected. */
export function expectStatus({ status, body }: Reply, expected: number, what: string): void {
  if (status !== expected) throw new Error(`cannot ${what}: ${status} ${body.slice(0, 1_000)}`);
}
