/** The server of recorded bytes, as the harness sees it. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlPlane } from "@drover/env";
import { Subject } from "../process.ts";
import type { Desk } from "../v1-peers.ts";
import type { Asked } from "./api-server-load.ts";
import { type Applied, appliedBy, type Changes, type Pace } from "./changes.ts";

/** Stands before an API server; see subjects/replay.ts. */
export class Replay implements AsyncDisposable, Changes {
  /** Of those who shall read through it. */
  readonly kubeconfigPath: string;
  readonly #subject: Subject;

  private constructor(subject: Subject, kubeconfigPath: string) {
    this.#subject = subject;
    this.kubeconfigPath = kubeconfigPath;
  }

  /** Starts one before a control plane, with a certificate of its authority; resolves when it listens. */
  static async start(plane: ControlPlane, { path }: Desk): Promise<Replay> {
    const pair = await plane.serverCertificate(["localhost", "127.0.0.1"]);
    const [cert, key] = [join(path, "replay-cert.pem"), join(path, "replay-key.pem")];
    writeFileSync(cert, pair.cert);
    writeFileSync(key, pair.key, { mode: 0o600 });
    const argv = [process.execPath, join(import.meta.dirname, "../subjects/replay.js")];
    const env = { BENCH_KUBECONFIG: plane.kubeconfigPath, BENCH_CERT: cert, BENCH_KEY: key };
    const subject = new Subject("replay", { argv, env });
    const { address } = await subject.event("listening");
    const kubeconfigPath = join(path, "replay.kubeconfig");
    const kubeconfig = plane.kubeconfig.replace(plane.url, `https://${String(address)}`);
    writeFileSync(kubeconfigPath, kubeconfig, { mode: 0o600 });
    return new Replay(subject, kubeconfigPath);
  }

  /** What it was asked so far, and what it sent. */
  async asked(): Promise<Asked> {
    this.#subject.tell("asked");
    const { requests, bytes } = await this.#subject.event("asked");
    return { requests: Number(requests), bytes: Number(bytes) };
  }

  /** Ends the recording of changes: those who watch from here on hear what was recorded, when it is played. Resolves with how many there are. */
  async hold(): Promise<number> {
    this.#subject.tell("hold");
    return Number((await this.#subject.event("held")).changes);
  }

  /** Back to before the first change. */
  async rewind(): Promise<void> {
    this.#subject.tell("rewind");
    await this.#subject.event("rewound");
  }

  /** Plays the next changes at a rate. Rejects when fewer were recorded. */
  async apply(pace: Pace): Promise<Applied> {
    this.#subject.tell(JSON.stringify(pace));
    return appliedBy(await this.#subject.event("applied", pace.time * 3 + 60_000));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#subject[Symbol.asyncDispose]();
  }
}
