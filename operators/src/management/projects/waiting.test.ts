import { projectFinalizer } from "@drover/crds";
import { aCluster, aProject } from "@drover/crds/testing";
import { expect } from "chai";
import { awaitedCluster, timeLeft, waitingText } from "./waiting.ts";

const second = 1000;
const deleted = "2025-01-01T00:00:00Z";
const start = Date.parse(deleted);

describe("a project that is being deleted", () => {
  const project = aProject({ metadata: { namespace: "c-1", deletionTimestamp: deleted } });
  const connectedSince = (lastTransitionTime?: string) =>
    aCluster({
      metadata: { name: "c-1" },
      status: {
        conditions: [
          {
            ...{ type: "Connected", status: "True" },
            ...(lastTransitionTime && { lastTransitionTime }),
          },
        ],
      },
    });

  for (const { title, cluster, now, left } of [
    {
      title: "is told at once of a cluster that never was connected",
      cluster: aCluster(),
      left: 0,
    },
    { title: "gives a connected cluster a minute", cluster: connectedSince(), left: 60 * second },
    {
      title: "is told once that has passed",
      cluster: connectedSince(),
      now: start + 61 * second,
      left: -second,
    },
    {
      title: "gives a cluster a minute that is connected again",
      cluster: connectedSince("2025-01-01T01:00:00Z"),
      now: start + 3600 * second,
      left: 60 * second,
    },
    {
      title: "does not wait long where its server's clock is ahead",
      cluster: connectedSince("2026-01-01T00:00:00Z"),
      left: 60 * second,
    },
  ] satisfies readonly { cluster: ReturnType<typeof aCluster>; [field: string]: unknown }[]) {
    it(title, () => {
      expect(timeLeft(project, cluster, now ?? start)).to.equal(left);
    });
  }

  for (const { title, metadata, clusters } of [
    { title: "waits for its cluster", metadata: project.metadata, clusters: ["c-1"] },
    {
      title: "waits for no other cluster",
      metadata: { ...project.metadata, namespace: "c-2" },
      clusters: [],
    },
    {
      title: "is not waiting before it is deleted",
      metadata: { name: "p", namespace: "c-1" },
      clusters: [],
    },
  ]) {
    it(title, () => {
      const finalizers = [projectFinalizer("c-1"), "test.dev/hold"];

      expect(awaitedCluster({ ...project, metadata: { ...metadata, finalizers } })).to.deep.equal(
        clusters,
      );
    });
  }

  it("is told that its cluster is on its way out, too", () => {
    const metadata = { name: "c-1", deletionTimestamp: deleted };

    expect(waitingText(aCluster({ metadata }))).to.equal(
      "waiting until cluster c-1 has let go of the project's namespaces, or is gone: it is being deleted, and its own condition Removed says what that waits for",
    );
  });
});
