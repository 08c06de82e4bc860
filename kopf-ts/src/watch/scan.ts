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
  /**
   * What to cut to drop managedFields: from its separating comma (or key) to the end of its value (or the comma behind it, when it comes
   * first). -1 also when they come twice: then they stay.
   */
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

/** Bits of Scan.wrong; those of texts are shifted by their place. */
const WRONG_API_VERSION = 1;
const WRONG_KIND = 2;
const WRONG_LABELS = 4;
const WRONG_TEXT = 8;

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
  /** managedFields were seen. */
  managed = false;
  /** A bit for each field whose value, as it came last, is of a wrong type. */
  wrong = 0;

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
  /** Notes whether the value of a field is of a type that it may have. */
  judge(field: number, right: boolean): void {
    if (!right) this.wrong |= field;
    else if (this.wrong !== 0) this.wrong &= ~field;
  }

  /** There is another metadata. */
  forgetMetadata(): void {
    this.texts.fill(INCOMPLETE);
    this.metadataStart = this.metadataEnd = INCOMPLETE;
    this.labelsStart = this.labelsEnd = INCOMPLETE;
    this.managedFieldsStart = this.managedFieldsEnd = INCOMPLETE;
    this.managed = false;
    this.wrong &= WRONG_API_VERSION | WRONG_KIND;
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
const FIELDS = [
  NAME,
  NAMESPACE,
  UID,
  RESOURCE_VERSION,
  CREATION_TIMESTAMP,
  LABELS,
  MANAGED_FIELDS,
] as const;
const LETTER_N = 0x6e;

/**
 * Scans the object that begins at `start` (white space may come first) and ends before `end`. undefined when no cache can hold it: cut
 * off, no name, a field of a type that no API server sends. What it finds is what JSON.parse finds, escaped and repeated keys included,
 * provided the bytes are JSON at all: it checks the frame, not every token. Needs no stack, however deep the object is.
 */
export function scanObject(bytes: Buffer, start: number, end: number): ScannedObject | undefined {
  const scan = new Scan(bytes, skipSpace(bytes, start, end));
  const members = new Members(bytes, scan.start, end);
  while (members.next()) topLevel(scan, members, end);
  scan.end = members.end;
  return scan.end >= 0 && scan.wrong === 0 && scan.named ? scan : undefined;
}

function topLevel(scan: Scan, members: Members, limit: number): void {
  if (members.keyIs(METADATA)) {
    metadata(scan, members, limit);
    return;
  }
  if (members.keyIs(API_VERSION)) {
    scan.apiVersion = isString(members);
    scan.judge(WRONG_API_VERSION, scan.apiVersion || isNull(members));
  } else if (members.keyIs(KIND)) {
    scan.kind = isString(members);
    scan.judge(WRONG_KIND, scan.kind || isNull(members));
  }
  members.skip();
}

function metadata(scan: Scan, outer: Members, limit: number): void {
  if (scan.metadataStart >= 0) scan.forgetMetadata(); // what comes last counts
  if (scan.bytes[outer.valueStart] !== OPEN_BRACE) {
    outer.skip();
    return;
  }
  const members = new Members(scan.bytes, outer.valueStart, limit);
  scan.metadataStart = outer.valueStart + 1;
  while (members.next()) metadataField(scan, members, limit);
  scan.metadataEnd = members.end;
  outer.leave(members.end);
}

/** Takes one member of metadata. The length tells most keys apart before their bytes are compared. */
function metadataField(scan: Scan, members: Members, limit: number): void {
  const past = members.skip();
  if (past < 0) return;
  switch (lengthOfKey(members)) {
    case UID.length:
      text(scan, members, UID, UID_AT, past);
      break;
    case NAME.length:
      text(scan, members, NAME, NAME_AT, past);
      break;
    case LABELS.length:
      if (members.keyIs(LABELS)) labels(scan, members, past);
      break;
    case NAMESPACE.length:
      text(scan, members, NAMESPACE, NAMESPACE_AT, past);
      break;
    case MANAGED_FIELDS.length:
      if (members.keyIs(MANAGED_FIELDS)) managedFields(scan, members, past, limit);
      break;
    case RESOURCE_VERSION.length:
      text(scan, members, RESOURCE_VERSION, RESOURCE_VERSION_AT, past);
      break;
    case CREATION_TIMESTAMP.length:
      text(scan, members, CREATION_TIMESTAMP, CREATION_TIMESTAMP_AT, past);
      break;
  }
}

/** Of a key that is spelled with escapes: the length of the field that it names, 0 for none. */
function lengthOfKey(members: Members): number {
  if (members.keyLength >= 0) return members.keyLength;
  return FIELDS.find((field) => members.keyIs(field))?.length ?? 0;
}

function text(scan: Scan, members: Members, key: Buffer, at: number, past: number): void {
  if (!members.keyIs(key)) return;
  const found = isString(members);
  scan.texts[at] = found ? members.valueStart + 1 : INCOMPLETE;
  scan.texts[at + 1] = found ? past - 1 : INCOMPLETE;
  scan.judge(WRONG_TEXT << at, found || isNull(members));
}

function labels(scan: Scan, members: Members, past: number): void {
  const found = scan.bytes[members.valueStart] === OPEN_BRACE;
  scan.labelsStart = found ? members.valueStart : INCOMPLETE;
  scan.labelsEnd = found ? past : INCOMPLETE;
  scan.judge(WRONG_LABELS, found || isNull(members));
}

function isString({ bytes, valueStart }: Members): boolean {
  return bytes[valueStart] === QUOTE;
}

/** null means absent, as it does to the API server. */
function isNull({ bytes, valueStart }: Members): boolean {
  return bytes[valueStart] === LETTER_N;
}

/** The first member has no comma before it, so the one behind it goes with it. */
function managedFields(scan: Scan, members: Members, past: number, limit: number): void {
  const repeated = scan.managed;
  scan.managed = true;
  scan.managedFieldsStart = repeated ? INCOMPLETE : members.memberStart;
  scan.managedFieldsEnd = repeated ? INCOMPLETE : past;
  if (repeated || scan.bytes[members.memberStart] === COMMA) return;
  const next = skipSpace(scan.bytes, past, limit);
  if (next < limit && scan.bytes[next] === COMMA) scan.managedFieldsEnd = next + 1;
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
