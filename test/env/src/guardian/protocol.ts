// What a launcher and its guardian say to each other: one JSON object a line, on the guardian's
// standard input (orders) and standard output (events).

/** A program for the guardian to start; `id` names it in later orders and events. */
export interface Start {
  readonly op: "start";
  readonly id: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Both output streams are appended to this file. */
  readonly log: string;
}

/** Sends a signal to a started program; ignored once it has ended. */
export interface Signal {
  readonly op: "signal";
  readonly id: number;
  readonly signal: NodeJS.Signals;
}

/** Ends every program in reverse order of start, removes what `GuardianOptions` says, and exits. */
export interface Stop {
  readonly op: "stop";
}

export type Order = Start | Signal | Stop;

export type Event =
  | { readonly event: "started"; readonly id: number; readonly pid: number }
  | { readonly event: "failed"; readonly id: number; readonly message: string }
  | {
      readonly event: "exited";
      readonly id: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };

/** Known to the guardian from its first instant, as its only argument in JSON. */
export interface GuardianOptions {
  /** Milliseconds that all programs together have to end after SIGTERM, before SIGKILL. */
  readonly grace: number;
  /** Folders removed when the last program has ended. */
  readonly remove: readonly string[];
  /** Takes what the guardian itself has to say, which is nothing unless it has a fault. */
  readonly log: string;
}

/** The objects among the lines of `chunks`, whatever way the bytes were cut. */
export async function* readLines(chunks: AsyncIterable<string>): AsyncGenerator<unknown> {
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield JSON.parse(line);
  }
}
