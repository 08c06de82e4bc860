/** What Terraform and the rancher CLI ask first, as far as it is there (terraform-provider-rancher2: rancher2/config.go; cli: cmd). */

import { expect } from "chai";
import { parse } from "yaml";
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

    for (const path of [
      ...["/v1", "/v1/schemas", "/v1/schemas/pod", "/v1/schemaDefinitions/configmap"],
      ...["/v1/counts", "/v1/counts/count", "/v1/apigroups", "/v1/apigroups/apps"],
      ...["/v1/userpreferences", "/v1/search?q=default", "/v1/access?verb=get&resource=pods"],
      ...["/v1/search?q=default&clusters=all", "/v1/namespaces?clusters=all"],
      ...["/v1/namespaces", "/v1/namespaces/default", "/v1/namespaces/no-such-namespace"],
    ]) {
      it(`get ${path} in the form that they want`, async () => {
        await using admin = site().bearer(await site().login("admin"));
        const format = (name: string): string =>
          `${path}${path.includes("?") ? "&" : "?"}_format=${name}`;

        const json = await admin.get(path);
        const yaml = await admin.get(format("YAML"));
        const jsonl = await admin.get(format("jsonl"));

        expect(json.headers["content-type"]).to.equal("application/json");
        expect([yaml.status, yaml.headers["content-type"]]).to.deep.equal([
          json.status,
          "application/yaml",
        ]);
        const { data, ...envelope } = JSON.parse(json.text);
        expect(parse(yaml.text, { maxAliasCount: -1 })).to.have.keys(
          Object.keys(JSON.parse(json.text)),
        );
        expect([jsonl.status, jsonl.headers["content-type"]]).to.deep.equal([
          json.status,
          "application/jsonl",
        ]);
        const [first = "", ...lines] = jsonl.text.trimEnd().split("\n");
        expect(JSON.parse(first)).to.have.keys(Object.keys(envelope));
        expect(lines).to.have.length(data?.length ?? 0);
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
