/** A copy of the repository to build and run in, with the packages of the original. */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { root } from "./drover.ts";

/** Copies what git has or would take into `to`, as a fresh clone has it, and links the installed packages. */
export function copyRepository(to: string): void {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\0");
  for (const file of files) {
    const source = join(root, file);
    if (file !== "" && existsSync(source)) cpSync(source, join(to, file));
  }
  // Made last: to make, packages that are older than package.json have to be installed again.
  linkPackages(join(root, "node_modules"), join(to, "node_modules"));
}

/** Links of npm (workspaces, programs) are relative, so the same link leads into the copy. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.name.startsWith("@") || entry.name === ".bin") linkPackages(source, target);
    else symlinkSync(source, target);
  }
}
