import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FaultKind, StreamFault } from "./fault.ts";
import { statusBody } from "./status.ts";

const NEWLINE = 0x0a;
const END_OF_LIST = '"k8s.io/initial-events-end":"true"';

/** How an answer that is passed on meets faults. */
export interface ExchangeOptions {
  readonly upstream: IncomingMessage;
  readonly downstream: ServerResponse;
  /** Cut into events at newlines; otherwise faults happen at chunks. */
  readonly watch: boolean;
  readonly ordered: StreamFault | undefined;
  readonly chance: () => StreamFault | undefined;
  readonly count: (kind: FaultKind) => void;
}

/** One answer on its way from the server to the client. */
export class FaultyExchange {
  readonly #options: ExchangeOptions;
  #ordered: StreamFault | undefined;
  #passed = 0;
  #withholds = false;
  /** Nothing is passed on any more, though more may come. */
  #over = false;
  #rest: Buffer = Buffer.alloc(0);

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#ordered = options.ordered;
  }

  /** Passes the answer on until it ends, in whatever way. */
  async run(): Promise<void> {
    const { upstream, downstream } = this.#options;
    downstream.once("close", () => upstream.destroy());
    downstream.flushHeaders();
    try {
      for await (const chunk of upstream) {
        if (downstream.destroyed) return;
        if (!(await this.#pass(chunk))) return;
      }
      if (upstream.complete) downstream.end(this.#rest);
      else downstream.destroy();
    } catch {
      downstream.destroy(); // the server broke off, and so do we
    }
  }

  /** A fault that need not wait for an event; others happen at the next one. */
  interrupt(fault: StreamFault): void {
    const atOnce = ["cut", "stall", "end", "gone", "error"].includes(fault.kind);
    if (!atOnce) this.#ordered = { ...fault, after: this.#passed };
    else void this.#fail(fault, Buffer.alloc(0));
  }

  async #pass(chunk: Buffer): Promise<boolean> {
    if (!this.#options.watch) return this.#event(chunk);
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
      if (!(await this.#event(bytes.subarray(0, end + 1)))) return false;
      bytes = bytes.subarray(end + 1);
    }
    this.#rest = Buffer.from(bytes);
    return true;
  }

  /** Passes one event or chunk on, or does to it what is due; false when the exchange is over. */
  async #event(bytes: Buffer): Promise<boolean> {
    if (this.#over) return false;
    const fault = this.#due();
    this.#passed++;
    if (fault !== undefined) return this.#fail(fault, bytes);
    if (this.#withholds && bytes.includes(END_OF_LIST)) return true;
    await this.#write(bytes);
    return true;
  }

  #due(): StreamFault | undefined {
    const ordered = this.#ordered;
    if (ordered === undefined) return this.#options.chance();
    if (this.#passed < (ordered.after ?? 0)) return undefined;
    this.#ordered = undefined;
    return ordered;
  }

  async #fail(fault: StreamFault, bytes: Buffer): Promise<boolean> {
    const { downstream } = this.#options;
    this.#options.count(fault.kind);
    this.#over = !(
      fault.kind === "slow" ||
      fault.kind === "duplicate" ||
      fault.kind === "withholdEnd"
    );
    switch (fault.kind) {
      case "cut":
        await flushed(downstream); // what came before has arrived, which makes a cut repeatable
        downstream.destroy();
        return false;
      case "stall":
        await closed(downstream);
        return false;
      case "halfLine":
        return this.#end(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      case "end":
        return this.#end(Buffer.alloc(0));
      case "gone":
        return this.#end(errorEvent(410));
      case "error":
        return this.#end(errorEvent(fault.code, fault.retryAfter));
      case "withholdEnd":
        this.#withholds = true;
        return bytes.includes(END_OF_LIST) || this.#write(bytes);
      case "duplicate":
        return this.#write(Buffer.concat([bytes, this.#options.watch ? bytes : Buffer.alloc(0)]));
      case "slow":
        return this.#dribble(bytes);
    }
  }

  #end(last: Buffer): false {
    this.#options.downstream.end(last);
    return false;
  }

  /** Waits for a client that reads slowly; true for the convenience of the callers. */
  async #write(bytes: Buffer): Promise<true> {
    const { downstream } = this.#options;
    if (downstream.destroyed || downstream.write(bytes)) return true;
    const over = new AbortController();
    const either = ["drain", "close"].map((event) =>
      once(downstream, event, { signal: over.signal }),
    );
    await Promise.race(either).finally(() => over.abort());
    return true;
  }

  /** At most 100 pieces, each in a packet of its own. */
  async #dribble(bytes: Buffer): Promise<true> {
    const size = Math.max(1, Math.ceil(bytes.length / 100));
    for (let i = 0; i < bytes.length; i += size) {
      await this.#write(bytes.subarray(i, i + size));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return true;
  }
}

function errorEvent(code: number, retryAfter?: number): Buffer {
  return Buffer.from(`{"type":"ERROR","object":${statusBody({ code, retryAfter })}}\n`);
}

async function flushed(response: ServerResponse): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (!response.destroyed && response.writableLength > 0);
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.once("close", () => resolve());
  });
}
