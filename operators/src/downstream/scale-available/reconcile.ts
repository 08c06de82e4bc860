import { type Context, done, type Result } from "kopf-ts";
import { type Deployment, Node } from "kopf-ts/kinds";
import { replicasFor, wantedReplicas } from "./desired.ts";

/** Gives a Deployment that asks for it as many replicas as nodes can take. */
export async function reconcile(
  deployment: Deployment,
  { cache, client, log }: Context,
): Promise<Result> {
  if (wantedReplicas(deployment) === undefined) return done; // most of them: no node is looked at
  const replicas = replicasFor(deployment, cache(Node).list());
  if (replicas === undefined || deployment.spec?.replicas === replicas) return done;

  const { uid, resourceVersion } = deployment.metadata;
  const merge = { metadata: { uid, resourceVersion }, spec: { replicas } };
  await client.patch(deployment, { merge });
  log.info("scaled a Deployment to the nodes that there are", { replicas });
  return done;
}
