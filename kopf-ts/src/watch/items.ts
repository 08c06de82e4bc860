import type { Clock } from "../base/index.ts";
import type { RawStream } from "../kube/index.ts";
import { WatchFailure } from "./failure.ts";
import { type ListMetadata, ListSplitter } from "./json/list.ts";
import { read } from "./read.ts";
import type { TableRows } from "./table.ts";
import type { Turns } from "./turns.ts";
import { unpacked } from "./unpacked.ts";

/** How the answer to a list is read. */
export interface ListReading {
  readonly clock: Clock;
  readonly turns: Turns;
  /** For messages. */
  readonly path: string;
  /** Milliseconds of silence after which the list is given up. */
  readonly silence: number;
  /** Given up at this time (monotonic) whatever comes; never unless told. */
  readonly until?: number;
  readonly onChunk?: (length: number) => void;
  /** For a list that may be a table: its items may be rows, which `rows` reads. */
  readonly rows?: TableRows | undefined;
  /** The bytes are valid during the call only. */
  readonly onItem: (bytes: Buffer, start: number, end: number) => void;
}

/**
 * Reads one page of a list as it comes, packed or not, within the turns of all streams; no more than one item is held. Rejects with what broke it off, with
 * what a callback threw, WatchFailure for one that takes too long, SyntaxError for what is no whole list. Closing the stream is the caller's.
 */
export async function readList(stream: RawStream, reading: ListReading): Promise<ListMetadata> {
  const { clock, turns, path, silence, until = Number.POSITIVE_INFINITY } = reading;
  const splitter = new ListSplitter(undefined, reading.rows);
  await read(unpacked(stream), {
    clock,
    turns,
    onChunk: (chunk) => {
      reading.onChunk?.(chunk.length);
      splitter.push(chunk);
      while (splitter.next()) reading.onItem(splitter.bytes, splitter.start, splitter.end);
    },
    deadline: (heard) => Math.min(heard + silence, until),
    lookEvery: silence,
    giveUp: () => new WatchFailure("Stalled", `list ${path}: did not come in time`),
  });
  if (!splitter.done) throw new SyntaxError(`list ${path}: ended in the middle`);
  return splitter.metadata;
}
