/** A cluster of its own with Pods and people. */

import { type ControlPlane, startControlPlane } from "@drover/env";
import { type Client, connect, loadConfig } from "kopf-ts";
import type { Surroundings } from "../bench.ts";
import type { Aim } from "../load.ts";
import { createPods } from "../pods.ts";
import { type Desk, desk } from "../v1-peers.ts";
import { type Asked, readAsked } from "./api-server-load.ts";
import { createPeople } from "./people.ts";
import { Replay } from "./replay.ts";

/** A cluster of its own. */
export interface Field extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly place: Desk;
  /** Of servers of /v1: the API server's, or that of recorded bytes before it. */
  readonly kubeconfigPath: string;
  /** What stands before the API server when Pods are read as recorded bytes. */
  readonly replay: Replay | undefined;
  /** Pods there are. */
  readonly n: number;
  /** What servers of /v1, and the API server itself, have asked so far. */
  asked(): Promise<Asked>;
  /** Where Pods are read as recorded bytes: has the API server that holds them, and etcd, stand still until it is disposed. Only for measuring what asks nothing of them. */
  still(): Disposable;
}

/**
 * Starts a control plane with `n` Pods. Its controller manager is stopped then: what changes and what is asked from here on is the work of those that are
 * measured.
 */
export async function openField(bench: Surroundings, name: string): Promise<Field> {
  const n = bench.n ?? 10_000;
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await desk());
  const plane = stack.use(await startControlPlane({ name }));
  const client = stack.use(connect(await loadConfig({ kubeconfig: plane.kubeconfigPath })));
  await createPods(client, n, (done) => bench.say(`${done} of ${n} Pods exist`));
  await createPeople(client);
  await plane.stopProcess("kube-controller-manager");
  const replay = bench.replay ? stack.use(await Replay.start(plane, place)) : undefined;
  const all = stack.move();
  return {
    ...{ plane, client, place, n, replay },
    kubeconfigPath: replay?.kubeconfigPath ?? plane.kubeconfigPath,
    asked: () => replay?.asked() ?? readAsked(plane),
    still: () => (replay === undefined ? moving : standStill(plane)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const moving: Disposable = { [Symbol.dispose]: () => undefined };

function standStill(plane: ControlPlane): Disposable {
  const all = ["kube-apiserver", "etcd"] as const;
  for (const name of all) plane.signalProcess(name, "SIGSTOP");
  return {
    [Symbol.dispose]: () => {
      for (const name of all.toReversed()) plane.signalProcess(name, "SIGCONT");
    },
  };
}

/** Asks the API server itself, as its garbage collector, which may list everything. */
export async function apiServerHeaders(
  plane: ControlPlane,
): Promise<Readonly<Record<string, string>>> {
  const day = 86_400;
  const token = await plane.serviceAccountToken("kube-system", "generic-garbage-collector", day);
  return { accept: "application/json", authorization: `Bearer ${token}` };
}

/** Asks the API server itself, which knows one order and no numbers of pages: for the first hundred Pods. */
export async function apiServerAim(plane: ControlPlane): Promise<Aim> {
  const headers = await apiServerHeaders(plane);
  return { base: plane.url, headers, path: () => "/api/v1/pods?limit=100" };
}
