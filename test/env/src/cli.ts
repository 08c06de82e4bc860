#!/usr/bin/env node
// `prepare` finds or builds the programs, so that no test pays for it; `up` runs a control plane by hand.
import { parseArgs } from "node:util";
import { findBinaries } from "./binaries/find.ts";
import { startControlPlane } from "./control-plane/start.ts";

const USAGE = `usage: drover-env prepare            find etcd, kube-apiserver, kube-controller-manager, or build them once
       drover-env up [--dir <dir>]   run a control plane until Ctrl-C
`;

const { positionals, values } = read();
const ended = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => ended.abort());
// A terminal that was closed must not cut the clean-up short.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

try {
  if (values.help === true) process.stdout.write(USAGE);
  else if (positionals[0] === "prepare") await prepare();
  else if (positionals[0] === "up") await up();
  else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  if (!ended.signal.aborted) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  }
  process.exitCode = 1;
}

/** What was typed; of an option that there is not, what explains all of them. */
function read(): { positionals: string[]; values: { dir?: string; help?: boolean } } {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { dir: { type: "string" }, help: { type: "boolean", short: "h" } },
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return { positionals: [], values: {} };
  }
}

async function prepare(): Promise<void> {
  const { origin } = await findBinaries({ signal: ended.signal });
  process.stdout.write(`control plane programs: ${origin}\n`);
}

async function up(): Promise<void> {
  const { dir } = values;
  await using controlPlane = await startControlPlane({
    ...(dir !== undefined && { dir }),
    signal: ended.signal,
  });
  process.stdout.write(
    `${controlPlane.version} at ${controlPlane.url}\nexport KUBECONFIG=${controlPlane.kubeconfigPath}\n`,
  );
  const failure = await controlPlane.untilEnded();
  if (failure !== undefined) throw failure;
}
