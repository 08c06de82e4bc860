import { Project, projectSecretAnnotations, projectSecretLabels } from "@drover/crds";
import { type Context, done, type Result } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { indexes } from "./names.ts";

/** The cluster is that of the project whose own namespace the Secret is in; one that is elsewhere, or a copy, is none of ours. */
export async function reconcile(secret: Secret, { cache, client }: Context): Promise<Result> {
  const { namespace = "", uid, labels, annotations } = secret.metadata;
  if (annotations?.[projectSecretAnnotations.copy] === "true") return done;
  const project = cache(Project)
    .byIndex(indexes.backing, namespace)
    .find(({ metadata }) => metadata.name === labels?.[projectSecretLabels.project]);
  if (project === undefined) return done; // looked at again when there is one
  const cluster = project.metadata.namespace;
  const { name } = secret.metadata;
  await client.patch<Secret>(
    { apiVersion: "v1", kind: "Secret", metadata: { name, namespace } },
    { merge: { metadata: { uid, labels: { [projectSecretLabels.cluster]: cluster } } } },
  );
  return done;
}
