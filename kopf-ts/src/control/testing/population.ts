/** Many objects on a real API server, and somebody who keeps changing them. */

import type { ControlPlane } from "@drover/env";
import { systemClock } from "../../base/index.ts";
import {
  ApiError,
  type Client,
  defineKind,
  isAlreadyExists,
  isNotFound,
  type Kind,
  type KubeObject,
  refTo,
} from "../../kube/index.ts";
import type { Random } from "../../testing/index.ts";

/** An object with something to change. */
export interface Thing extends KubeObject {
  readonly spec: { readonly value: number; readonly padding: string };
  readonly status?: { readonly seen?: number };
}

/** Served by the CRD that `serveThings` creates. */
export const Thing: Kind<Thing> = defineKind<Thing>({
  group: "faults.kopf-ts.dev",
  version: "v1",
  plural: "things",
  kind: "Thing",
  scope: "Namespaced",
});

const namespace = "default";
/** Names that come and go beside those that exist at first. */
const spare = 0.2;
/** Requests at once while the population is created. */
const parallel = 16;
const patience = 2000;

/** Creates the CRD of Things; resolves when it is served. */
export async function serveThings(plane: ControlPlane): Promise<void> {
  const { group, plural, kind, scope, version } = Thing;
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind },
      versions: [
        { name: version, served: true, storage: true, subresources: { status: {} }, schema },
      ],
    },
  };
  const applied = await plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(crd) });
  const waited = await plane.kubectl([
    "wait",
    "--for=condition=Established",
    `crd/${plural}.${group}`,
  ]);
  if (applied.code !== 0 || waited.code !== 0) throw new Error(applied.stderr + waited.stderr);
}

type Tally = Record<"created" | "updated" | "deleted" | "failed", number>;

/** Objects under constant change, through a client that meets no faults but the server's own restarts. */
export class Population {
  readonly size: number;
  readonly #client: Client;
  readonly #names: readonly string[];
  readonly #alive = new Set<string>();
  /** What the writers have done. */
  readonly done: Tally = { created: 0, updated: 0, deleted: 0, failed: 0 };
  #value = 0;

  constructor(client: Client, size: number) {
    this.#client = client;
    this.size = size;
    this.#names = Array.from({ length: Math.round(size * (1 + spare)) }, (_, n) => `thing-${n}`);
  }

  /** Creates all that exist at first. */
  async create(): Promise<void> {
    const left = this.#names.slice(0, this.size);
    const worker = async (): Promise<void> => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) await this.#create(name);
    };
    await Promise.all(Array.from({ length: parallel }, worker));
  }

  /** Creates, updates, deletes and recreates with `writers` requests at once until the signal aborts. */
  async change(random: Random, writers: number, signal: AbortSignal): Promise<void> {
    const busy = new Set<string>();
    const writer = async (): Promise<void> => {
      while (!signal.aborted) {
        const name = this.#names[random.below(this.#names.length)] ?? "";
        if (busy.has(name)) continue;
        busy.add(name);
        await this.#disturb(name, random);
        busy.delete(name);
        await systemClock.sleep(random.below(20), signal).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: writers }, writer));
  }

  /** What the server holds now. */
  async truth(): Promise<readonly Thing[]> {
    return (await this.#client.list(Thing, { namespace })).items;
  }

  /** One random thing happens to one object; a server that is away is not waited for. */
  async #disturb(name: string, random: Random): Promise<void> {
    const dice = random.next();
    try {
      if (!this.#alive.has(name)) return await this.#create(name);
      if (dice < 0.7) return await this.#update(name);
      await this.#delete(name);
      if (dice < 0.8) await this.#create(name); // the same name, another object
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#learn(name, error);
    }
  }

  /** The outcome of an earlier write was unknown; this one tells. */
  #learn(name: string, error: ApiError): void {
    if (isNotFound(error)) this.#alive.delete(name);
    else if (isAlreadyExists(error)) this.#alive.add(name);
    this.done.failed++;
  }

  async #create(name: string): Promise<void> {
    const spec = { value: ++this.#value, padding: "x".repeat(this.#value % 400) };
    const { apiVersion, kind } = refTo(Thing, name);
    await this.#client.create<Thing>({ apiVersion, kind, metadata: { name, namespace }, spec });
    this.#alive.add(name);
    this.done.created++;
  }

  async #update(name: string): Promise<void> {
    const merge = { spec: { value: ++this.#value, padding: "y".repeat(this.#value % 400) } };
    await this.#client.patch(refTo(Thing, name, namespace), { merge }, { timeout: patience });
    this.done.updated++;
  }

  async #delete(name: string): Promise<void> {
    await this.#client.delete(refTo(Thing, name, namespace), { timeout: patience });
    this.#alive.delete(name);
    this.done.deleted++;
  }
}
