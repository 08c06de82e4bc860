import { createLogger, type RootLogger } from "../../observe/index.ts";

/** One line of a log. */
export interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A logger that keeps its lines. */
export interface KeptLog {
  readonly logger: RootLogger;
  readonly lines: readonly Line[];
  /** The messages, in order; of those named, when some are. */
  messages(...of: readonly string[]): readonly string[];
}

/** Keeps lines from level debug on. */
export function keptLog(): KeptLog {
  const lines: Line[] = [];
  const output = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return {
    logger: createLogger({ level: "debug", output }),
    lines,
    messages: (...of) =>
      lines.map(({ msg }) => msg).filter((msg) => of.length === 0 || of.includes(msg)),
  };
}
