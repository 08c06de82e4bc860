import { hash } from "node:crypto";

/** A short text in place of one of any length, another one for another: what is kept by what clients write is not to grow with how much they write. */
export function digestOf(text: string): string {
  return hash("sha256", text, "base64url");
}
