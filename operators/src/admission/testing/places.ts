/** Clusters and projects in tests of webhooks, as far as bindings look at them. */

import type { Cluster, Project } from "@drover/crds";
import { aCluster, aProject } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { apiVersionOf, type Client } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";

/** A cluster with its namespace. */
export async function clusterWithNamespace(own: Client): Promise<Cluster> {
  const name = uniqueName("c");
  await namespace(own, name);
  return own.create(aCluster({ metadata: { name } }));
}

/** A project of the cluster, with its backing namespace. */
export async function projectWithNamespace(own: Client, cluster: Cluster): Promise<Project> {
  const { name: clusterName } = cluster.metadata;
  const name = uniqueName("p");
  const backingNamespace = `${clusterName}-${name}`;
  await namespace(own, backingNamespace);
  return own.create(
    aProject({
      metadata: { name, namespace: clusterName },
      spec: { displayName: "Payments", clusterName },
      status: { backingNamespace },
    }),
  );
}

async function namespace(own: Client, name: string): Promise<void> {
  await own.create({
    apiVersion: apiVersionOf(Namespace),
    kind: Namespace.kind,
    metadata: { name },
  });
}
