import { messageOf } from "../../base/index.ts";

/** Thrown when a configuration cannot be used; its message says where the fault is and what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "it may not be read",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "a part of its path is a file, not a folder",
};

/** What went wrong with a file, in words that say all of it: as a cause, what the system said would only repeat them. */
export function fileFault(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  return fileFaults[code] ?? messageOf(thrown);
}
