import { createHash } from "node:crypto";

/** What agents compare the server's CA bundle with: SHA-256 of it with exactly one newline at its end, in hex. Empty for no bundle. */
export function caChecksum(cacerts: string): string {
  if (cacerts === "") return "";
  const bundle = cacerts.endsWith("\n") ? cacerts : `${cacerts}\n`;
  return createHash("sha256").update(bundle).digest("hex");
}
