/** Programs of ours around published Go modules, as peers to compare with: built once per user and version of their sources. */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * The executable of the program in a folder; builds it first where this user has none of these sources, which takes a minute or a few. A file that
 * is there is whole: it is renamed into place. Rejects with the compiler's words.
 */
export async function goProgram(
  source: string,
  say: (text: string) => void = () => undefined,
): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "drover", "peers");
  const program = join(cache, `${basename(source)}-${digestOf(source)}`);
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  say(`building ${basename(source)} (some minutes the first time)`);
  const draft = `${program}.partial-${process.pid}`;
  const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"];
  const env = { ...process.env, CGO_ENABLED: "0", GOWORK: "off" };
  await run("go", ["build", ...flags, "-o", draft, "."], { cwd: source, env });
  renameSync(draft, program);
  return program;
}

/** Changes with everything that could change the program. */
function digestOf(source: string): string {
  const sum = createHash("sha256");
  const files = readdirSync(source).filter((file) => /\.go$|^go\.(mod|sum)$/.test(file));
  for (const file of files.sort()) sum.update(`${file}\n`).update(readFileSync(join(source, file)));
  return sum.digest("hex").slice(0, 12);
}
