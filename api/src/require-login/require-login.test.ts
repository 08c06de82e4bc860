import { expect } from "chai";
import { fakeAuthn, Served } from "../listener/testing/served.ts";
import { send } from "../stage.ts";
import { requireLogin } from "./index.ts";

describe("requireLogin", () => {
  let served: Served;
  before(async () => {
    served = await Served.open([
      fakeAuthn,
      requireLogin,
      async ({ response }) => send(response, 200, "in", "text/plain"),
    ]);
  });
  after(() => served[Symbol.asyncDispose]());

  for (const { path, open } of [
    { path: "/v1/pods", open: false },
    { path: "/v1/", open: false },
    { path: "/v1/subscribe", open: false },
    { path: "/v1/management.cattle.io.setting", open: true },
    { path: "/v1/management.cattle.io.settings/first-login", open: true },
    { path: "/v1/management.cattle.io.settings?pagesize=100000", open: true },
    { path: "/v1/management.cattle.io.settingsets", open: false },
    { path: "/v1/management.cattle.io.settings/../pods", open: false },
    { path: "/v1/management.cattle.io.settings/%2e%2e/pods", open: false },
    { path: "/v1", open: true },
    { path: "/v1-public/login", open: true },
    { path: "/apis", open: true },
  ]) {
    it(`${open ? "lets nobody in" : "wants a login"} at ${path}`, async () => {
      expect((await served.call(path)).status).to.equal(open ? 200 : 401);
    });
  }

  it("lets in whoever is known", async () => {
    const answer = await served.call("/v1/pods", { headers: { authorization: "Bearer a:b" } });

    expect(answer.body).to.equal("in");
  });

  it("says so as upstream does", async () => {
    const { headers, body } = await served.call("/v1/pods");

    expect(headers["content-type"]).to.equal("application/json");
    expect(JSON.parse(body)).to.deep.equal({
      type: "error",
      status: "401",
      message: "Unauthorized 401: must authenticate",
    });
  });
});
