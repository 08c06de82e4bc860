/** Runs steps of the start against a control plane of the test's own, and shows what they ask of it. */

import { kinds } from "@drover/crds";
import type { ControlPlane } from "@drover/env";
import {
  type Client,
  connect,
  loadConfig,
  silentLogger,
  systemClock,
  type TaskContext,
} from "kopf-ts";

/** A request as it ended. */
export interface Asked {
  readonly verb: string;
  readonly resource: string;
  readonly code: number;
}

/** A replica as the start sees it, with what it asked. Its connections end with `await using`. */
export interface Replica extends AsyncDisposable {
  readonly context: TaskContext;
  readonly client: Client;
  readonly asked: readonly Asked[];
  /** Requests that change something, as `verb resource`. */
  writes(): readonly string[];
}

const reads: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** Connects one more replica. */
export async function aReplica({ kubeconfigPath }: ControlPlane): Promise<Replica> {
  const asked: Asked[] = [];
  const observe = (verb: string, code: number, resource: string): void =>
    void asked.push({ verb, resource, code });
  const config = await loadConfig({ kubeconfig: kubeconfigPath });
  const client = connect(config, { kinds, metrics: { observe } });
  const { signal } = new AbortController();
  return {
    client,
    asked,
    context: { client, clock: systemClock, log: silentLogger, signal },
    writes: () =>
      asked
        .filter(({ verb }) => !reads.has(verb))
        .map(({ verb, resource }) => `${verb} ${resource}`),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
