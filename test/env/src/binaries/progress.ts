// Tells a person how far a build is: what it does, how much of how much, and for how long.
import { heartbeat } from "../wait.ts";

/** Where progress goes; `process.stderr` is one. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** A terminal shows one line that changes; a file or a CI log gets a line this often. */
const TTY_INTERVAL = 200;
const LOG_INTERVAL = 10_000;

/** Reads the output of `go list -deps` and `go build -v` line by line and shows where they are. */
export class BuildProgress {
  readonly #output: Output;
  readonly #title: string;
  readonly #modules: number;
  readonly #begin = performance.now();
  #packages = 0;
  #downloaded = 0;
  #compiled = 0;
  #linking = false;
  #stop: () => void = () => undefined;

  constructor(output: Output, title: string, modules: number) {
    this.#output = output;
    this.#title = title;
    this.#modules = modules;
  }

  /** Shows the state now and then, until `done` or `failed`. */
  start(): void {
    this.#show();
    this.#stop = heartbeat(this.#output.isTTY ? TTY_INTERVAL : LOG_INTERVAL, () => this.#show());
  }

  /** Sets how many packages there are to compile at most. */
  expect(packages: number): void {
    this.#packages = packages;
  }

  /** Takes one line of Go's output. */
  line(text: string): void {
    if (text.startsWith("go: downloading ")) this.#downloaded++;
    else if (/^drover\.dev\/controlplane$/.test(text)) this.#linking = true;
    else if (/^[\w.-]+(\/\S+)*$/.test(text)) this.#compiled++;
  }

  /** Ends the display with a last line. */
  finish(line: string): void {
    this.#stop();
    this.#write(`${this.#title}: ${line} after ${elapsed(performance.now() - this.#begin)}`, true);
  }

  /** What the line says, without title and time. */
  get state(): string {
    if (this.#linking) return "linking";
    if (this.#compiled > 0) return `compiling, ${this.#compiled} of ${this.#packages} packages`;
    if (this.#downloaded > 0) return `downloading, ${this.#downloaded} of ${this.#modules} modules`;
    return "looking for what is missing";
  }

  #show(): void {
    this.#write(
      `${this.#title}: ${this.state}, ${elapsed(performance.now() - this.#begin)}`,
      false,
    );
  }

  #write(line: string, last: boolean): void {
    const { isTTY, columns = 80 } = this.#output;
    if (!isTTY) return void this.#output.write(`${line}\n`);
    this.#output.write(`\r\x1b[2K${line.slice(0, columns - 1)}${last ? "\n" : ""}`);
  }
}

/** "42 s", "3 min 7 s". */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
