/** A control plane, and a server on it that everybody of these tests calls. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ControlPlane, freePort, startControlPlane } from "@drover/env";
import { anyPorts, ask, eventually, type Program, startDrover, Workplace } from "../drover.ts";
import { Kubectl } from "../kubectl.ts";
import { Visitor } from "./visitor.ts";

/** The first password of user admin. */
export const password = "correct horse battery";

/** How long anything may take on a busy machine, in milliseconds. */
export const patience = 60_000;

/** The server, and who may call it. */
export class Site implements AsyncDisposable {
  readonly place: Workplace = new Workplace();
  readonly #plane: ControlPlane;
  readonly #port: string;
  #server: Program;
  #base = "";
  #ca = "";
  #files = 0;
  /** To end. */
  #isAsked = false;

  private constructor(plane: ControlPlane, port: string) {
    this.#plane = plane;
    this.#port = port;
    this.#server = this.#run();
  }

  /** Resolves when the server is ready, has its certificate, and its first user may do what an administrator may. */
  static async open(): Promise<Site> {
    const site = new Site(await startControlPlane(), String(await freePort()));
    await site.#serves();
    await site.#admits();
    return site;
  }

  get base(): string {
    return this.#base;
  }

  /** The authority that GET /cacerts told. */
  get ca(): string {
    return this.#ca;
  }

  /** Where the server that runs now tells its metrics. */
  async metrics(): Promise<string> {
    const [, url = ""] = await this.#server.prints(/"(http:\/\/127\.0\.0\.1:\d+)"/, patience);
    return url;
  }

  /** What the server that runs now has printed. */
  get output(): string {
    return this.#server.output;
  }

  /** Throws, with the last that it printed, when the server has ended and nobody asked it to. */
  mustRun(): void {
    const { end, output } = this.#server;
    if (end === undefined || this.#isAsked) return;
    throw new Error(`the server ended by itself (${end}):\n${output.slice(-5_000)}`);
  }

  /** Somebody nobody knows. */
  stranger(headers: Readonly<Record<string, string>> = {}): Visitor {
    return new Visitor(this.base, this.ca, headers);
  }

  /** Somebody with a token. */
  bearer(token: string): Visitor {
    return this.stranger({ authorization: `Bearer ${token}` });
  }

  /** Logs in; resolves with the token as soon as the password is known. */
  async login(username: string, secret: string = password): Promise<string> {
    await using stranger = this.stranger();
    const body = { type: "localProvider", username, password: secret };
    return await eventually(
      `login of ${username}`,
      async () => {
        const { status, text } = await stranger.post("/v1-public/login", body);
        return status === 201 ? String(JSON.parse(text).token) : undefined;
      },
      patience,
      () => this.output.slice(-3_000),
    );
  }

  /** kubectl at the API server itself, as its administrator. */
  get direct(): Kubectl {
    return this.#kubectl(this.#plane.kubeconfigPath);
  }

  /** kubectl through the server, with a token. */
  through(token: string): Kubectl {
    return this.#kubectl(this.kubeconfig(token));
  }

  /** Path of a kubeconfig for the server, with a token. */
  kubeconfig(token: string): string {
    const file = join(this.place.dir, `kubeconfig-${this.#files++}`);
    const ca = Buffer.from(this.ca).toString("base64");
    const config = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "drover" },
      clusters: [
        { name: "drover", cluster: { server: this.base, "certificate-authority-data": ca } },
      ],
      users: [{ name: "me", user: { token } }],
      contexts: [{ name: "drover", context: { cluster: "drover", user: "me" } }],
    };
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }

  /** Path of the program. */
  get kubectlPath(): string {
    return this.#plane.binaries.kubectl ?? "kubectl";
  }

  /** Ends the server as by power failure, and starts it on the same port. */
  async killAndStart(): Promise<void> {
    this.#server.kill("SIGKILL");
    await this.#server.ended();
    this.#server = this.#run();
    await this.#serves();
  }

  /** Ends the server as Kubernetes does; resolves with its exit code. */
  async end(): Promise<number | null> {
    this.#isAsked = true;
    this.#server.kill("SIGTERM");
    return this.#server.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await this.#plane.stop();
    this.place[Symbol.dispose]();
  }

  #kubectl(kubeconfig: string): Kubectl {
    return new Kubectl(this.place, this.kubectlPath, kubeconfig);
  }

  #run(): Program {
    const { kubeconfigPath } = this.#plane;
    const args = [
      "server",
      "--kubeconfig",
      kubeconfigPath,
      "--metrics-listen-addr",
      "127.0.0.1:0",
      "--cache-memory",
      "400Mi",
      ...anyPorts,
      "--https-listen-port",
      this.#port,
    ];
    const env = { CATTLE_BOOTSTRAP_PASSWORD: password };
    return startDrover(args, { cwd: this.place.dir, env });
  }

  /** Waits until it is ready and shows the authority of the certificate that it serves. */
  async #serves(): Promise<void> {
    const [url = ""] = await this.#server.prints(/https:\/\/127\.0\.0\.1:\d+(?=")/, 120_000);
    this.#base = url;
    this.#ca = await eventually(
      "verified answer",
      () => this.#trusted(),
      120_000,
      () => this.output.slice(-3_000),
    );
  }

  async #admits(): Promise<void> {
    await using admin = this.bearer(await this.login("admin"));
    const look = async () => ((await admin.get("/v1/nodes")).status === 200 ? true : undefined);
    await eventually("rights of the administrator", look, patience);
  }

  async #trusted(): Promise<string | undefined> {
    const [ready, told] = await Promise.all(
      ["/readyz", "/cacerts"].map((path) => ask(this.base + path)),
    );
    if (ready?.status !== 200 || !told?.body.includes("BEGIN CERTIFICATE")) return undefined;
    await using visitor = new Visitor(this.base, told.body);
    const answer = await visitor.get("/ping").catch(() => undefined);
    return answer?.text === "pong" ? told.body : undefined;
  }
}
