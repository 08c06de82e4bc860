import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";

/** The first executable file called `name` in `folders`. */
export function which(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
