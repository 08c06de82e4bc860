import { inspect } from "node:util";
import type { Cluster, ClusterStatus } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import { type ClusterConfig, ownerReference } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { clusterConfig, isReachable, type Reachable } from "./config.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const ca = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
const met = [
  { type: "Provisioned", status: "True" },
  { type: "ServiceAccountSecretsMigrated", status: "True" },
] as const;
const whole: ClusterStatus = {
  conditions: met,
  apiEndpoint: "https://10.0.0.1:6443",
  caCert: base64(ca),
  serviceAccountTokenSecret: "cluster-serviceaccounttoken-x",
};
const cluster = (status: ClusterStatus = {}): Cluster =>
  aCluster({ metadata: { name: "c-1", uid: "u-1" }, status: { ...whole, ...status } });
const secret = (token = "t0ken", owner = cluster()): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: "cluster-serviceaccounttoken-x",
    namespace: "cattle-global-data",
    ownerReferences: [ownerReference(owner)],
  },
  data: { credential: base64(token) },
});
const found = (one: Cluster, token?: string): Reachable => {
  const way = clusterConfig(one, secret(token, one));
  if (!isReachable(way)) throw new Error(way.message);
  return way;
};
const credentialsOf = ({ credentials }: ClusterConfig) =>
  typeof credentials === "function" ? credentials({ force: false }) : credentials;

describe("the way to a cluster", () => {
  it("leads to its endpoint, with its authority and its token", async () => {
    const { config } = found(cluster());

    expect(config).to.include({ server: "https://10.0.0.1:6443", cluster: "c-1" });
    expect(await credentialsOf(config)).to.deep.equal({ ca, token: "t0ken" });
  });

  it("shows no secret", () => {
    expect(inspect(found(cluster()), { depth: 9 })).not.to.include("t0ken");
  });

  it("has the same mark as long as nothing of it changes", () => {
    const { mark } = found(cluster());

    expect(found(cluster({ nodeCount: 3 })).mark).to.equal(mark);
    for (const [title, other] of [
      ["endpoint", found(cluster({ apiEndpoint: "https://10.0.0.2:6443" }))],
      ["authority", found(cluster({ caCert: base64(`${ca}${ca}`) }))],
      ["token", found(cluster(), "other")],
      ["object", found(aCluster({ metadata: { name: "c-1", uid: "u-2" }, status: whole }))],
    ] as const) {
      expect(other.mark, title).not.to.equal(mark);
    }
  });

  for (const { title, status, given = secret(), reason } of [
    { title: "a cluster without a status", status: null, reason: "NotProvisioned" },
    {
      title: "a cluster that is not provisioned",
      status: { conditions: [met[1], { type: "Provisioned", status: "Unknown" }] },
      reason: "NotProvisioned",
    },
    {
      title: "a token that was not migrated",
      status: { conditions: [met[0]] },
      reason: "TokenNotMigrated",
    },
    { title: "no endpoint", status: { apiEndpoint: "" }, reason: "NoEndpoint" },
    {
      title: "an endpoint that is none",
      status: { apiEndpoint: "ftp://x" },
      reason: "InvalidEndpoint",
    },
    { title: "no authority", status: { caCert: "" }, reason: "NoCertificateAuthority" },
    {
      title: "an authority that is none",
      status: { caCert: base64("hello") },
      reason: "InvalidCertificateAuthority",
    },
    {
      title: "no Secret named",
      status: { serviceAccountTokenSecret: "" },
      reason: "NoToken",
    },
    { title: "no Secret", status: {}, given: null, reason: "TokenSecretNotFound" },
    {
      title: "a Secret of another Cluster",
      status: {},
      given: secret("t0ken", aCluster({ metadata: { name: "c-1", uid: "u-2" } })),
      reason: "TokenSecretOfOther",
    },
    {
      title: "a Secret that somebody made under the name",
      status: {},
      given: { ...secret(), metadata: { name: "cluster-serviceaccounttoken-x" } },
      reason: "TokenSecretOfOther",
    },
    { title: "an empty Secret", status: {}, given: secret(" "), reason: "NoToken" },
  ] as const satisfies readonly {
    title: string;
    status: ClusterStatus | null;
    given?: Secret | null;
    reason: string;
  }[]) {
    it(`says what is missing: ${title}`, () => {
      const one = status === null ? aCluster({}) : cluster(status);

      const way = clusterConfig(one, given ?? undefined);

      expect(way).to.have.property("reason", reason);
      expect(way).to.have.property("message").that.is.not.empty;
    });
  }
});
