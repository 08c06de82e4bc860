import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { interleave, type Outcome, type Scenario } from "../bench.ts";
import { dev } from "../drover.ts";
import type { Figures } from "../stats.ts";

/**
 * `drover dev` in an empty folder, from the start of its process to the line that says `drover is ready`: a control plane is started, the CRDs and the first data
 * are installed, a leader is elected, and every check is well. The binaries of the control plane exist already. `cpu_s` is that of the
 * process itself, without etcd, API server and controller manager.
 */
export const start: Scenario = {
  name: "start",
  about: "`drover dev` in an empty folder until it is ready",
  apart: true,
  run: async (bench) => {
    const rounds = await interleave(bench, { drover: measure });
    return { n: 1, rounds, targets, missing: {} } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [{ subject: "drover", figure: "wall_s", limit: 15 }];

async function measure(): Promise<Figures> {
  using folder = emptyFolder();
  await using drover = dev(folder.path);
  await drover.line(/^drover is ready/);
  const { wall_s, cpu_s } = drover.cost();

  const code = await drover.end("SIGINT");
  if (code !== 0) throw new Error(`drover dev did not end in order: ${code ?? "killed"}`);
  return { wall_s, cpu_s };
}

/** Goes at the end, with all that is in it. */
function emptyFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "drover-bench-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
