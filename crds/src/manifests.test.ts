import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { expect } from "chai";
import { type Kind, resourceName } from "kopf-ts";
import { User } from "./auth/user.ts";
import {
  manifestFile,
  readManifest,
  type Schema,
  schemaOf,
  versionOf,
} from "./install/manifest.ts";
import { kinds } from "./kinds.ts";

/** Every schema within a schema, with the path by which it was reached. */
function* walk(schema: Schema, path = ""): Generator<readonly [path: string, schema: Schema]> {
  yield [path, schema];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield* walk(property, `${path}.${name}`);
  }
  if (schema.items !== undefined) yield* walk(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) {
    yield* walk(schema.additionalProperties, `${path}.*`);
  }
}

async function within(kind: Kind): Promise<readonly (readonly [path: string, schema: Schema])[]> {
  return [...walk(schemaOf(await readManifest(kind)))];
}

/** What upstream has; kinds that are not named have none. */
const statusSubresources = [
  "Cluster",
  "ClusterRoleTemplateBinding",
  "GlobalRole",
  "GlobalRoleBinding",
];
const schemaless = [
  "AuthConfig",
  "Cluster",
  "Node",
  "ProjectNetworkPolicy",
  "SamlToken",
  "Token",
  "UserAttribute",
];
const labelled = [
  "ClusterProxyConfig",
  "ClusterRoleTemplateBinding",
  "GlobalRole",
  "GlobalRoleBinding",
  "Project",
  "ProjectRoleTemplateBinding",
  "RoleTemplate",
  "User",
];
const namespaced = [
  "ClusterProxyConfig",
  "ClusterRegistrationToken",
  "ClusterRoleTemplateBinding",
  "Node",
  "Preference",
  "Project",
  "ProjectNetworkPolicy",
  "ProjectRoleTemplateBinding",
  "SamlToken",
];

describe("the CRDs", () => {
  it("are one file per kind", async () => {
    const files = await readdir(dirname(manifestFile(User)));

    const manifests = files.filter((name) => name.endsWith(".yaml"));

    expect(manifests).to.have.members(kinds.map((kind) => `${resourceName(kind)}.yaml`));
  });

  for (const kind of kinds) {
    describe(kind.kind, () => {
      it("says what every field is for", async () => {
        const fields = (await within(kind)).filter(([path]) => !/(\[\]|\.\*)$/.test(path));

        const silent = fields.filter(([, schema]) => !/^\S.*[.]$/.test(schema.description ?? ""));

        expect(silent.map(([path]) => path)).to.deep.equal([]);
      });

      it("is scoped, labelled and subdivided as upstream's", async () => {
        const manifest = await readManifest(kind);

        const { subresources } = versionOf(manifest);

        expect({
          namespaced: kind.scope === "Namespaced",
          label: manifest.metadata.labels?.["app.kubernetes.io/managed-by"],
          status: subresources?.status !== undefined,
        }).to.deep.equal({
          namespaced: namespaced.includes(kind.kind),
          label: labelled.includes(kind.kind) ? "rancher" : undefined,
          status: statusSubresources.includes(kind.kind),
        });
      });

      it("keeps unknown fields at every level or at none", async () => {
        const objects = (await within(kind)).filter(
          ([, schema]) => schema.properties !== undefined,
        );

        const keeping = objects.filter(([, s]) => s["x-kubernetes-preserve-unknown-fields"]);

        expect(keeping.length).to.equal(schemaless.includes(kind.kind) ? objects.length : 0);
      });

      it("observes generations only where status is apart", async () => {
        const fields = (await within(kind)).filter(([path]) => path.includes("observedGeneration"));

        expect(fields.length > 0).to.equal(
          statusSubresources.includes(kind.kind) && kind.kind !== "Cluster",
        );
      });
    });
  }
});
