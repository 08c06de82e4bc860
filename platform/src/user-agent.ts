/** What the server calls itself before API servers: they name it in audit logs, and as the manager of fields that it writes. */

import { readFileSync } from "node:fs";

const manifest = new URL("../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };

/** Such as `drover/0.1.0 (linux/x64)`. */
export const userAgent: string = `drover/${version} (${process.platform}/${process.arch})`;
