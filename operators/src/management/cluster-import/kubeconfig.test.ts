import { inspect } from "node:util";
import { expect } from "chai";
import type { Secret } from "kopf-ts/kinds";
import { RefusedKubeconfig, readKubeconfig } from "./kubeconfig.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const ca = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";

/** A kubeconfig as JSON, which is YAML, too. */
function text(cluster: object = {}, user: object = {}): string {
  const server = "https://10.0.0.1:6443";
  return JSON.stringify({
    clusters: [
      { name: "c", cluster: { server, "certificate-authority-data": base64(ca), ...cluster } },
    ],
    users: [{ name: "u", user: { token: "t0ken", ...user } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

function holding(value: string | undefined): Secret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "kubeconfig", namespace: "cattle-global-data" },
    ...(value !== undefined && { data: { value: base64(value) } }),
  };
}

describe("a kubeconfig in a Secret", () => {
  it("says where the cluster is and whom to trust, and shows no secret", async () => {
    const read = await readKubeconfig(holding(text()));

    expect(read.config.server).to.equal("https://10.0.0.1:6443");
    expect(read.ca).to.equal(ca);
    expect(inspect(read, { depth: 9 })).not.to.include("t0ken");
  });

  it("has another hash once anything in it is changed", async () => {
    const [one, same, other] = await Promise.all(
      [text(), text(), text({}, { token: "another" })].map((each) => readKubeconfig(holding(each))),
    );

    expect(same?.hash).to.equal(one?.hash);
    expect(other?.hash).not.to.equal(one?.hash);
  });

  for (const { title, value, says } of [
    { title: "no value", value: undefined, says: "has no kubeconfig under key value" },
    { title: "an empty value", value: " \n", says: "has no kubeconfig under key value" },
    { title: "no YAML", value: "{", says: "kubeconfig" },
    { title: "something else", value: "hello", says: "is no kubeconfig" },
    {
      title: "a program",
      value: text({}, { exec: { command: "sh", apiVersion: "client.authentication.k8s.io/v1" } }),
      says: "uses exec",
    },
    {
      title: "a plug-in",
      value: text({}, { "auth-provider": { name: "x" } }),
      says: "auth-provider",
    },
    { title: "a token file", value: text({}, { tokenFile: "/etc/passwd" }), says: "tokenFile" },
    {
      title: "a certificate file",
      value: text({ "certificate-authority": "/etc/ca", "certificate-authority-data": undefined }),
      says: "certificate-authority",
    },
    {
      title: "a key file",
      value: text({}, { "client-key": "/etc/key" }),
      says: "client-key",
    },
    {
      title: "no authority",
      value: text({ "certificate-authority-data": undefined }),
      says: "has no certificate-authority-data",
    },
    {
      title: "trust in anybody",
      value: text({ "insecure-skip-tls-verify": true }),
      says: "insecure-skip-tls-verify",
    },
    { title: "no https", value: text({ server: "http://10.0.0.1" }), says: "without https" },
    {
      title: "a password in its address",
      value: text({ server: "https://admin:t0ken@10.0.0.1" }),
      says: "a plain address",
    },
    {
      title: "a token in its address",
      value: text({ server: "https://10.0.0.1/?token=t0ken" }),
      says: "a plain address",
    },
    { title: "more than anybody reads", value: "a: b\n".repeat(20_000), says: "64 KiB" },
    { title: "a proxy", value: text({ "proxy-url": "http://proxy:3128" }), says: "proxy-url" },
    { title: "another name", value: text({ "tls-server-name": "x" }), says: "tls-server-name" },
    { title: "no identity", value: text({}, { token: undefined }), says: "neither a token nor" },
  ]) {
    it(`is refused with ${title}`, async () => {
      const refusal = await readKubeconfig(holding(value)).catch((error: unknown) => error);

      expect(refusal).to.be.instanceOf(RefusedKubeconfig);
      const { message } = refusal as RefusedKubeconfig;
      expect(message).to.include(says).and.include("Secret cattle-global-data/kubeconfig");
      expect(message).not.to.include("t0ken").and.not.to.include("given as text");
    });
  }
});
