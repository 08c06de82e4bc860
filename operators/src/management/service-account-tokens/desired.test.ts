import { expect } from "chai";
import { Secret, ServiceAccount } from "kopf-ts/kinds";
import { sort } from "./desired.ts";

const now = Date.parse("2026-01-01T01:00:00Z");
const old = "2026-01-01T00:00:00Z";
const secretOf = (metadata: object, fields: object = {}): Secret =>
  ({
    apiVersion: "v1",
    kind: Secret.kind,
    type: "kubernetes.io/service-account-token",
    metadata: { name: "token", namespace: "ns", creationTimestamp: old, ...metadata },
    ...fields,
  }) as Secret;
const accountTo = (reference: string, namespace = "ns"): ServiceAccount => ({
  apiVersion: "v1",
  kind: ServiceAccount.kind,
  metadata: {
    name: "agent",
    namespace,
    annotations: { "rancher.io/service-account.secret-ref": reference },
  },
});

describe("sort", () => {
  for (const { name, secret, accounts, expected } of [
    { name: "stale: nobody refers to it", secret: {}, accounts: [], expected: "stale" },
    { name: "kept: one refers to it", secret: {}, accounts: ["ns/token"], expected: "neither" },
    {
      name: "stale: others are referred to",
      secret: {},
      accounts: ["ns/other", "elsewhere/token", "token"],
      expected: "stale",
    },
    {
      name: "young: it was made just now",
      secret: { creationTimestamp: "2026-01-01T00:59:01Z" },
      accounts: [],
      expected: "young",
    },
    {
      name: "stale: it is a minute old",
      secret: { creationTimestamp: "2026-01-01T00:59:00Z" },
      accounts: [],
      expected: "stale",
    },
    {
      name: "young: nobody knows its age",
      secret: { creationTimestamp: "?" },
      accounts: [],
      expected: "young",
    },
    {
      name: "neither: it is on its way out",
      secret: { deletionTimestamp: old },
      accounts: [],
      expected: "neither",
    },
  ]) {
    it(name, () => {
      const { stale, young } = sort(
        [secretOf(secret)],
        accounts.map((reference) => accountTo(reference)),
        now,
      );

      const found = stale.length > 0 ? "stale" : young.length > 0 ? "young" : "neither";
      expect(found).to.equal(expected);
    });
  }

  it("leaves Secrets of other types alone", () => {
    expect(sort([secretOf({}, { type: "Opaque" })], [], now)).to.deep.equal({
      stale: [],
      young: [],
    });
  });
});
