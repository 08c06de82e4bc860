/** `drover crds`. */

import { readFile } from "node:fs/promises";
import { installCrds, kinds, manifestFile } from "@drover/crds";
import { connect, createLogger, loadConfig, messageOf } from "kopf-ts";

/** Options of the command. */
export interface CrdsOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly print?: boolean;
}

/** A command that gets no answer, or waits for a CRD, ends after this; milliseconds. */
const patience = 8000;

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

async function install(options: CrdsOptions): Promise<void> {
  await using client = connect(await loadConfig(options));
  await client.request({ method: "GET", path: "/version", timeout: patience });
  const log = createLogger({ level: "warn", format: "text" });
  const { signal } = new AbortController();
  const installed = await installCrds(client, { log, signal, timeout: patience });
  for (const { name, action } of installed) {
    process.stdout.write(`customresourcedefinition/${name} ${action}\n`);
  }
}
