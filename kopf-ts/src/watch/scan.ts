/** Finds what a cache must know about an object in its JSON bytes, without building a tree. */

/** Where parts of one object lie; offsets into `bytes`. -1 when absent; string ranges exclude their quotes. */
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
  /** What to cut to drop managedFields: from its separating comma (or key) to the end of its value. */
  readonly managedFieldsStart: number;
  readonly managedFieldsEnd: number;
  /** False for list items of built-in types, which lack apiVersion and kind. */
  readonly typed: boolean;
}
