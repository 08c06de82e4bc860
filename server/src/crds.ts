/** `drover crds`. */

import { readFile } from "node:fs/promises";
import { installCrds, kinds, manifestFile } from "@drover/crds";
import { userAgent } from "@drover/platform";
import { connect, createLogger, loadConfig, messageOf, systemClock } from "kopf-ts";

/** Options of the command. */
export interface CrdsOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly print?: boolean;
  /** Milliseconds for all of it. */
  readonly timeout: number;
}

/** Installs or prints the CRDs; resolves with the exit code. */
export async function runCrds(options: CrdsOptions): Promise<number> {
  try {
    await (options.print === true ? print() : install(options));
    return 0;
  } catch (error) {
    process.stderr.write(`drover crds: ${messageOf(error)}\n`);
    return 1;
  }
}

async function print(): Promise<void> {
  for (const kind of kinds) {
    process.stdout.write(`---\n${(await readFile(manifestFile(kind), "utf8")).trimEnd()}\n`);
  }
}

async function install({ timeout, ...options }: CrdsOptions): Promise<void> {
  const deadline = systemClock.monotonic() + timeout;
  await using client = connect(await loadConfig(options), { userAgent });
  await client.request({ method: "GET", path: "/version", timeout });
  const log = createLogger({ level: "warn", format: "text" });
  const { signal } = new AbortController();
  const left = Math.max(1, deadline - systemClock.monotonic());
  for (const { name, action } of await installCrds(client, { log, signal, timeout: left })) {
    process.stdout.write(`customresourcedefinition/${name} ${action}\n`);
  }
}
