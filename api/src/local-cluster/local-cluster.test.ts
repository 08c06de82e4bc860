import { expect } from "chai";
import { csrf } from "../csrf/index.ts";
import { fakeAuthn, Served } from "../listener/testing/served.ts";
import { requireLogin } from "../require-login/index.ts";
import { type Stage, send } from "../stage.ts";
import { localCluster } from "./index.ts";

describe("localCluster", () => {
  const tell: Stage = async ({ response, path, query, login, signal }) => {
    const text = [path, query.toString(), login.caller.username, signal.aborted].join(" ");
    send(response, 200, text, "text/plain");
  };
  let served: Served;
  before(async () => {
    served = await Served.open([fakeAuthn, localCluster, csrf, requireLogin, tell]);
  });
  after(() => served[Symbol.asyncDispose]());

  for (const [path, expected] of [
    ["/k8s/clusters/local/v1", "/v1"],
    ["/k8s/clusters/local/v1/", "/v1/"],
    ["/k8s/clusters/local/v1/pods/a/b", "/v1/pods/a/b"],
    ["/k8s/proxy/local/v1/schemas", "/v1/schemas"],
    ["/k8s/clusters/local/api", "/api"],
    ["/k8s/clusters/local/apis/apps/v1", "/apis/apps/v1"],
    ["/k8s/proxy/local/openapi/v3", "/openapi/v3"],
    ["/k8s/clusters/local/version", "/version"],
    ["/v1/pods", "/v1/pods"],
  ] as const) {
    it(`makes ${expected} of ${path}`, async () => {
      const { body } = await served.call(`${path}?x=1`, { headers: { authorization: "x" } });

      expect(body).to.equal(`${expected} x=1 u-abc12 false`);
    });
  }

  for (const path of [
    "/k8s/clusters/local",
    "/k8s/clusters/local/",
    "/k8s/clusters/local/v3/tokens",
    "/k8s/clusters/local/v1-public/login",
    "/k8s/clusters/local/k8s/clusters/c-1/v1",
    "/k8s/clusters/locality/v1",
    "/k8s/clusters/c-1/v1",
    "/x/k8s/clusters/local/v1",
  ]) {
    it(`leaves ${path}`, async () => {
      expect((await served.call(path)).body).to.match(new RegExp(`^${path} `));
    });
  }

  it("needs the login and the token of forms that /v1 needs", async () => {
    const path = "/k8s/clusters/local/v1/pods";
    const headers = { authorization: "x", "user-agent": "Mozilla/5.0", cookie: "CSRF=abc" };

    const statuses = await Promise.all([
      served.call(path),
      served.call(path, { method: "POST", headers }),
      served.call(path, { method: "POST", headers: { ...headers, "x-api-csrf": "abc" } }),
    ]);

    expect(statuses.map(({ status }) => status)).to.deep.equal([401, 422, 200]);
  });
});
