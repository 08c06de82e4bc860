/** Structured logging on pino: one JSON object or one line of text per event. */

import { createRequire } from "node:module";
import type { DestinationStream, Logger as Pino } from "pino";
import {
  type Clock,
  type Fields,
  type Logger,
  type LogLevel,
  logLevels,
  systemClock,
} from "../base/index.ts";
import { cleanFields } from "./fields.ts";
import { toTextLine } from "./text-line.ts";

/** The forms a line can have. */
export const logFormats = ["json", "text"] as const;

/** One of `logFormats`. */
export type LogFormat = (typeof logFormats)[number];

/** Options of createLogger. */
export interface LoggerOptions {
  /** `info` unless told. */
  readonly level?: LogLevel;
  /** `json` unless told. */
  readonly format?: LogFormat;
  /** A file descriptor (2, standard error, unless told) or anything that takes whole lines. */
  readonly output?: 1 | 2 | { write(line: string): void };
  /** Fields of every line. */
  readonly fields?: Fields;
  readonly clock?: Clock;
  /** What secrets look like, beside what is known already; each needs the flag `g`. */
  readonly secretShapes?: readonly RegExp[];
}

/** The logger of a process; its level, and with it that of every child, can be changed while it runs. */
export interface RootLogger extends Logger {
  level: LogLevel;
}

/** What all children of one root share. */
interface Shared {
  level: LogLevel;
  readonly secretShapes: readonly RegExp[];
}

/**
 * Makes the logger of a process. Guarantees: a call never throws; fields whose name says secret, and texts that look like one, are not
 * written; errors become their message with those of their causes, with the stack at level debug. Lines are written synchronously, so that
 * the last one before a crash is there.
 */
export function createLogger(options: LoggerOptions = {}): RootLogger {
  const { level = "info", format = "json", output = 2, clock = systemClock } = options;
  const shared: Shared = { level, secretShapes: options.secretShapes ?? [] };
  // loaded with the first logger (15 ms), not with kopf-ts
  const load: (name: string) => typeof import("pino") = createRequire(import.meta.url);
  const { destination, pino } = load("pino");
  const sink = typeof output === "number" ? destination({ dest: output, sync: true }) : output;
  const root = pino(
    {
      level: "debug",
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      serializers: { err: (value: unknown) => value }, // pino has one of its own, which errors do not need after cleaning
      formatters: { level: (label) => ({ level: label }) },
    },
    format === "json" ? sink : textStream(sink),
  );
  const own = options.fields ? withFields(root, shared, options.fields) : root;
  return new PinoLogger(() => own, shared);
}

/** True for the name of a level; for parsers of options. */
export function isLogLevel(text: string): text is LogLevel {
  return logLevels.some((level) => level === text);
}

/** True for the name of a format; for parsers of options. */
export function isLogFormat(text: string): text is LogFormat {
  return logFormats.some((format) => format === text);
}

class PinoLogger implements RootLogger {
  readonly #make: () => Pino;
  readonly #shared: Shared;
  #made: Pino | undefined;

  constructor(make: () => Pino, shared: Shared) {
    this.#make = make;
    this.#shared = shared;
  }

  /** Made with the first line: most children, such as those of requests, never write one. */
  get #pino(): Pino {
    this.#made ??= this.#make();
    return this.#made;
  }

  get level(): LogLevel {
    return this.#shared.level;
  }

  set level(level: LogLevel) {
    this.#shared.level = level;
  }

  debug(message: string, fields?: Fields): void {
    this.#write("debug", message, fields);
  }

  info(message: string, fields?: Fields): void {
    this.#write("info", message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, fields?: Fields): void {
    this.#write("error", message, fields);
  }

  child(fields: Fields): Logger {
    return new PinoLogger(() => withFields(this.#pino, this.#shared, fields), this.#shared);
  }

  isEnabled(level: LogLevel): boolean {
    return logLevels.indexOf(level) >= logLevels.indexOf(this.#shared.level);
  }

  #write(level: LogLevel, message: string, fields: Fields | undefined): void {
    if (!this.isEnabled(level)) return;
    if (fields === undefined) this.#pino[level](message);
    else this.#pino[level](clean(fields, this.#shared), message);
  }
}

function withFields(parent: Pino, shared: Shared, fields: Fields): Pino {
  return parent.child(clean(fields, shared));
}

function clean(fields: Fields, { level, secretShapes }: Shared): Record<string, unknown> {
  return cleanFields(fields, { stacks: level === "debug", secretShapes });
}

function textStream(sink: DestinationStream): DestinationStream {
  return { write: (line) => sink.write(toTextLine(line)) };
}
