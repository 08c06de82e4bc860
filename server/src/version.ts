import { readFileSync } from "node:fs";

/** What the server calls itself, such as `0.1.0`. */
export function version(): string {
  const manifest = new URL("../package.json", import.meta.url);
  return String(JSON.parse(readFileSync(manifest, "utf8")).version);
}
