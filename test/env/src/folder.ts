import { accessSync, constants, mkdirSync } from "node:fs";

/** What a folder is for, and how to choose another one, in words. */
export interface Purpose {
  readonly what: string;
  readonly remedy: string;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "it may not be written",
  EPERM: "it may not be written",
  EROFS: "its file system is read-only",
  ENOENT: "it cannot be made there",
  ENOTDIR: "a part of its path is a file",
  EEXIST: "it is a file",
  ENOSPC: "there is no space left",
};

/** Makes a folder unless it is there. Throws when nothing can be written into it, saying what it is for and how to choose another. */
export function makeFolder(path: string, { what, remedy }: Purpose, mode?: number): void {
  const reason = tryMake(path, mode);
  if (reason === undefined) return;
  throw new Error(`${path}, ${what}, cannot be used: ${reason}; ${remedy}`);
}

/** What is in the way, in words. */
function tryMake(path: string, mode: number | undefined): string | undefined {
  try {
    mkdirSync(path, { recursive: true, ...(mode !== undefined && { mode }) });
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException; // node:fs throws nothing else
    return reasons[code ?? ""] ?? message;
  }
}
