/** Kinds of authorization.k8s.io/v1. They are never stored: creating one is the question, the created object the answer. */

import { defineKind, type Kind, type KubeObject } from "../kube/index.ts";

/** May somebody do something? */
export interface SubjectAccessReview extends KubeObject {
  readonly spec: {
    readonly user?: string;
    readonly groups?: readonly string[];
    readonly uid?: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
    readonly resourceAttributes?: ResourceAttributes;
    readonly nonResourceAttributes?: { readonly path: string; readonly verb: string };
  };
  readonly status?: {
    readonly allowed: boolean;
    readonly denied?: boolean;
    readonly reason?: string;
    readonly evaluationError?: string;
  };
}

/** A verb on a resource; an empty namespace stands for all, an empty name for any. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export const SubjectAccessReview: Kind<SubjectAccessReview> = defineKind<SubjectAccessReview>({
  group: "authorization.k8s.io",
  version: "v1",
  plural: "subjectaccessreviews",
  kind: "SubjectAccessReview",
  scope: "Cluster",
});
