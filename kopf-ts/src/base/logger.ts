/** What a log line may carry beside its constant message; secrets never enter a field. */
export type Fields = Readonly<Record<string, unknown>>;

/** Structured logging; `observe` has the implementation. Messages are constant and lower case, the rest are fields. */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** A logger that adds `fields` to each line. */
  child(fields: Fields): Logger;
}

/** Drops every line. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
