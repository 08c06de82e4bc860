import { testEnv } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, Informers, loadConfig, silentLogger, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import type { Cell } from "../printers/cell.ts";
import { printerOf } from "../printers/printers.ts";
import { textAt } from "../tree.ts";
import { LiveTypes } from "./live-types.ts";
import { isCacheable, type ResourceType } from "./resource-type.ts";
import { toldCells } from "./told.ts";

const { signal: never } = new AbortController();

describe("toldCells, beside our printers", function () {
  this.timeout(120_000);

  let client: Client;
  let informers: Informers;
  const stop = new AbortController();
  before(async () => {
    const { kubeconfigPath } = await testEnv();
    client = connect(await loadConfig({ kubeconfig: kubeconfigPath }));
    informers = new Informers(client);
  });
  after(async () => {
    stop.abort();
    await informers?.dispose();
    await client?.[Symbol.asyncDispose]();
  });

  /** The types that have a printer, once their columns are known. */
  async function printed(): Promise<readonly ResourceType[]> {
    const parts = { client, informers, clock: systemClock, log: silentLogger };
    const types = new LiveTypes(parts);
    void types.start(stop.signal);
    await types.ready(never);
    const builtIn = (): readonly ResourceType[] =>
      [...types.all()].filter((type) => isCacheable(type) && hasPrinter(type));
    const isKnown = ({ columns, cells }: ResourceType): boolean =>
      columns.length > 0 && cells !== undefined;
    await eventually(() => builtIn().every(isKnown), { within: 30_000 });
    return builtIn();
  }

  it("is the same for every kind that is built in", async () => {
    const seen = new Map<string, number>();
    for (const { id, kind, cells } of await printed()) {
      using informer = informers.acquire(kind, { table: true });
      await informer.whenSynced(never);
      for (const key of informer.cache.keys()) {
        const object = informer.cache.get(key);
        const told = toldCells(object);
        const ours = cells?.(object) ?? [];
        const expected = ours.map((cell, at) => (isPassing(told[at], cell) ? told[at] : cell));
        expect(told, `${id} ${key}`).to.deep.equal(expected);
        expect(told).to.include(textAt(object, "metadata", "name"));
        seen.set(id, (seen.get(id) ?? 0) + 1);
      }
    }
    expect([...seen.keys()]).to.include.members([
      ...["namespace", "service", "serviceaccount", "rbac.authorization.k8s.io.clusterrole"],
      ...["apiregistration.k8s.io.apiservice", "scheduling.k8s.io.priorityclass"],
    ]);
  });
});

function hasPrinter({ kind: { group, version, kind } }: ResourceType): boolean {
  return printerOf(group, version, kind) !== undefined;
}

/** A length of time in a column that does not say so: told as it was. */
function isPassing(told: Cell | undefined, ours: Cell): boolean {
  return typeof told === "string" && typeof ours === "object" && ours !== null;
}
