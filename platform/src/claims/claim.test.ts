import { type Cluster, localClusterName } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import type { CacheAccess, Client, Hub, KubeObject } from "kopf-ts";
import { ClusterRoleBinding } from "kopf-ts/kinds";
import { claim } from "./claim.ts";
import { type Claimant, claimOn } from "./marks.ts";

const ada: Claimant = {
  kind: ClusterRoleBinding,
  cluster: "c-new",
  key: "c-new/ada",
  label: "owner-ada",
};
const bare: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "crb-1", uid: "1", resourceVersion: "7" },
};

/** One that the claimant has, and somebody in each of the clusters. */
function claimed(by: Claimant, clusters: readonly string[]): KubeObject {
  const others = clusters.map((cluster) => ({ ...by, cluster, key: `${cluster}/eve` }));
  const claims = [by, ...others].map((each) => claimOn(bare, each));
  const annotations = Object.fromEntries(claims.map(({ name, value }) => [name, value]));
  return { ...bare, metadata: { ...bare.metadata, annotations } };
}

/** What is done to `live` when the claimant leaves it, and which Clusters the hub was asked for. */
async function leave(claimant: Claimant, live: KubeObject, known: readonly Cluster[] = []) {
  const done: string[] = [];
  const asked: string[] = [];
  const note = (verb: string) => async () => void done.push(verb);
  const find = async (_: unknown, name: string) => {
    asked.push(name);
    return known.find(({ metadata }) => metadata.name === name);
  };
  const cache = () => ({ synced: true, watchState: { phase: "live" }, byIndex: () => [live] });
  const run = {
    client: { delete: note("delete"), patch: note("patch") } as unknown as Client,
    cache: cache as unknown as CacheAccess,
    signal: new AbortController().signal,
    hub: { client: { find } } as unknown as Hub,
  };
  const problems = await claim({ kinds: [ClusterRoleBinding], objects: [] }, claimant, run);
  expect(problems).to.deep.equal([]);
  return { done, asked };
}

describe("what claims of other clusters keep", () => {
  const known = [aCluster({ metadata: { name: "c-other" } })];

  for (const { title, clusters, expected } of [
    { title: "goes with the last that is there", clusters: ["c-old"], expected: "delete" },
    { title: "stays for a cluster of the hub", clusters: ["c-old", "c-other"], expected: "patch" },
    { title: "stays for the cluster's own server", clusters: [""], expected: "patch" },
    { title: "stays for that server's bindings", clusters: [localClusterName], expected: "patch" },
    { title: "stays for a name that is none", clusters: ["../users"], expected: "patch" },
  ]) {
    it(title, async () => {
      const { done } = await leave(ada, claimed(ada, clusters), known);

      expect(done).to.deep.equal([expected]);
    });
  }

  it("is asked about only where there are such claims", async () => {
    expect((await leave(ada, claimed(ada, ["", "c-old"]))).asked).to.deep.equal(["c-old"]);
    expect((await leave(ada, claimed(ada, []))).asked).to.deep.equal([]);
  });

  it("stays on the server's own cluster, where nobody knows the hubs above it", async () => {
    for (const cluster of ["", localClusterName]) {
      const own = { ...ada, cluster };

      const { done, asked } = await leave(own, claimed(own, ["c-above"]));

      expect(done).to.deep.equal(["patch"]);
      expect(asked).to.deep.equal([]);
    }
  });
});
