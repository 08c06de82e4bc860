import { type Cluster, systemNamespace } from "@drover/crds";
import { tellConditions } from "@drover/platform";
import { type Context, done, type Result } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { strictness } from "./desired.ts";
import { reportSecret } from "./names.ts";

/** Tells in the Cluster what its agent found out about the server's certificate. */
export async function reconcile(
  cluster: Cluster,
  { cache, hub, clock, events }: Context,
): Promise<Result> {
  const report = cache(Secret).get(`${systemNamespace}/${reportSecret}`);
  const told = strictness(cluster, report);
  if (told !== undefined) {
    await tellConditions(cluster, [told], { client: hub.client, clock, events });
  }
  return done;
}
