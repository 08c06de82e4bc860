/** Shows a generated password of the first admin once. It never goes to the log, which is collected and kept. */

import { writeFile } from "node:fs/promises";
import type { Confidential } from "@drover/platform";

/** How a password is shown. */
export type Announce = (password: Confidential) => Promise<void>;

/** On a terminal; whoever reads the log instead finds there which Secret has it. */
export async function showPassword(password: Confidential): Promise<void> {
  if (!process.stdout.isTTY) return;
  process.stdout.write(`\nFirst login: user admin, password ${password.reveal()}\n\n`);
}

/** In a file that only this user may read. */
export function passwordFile(path: string): Announce {
  return (password) => writeFile(path, `${password.reveal()}\n`, { mode: 0o600 });
}
