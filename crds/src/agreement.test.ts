import { expect } from "chai";
import { resourceName } from "kopf-ts";
import { readManifest, schemaOf } from "./install/manifest.ts";
import { kinds } from "./kinds.ts";
import { RoleTemplate } from "./rbac/role-template.ts";
import { type AnyShape, shapeOf } from "./testing/shape.ts";
import { authShapes } from "./testing/shapes/auth.ts";
import { clusterShapes } from "./testing/shapes/cluster.ts";
import { projectShapes } from "./testing/shapes/project.ts";
import { rbacShapes } from "./testing/shapes/rbac.ts";
import { serverShapes } from "./testing/shapes/server.ts";

const shapes: Readonly<Record<string, AnyShape>> = {
  ...authShapes,
  ...clusterShapes,
  ...projectShapes,
  ...rbacShapes,
  ...serverShapes,
};

describe("the TypeScript types", () => {
  for (const kind of kinds) {
    it(`describe ${resourceName(kind)} as its schema does`, async () => {
      const manifest = await readManifest(kind);

      expect(shapeOf(schemaOf(manifest))).to.deep.equal(shapes[kind.kind]);
    });
  }

  it("cover every kind", () => {
    expect(kinds.map(({ kind }) => kind).sort()).to.deep.equal(Object.keys(shapes).sort());
  });

  it("know the contexts of a role template", async () => {
    const contexts: Record<NonNullable<RoleTemplate["context"]>, true> = {
      project: true,
      cluster: true,
      "": true,
    };

    const manifest = await readManifest(RoleTemplate);

    expect(schemaOf(manifest).properties?.context?.enum).to.have.members(Object.keys(contexts));
  });
});
