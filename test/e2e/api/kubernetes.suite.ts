/** kubectl at our own /api, with a token of ours. */

import { expect } from "chai";
import { eventually, type Finished, Program } from "../drover.ts";
import type { Kubectl } from "../kubectl.ts";
import { patience, type Site } from "./site.ts";

const configMap = (name: string, data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, namespace: default }\ndata: { note: ${data} }\n`;

export function kubernetes(site: () => Site): void {
  describe("kubectl with a token", () => {
    let token = "";
    let kubectl: Kubectl;
    before(async () => {
      token = await site().login("admin");
      kubectl = site().through(token);
    });
    const says = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr }: Finished = await kubectl.kubectl(...args);
      expect(code, stderr).to.equal(0);
      return stdout;
    };

    it("is who has logged in", async () => {
      const told = JSON.parse(await says("auth", "whoami", "-o", "json"));

      expect(told.status.userInfo.username).to.match(/^user-/);
      expect(told.status.userInfo.extra.username).to.deep.equal(["admin"]);
      expect(told.status.userInfo.groups).to.include("system:authenticated");
    });

    it("is a service account with a token of the API server's own", async () => {
      const { stdout, stderr } = await site().direct.kubectl("create", "token", "default");
      const account = site().through(stdout.trim());

      const whoami = await account.kubectl("auth", "whoami", "-o", "json");
      expect(whoami.code, stderr + whoami.stderr).to.equal(0);
      const { username } = JSON.parse(whoami.stdout).status.userInfo;
      expect(username).to.equal("system:serviceaccount:default:default");
      const refused = await account.kubectl("get", "nodes");
      expect(refused.stderr).to.contain(`User "${username}" cannot list resource "nodes"`);
    });

    it("may do what the server lets an administrator do", async () => {
      expect(await says("auth", "can-i", "delete", "nodes")).to.contain("yes");
      expect(await says("version")).to.match(/Server Version: v1\./);
    });

    it("knows all resources, and explains them", async () => {
      const resources = await says("api-resources", "-o", "name");

      expect(resources.split("\n")).to.include.members([
        "pods",
        "deployments.apps",
        "clusters.management.cattle.io",
      ]);
      expect(await says("explain", "pod.spec.containers.image")).to.contain(
        "FIELD: image <string>",
      );
      expect(await says("explain", "clusters.management.cattle.io.spec.displayName")).to.contain(
        "<string>",
      );
    });

    it("applies on the server, and gets and deletes what it made", async () => {
      const applied = await kubectl.apply(
        configMap("applied", "one"),
        "--server-side",
        "--field-manager",
        "person",
      );
      expect(applied.code, applied.stderr).to.equal(0);

      const path = ["get", "configmap", "applied", "-o"];
      expect(await says(...path, "jsonpath={.data.note}")).to.equal("one");
      expect(
        await says(
          ...path,
          "jsonpath={.metadata.managedFields[*].manager}",
          "--show-managed-fields",
        ),
      ).to.contain("person");
      expect(
        await says(
          "patch",
          "configmap",
          "applied",
          "--type=merge",
          "-p",
          '{"data":{"note":"two"}}',
        ),
      ).to.contain("patched");
      expect(await says("delete", "configmap", "applied")).to.contain("deleted");
      expect((await kubectl.kubectl(...path, "name")).stderr).to.contain("NotFound");
    });

    it("watches, event by event", async () => {
      const args = [
        "get",
        "configmaps",
        "--watch",
        "--output-watch-events",
        "-o",
        "custom-columns=T:.type,N:.object.metadata.name,D:.object.data.note",
        "--field-selector",
        "metadata.name=watched",
      ];
      await using watching = new Program(site().kubectlPath, args, {
        cwd: site().place.dir,
        env: { KUBECONFIG: site().kubeconfig(token), HOME: site().place.dir },
      });
      const { direct } = site();

      await direct.apply(configMap("watched", "one"));
      await watching.prints(/ADDED +watched +one/, patience);
      await direct.apply(configMap("watched", "two"));
      await watching.prints(/MODIFIED +watched +two/, patience);
      await direct.kubectl("delete", "configmap", "watched");
      await watching.prints(/DELETED +watched/, patience);
    });

    it("is refused as Kubernetes refuses, once its token is gone", async () => {
      const ended = await site().login("admin");
      const [name = ""] = ended.split(":");
      await site().direct.kubectl("delete", "tokens.management.cattle.io", name);

      await eventually(
        "refusal",
        async () => {
          const { stderr } = await site().through(ended).kubectl("get", "nodes");
          return /Unauthorized|must be logged in/.test(stderr) ? true : undefined;
        },
        patience,
      );
    });
  });
}
