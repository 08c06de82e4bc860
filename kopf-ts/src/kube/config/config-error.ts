import { messageOf } from "../../base/index.ts";

/** Thrown when a configuration cannot be used; its message says where the fault is and what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** What went wrong with a file, in words. */
export function fileFault(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  if (code === "ENOENT") return "it does not exist";
  if (code === "EACCES") return "it may not be read";
  return messageOf(thrown);
}
