import { apiVersionOf, type Client, type RequestOptions } from "kopf-ts";
import { type ResourceAttributes, SubjectAccessReview } from "kopf-ts/kinds";
import type { Caller } from "./caller.ts";

/** What the API server's authorizers say. */
export interface AccessAnswer {
  readonly allowed: boolean;
  /** Why, in their words; empty where they say nothing. */
  readonly reason: string;
}

/** Whether somebody may do something; as `reviewAccess`, without the reason. */
export async function mayDo(
  client: Client,
  caller: Caller,
  resourceAttributes: ResourceAttributes,
  options: RequestOptions = {},
): Promise<boolean> {
  return (await reviewAccess(client, caller, resourceAttributes, options)).allowed;
}

/**
 * Asks the API server whether somebody may do something, with all its authorizers: one request, which stores nothing. Rejects with an ApiError when the
 * question cannot be asked.
 */
export async function reviewAccess(
  client: Client,
  caller: Caller,
  resourceAttributes: ResourceAttributes,
  options: RequestOptions = {},
): Promise<AccessAnswer> {
  const { username: user, uid, groups, extra } = caller;
  const review: SubjectAccessReview = {
    apiVersion: apiVersionOf(SubjectAccessReview),
    kind: SubjectAccessReview.kind,
    metadata: { name: "" },
    spec: { user, groups, ...(uid && { uid }), ...(extra && { extra }), resourceAttributes },
  };
  const { status } = await client.create(review, options);
  const { allowed = false, reason = "", evaluationError = "" } = status ?? {};
  return { allowed, reason: reason || evaluationError };
}
