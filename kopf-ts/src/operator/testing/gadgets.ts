/** A kind of our own that is not served until somebody installs it. */

import { uniqueName } from "@drover/env";
import {
  type Client,
  type Condition,
  defineKind,
  type Kind,
  type KubeObject,
} from "../../kube/index.ts";
import { eventually } from "../../testing/index.ts";

interface CrdObject extends KubeObject {
  readonly spec?: object;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** CustomResourceDefinitions, as far as tests look at them. */
export const Crd: Kind<CrdObject> = defineKind<CrdObject>({
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  scope: "Cluster",
});

/** A kind that no server has yet, in a group of its own. */
export function aGadget(): Kind {
  return defineKind({
    group: `${uniqueName("gadget")}.example.com`,
    version: "v1",
    plural: "gadgets",
    kind: "Gadget",
    scope: "Cluster",
  });
}

/** Creates the kind's CRD and resolves once it is established. */
export async function install(client: Client, gadget: Kind): Promise<void> {
  const { group, version, plural, kind, scope } = gadget;
  const schema = { openAPIV3Schema: { type: "object" } };
  const versions = [{ name: version, served: true, storage: true, schema }];
  const { metadata } = await client.create<CrdObject>({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names: { plural, kind }, versions },
  });
  const conditions = async (): Promise<readonly Condition[]> =>
    (await client.get(Crd, metadata.name)).status?.conditions ?? [];
  await eventually(
    async () =>
      (await conditions()).some(({ type, status }) => type === "Established" && status === "True"),
    { within: 5000 },
  );
}
