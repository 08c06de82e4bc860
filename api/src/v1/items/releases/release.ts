/** Releases of Helm, which it keeps packed in Secrets and ConfigMaps (helm: pkg/storage/driver/util.go). */

import { randomUUID } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { mapAt, textAt } from "../../tree.ts";
import type { ResourceType } from "../../types/resource-type.ts";
import type { Tree } from "../settle.ts";

/** Whose objects have them. */
type OfType = Pick<ResourceType, "id">;

/** A release that was read in advance. */
export interface ReadRelease {
  /** As the object has it. */
  readonly packed: string;
  readonly json: Uint8Array;
}

/** A release larger than this stays as it is, in bytes of its JSON. */
export const largest: number = 32 * 1024 * 1024;
/** Those up to this are read on the event loop: some 15 ms at most. */
const small = 512 * 1024;

/** Stands where a release is put that was read in advance. Nobody can guess it. */
const place = `release ${randomUUID()}`;

/** Whether Helm keeps releases in objects of the type. */
export function hasReleases({ id }: OfType): boolean {
  return id === "secret" || id === "configmap";
}

/** Whether Helm keeps a release in it. */
export function isOfHelm(object: unknown): boolean {
  return isOfHelm3(object) || textAt(object, "metadata", "labels", "OWNER") === "TILLER";
}

function isOfHelm3(object: unknown): boolean {
  return textAt(object, "metadata", "labels", "owner") === "helm";
}

/** The release in an object as it is packed there; empty for none. */
export function packedIn(object: unknown): string {
  return isOfHelm3(object) ? textAt(object, "data", "release") : "";
}

/** What the text in an object of the type holds: JSON, mostly in gzip. */
export function unwrapped(packed: string, { id }: OfType): Buffer {
  const text = id === "secret" ? Buffer.from(packed, "base64").toString("latin1") : packed;
  return Buffer.from(text, "base64");
}

/** Whether it takes too long to read it on the event loop. */
export function isLarge(bytes: Buffer): boolean {
  const isMore = bytes.length > small;
  return isMore || (isGzip(bytes) && bytes.readUInt32LE(bytes.length - 4) > small); // RFC 1952: ISIZE
}

/** The release; undefined for what is none, or more than so many bytes. */
export function releaseIn(bytes: Buffer, most: number): unknown {
  if (bytes.length > most) return undefined;
  try {
    const json = isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: most }) : bytes;
    return JSON.parse(json.toString());
  } catch {
    return undefined; // somebody's own text under Helm's label
  }
}

function isGzip(bytes: Buffer): boolean {
  return bytes.length > 18 && bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;
}

/** The object with its release as JSON, or with a place for the one that was read in advance; unchanged where there is none that can be read. */
export function withRelease(object: Tree, type: OfType, read: ReadRelease | undefined): Tree {
  const packed = packedIn(object);
  if (packed === "") return object;
  const release = packed === read?.packed ? place : releaseIn(unwrapped(packed, type), small);
  return release === undefined
    ? object
    : { ...object, data: { ...mapAt(object, "data"), release } };
}

/** A text in which the release takes its place, if there is one. */
export function filled(text: string, read: ReadRelease | undefined): readonly Uint8Array[] {
  const [before = "", after] = read === undefined ? [text] : text.split(`"${place}"`);
  if (read === undefined || after === undefined) return [Buffer.from(before)];
  return [Buffer.from(before), read.json, Buffer.from(after)];
}
