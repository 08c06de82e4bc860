/** Tells who waits for a command what it waits for. */

import { type Clock, systemClock } from "kopf-ts";

/** Where progress goes; `process.stderr` is one. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** One line that changes; disposing it takes the line away. */
export interface Progress extends Disposable {
  tell(line: string): void;
}

/** Milliseconds of silence: what takes less needs no progress. */
const silence = 2000;

/** Back to the beginning of the line, and nothing on it. */
const clear = "\r\x1b[2K";

/** A line on a terminal, from 2 s on; nothing anywhere else, so that logs and scripts never see it. */
export function progressOn(output: Output, clock: Clock = systemClock): Progress {
  let line = "";
  let shown = false;
  const show = (): void => {
    shown = true;
    output.write(`${clear}${line.slice(0, (output.columns || 80) - 1)}`);
  };
  const timer = output.isTTY === true ? clock.after(silence, show) : undefined;
  return {
    tell: (text) => {
      line = text;
      if (shown) show();
    },
    [Symbol.dispose]: () => {
      timer?.cancel();
      if (shown) output.write(clear);
    },
  };
}
