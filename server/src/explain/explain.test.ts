import { execFile } from "node:child_process";
import { join } from "node:path";
import { GlobalRole, installCrds, kinds } from "@drover/crds";
import { aGlobalRole } from "@drover/crds/testing";
import { type ControlPlane, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, loadConfig, silentLogger } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";

const main = join(import.meta.dirname, "..", "main.js");

describe("drover explain", function () {
  this.timeout(60_000);

  let plane: ControlPlane;
  let client: Client;

  const explain = (
    ...args: readonly string[]
  ): Promise<{ code: number | null; out: string; err: string }> =>
    new Promise((resolve) => {
      const command = [main, "explain", ...args, "--kubeconfig", plane.kubeconfigPath];
      const child = execFile(process.execPath, command, (_error, out, err) =>
        resolve({ code: child.exitCode, out, err }),
      );
    });

  before(async () => {
    plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }), { kinds });
    await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
  });
  after(() => client?.[Symbol.asyncDispose]());

  it("tells what is missing, and makes none of it", async () => {
    const name = uniqueName("role");
    const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"] }];
    const role = await client.create(aGlobalRole({ metadata: { name }, rules }));

    const { code, out, err } = await explain(`gr/${name}`);

    expect(err).to.equal("");
    expect(code).to.equal(1);
    expect(out).to.match(new RegExp(`^GlobalRole ${name}\n`));
    expect(out).to.include(`  missing      ClusterRole cattle-globalrole-${name}\n`);
    expect(await client.find(ClusterRole, `cattle-globalrole-${name}`)).to.equal(undefined);
    expect(await client.get(GlobalRole, name)).to.deep.equal(role);
  });

  for (const { title, args, expected } of [
    { title: "an object", args: ["gr/no-such"], expected: /there is no GlobalRole no-such/ },
    { title: "a kind", args: ["pod/a"], expected: /nothing is known of kind "pod"/ },
    { title: "a namespace", args: ["project/p-1"], expected: /add -n <namespace>/ },
    {
      title: "a cluster",
      args: ["ns/default", "-c", "no-such"],
      expected: /there is no cluster no-such/,
    },
  ]) {
    it(`names ${title} that is missing, with exit code 2`, async () => {
      const { code, out, err } = await explain(...args);

      expect([code, out]).to.deep.equal([2, ""]);
      expect(err)
        .to.match(/^drover explain: .*\n$/)
        .and.match(expected);
    });
  }
});
