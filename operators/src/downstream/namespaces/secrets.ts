/** Secrets of a namespace that changes its project (rancher: pkg/controllers/managementagent/nslabels). */

import { annotations } from "@drover/crds";
import type { Context } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { copiedSecretAnnotation } from "./names.ts";

/** Changed at once. */
const breadth = 8;

/**
 * Makes every Secret of the namespace say which project that is in. Copies of a project's Secrets are passed over: they come and go by another controller.
 * Read live, since that happens rarely and nobody else here has to know all Secrets of a cluster.
 */
export async function followProject(
  namespace: string,
  projectId: string | undefined,
  { client }: Context,
): Promise<void> {
  const wanted = projectId || null;
  for await (const { items } of client.pages(Secret, { namespace })) {
    const queue = items.filter(({ metadata: { annotations: said = {} } }) => {
      const isCopy = said[copiedSecretAnnotation] === "true";
      return !isCopy && (said[annotations.projectId] ?? null) !== wanted;
    });
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { uid } = next.metadata;
        const changed = { uid, annotations: { [annotations.projectId]: wanted } };
        await client.patch(next, { merge: { metadata: changed } });
      }
    };
    await Promise.all(Array.from({ length: Math.min(breadth, queue.length) }, worker));
  }
}
