import { ClusterRegistrationToken } from "@drover/crds";
import { aCluster, aClusterRegistrationToken, aNode } from "@drover/crds/testing";
import { expect } from "chai";
import { apiVersionOf } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { controlPlaneTaints, pullSecretsOf, registrationValueOf, secretKeyOf } from "./desired.ts";

const token = aClusterRegistrationToken({
  metadata: { name: "system", namespace: "c-1", uid: "t-1" },
  status: { tokenSecretName: "crt-token-system" },
});
const secretOf = (uid: string, name = "crt-token-system"): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name,
    namespace: "c-1",
    ownerReferences: [
      {
        apiVersion: apiVersionOf(ClusterRegistrationToken),
        kind: ClusterRegistrationToken.kind,
        name: "system",
        uid,
      },
    ],
  },
  data: { token: Buffer.from("value").toString("base64") },
});

describe("registrationValueOf", () => {
  for (const { name, of, secret, expected } of [
    { name: "its Secret", of: token, secret: secretOf("t-1"), expected: "value" },
    {
      name: "a Secret of an earlier token",
      of: token,
      secret: secretOf("t-0"),
      expected: undefined,
    },
    {
      name: "a Secret that it does not name",
      of: token,
      secret: secretOf("t-1", "x"),
      expected: undefined,
    },
    { name: "no Secret", of: token, secret: undefined, expected: undefined },
    { name: "no token", of: undefined, secret: secretOf("t-1"), expected: undefined },
  ]) {
    it(`is ${expected} for ${name}`, () => {
      expect(registrationValueOf(of, secret)?.reveal()).to.equal(expected);
    });
  }

  it("is looked for where the status says", () => {
    expect(secretKeyOf(token)).to.equal("c-1/crt-token-system");
    expect(secretKeyOf({ ...token, status: {} })).to.equal(undefined);
    expect(secretKeyOf(undefined)).to.equal(undefined);
  });
});

describe("controlPlaneTaints", () => {
  const a = { key: "a", effect: "NoSchedule" };
  const b = { key: "b", value: "1", effect: "NoExecute", timeAdded: "2030-01-01T00:00:00Z" };
  const node = (spec: object, nodeTaints: readonly object[]) =>
    aNode({ spec, status: { nodeTaints } });

  it("are those of the control plane and etcd, each once, in one order", () => {
    const nodes = [
      node({ controlPlane: true }, [b, a]),
      node({ etcd: true }, [a]),
      node({ worker: true }, [{ key: "worker", effect: "NoSchedule" }]),
    ];

    expect(controlPlaneTaints(nodes)).to.deep.equal([
      a,
      { key: "b", value: "1", effect: "NoExecute" },
    ]);
    expect(controlPlaneTaints(nodes.toReversed())).to.deep.equal(controlPlaneTaints(nodes));
  });

  it("leave out what passes, and what is none", () => {
    const passing = { key: "node.kubernetes.io/not-ready", effect: "NoExecute" };
    const nodes = [node({ controlPlane: true }, [passing, { key: "x", effect: "Maybe" }, {}])];

    expect(controlPlaneTaints(nodes)).to.deep.equal([]);
  });
});

describe("pullSecretsOf", () => {
  const naming = (...privateRegistryPullSecrets: readonly string[]) =>
    aCluster({ spec: { importedConfig: { privateRegistryPullSecrets } } });
  const find = (name: string): Secret | undefined =>
    name === "gone"
      ? undefined
      : {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name },
          data: name === "empty" ? {} : { ".dockerconfigjson": name },
        };

  it("are those that a cluster names, each once, in one order", () => {
    const { found, missing } = pullSecretsOf(naming("b", "a", "b"), find);

    expect(found).to.deep.equal([
      { name: "a", dockerConfigJson: "a" },
      { name: "b", dockerConfigJson: "b" },
    ]);
    expect(missing).to.deep.equal([]);
  });

  it("tell what is missing, or not to be used", () => {
    const { found, missing } = pullSecretsOf(naming("gone", "a", "empty"), find);

    expect(found.map(({ name }) => name)).to.deep.equal(["a"]);
    expect(missing).to.deep.equal(["empty", "gone"]);
  });

  it("are none for most clusters", () => {
    expect(pullSecretsOf(aCluster(), find)).to.deep.equal({ found: [], missing: [] });
  });
});
