import type { ProjectSpec } from "@drover/crds";
import { aProject } from "@drover/crds/testing";
import { expect } from "chai";
import { usedPatch } from "./used.ts";

const patched = (fields: Partial<ProjectSpec>, used: Readonly<Record<string, string>> = {}) => {
  const spec = { displayName: "x", clusterName: "c-1", ...fields };
  const project = aProject({ metadata: { resourceVersion: "7" }, spec });
  return usedPatch(project, new Map(Object.entries(used)));
};
const patch = (resourceQuota: unknown) => ({
  metadata: { resourceVersion: "7" },
  spec: { resourceQuota },
});
const share = { namespaceDefaultResourceQuota: { limit: { pods: "1" } } };
const limit = { pods: "9" };

describe("usedPatch", () => {
  it("is none for a project without quota", () => {
    expect(patched({})).to.equal(undefined);
  });

  it("is none when it says so", () => {
    const usedLimit = { pods: "4", extended: { "count/jobs.batch": "1" } };

    expect(
      patched(
        { resourceQuota: { limit, usedLimit }, ...share },
        { pods: "4", "count/jobs.batch": "1" },
      ),
    ).to.equal(undefined);
    expect(patched({ resourceQuota: { limit }, ...share })).to.equal(undefined);
  });

  it("replaces all of it", () => {
    const usedLimit = { pods: "4", secrets: "1", extended: { a: "1", b: "2" } };

    expect(
      patched({ resourceQuota: { limit, usedLimit }, ...share }, { pods: "5", b: "2", c: "3" }),
    ).to.deep.equal(
      patch({ usedLimit: { pods: "5", secrets: null, extended: { a: null, b: "2", c: "3" } } }),
    );
    expect(patched({ resourceQuota: { limit, usedLimit }, ...share }, {})).to.deep.equal(
      patch({ usedLimit: { pods: null, secrets: null, extended: null } }),
    );
  });

  it("takes away what is left of a quota that somebody took back", () => {
    expect(patched({ resourceQuota: { usedLimit: { pods: "4" } } })).to.deep.equal(patch(null));
  });
});
