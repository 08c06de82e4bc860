/** How a command reaches a managed cluster. */

import { localClusterName } from "@drover/crds";
import type { Client } from "kopf-ts";

/** A cluster that a command talks to. */
export interface Reached extends AsyncDisposable {
  readonly client: Client;
}

/** A cluster by name; `local` is the hub itself, whose client stays. */
export async function reachCluster(hub: Client, name: string): Promise<Reached> {
  if (name === localClusterName) {
    return { client: hub, [Symbol.asyncDispose]: async () => undefined };
  }
  throw new Error(`cluster ${name} cannot be reached`);
}
