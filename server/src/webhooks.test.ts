import { parseFeatures } from "@drover/platform";
import { expect } from "chai";
import type { ServerOptions } from "./options.ts";
import { admissionOf } from "./webhooks.ts";

const options: ServerOptions = {
  httpsListenPort: 0,
  httpListenPort: 0,
  bindHost: "127.0.0.1",
  metricsListenAddr: "0",
  cacheMemory: 2 ** 30,
  logLevel: "info",
  logFormat: "json",
  features: parseFeatures(""),
  webhookListenPort: 9443,
  addLocal: true,
};
const pod = { KUBERNETES_SERVICE_HOST: "10.43.0.1" };
const inCluster = { service: { namespace: "cattle-system", name: "rancher-webhook", port: 443 } };

/** As the API server is told, once the webhooks listen on port 4711. */
function told({
  webhookUrl,
  env = {},
  server,
}: {
  webhookUrl?: string;
  env?: object;
  server: string;
}): unknown {
  const place = { webhooks: [], env: { ...env }, server };
  const config = admissionOf({ ...options, webhookUrl }, place)?.clientConfig;
  return typeof config === "function" ? config(4711) : config;
}

describe("how the API server reaches the webhooks", () => {
  for (const { title, expected, ...given } of [
    {
      title: "by the Service in a cluster",
      env: pod,
      server: "https://10.43.0.1:443",
      expected: inCluster,
    },
    {
      title: "by the Service in a cluster that is named",
      env: pod,
      server: "https://kubernetes.default.svc",
      expected: inCluster,
    },
    {
      title: "not by the Service of another cluster than that of the Pod",
      env: pod,
      server: "https://cluster.test:6443",
      expected: undefined,
    },
    {
      title: "on this machine when it is there too",
      server: "https://127.0.0.1:6443",
      expected: { url: "https://127.0.0.1:4711" },
    },
    {
      title: "on this machine by its other name",
      server: "https://[::1]:6443",
      expected: { url: "https://127.0.0.1:4711" },
    },
    {
      title: "as told, wherever it is",
      webhookUrl: "https://dev.test:4712",
      env: pod,
      server: "https://10.43.0.1:443",
      expected: { url: "https://dev.test:4712" },
    },
    {
      title: "not at all when it is elsewhere and nobody says how",
      server: "https://cluster.test:6443",
      expected: undefined,
    },
    {
      title: "not at all when its name only looks local",
      server: "https://127.0.0.1.cluster.test",
      expected: undefined,
    },
  ]) {
    it(title, () => expect(told(given)).to.deep.equal(expected));
  }

  it("refuses a port that the API has, where webhooks are served", () => {
    const ports = { ...options, httpsListenPort: 9443 };
    const place = { webhooks: [], env: {}, server: "https://127.0.0.1:6443" };

    expect(() => admissionOf(ports, place)).to.throw(
      "--https-listen-port and --webhook-listen-port are both 9443",
    );
    expect(admissionOf({ ...ports, webhookListenPort: 0 }, place)).to.not.equal(undefined);
    expect(admissionOf(ports, { ...place, server: "https://elsewhere" })).to.equal(undefined);
  });

  it("has the names of upstream, and leaves the server itself out", () => {
    const place = { webhooks: [], env: pod, server: "https://10.43.0.1" };

    const admission = admissionOf(options, place);

    expect(admission).to.include({
      name: "rancher.cattle.io",
      pathPrefix: "/v1/webhook",
      port: 9443,
    });
    expect(admission?.secrets).to.deep.equal({
      namespace: "cattle-system",
      authority: "cattle-webhook-ca",
      serving: "cattle-webhook-tls",
    });
    expect(admission?.matchConditions?.[0]?.expression)
      .to.contain("'system:serviceaccount:cattle-system:rancher-webhook-sudo'")
      .and.contain("'system:masters' in request.userInfo.groups");
  });
});
