/** Builds the peers from their registries, once; a peer that cannot be had is missing, not an error. */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { goProgram } from "../go-program.ts";
import { folder } from "./bench.ts";
import type { Command } from "./process.ts";

const run = promisify(execFile);
const dist = join(import.meta.dirname, "subjects");
const work = join(folder, ".work");

/** How to start each subject, and why some cannot be. */
export interface Peers {
  readonly missing: Readonly<Record<string, string>>;
  /** A subject written in TypeScript, by its file. */
  script(file: string, env: Readonly<Record<string, string>>): Command;
  /** The Go program around controller-runtime. */
  controllerRuntime(...args: readonly string[]): Command;
  /** kopf with one of peers/kopf/*.py. */
  kopf(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Command;
}

/** Builds what is missing; the first time takes two minutes. */
export async function preparePeers(say: (text: string) => void): Promise<Peers> {
  mkdirSync(work, { recursive: true });
  const missing: Record<string, string> = {};
  const attempt = async (name: string, prepare: () => Promise<string>): Promise<string> => {
    try {
      return await prepare();
    } catch (error) {
      missing[name] =
        error instanceof Error ? (error.message.split("\n").at(-1) ?? "") : String(error);
      return "";
    }
  };
  const go = await attempt("controller-runtime", () =>
    goProgram(join(folder, "peers/controller-runtime"), say),
  );
  const kopf = await attempt("kopf", () => installKopf(say));

  return {
    missing,
    script: (file, env) => ({ argv: [process.execPath, join(dist, `${file}.js`)], env }),
    controllerRuntime: (...args) => ({ argv: [go, ...args] }),
    kopf: (file, args, env) => ({
      argv: [kopf, "run", "-q", "--standalone", ...args, join(folder, "peers/kopf", file)],
      env,
    }),
  };
}

function digest(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 12);
}

async function installKopf(say: (text: string) => void): Promise<string> {
  const requirements = join(folder, "peers/kopf/requirements.txt");
  const venv = join(work, `kopf-${digest(requirements)}`);
  const binary = join(venv, "bin/kopf");
  if (existsSync(binary)) return binary;
  say("installing kopf");
  await run("python3", ["-m", "venv", venv]);
  await run(join(venv, "bin/pip"), ["install", "-q", "-r", requirements]);
  return binary;
}
