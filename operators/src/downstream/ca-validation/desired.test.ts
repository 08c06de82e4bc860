import { aCluster } from "@drover/crds/testing";
import { expect } from "chai";
import type { Secret } from "kopf-ts/kinds";
import { strictness } from "./desired.ts";

const annotations = { "drover.dev/kubeconfig-secret": "x" };
const cluster = aCluster();
const direct = aCluster({ metadata: { annotations } });
const local = aCluster({ spec: { internal: true } });

const reportOf = (fields: Readonly<Record<string, string>>): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "stv-aggregation", namespace: "cattle-system" },
  data: Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  ),
});
const valid = reportOf({ CATTLE_CACERTS_VALID: "true", "ca.crt": "pem" });

describe("strictness", () => {
  for (const { name, of = cluster, report, expected } of [
    { name: "a bundle that verifies the server", report: valid, expected: "True" },
    {
      name: "no bundle",
      report: reportOf({ CATTLE_CACERTS_VALID: "true", "ca.crt": "" }),
      expected: "Unknown NotReported",
    },
    {
      name: "a bundle that does not",
      report: reportOf({ CATTLE_CACERTS_VALID: "false", "ca.crt": "pem" }),
      expected: "False CertificateNotTrusted",
    },
    { name: "an agent that does not say", report: reportOf({}), expected: "Unknown NotReported" },
    { name: "an agent that is to come", report: undefined, expected: undefined },
    {
      name: "a cluster that a kubeconfig leads to",
      of: direct,
      report: undefined,
      expected: "True ReachedDirectly",
    },
    { name: "one of them with an agent all the same", of: direct, report: valid, expected: "True" },
    { name: "the server's own", of: local, report: valid, expected: undefined },
  ]) {
    it(`is ${expected} for ${name}`, () => {
      const told = strictness(of, report);

      expect(told && [told.status, told.reason].filter(Boolean).join(" ")).to.equal(expected);
      expect(told?.type).to.equal(told && "AgentTlsStrictCheck");
    });
  }
});
