/** A kind of our own on a real API server, for tests. */

import { setTimeout } from "node:timers/promises";
import { uniqueName } from "@drover/env";
import type { Client } from "./client.ts";
import { isNotFound } from "./errors.ts";
import { defineKind, type Kind } from "./kind.ts";
import type { KubeObject } from "./object.ts";

/** A CustomResourceDefinition, as far as tests need it. */
export interface CrdObject extends KubeObject {
  readonly spec?: object;
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** The kind of CrdObject. */
export const Crd: Kind<CrdObject> = defineKind<CrdObject>({
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  scope: "Cluster",
});

/** A Widget: namespaced, with status and scale. */
export interface WidgetObject extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly colour?: string };
  readonly status?: { readonly replicas?: number; readonly seen?: string };
}

/** A group that nobody else uses. */
export function uniqueGroup(): string {
  return `${uniqueName("g")}.example.com`;
}

/** The kind Widget of a group. */
export function widgetKind(group: string, version = "v1"): Kind<WidgetObject> {
  return defineKind<WidgetObject>({
    group,
    version,
    plural: "widgets",
    kind: "Widget",
    scope: "Namespaced",
  });
}

/** The CRD of Widgets in a group. */
export function widgetCrd(group: string, versions: readonly string[] = ["v1"]): CrdObject {
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            replicas: { type: "integer" },
            colour: { type: "string", enum: ["red", "blue"] },
          },
        },
        status: {
          type: "object",
          properties: { replicas: { type: "integer" }, seen: { type: "string" } },
        },
      },
    },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"] },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
      })),
    },
  };
}

/** Creates the CRD and waits until its objects can be written, which is a moment after it says that it is established; the client knows the kind from then on. */
export async function installWidgets(client: Client, group: string): Promise<Kind<WidgetObject>> {
  const kind = widgetKind(group);
  await client.create(widgetCrd(group));
  while (!((await isEstablished(client, group)) && (await isServed(client, kind)))) {
    await setTimeout(20);
  }
  return kind;
}

async function isEstablished(client: Client, group: string): Promise<boolean> {
  const { status } = await client.get(Crd, `widgets.${group}`);
  return status?.conditions?.find(({ type }) => type === "Established")?.status === "True";
}

async function isServed(client: Client, kind: Kind): Promise<boolean> {
  try {
    await client.list(kind, { limit: 1 });
    return true;
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}
