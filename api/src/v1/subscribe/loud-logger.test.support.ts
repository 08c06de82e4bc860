/** A log that remembers what was said too loudly. */

import { type Fields, type Logger, silentLogger } from "kopf-ts";

/** A logger, and its lines at error level. */
export function loudLogger(): { readonly log: Logger; readonly loud: string[] } {
  const loud: string[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (message: string, fields?: Fields) =>
      void loud.push(`${message} ${JSON.stringify(fields ?? {})}`),
    child: () => log,
  };
  return { log, loud };
}
