import type { RawStream } from "../kube/index.ts";
import { leftOut, type WatchContext } from "./context.ts";
import { parseEvent } from "./event.ts";
import { streamedError, WatchFailure } from "./failure.ts";
import { Gathering } from "./gathering.ts";
import { LineFramer } from "./json/lines.ts";
import { Pauses } from "./pauses.ts";
import { read } from "./read.ts";
import { compareResourceVersions, type ScannedObject } from "./scan.ts";
import type { ChangeType } from "./sink.ts";

/** Marks the bookmark at which a streamed list is complete (apimachinery: meta/v1/types.go, InitialEventsAnnotationKey). */
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** What a session is opened for. */
export interface SessionOptions {
  /** For messages. */
  readonly path: string;
  /** The stream begins with a list. */
  readonly listing: boolean;
  /** Milliseconds after which the server was asked to end the stream. */
  readonly serverTimeout: number;
  /** When (monotonic) the request was made. */
  readonly asked: number;
  /** The streamed list is complete. */
  readonly onListed: () => void;
  /** Everything is known and the stream has shown that it works; called once. */
  readonly onLive: () => void;
}

/** One open watch, from the head of its answer to its end: tells the sink what comes and keeps the position. */
export class Session {
  /** The list is complete, or there was none to wait for. */
  #listed: boolean;
  #live = false;
  /** This connection brings bookmarks: silence for longer means that it is dead. */
  #bookmarked = false;
  #events = 0;
  readonly #context: WatchContext;
  readonly #options: SessionOptions;
  readonly #framer = new LineFramer();
  /** Where the watch was when the session began. */
  readonly #from: string;
  #opened = 0;
  #failure: unknown;
  #gathering: Gathering | undefined;

  constructor(context: WatchContext, options: SessionOptions) {
    this.#context = context;
    this.#options = options;
    this.#listed = !options.listing;
    this.#from = context.position.resourceVersion;
  }

  /** Resolves when the server ends the watch in time and in order, or when another connection had better be tried; everything else rejects. */
  async run(stream: RawStream): Promise<void> {
    const { clock, gather, position, reporter, sink, timing, turns } = this.#context;
    this.#opened = clock.monotonic();
    const pauses = new Pauses(stream);
    using gathering = gather && new Gathering(pauses.holder(), clock, gather);
    this.#gathering = gathering;
    if (this.#options.listing) {
      reporter.tell({ phase: "listing" });
      sink.begin();
      position.begin();
    }
    const settled = clock.after(timing.shortWatch, () => this.#settled(stream));
    try {
      await read(stream, {
        clock,
        turns,
        pausable: pauses.holder(),
        onChunk: (chunk) => this.#take(chunk),
        deadline: (heard) => this.#deadline(heard),
        lookEvery: timing.stallWithBookmarks,
        giveUp: () => this.#giveUp(),
      });
    } finally {
      settled.cancel();
    }
    if (this.#failure !== undefined) throw this.#failure;
    this.#ended();
  }

  /** Reads on at once what has gathered. */
  hurry(): void {
    this.#gathering?.hurry();
  }

  /** Nobody would catch what a timer throws. */
  #settled(stream: RawStream): void {
    try {
      this.#healthy();
    } catch (thrown) {
      this.#failure = thrown;
      stream.close();
    }
  }

  #take(chunk: Buffer): void {
    const framer = this.#framer;
    const wasListed = this.#listed;
    this.#context.metrics?.received(chunk.length);
    framer.push(chunk);
    while (framer.next()) {
      if (framer.end > framer.start) this.#line(framer.bytes, framer.start, framer.end);
    }
    if (this.#advanced) this.#healthy();
    if (wasListed) this.#gathering?.read(framer.pending === 0);
  }

  #line(bytes: Buffer, start: number, end: number): void {
    const event = parseEvent(bytes, start, end, this.#context.rows);
    this.#events++;
    switch (event.type) {
      case "ERROR":
        this.#context.metrics?.event("ERROR");
        throw streamedError(event.value, this.#options.path);
      case "BOOKMARK":
        this.#context.metrics?.event("BOOKMARK");
        this.#bookmark(event.value);
        break;
      default:
        if (event.object !== undefined) this.#change(event.type, event.object);
        else leftOut(this.#context, bytes, start, end, ["object", "metadata", "name"]);
    }
  }

  #change(type: ChangeType, object: ScannedObject): void {
    const { metrics, position, sink } = this.#context;
    // While a list is streamed what is told are states; only a deletion says something that a state cannot.
    if (!this.#listed && type !== "DELETED") {
      sink.item(object);
      position.told(object, false);
      return;
    }
    sink.change(type, object);
    const resourceVersion = position.told(object, type === "DELETED");
    metrics?.event(type);
    if (this.#listed) position.advance(resourceVersion);
  }

  #bookmark(value: unknown): void {
    const { bookmarks, position, sink } = this.#context;
    const { resourceVersion, endsList } = parseBookmark(value);
    if (!this.#listed) {
      if (endsList) this.#endOfList(resourceVersion);
      return;
    }
    this.#bookmarked = true;
    bookmarks.sawPeriodic();
    position.advance(resourceVersion);
    sink.bookmark(resourceVersion);
  }

  #endOfList(resourceVersion: string): void {
    const { bookmarks, clock, metrics, position, sink } = this.#context;
    this.#listed = true;
    bookmarks.sawEndOfList();
    sink.end(resourceVersion);
    position.listed(resourceVersion);
    this.#options.onListed();
    metrics?.listed("stream", clock.monotonic() - this.#options.asked, this.#events - 1);
    this.#healthy();
  }

  /** The session brought something new; the same event told again and again does not count. */
  get #advanced(): boolean {
    const { resourceVersion } = this.#context.position;
    return compareResourceVersions(resourceVersion, this.#from) > 0;
  }

  #healthy(): void {
    if (!this.#listed || this.#live) return;
    this.#live = true;
    this.#options.onLive();
  }

  #deadline(heard: number): number {
    const { bookmarks, timing } = this.#context;
    const { asked, serverTimeout } = this.#options;
    if (!this.#listed) return Math.min(heard + timing.listSilence, asked + timing.listTotal);
    if (bookmarks.expected) return heard + timing.stallWithBookmarks;
    return heard + serverTimeout + timing.stallMargin;
  }

  #giveUp(): WatchFailure | undefined {
    const { bookmarks } = this.#context;
    const { path } = this.#options;
    if (!this.#listed) {
      return new WatchFailure(
        "NoInitialEnd",
        `watch ${path}: the end of the list did not come in time`,
      );
    }
    if (bookmarks.expected && !this.#bookmarked) return void bookmarks.missed(); // dead, or nothing happens: a new connection tells
    return new WatchFailure("Stalled", `watch ${path}: the connection went silent`);
  }

  #ended(): void {
    const { path } = this.#options;
    if (this.#framer.pending > 0)
      throw new SyntaxError(`watch ${path}: ended in the middle of an event`);
    if (!this.#listed) {
      throw new WatchFailure("ListBroken", `watch ${path}: ended before the list was complete`);
    }
    const { clock, position, timing } = this.#context;
    const age = clock.monotonic() - this.#opened;
    // A server that ends watches sooner than asked to is about to end itself, or has listed anew what it watches.
    if (age < this.#options.serverTimeout - timing.shortWatch) position.question();
    if (this.#advanced || age >= timing.shortWatch) return;
    throw new WatchFailure("ShortWatch", `watch ${path}: ended at once, without anything new`);
  }
}

function parseBookmark(value: unknown): {
  readonly resourceVersion: string;
  readonly endsList: boolean;
} {
  const metadata = property(value, "metadata");
  const resourceVersion = property(metadata, "resourceVersion");
  const endsList = property(property(metadata, "annotations"), INITIAL_EVENTS_END) === "true";
  if (typeof resourceVersion === "string") return { resourceVersion, endsList };
  throw new SyntaxError("a bookmark without a resourceVersion");
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
