/** What Terraform and the rancher CLI ask first, as far as it is there (terraform-provider-rancher2: rancher2/config.go; cli: cmd). */

import { expect } from "chai";
import { password, type Site } from "./site.ts";

export function tools(site: () => Site): void {
  describe("the first requests of Terraform and the rancher CLI", () => {
    it("are answered by pong", async () => {
      await using stranger = site().stranger();

      const { status, text } = await stranger.get("/ping");

      expect({ status, text }).to.deep.equal({ status: 200, text: "pong" });
    });

    for (const { name, path } of [
      { name: "the login of now", path: "/v1-public/login" },
      { name: "that of old", path: "/v3-public/localProviders/local?action=login" },
    ]) {
      it(`get a token by ${name}`, async () => {
        await using stranger = site().stranger();
        const body = {
          type: "localProvider",
          username: "admin",
          password,
          description: "Terraform",
        };

        const { status, text } = await stranger.post(path, body);

        expect(status, text).to.equal(201);
        expect(JSON.parse(text)).to.include({ type: "token" }).and.have.property("token");
      });
    }

    it("get a token for kubectl (rancher token)", async () => {
      await using stranger = site().stranger();
      const body = {
        type: "localProvider",
        username: "admin",
        password,
        responseType: "kubeconfig",
      };

      const { status, text } = await stranger.post("/v1-public/login", body);

      expect(status, text).to.equal(201);
      const { stdout } = await site()
        .through(JSON.parse(text).token)
        .kubectl("get", "namespace", "default", "-o", "name");
      expect(stdout.trim()).to.equal("namespace/default");
    });

    it("find the versions that they need among the settings", async () => {
      await using admin = site().bearer(await site().login("admin"));
      const [server, kubernetes] = await Promise.all(
        ["server-version", "k8s-version"].map((name) =>
          admin.read(`/v1/management.cattle.io.settings/${name}`),
        ),
      );

      expect(server?.value).to.be.a("string").and.not.equal("");
      expect(kubernetes?.value).to.match(/^v1\./);
    });

    it("are told that /v3 is to come", async () => {
      await using admin = site().bearer(await site().login("admin"));
      const answers = await Promise.all(
        ["/v3", "/v3/schemas", "/v3/settings/server-version", "/v3/clusters/local"].map((path) =>
          admin.get(path),
        ),
      );

      expect(answers.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404]);
      for (const { text } of answers) expect(JSON.parse(text)).to.include({ code: "NotFound" });
    });
  });
}
