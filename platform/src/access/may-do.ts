import { apiVersionOf, type Client, type RequestOptions } from "kopf-ts";
import { type ResourceAttributes, SubjectAccessReview } from "kopf-ts/kinds";
import type { Caller } from "./caller.ts";

/**
 * Asks the API server whether somebody may do something, with all its authorizers: one request, which stores nothing. Rejects with an ApiError when the
 * question cannot be asked.
 */
export async function mayDo(
  client: Client,
  caller: Caller,
  resourceAttributes: ResourceAttributes,
  options: RequestOptions = {},
): Promise<boolean> {
  const { username: user, uid, groups, extra } = caller;
  const review: SubjectAccessReview = {
    apiVersion: apiVersionOf(SubjectAccessReview),
    kind: SubjectAccessReview.kind,
    metadata: { name: "" },
    spec: { user, groups, ...(uid && { uid }), ...(extra && { extra }), resourceAttributes },
  };
  const { status } = await client.create(review, options);
  return status?.allowed === true;
}
