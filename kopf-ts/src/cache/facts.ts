import type { ScannedObject } from "../watch/index.ts";

/** What a cache keeps of an object beside its bytes. */
export interface Facts {
  readonly key: string;
  readonly namespace: string;
  readonly resourceVersion: string;
  readonly uid: string;
  readonly created: string;
  /** JSON text of metadata.labels, empty for none. */
  readonly labels: string;
}

/** Decodes everything at once. Throws SyntaxError when a text is broken: the scanner looks at the frame, not at every escape. */
export function readFacts(object: ScannedObject): Facts {
  const { bytes, namespace, labelsStart, labelsEnd } = object;
  return {
    key: keyOf(namespace, object.name),
    namespace,
    resourceVersion: object.resourceVersion,
    uid: object.uid,
    created: object.creationTimestamp,
    labels: labelsStart < 0 ? "" : bytes.toString("utf8", labelsStart, labelsEnd),
  };
}

/** The key of an object: `namespace/name`, or `name` outside namespaces. */
export function keyOf(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}
