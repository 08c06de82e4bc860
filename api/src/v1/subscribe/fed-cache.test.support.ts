/** What tests of watches stand on: a cache that they feed, and its subscribers. */

import { Background, Store, silentLogger, systemClock } from "kopf-ts";
import { eventually, fakeClock } from "kopf-ts/testing";
import { scanObject } from "kopf-ts/watch";
import type { Access } from "../access/access.ts";
import { CachedItems } from "../items/index.ts";
import { whole } from "../items/shape.ts";
import { accessOf, allTypes, configMaps } from "../items/testing.test.support.ts";
import { ClusterWatches, WatchShares } from "./cluster-watches.ts";
import type { Outlet } from "./connection.ts";
import { notifierFor } from "./debounce.ts";
import type { Frame } from "./frame.ts";
import { unsaid } from "./message.ts";
import type { Watch } from "./watch.ts";
import type { Told } from "./websockets.test.support.ts";

export const both: Access = accessOf({ ours: ["list configmaps"], theirs: ["list configmaps"] });
export const ours: Access = accessOf({ ours: ["list configmaps"] });
export const none: Access = accessOf({});
export const all: Access = accessOf({ "": ["list configmaps"] });

/** A subscriber, and what they are told. */
export class Reader implements Outlet {
  readonly told: string[] = [];
  /** Called when they are told something. */
  onTold: (said: string) => void = () => undefined;
  isFull = false;
  readonly #waiting: (() => void)[] = [];

  send({ plain }: Frame): void {
    const { name, data, revision }: Told = JSON.parse(
      String(plain.subarray(plain.indexOf('{"name"'))),
    );
    const changes = name === "resource.changes" ? revision : undefined;
    const said = [name.replace("resource.", ""), changes, data.id, data.data?.value];
    this.told.push(said.filter((each) => each !== undefined).join(" "));
    this.onTold(this.told.at(-1) ?? "");
  }

  whenDrained(resume: () => void): void {
    this.#waiting.push(resume);
  }

  /** They do not read for a while. */
  fill(): void {
    this.isFull = true;
  }

  drain(): void {
    this.isFull = false;
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

/** What is opened with a watch; as somebody who is told everything unless said otherwise. */
interface Opened {
  readonly revision?: string;
  readonly mode?: "" | "resource.changes";
  readonly selector?: string;
  readonly reader?: Reader;
}

/** Does something before the next slice of what happens in the background. */
export function atOnce(act: () => void): void {
  setImmediate(act);
  const end = systemClock.monotonic() + 8;
  while (systemClock.monotonic() < end);
}

/** Counts how often somebody looks at all of its objects. */
class CountingStore extends Store {
  looks = 0;

  override keys(): Iterable<string> {
    this.looks++;
    return super.keys();
  }
}

/** A cache of ConfigMaps that has come to revision 4, and somebody who sees two of its namespaces. */
export class Bed {
  readonly reader: Reader = new Reader();
  readonly told: string[] = this.reader.told;
  readonly #shares = new WatchShares({ log: silentLogger });
  readonly #background = new Background(silentLogger);
  readonly #store = new CountingStore(configMaps.kind, { background: this.#background });
  readonly #gone = new AbortController();
  readonly #clock = fakeClock();
  readonly #watches: ClusterWatches;
  #access: Access = both;

  constructor(more: readonly string[] = []) {
    this.#store.keepHistory();
    const keys = ["ours/one", "theirs/one", "theirs/gone", ...more];
    this.list(Object.fromEntries(keys.map((key) => [key, 1])), 2);
    this.change("DELETED", "theirs/gone", 3);
    this.change("MODIFIED", "ours/one", 4);
    const collection = {
      ...{ type: configMaps, cache: this.#store, gone: this.#gone.signal },
      ...{ need: async () => undefined, follow: () => ended, ...ended },
    };
    const items = new CachedItems({ types: allTypes });
    this.#watches = new ClusterWatches(
      {
        ...{ types: allTypes, items, clock: this.#clock },
        ...{ log: silentLogger, collections: { use: async () => collection } },
      },
      this.#shares,
    );
  }

  change(
    type: "ADDED" | "MODIFIED" | "DELETED",
    key: string,
    revision: number,
    value?: string,
  ): void {
    this.#store.change(type, scanned(key, revision, value));
  }

  /** The server was asked for everything, and has these objects. */
  list(objects: Readonly<Record<string, number>>, revision: number, value?: string): void {
    this.beginList(objects, value);
    this.endList(revision);
  }

  /** The same, and there may be more. */
  beginList(objects: Readonly<Record<string, number>>, value?: string): void {
    this.#store.begin();
    for (const [key, at] of Object.entries(objects)) this.#store.item(scanned(key, at, value));
  }

  endList(revision: number): void {
    this.#store.end(String(revision));
  }

  /** The server was put back from a backup, and has these objects. */
  restore(objects: Readonly<Record<string, number>>, revision: number, value?: string): void {
    this.#store.state({ phase: "degraded", reason: "Restored", message: "m" });
    this.list(objects, revision, value);
  }

  /** What a list tells as its revision. */
  get revision(): string {
    return this.#store.resourceVersion;
  }

  /** How often somebody has looked at all objects. */
  get looks(): number {
    return this.#store.looks;
  }

  /** Opens a watch; it is to be started. */
  open({ revision = "", reader = this.reader, ...more }: Opened = {}): Promise<Watch> {
    const asked = { resourceType: "configmap", resourceVersion: revision };
    const message = { ...unsaid, ...asked, ...more };
    return this.#watches.open(
      {
        ...{ message, revision, caller: { username: "u", groups: [] } },
        ...{ base: "https://host", shape: whole, outlet: reader, access: () => this.#access },
        notifier: notifierFor(message, reader, this.#clock),
        onStart: () => reader.told.push("start"),
        onEnd: (error) => reader.told.push(...(error === undefined ? [] : [error]), "stop"),
      },
      signal,
    );
  }

  /** Opens one that is told from now on, or from a revision. */
  async watch(opened?: Opened): Promise<Watch> {
    const watch = await this.open(opened);
    await watch.start(signal);
    return watch;
  }

  /** As a session does, and whoever serves several clusters. */
  changeRights(access: Access, watch?: Watch): void {
    this.#access = access;
    watch?.accessChanged(access);
  }

  /** Notifications that wait are due. */
  async debounced(): Promise<void> {
    await this.settled();
    await this.#clock.advance(5_000);
  }

  typeGoes(): void {
    this.#gone.abort();
  }

  /** Resolves when nothing is left to be told. */
  settled(): Promise<unknown> {
    const isDone = (): boolean => this.#background.size + this.#shares.background.size === 0;
    return eventually(isDone, { within: 10_000 });
  }
}

const ended: Disposable = { [Symbol.dispose]: () => undefined };
export const signal: AbortSignal = new AbortController().signal;

function scanned(
  key: string,
  revision: number,
  value?: string,
): NonNullable<ReturnType<typeof scanObject>> {
  const [namespace, name] = key.split("/");
  const identity = { name, namespace, uid: key, resourceVersion: String(revision) };
  const metadata = value === undefined ? identity : { ...identity, labels: { value } };
  const bytes = Buffer.from(
    JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      ...(value === undefined ? {} : { data: { value } }),
    }),
  );
  const object = scanObject(bytes, 0, bytes.length);
  if (object === undefined) throw new Error("the scanner does not trust the fixture");
  return object;
}
