import type { ScannedObject } from "./scan.ts";
import type { ChangeType, WatchSink, WatchState } from "./sink.ts";

/** Wraps what a consumer threw, so that it is not taken for a fault of the server. */
export class SinkFailure extends Error {
  override readonly name = "SinkFailure";
}

/** A sink whose exceptions are told apart from those of reading and parsing. */
export class GuardedSink implements WatchSink {
  readonly #sink: WatchSink;

  constructor(sink: WatchSink) {
    this.#sink = sink;
  }

  begin(): void {
    this.#guard(() => this.#sink.begin());
  }

  item(object: ScannedObject): void {
    try {
      this.#sink.item(object); // not through a closure: once per object
    } catch (cause) {
      throw new SinkFailure("item", { cause });
    }
  }

  end(resourceVersion: string): void {
    this.#guard(() => this.#sink.end(resourceVersion));
  }

  change(type: ChangeType, object: ScannedObject): void {
    try {
      this.#sink.change(type, object);
    } catch (cause) {
      throw new SinkFailure("change", { cause });
    }
  }

  bookmark(resourceVersion: string): void {
    this.#guard(() => this.#sink.bookmark(resourceVersion));
  }

  state(state: WatchState): void {
    this.#guard(() => this.#sink.state(state));
  }

  #guard(call: () => void): void {
    try {
      call();
    } catch (cause) {
      throw new SinkFailure("the consumer of a watch failed", { cause });
    }
  }
}
