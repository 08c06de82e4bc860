/** The small custom resource that the reconcile scenario works on. */

import { type Client, defineKind, type Kind, type KubeObject } from "kopf-ts";

/** A Widget; its status is what a reconciler writes. */
export interface Widget extends KubeObject {
  readonly status?: { readonly done?: boolean };
}

/** Its kind. */
export const Widget: Kind<Widget> = defineKind<Widget>({
  group: "bench.drover.dev",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});

const base = "/apis/bench.drover.dev/v1/namespaces";
const json = { "Content-Type": "application/json" };
const merge = { "Content-Type": "application/merge-patch+json" };

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.bench.drover.dev" },
  spec: {
    group: "bench.drover.dev",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
};

/** Installs the CRD and waits until the API server serves it. */
export async function installWidgets(client: Client): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await client
    .request({ method: "POST", path, headers: json, body: JSON.stringify(definition) })
    .catch(ignore(409));
  for (;;) {
    const found = await client
      .request({ method: "GET", path: `${base}/default/widgets?limit=1` })
      .catch(ignore(404));
    if (found !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 100)); // until it is asked again: nothing tells that a kind is served
  }
}

function ignore(code: number): (error: unknown) => undefined {
  return (error) => {
    if ((error as { readonly code?: unknown }).code !== code) throw error;
  };
}

/** Creates a namespace with Widgets 0 to n-1, or brings those that exist back to the state they were created in. */
export async function resetWidgets(client: Client, namespace: string, n: number): Promise<void> {
  const body = JSON.stringify({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  const path = "/api/v1/namespaces";
  const fresh = await client
    .request({ method: "POST", path, headers: json, body })
    .catch(ignore(409));
  await inParallel(n, (index) =>
    fresh === undefined
      ? resetWidget(client, namespace, index)
      : createWidget(client, namespace, `w-${index}`),
  );
}

/** Creates one Widget. */
export async function createWidget(client: Client, namespace: string, name: string): Promise<void> {
  const object = {
    apiVersion: "bench.drover.dev/v1",
    kind: "Widget",
    metadata: { name },
    spec: { size: 3 },
  };
  const path = `${base}/${namespace}/widgets`;
  await client.request({ method: "POST", path, headers: json, body: JSON.stringify(object) });
}

async function resetWidget(client: Client, namespace: string, index: number): Promise<void> {
  const path = `${base}/${namespace}/widgets/w-${index}`;
  // kopf keeps what it handled in annotations.
  const clean = JSON.stringify({ metadata: { annotations: null, finalizers: null } });
  await client.request({ method: "PATCH", path, headers: merge, body: clean });
  const status = JSON.stringify({ status: null });
  await client.request({ method: "PATCH", path: `${path}/status`, headers: merge, body: status });
}

async function inParallel(n: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < n; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
