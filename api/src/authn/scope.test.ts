import { expect } from "chai";
import { clusterIn } from "./scope.ts";

describe("clusterIn", () => {
  for (const { path, expected } of [
    { path: "/", expected: undefined },
    { path: "/v1/pods", expected: undefined },
    { path: "/k8s/clusters/c-1", expected: "c-1" },
    { path: "/k8s/clusters/c-1/api/v1", expected: "c-1" },
    { path: "/k8s/proxy/c-1/api", expected: "c-1" },
    { path: "/k8s/cluster/c-1/", expected: "c-1" },
    { path: "/v3/clusters/c-1/namespaces", expected: "c-1" },
    { path: "/k8s/clusters/", expected: undefined },
    { path: "/x/k8s/clusters/c-1", expected: undefined },
    { path: "/v1/k8s/clusters/c-1", expected: undefined },
  ]) {
    it(`finds ${expected} in ${path}`, () => expect(clusterIn(path)).to.equal(expected));
  }
});
