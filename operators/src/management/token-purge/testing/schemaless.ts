import { Token } from "@drover/crds";
import { connect, defineKind, loadConfig, refTo } from "kopf-ts";
import { eventually } from "kopf-ts/testing";

const CustomResourceDefinition = defineKind({
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  scope: "Cluster",
});

/** Serves tokens as Rancher does: by a CRD without a schema, which lets any value through. */
export async function serveTokensWithoutSchema(kubeconfig: string): Promise<void> {
  await using client = connect(await loadConfig({ kubeconfig }));
  const { group, version, plural, kind, scope } = Token;
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  await client.create({
    ...refTo(CustomResourceDefinition, `${plural}.${group}`),
    spec: {
      group,
      scope,
      names: { plural, kind },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  await eventually(() => client.list(Token), { within: 10_000 });
}
