import { expect } from "chai";
import { serverPath } from "./path.ts";

describe("serverPath", () => {
  for (const [path, expected] of [
    ["/api", "/api"],
    ["/api/v1/pods", "/api/v1/pods"],
    ["/apis/apps/v1", "/apis/apps/v1"],
    ["/openapi/v3", "/openapi/v3"],
    ["/version", "/version"],
    ["/k8s/clusters/local/healthz", "/healthz"],
    ["/k8s/clusters/local/readyz/etcd", "/readyz/etcd"],
    ["/k8s/proxy/local/livez", "/livez"],
    ["/k8s/clusters/local/metrics", "/metrics"],
    ["/k8s/clusters/local/metrics/slis", "/metrics/slis"],
    ["/k8s/clusters/local/logs/", "/logs/"],
    ["/k8s/clusters/local/openid/v1/jwks", "/openid/v1/jwks"],
    ["/k8s/clusters/local/.well-known/openid-configuration", "/.well-known/openid-configuration"],
  ] as const) {
    it(`is ${expected} for ${path}`, () => {
      expect(serverPath(path)).to.equal(expected);
    });
  }

  for (const path of [
    "/",
    "/apiservices",
    "/versions",
    "/v1/pods",
    "/healthz",
    "/metrics",
    "/k8s/clusters/local",
    "/k8s/clusters/local/v3/tokens",
    "/k8s/clusters/local/healthzz",
    "/k8s/clusters/c-1/healthz",
    "/x/k8s/clusters/local/healthz",
    "/k8s/clusters/local/k8s/clusters/local/healthz",
  ]) {
    it(`is none for ${path}`, () => {
      expect(serverPath(path)).to.equal(undefined);
    });
  }
});
