/** AdmissionReviews as API servers send them. */

import { defineKind, type Kind, type KubeObject } from "../../kube/index.ts";

/** A kind that exists nowhere: what tests of pure code ask about. */
export interface Widget extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

export const Widget: Kind<Widget> = defineKind<Widget>({
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});

/** A Widget as stored. */
export function aWidget(spec: Widget["spec"] = {}): Widget {
  return {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w", namespace: "ns", uid: "1" },
    spec,
  };
}

/** The `request` of an AdmissionReview about the creation of a Widget. */
export function aRequest(fields: object = {}): object {
  return {
    uid: "705ab4f5",
    kind: { group: "example.com", version: "v1", kind: "Widget" },
    resource: { group: "example.com", version: "v1", resource: "widgets" },
    requestKind: { group: "example.com", version: "v1", kind: "Widget" },
    requestResource: { group: "example.com", version: "v1", resource: "widgets" },
    name: "w",
    namespace: "ns",
    operation: "CREATE",
    userInfo: { username: "bob", uid: "u", groups: ["g"], extra: { scopes: ["a", "b"] } },
    object: aWidget(),
    oldObject: null,
    dryRun: false,
    options: { apiVersion: "meta.k8s.io/v1", kind: "CreateOptions" },
    ...fields,
  };
}

/** A whole AdmissionReview, as an object. */
export function aReview(request: object = aRequest(), fields: object = {}): object {
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request, ...fields };
}

/** As it comes over the wire. */
export function bytesOf(review: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(review));
}
