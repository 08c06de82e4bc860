export { parseEvent, readObject, type WatchEvent } from "./event.ts";
export { LineFramer } from "./json/lines.ts";
export { type ListMetadata, ListSplitter } from "./json/list.ts";
export { type ByteRange, findPath, type JsonPath, PathScanner } from "./json/path.ts";
export { skipValue } from "./json/skip.ts";
export { decodeScalar, decodeString } from "./json/text.ts";
export { compareResourceVersions, parseObject, type ScannedObject, scanObject } from "./scan.ts";
export type { ChangeType, WatchSink, WatchState } from "./sink.ts";
