import { isGone, type RawStream } from "../kube/index.ts";
import { leftOut, open, type WatchContext } from "./context.ts";
import { readList } from "./items.ts";
import type { ListMetadata } from "./json/list.ts";
import { page } from "./request.ts";
import { scanObject } from "./scan.ts";

/**
 * Lists in pages, each read as a stream: no more than one object is held. Which pages are asked for follows client-go
 * (tools/cache/reflector.go, list; tools/pager/pager.go): a server whose watch cache answers ignores the limit, so a list from a known version
 * is asked for whole; a list whose pages expire under way is asked for whole the next time.
 */
export class PagedList {
  readonly #context: WatchContext;
  readonly #pageSize: number;
  readonly #isQuiet: boolean;
  readonly #isNewest: boolean;
  /** The server cuts even what its cache could answer, so it has none. */
  #paged = false;
  #whole = false;
  #items = 0;

  /** A quiet list, one of many, does not tell of itself as long as all is well. One of the newest does not begin with what a server's cache is behind with. */
  constructor(
    context: WatchContext,
    options: { pageSize: number; isQuiet: boolean; isNewest: boolean },
  ) {
    this.#context = context;
    this.#pageSize = options.pageSize;
    this.#isQuiet = options.isQuiet;
    this.#isNewest = options.isNewest;
  }

  /** Tells the sink everything from `begin` to `end`. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, metrics, position, sink } = this.#context;
    const started = clock.monotonic();
    this.#items = 0;
    const resourceVersion = await this.#pages(signal);
    sink.end(resourceVersion);
    position.listed(resourceVersion);
    this.#whole = false;
    metrics?.listed("pages", clock.monotonic() - started, this.#items);
  }

  async #pages(signal: AbortSignal): Promise<string> {
    const { position } = this.#context;
    const from = this.#isNewest ? position.streamFrom : position.listFrom;
    const limit = this.#limit(from);
    let next = "";
    for (;;) {
      const metadata = await this.#page({ resourceVersion: from, limit, next }, signal);
      if (metadata.continue === "") return metadata.resourceVersion;
      this.#paged ||= from === "0";
      next = metadata.continue;
    }
  }

  #limit(from: string): number | undefined {
    if (this.#whole) return undefined;
    return from === "" || from === "0" || this.#paged ? this.#pageSize : undefined;
  }

  async #page(query: Parameters<typeof page>[1], signal: AbortSignal): Promise<ListMetadata> {
    const { position, sink, reporter, target, timing } = this.#context;
    let stream: RawStream | undefined;
    try {
      const request = page(target, query);
      stream = await open(this.#context, request, timing.answer, signal);
      if (query.next === "") {
        if (!this.#isQuiet || !reporter.live) reporter.tell({ phase: "listing" });
        sink.begin();
        position.begin();
      }
      return await this.#read(stream, request.path);
    } catch (thrown) {
      stream?.close();
      if (isGone(thrown) && query.next !== "") this.#whole = true;
      throw thrown;
    }
  }

  #read(stream: RawStream, path: string): Promise<ListMetadata> {
    const { clock, metrics, rows, timing, turns } = this.#context;
    return readList(stream, {
      ...{ clock, turns, path, rows },
      silence: timing.answer,
      onChunk: (length) => metrics?.received(length),
      onItem: (bytes, start, end) => this.#item(bytes, start, end),
    });
  }

  #item(bytes: Buffer, start: number, end: number): void {
    const { position, rows, sink } = this.#context;
    const object =
      rows === undefined ? scanObject(bytes, start, end) : rows.ofItem(bytes, start, end);
    if (object === undefined) {
      leftOut(this.#context, bytes, start, end, ["metadata", "name"]);
      return;
    }
    this.#items++;
    sink.item(object);
    position.told(object, false);
  }
}
