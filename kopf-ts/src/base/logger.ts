/** What a log line may carry beside its constant message; secrets never enter a field. */
export type Fields = Readonly<Record<string, unknown>>;

/** How much is told; each includes those after it. */
export const logLevels = ["debug", "info", "warn", "error"] as const;

/** One of `logLevels`. */
export type LogLevel = (typeof logLevels)[number];

/** Structured logging; `observe` has the implementation. Messages are constant and lower case, the rest are fields. */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** Whether lines of a level are written, for who has to work to make one. */
  isEnabled(level: LogLevel): boolean;
  /** A logger that adds `fields` to each line. */
  child(fields: Fields): Logger;
}

/** Drops every line. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  isEnabled: () => false,
  child: () => silentLogger,
};
