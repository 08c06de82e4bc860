// One of the three processes of a control plane.
import type { Ending, Guard, Guarded } from "../guardian/guard.ts";
import { tail } from "../log-file.ts";
import { settles } from "../wait.ts";

/** What to run. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A process that can be stopped and started again; tells when it ends without being asked to. */
export class Component {
  readonly name: string;
  readonly log: string;
  readonly #guard: Guard;
  readonly #onLost: (error: Error) => void;
  #running: Guarded | undefined;
  #lost: Error | undefined;

  constructor(guard: Guard, name: string, log: string, onLost: (error: Error) => void) {
    this.#guard = guard;
    this.name = name;
    this.log = log;
    this.#onLost = onLost;
  }

  /** The process id while it runs. */
  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /** Why it ended if nobody stopped it, until it is started again. */
  get lost(): Error | undefined {
    return this.#lost;
  }

  /** Starts the process; rejects if it cannot be executed, or runs already. */
  async start(command: Command): Promise<void> {
    if (this.#running !== undefined) throw new Error(`${this.name} runs already`);
    const running = await this.#guard.run({ ...command, log: this.log });
    this.#running = running;
    this.#lost = undefined;
    void running.ended.then((ending) => this.#ended(running, ending));
  }

  /** Ends the process with `signal`, after `grace` milliseconds with SIGKILL; resolves once it is gone. */
  async stop(signal: NodeJS.Signals, grace: number): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    running.signal(signal);
    if (!(await this.#guard.hold(settles(running.ended, grace)))) running.signal("SIGKILL");
    await this.#guard.hold(running.ended);
  }

  /** Sends a signal, if it runs. */
  signal(name: NodeJS.Signals): void {
    this.#running?.signal(name);
  }

  /** From now on an end is expected. */
  forget(): void {
    this.#running = undefined;
  }

  #ended(running: Guarded, { code, signal }: Ending): void {
    if (this.#running !== running) return;
    this.#running = undefined;
    const how = signal === null ? `exit code ${code}` : signal;
    this.#lost = new Error(
      `${this.name} ended (${how}); the end of ${this.log} is\n${tail(this.log, 15)}`,
    );
    this.#onLost(this.#lost);
  }
}
