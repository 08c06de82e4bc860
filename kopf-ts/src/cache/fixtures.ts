/** What the tests of this folder feed a store with. */

import { systemClock } from "../base/index.ts";
import { defineKind, type Kind, type KubeObject } from "../kube/index.ts";
import { type ChangeType, type ScannedObject, scanObject, type WatchSink } from "../watch/index.ts";

/** A kind of small objects. */
export interface Widget extends KubeObject {
  readonly spec?: {
    readonly size?: number;
    readonly color?: string;
    readonly owner?: string;
    readonly note?: string;
    readonly tags?: readonly string[];
    readonly memory?: string;
  };
}

export const Widget: Kind<Widget> = defineKind<Widget>({
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});

/** What sets a widget apart. */
export interface WidgetParts {
  readonly name: string;
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly created?: string;
  readonly spec?: Widget["spec"];
  readonly managedFields?: readonly unknown[];
}

/** A widget as the API server would send it. */
export function aWidget(parts: WidgetParts): Widget {
  const { name, namespace = "default", resourceVersion = "1", labels, managedFields } = parts;
  return {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: {
      name,
      namespace,
      uid: parts.uid ?? uidOf(`${namespace}/${name}`),
      resourceVersion,
      creationTimestamp: parts.created ?? "2026-01-01T00:00:00Z",
      ...(labels === undefined ? {} : { labels }),
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    ...(parts.spec === undefined ? {} : { spec: parts.spec }),
  };
}

/** A UUID made of a text. */
export function uidOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const unit of text) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  const hex = hash.toString(16).padStart(8, "0");
  return `${hex}-0000-4000-8000-${hex}0000`;
}

/** An object as the watch hands it over: amid other bytes, which are overwritten after the call. */
export function scanned(object: object): ScannedObject {
  return scannedText(JSON.stringify(object));
}

/** The same of JSON that is written otherwise. */
export function scannedText(json: string): ScannedObject {
  const text = Buffer.from(json);
  const bytes = Buffer.concat([Buffer.from("####"), text, Buffer.from("####")]);
  const found = scanObject(bytes, 4, 4 + text.length);
  if (found === undefined) throw new Error("the scanner does not trust the fixture");
  return found;
}

/** Plays a watch: lists and changes, with bytes that are gone after each call. */
export class Feed {
  readonly #sink: WatchSink;

  constructor(sink: WatchSink) {
    this.#sink = sink;
  }

  /** A whole list. */
  list(objects: readonly object[], resourceVersion: string): void {
    this.broken(objects);
    this.#sink.end(resourceVersion);
  }

  /** A list that never ends. */
  broken(objects: readonly object[]): void {
    this.#sink.begin();
    for (const object of objects) this.item(object);
  }

  /** One more object of a list that has not ended. */
  item(object: object): void {
    this.#hand(object, (each) => this.#sink.item(each));
  }

  change(type: ChangeType, object: object): void {
    this.#hand(object, (each) => this.#sink.change(type, each));
  }

  #hand(object: object, take: (scanned: ScannedObject) => void): void {
    const found = scanned(object);
    take(found);
    found.bytes.fill(0);
  }
}

/** Keeps the processor busy. */
export function spin(milliseconds: number): void {
  const end = systemClock.monotonic() + milliseconds;
  while (systemClock.monotonic() < end);
}
