/** Finds what a cache must know about an object in its JSON bytes, without building a tree. */

import { Members } from "./json/members.ts";
import { COMMA, INCOMPLETE, OPEN_BRACE, QUOTE, skipSpace } from "./json/skip.ts";
import { decodeString } from "./json/text.ts";

/**
 * Where parts of one object lie; offsets into `bytes`. -1 when absent; string ranges exclude their quotes. Valid only as long as the bytes
 * are, that is during the call that received it: the names are decoded when they are first asked for.
 */
export interface ScannedObject {
  readonly bytes: Buffer;
  readonly start: number;
  /** Past the closing brace. */
  readonly end: number;
  readonly name: string;
  /** Empty for objects outside namespaces. */
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Raw RFC 3339 text or empty. */
  readonly creationTimestamp: string;
  /** Past the opening brace of `metadata` and past its closing brace. */
  readonly metadataStart: number;
  readonly metadataEnd: number;
  /** The value of metadata.labels with its braces. */
  readonly labelsStart: number;
  readonly labelsEnd: number;
  /** What to cut to drop managedFields: from its separating comma (or key) to the end of its value (or the comma behind it, when it comes first). */
  readonly managedFieldsStart: number;
  readonly managedFieldsEnd: number;
  /** False for list items of built-in types, which lack apiVersion and kind. */
  readonly typed: boolean;
}

/** Where each string's start lies in Scan.texts; its end follows. */
const NAME_AT = 0;
const NAMESPACE_AT = 2;
const UID_AT = 4;
const RESOURCE_VERSION_AT = 6;
const CREATION_TIMESTAMP_AT = 8;

/** The scanner's own view: offsets while it runs, strings when somebody asks. */
class Scan implements ScannedObject {
  readonly bytes: Buffer;
  readonly start: number;
  end = INCOMPLETE;
  readonly texts: number[] = [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1];
  metadataStart = INCOMPLETE;
  metadataEnd = INCOMPLETE;
  labelsStart = INCOMPLETE;
  labelsEnd = INCOMPLETE;
  managedFieldsStart = INCOMPLETE;
  managedFieldsEnd = INCOMPLETE;
  apiVersion = false;
  kind = false;

  constructor(bytes: Buffer, start: number) {
    this.bytes = bytes;
    this.start = start;
  }

  get name(): string {
    return this.#text(NAME_AT);
  }
  get namespace(): string {
    return this.#text(NAMESPACE_AT);
  }
  get uid(): string {
    return this.#text(UID_AT);
  }
  get resourceVersion(): string {
    return this.#text(RESOURCE_VERSION_AT);
  }
  get creationTimestamp(): string {
    return this.#text(CREATION_TIMESTAMP_AT);
  }
  get typed(): boolean {
    return this.apiVersion && this.kind;
  }
  get named(): boolean {
    return (this.texts[NAME_AT + 1] ?? 0) > (this.texts[NAME_AT] ?? 0);
  }

  #text(at: number): string {
    const start = this.texts[at] ?? INCOMPLETE;
    return start < 0 ? "" : decodeString(this.bytes, start, this.texts[at + 1] ?? start);
  }
}

const METADATA = Buffer.from("metadata");
const API_VERSION = Buffer.from("apiVersion");
const KIND = Buffer.from("kind");
const NAME = Buffer.from("name");
const NAMESPACE = Buffer.from("namespace");
const UID = Buffer.from("uid");
const RESOURCE_VERSION = Buffer.from("resourceVersion");
const CREATION_TIMESTAMP = Buffer.from("creationTimestamp");
const LABELS = Buffer.from("labels");
const MANAGED_FIELDS = Buffer.from("managedFields");
const LETTER_N = 0x6e;

/**
 * Scans the object that begins at `start` (white space may come first) and ends before `end`. undefined on any doubt: cut off, no
 * name, an escaped or repeated key where it matters, a field of an unexpected type. The caller then asks parseObject. What the scanner
 * accepts reads exactly as JSON.parse reads it, provided the bytes are JSON at all: it checks the frame, not every token.
 */
export function scanObject(bytes: Buffer, start: number, end: number): ScannedObject | undefined {
  const scan = new Scan(bytes, skipSpace(bytes, start, end));
  const members = new Members(bytes, scan.start, end);
  while (members.next()) {
    if (members.keyEscaped || !topLevel(scan, members, end)) return undefined;
  }
  scan.end = members.end;
  return scan.end >= 0 && scan.named ? scan : undefined;
}

/** Takes one member of the object; false on doubt. */
function topLevel(scan: Scan, members: Members, limit: number): boolean {
  if (members.keyIs(METADATA)) return metadata(scan, members, limit);
  if (members.keyIs(API_VERSION)) {
    if (scan.apiVersion || !(isString(members) || isNull(members))) return false;
    scan.apiVersion = isString(members);
  } else if (members.keyIs(KIND)) {
    if (scan.kind || !(isString(members) || isNull(members))) return false;
    scan.kind = isString(members);
  }
  return members.skip() >= 0;
}

function metadata(scan: Scan, outer: Members, limit: number): boolean {
  if (scan.metadataStart >= 0) return false;
  const members = new Members(scan.bytes, outer.valueStart, limit);
  scan.metadataStart = outer.valueStart + 1;
  while (members.next()) {
    if (members.keyEscaped || !metadataField(scan, members, limit)) return false;
  }
  scan.metadataEnd = members.end;
  return outer.leave(members.end) >= 0;
}

/** Takes one member of metadata; false on doubt. The length tells most keys apart before their bytes are compared. */
function metadataField(scan: Scan, members: Members, limit: number): boolean {
  const past = members.skip();
  if (past < 0) return false;
  switch (members.keyEnd - members.keyStart) {
    case UID.length:
      return text(scan, members, UID, UID_AT, past);
    case NAME.length:
      return text(scan, members, NAME, NAME_AT, past);
    case LABELS.length:
      return !members.keyIs(LABELS) || labels(scan, members, past);
    case NAMESPACE.length:
      return text(scan, members, NAMESPACE, NAMESPACE_AT, past);
    case MANAGED_FIELDS.length:
      return !members.keyIs(MANAGED_FIELDS) || managedFields(scan, members, past, limit);
    case RESOURCE_VERSION.length:
      return text(scan, members, RESOURCE_VERSION, RESOURCE_VERSION_AT, past);
    case CREATION_TIMESTAMP.length:
      return text(scan, members, CREATION_TIMESTAMP, CREATION_TIMESTAMP_AT, past);
    default:
      return true;
  }
}

function text(scan: Scan, members: Members, key: Buffer, at: number, past: number): boolean {
  if (!members.keyIs(key)) return true;
  if (scan.texts[at] !== INCOMPLETE) return false;
  if (!isString(members)) return isNull(members);
  scan.texts[at] = members.valueStart + 1;
  scan.texts[at + 1] = past - 1;
  return true;
}

function labels(scan: Scan, members: Members, past: number): boolean {
  if (scan.labelsStart >= 0) return false;
  if (scan.bytes[members.valueStart] !== OPEN_BRACE) return isNull(members);
  scan.labelsStart = members.valueStart;
  scan.labelsEnd = past;
  return true;
}

function isString({ bytes, valueStart }: Members): boolean {
  return bytes[valueStart] === QUOTE;
}

/** null means absent, as it does to the API server. */
function isNull({ bytes, valueStart }: Members): boolean {
  return bytes[valueStart] === LETTER_N;
}

/** The first member has no comma before it, so the one behind it goes with it. */
function managedFields(scan: Scan, members: Members, past: number, limit: number): boolean {
  if (scan.managedFieldsStart >= 0) return false;
  scan.managedFieldsStart = members.memberStart;
  scan.managedFieldsEnd = past;
  if (scan.bytes[members.memberStart] === COMMA) return true;
  const next = skipSpace(scan.bytes, past, limit);
  if (next < limit && scan.bytes[next] === COMMA) scan.managedFieldsEnd = next + 1;
  return true;
}

/**
 * The slow way for an object that scanObject does not trust: JSON.parse, then a scan of its canonical form, so that what follows has one
 * path. Numbers keep their digits. undefined when the object has no metadata.name (or a field no API server sends); throws
 * SyntaxError for what is not JSON.
 */
export function parseObject(bytes: Buffer, start: number, end: number): ScannedObject | undefined {
  const text = bytes.toString("utf8", start, end);
  JSON.parse(text); // without a reviver first: its depth is not limited, and its errors are SyntaxErrors
  const canonical = Buffer.from(JSON.stringify(JSON.parse(text, keepNumbers)));
  return scanObject(canonical, 0, canonical.length);
}

/** JSON.rawJSON and the source text that revivers get are in V8 but not in TypeScript's library yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

function keepNumbers(
  _key: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown {
  return typeof value === "number" && context?.source !== undefined
    ? rawJSON(context.source)
    : value;
}

/**
 * Orders two resourceVersions: by length, then text, as documented for every API server since 1.35 (KEP-5504). Negative when `a` is
 * older. The empty string is older than everything.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
