/** Controllers without an API server: the test is the watch. */

import { Store } from "../../cache/index.ts";
import { type Client, defineKind, type Kind, type KubeObject } from "../../kube/index.ts";
import { type ScannedObject, scanObject } from "../../watch/index.ts";
import type { InformerSource } from "../index.ts";

/** A kind that no server knows. */
export const Widget: Kind = defineKind({
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Cluster",
});

/** A store that the test fills in place of a watch, as informers that share it. */
export class Fed {
  readonly store: Store = new Store(Widget);
  readonly informers: InformerSource = {
    acquire: <T extends KubeObject>(_kind: Kind<T>) => ({
      cache: this.store as unknown as Store<T>,
      whenSynced: (signal) => this.store.whenSynced(signal),
      addColumns: () => Promise.resolve(),
      addIndex: () => Promise.resolve(),
      release: () => undefined,
    }),
  };
  #version = 0;

  /** The first list. */
  list(names: readonly string[]): void {
    this.store.begin();
    for (const name of names) this.store.item(this.#object(name));
    this.store.end(String(++this.#version));
    this.store.state({ phase: "live" });
  }

  /** A change, or the first sight. */
  change(name: string): string {
    this.store.change(this.store.has(name) ? "MODIFIED" : "ADDED", this.#object(name));
    return String(this.#version);
  }

  /** Whether there was anything to delete. */
  delete(name: string): boolean {
    if (!this.store.has(name)) return false;
    this.store.change("DELETED", this.#object(name));
    return true;
  }

  #object(name: string): ScannedObject {
    const metadata = { name, uid: `uid-${name}`, resourceVersion: String(++this.#version) };
    const object = { apiVersion: "example.com/v1", kind: "Widget", metadata };
    const bytes = Buffer.from(JSON.stringify(object));
    const scanned = scanObject(bytes, 0, bytes.length);
    if (scanned === undefined) throw new Error("not scanned");
    return scanned;
  }
}

/** No request is made in tests that use it. */
export const noClient: Client = {} as Client;
