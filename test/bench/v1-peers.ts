/** Servers of /v1 to compare: ours, Steve, and what Node costs when it only sends; all over TLS with one certificate. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selfSigned, usualTls } from "@drover/api";
import type { ControlPlane } from "@drover/env";
import { goProgram } from "../go-program.ts";
import { folder } from "./bench.ts";
import { Subject } from "./process.ts";

/** A folder that goes at the end, with a certificate for this machine. */
export interface Desk extends Disposable {
  readonly path: string;
  readonly cert: string;
  readonly key: string;
}

/** Makes one. */
export async function desk(): Promise<Desk> {
  const path = mkdtempSync(join(tmpdir(), "drover-bench-v1-"));
  const pair = await selfSigned(["localhost", "127.0.0.1"], Date.now());
  const [cert, key] = [join(path, "cert.pem"), join(path, "key.pem")];
  writeFileSync(cert, pair.cert);
  writeFileSync(key, pair.key, { mode: 0o600 });
  return {
    path,
    cert,
    key,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A server that runs. */
export interface V1Server extends AsyncDisposable {
  readonly subject: Subject;
  /** `https://host:port`. */
  readonly base: string;
}

/** How the cluster is reached. */
type Reached = Pick<ControlPlane, "kubeconfigPath">;

/** Our API, without operators. */
export function startOurs({ kubeconfigPath }: Reached, { cert, key }: Desk): Promise<V1Server> {
  const env = { KUBECONFIG: kubeconfigPath, BENCH_CERT: cert, BENCH_KEY: key };
  return started(new Subject("drover", { argv: node("drover-api"), env }));
}

/** Steve, from its module; until it has found out what the cluster serves it answers 404. */
export async function startSteve(
  { kubeconfigPath }: Reached,
  { path, cert, key }: Desk,
): Promise<V1Server> {
  const program = await steveProgram();
  const options = ["--kubeconfig", kubeconfigPath, "--cert", cert, "--key", key];
  return started(new Subject("steve", { argv: [program, ...options], cwd: path }));
}

/** The executable of Steve; built the first time. */
export function steveProgram(say?: (text: string) => void): Promise<string> {
  return goProgram(join(folder, "peers/steve"), say);
}

/** A page as it is sent, and in gzip. */
export interface Page {
  readonly plain: Buffer;
  readonly packed: Buffer;
}

/** Sends these bytes, whatever is asked. */
export function startStatic({ path, cert, key }: Desk, { plain, packed }: Page): Promise<V1Server> {
  const [body, gzip] = [join(path, "body"), join(path, "body.gz")];
  writeFileSync(body, plain);
  writeFileSync(gzip, packed);
  const tls = JSON.stringify(usualTls);
  const env = {
    ...{ BENCH_CERT: cert, BENCH_KEY: key, BENCH_TLS: tls },
    ...{ BENCH_BODY: body, BENCH_PACKED: gzip },
  };
  return started(new Subject("static", { argv: node("static"), env }));
}

function node(file: string): readonly string[] {
  return [process.execPath, join(import.meta.dirname, "subjects", `${file}.js`)];
}

async function started(subject: Subject): Promise<V1Server> {
  const { address } = await subject.event("listening");
  const base = `https://${String(address)}`;
  return {
    subject,
    base,
    [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
  };
}
