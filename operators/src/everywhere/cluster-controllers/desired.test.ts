import { annotations } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import { conditionsFor, type Health } from "./desired.ts";
import { credentialKeyOf, type Facts, factsOf, isEngageable, takesFrom } from "./facts.ts";

const healthy: Health = { kind: "healthy", identity: "u" };
const unhealthy: Health = { kind: "unhealthy", message: "etcd failed" };
const away: Health = { kind: "away", reason: "Unreachable", message: "connection refused" };
const other: Health = { kind: "away", reason: "OtherCluster", message: "another uid" };
const summary = (health: Health, isInternal = false): readonly string[] =>
  conditionsFor(health, isInternal).map(({ type, status, reason = "", message = "" }) =>
    [type, status, reason, message].filter(Boolean).join(" "),
  );

describe("the conditions of a cluster", () => {
  for (const { title, health, isInternal, expected } of [
    {
      title: "that is well",
      health: healthy,
      expected: ["Connected True", "Ready True", "Waiting True"],
    },
    {
      title: "that answers and is not well",
      health: unhealthy,
      expected: ["Connected True", "Ready False ComponentStatusFetchingFailure etcd failed"],
    },
    {
      title: "that does not answer, in Rancher's words",
      health: away,
      expected: [
        "Connected False Unreachable connection refused",
        "Ready False Disconnected Cluster agent is not connected",
      ],
    },
    {
      title: "that is another one",
      health: other,
      expected: [
        "Connected False OtherCluster another uid",
        "Ready False OtherCluster another uid",
      ],
    },
    {
      title: "that the server runs in, of which only its health is said",
      health: away,
      isInternal: true,
      expected: ["Ready False ComponentStatusFetchingFailure connection refused"],
    },
    {
      title: "that the server runs in, when it is well",
      health: healthy,
      isInternal: true,
      expected: ["Ready True", "Waiting True"],
    },
  ]) {
    it(`of one ${title}`, () => {
      expect(summary(health, isInternal)).to.deep.equal(expected);
    });
  }
});

describe("the facts about a cluster", () => {
  it("say who it is, once that is known", () => {
    const known = aCluster({ metadata: { annotations: { [annotations.clusterUid]: "u-1" } } });

    expect(factsOf(known, undefined).identity).to.equal("u-1");
    expect(factsOf(aCluster(), undefined).identity).to.equal(undefined);
  });

  it("make it engageable when it is reached, and the server's own in any case", () => {
    expect(isEngageable(factsOf(aCluster(), undefined))).to.equal(false);
    expect(isEngageable(factsOf(aCluster({ spec: { internal: true } }), undefined))).to.equal(true);
  });

  for (const { title, other, one, expected } of [
    { title: "one that had it before", other: {}, one: { identity: undefined }, expected: true },
    { title: "the older one", other: { since: "2025" }, one: {}, expected: true },
    { title: "not the younger one", other: { since: "2027" }, one: {}, expected: false },
    { title: "the first by name of two of one age", other: { name: "a" }, one: {}, expected: true },
    { title: "not one that is deleted", other: { isDeleted: true }, one: { identity: undefined } },
    { title: "not one that is another", other: { identity: "v" }, one: { identity: undefined } },
    { title: "not itself", other: { name: "m" }, one: {} },
  ] as const satisfies readonly {
    title: string;
    other: Partial<Facts>;
    one: Partial<Record<keyof Facts, unknown>>;
    expected?: boolean;
  }[]) {
    it(`give a cluster with two names to ${title}`, () => {
      const fact = factsOf(aCluster(), undefined);
      const base = { ...fact, identity: "u", since: "2026" };

      const taken = takesFrom(
        { ...base, name: "z", ...other },
        { ...base, name: "m", ...(one as Partial<Facts>) },
        "u",
      );

      expect(taken).to.equal(expected ?? false);
    });
  }

  it("name the Secret with its token", () => {
    const named = aCluster({ status: { serviceAccountTokenSecret: "x" } });

    expect(credentialKeyOf(named)).to.equal("cattle-global-data/x");
    expect(credentialKeyOf(aCluster())).to.equal(undefined);
  });
});
