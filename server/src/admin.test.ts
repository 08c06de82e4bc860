import { execFile } from "node:child_process";
import { join } from "node:path";
import { GlobalRole, GlobalRoleBinding, installCrds, kinds, User } from "@drover/crds";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { parsePasswordSecret, passwordNamespace, verifyPassword } from "@drover/platform";
import { expect } from "chai";
import { apiVersionOf, type Client, connect, loadConfig, silentLogger } from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";

const main = join(import.meta.dirname, "main.js");

/** What a finished command said. */
interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe("commands for the default admin", function () {
  this.timeout(60_000);

  let plane: ControlPlane;
  let client: Client;

  const drover = (...args: readonly string[]): Promise<Finished> =>
    new Promise((resolve) => {
      const command = [main, ...args, "--kubeconfig", plane.kubeconfigPath];
      const child = execFile(process.execPath, command, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, stdout, stderr }),
      );
    });

  /** Whether the one admin of the cluster can log in with the line that was printed. */
  async function lets(stdout: string): Promise<boolean> {
    const [user] = (await client.list(User)).items;
    const options = { namespace: passwordNamespace };
    const secret = await client.get(Secret, user?.metadata.name ?? "", options);
    const stored = parsePasswordSecret(secret);
    return (await verifyPassword(stdout.replace(/\n$/, ""), stored)).matches;
  }

  before(async () => {
    plane = await startControlPlane();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }), { kinds });
  });

  after(async () => {
    await client?.[Symbol.asyncDispose]();
    await plane?.stop();
  });

  it("say what is missing in a cluster without Drover", async () => {
    const { code, stdout, stderr } = await drover("reset-password");

    expect([code, stdout]).to.deep.equal([1, ""]);
    expect(stderr).to.match(/^drover reset-password: .*users.*\n$/);
  });

  it("name ensure-default-admin where there is no admin", async () => {
    await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });

    const { code, stdout, stderr } = await drover("reset-password");

    expect([code, stdout]).to.deep.equal([1, ""]);
    expect(stderr).to.contain("`drover ensure-default-admin` makes one");
  });

  it("make an admin and print its password alone, then leave it alone", async () => {
    const metadata = { name: passwordNamespace };
    await client.create({ apiVersion: "v1", kind: Namespace.kind, metadata });
    const role = { apiVersion: apiVersionOf(GlobalRole), kind: GlobalRole.kind };
    await client.create({ ...role, metadata: { name: "admin" } });

    const made = await drover("ensure-default-admin");
    const again = await drover("ensure-default-admin");

    expect([made.code, made.stdout.length]).to.deep.equal([0, 21]);
    expect(made.stderr).to.contain("made user user-").and.contain("gave it the GlobalRole admin");
    expect(await lets(made.stdout)).to.equal(true);
    expect((await client.list(GlobalRoleBinding)).items).to.have.length(1);
    expect([again.code, again.stdout]).to.deep.equal([0, ""]);
    expect(again.stderr).to.contain("lacks nothing");
  });

  it("reset the password and print it alone", async () => {
    const { code, stdout, stderr } = await drover("reset-password");

    expect(code).to.equal(0);
    expect(stdout).to.match(/^[-_a-zA-Z0-9]{20}\n$/);
    expect(stderr).not.to.contain(stdout.trim());
    expect(await lets(stdout)).to.equal(true);
  });

  it("end with 2 where the command line makes no sense, and with 1 where nobody answers", async () => {
    expect((await drover("reset-password", "--user", "x")).code).to.equal(2);
    await plane.stop();

    const { code, stdout, stderr } = await drover("reset-password");

    expect([code, stdout]).to.deep.equal([1, ""]);
    expect(stderr).to.match(/^drover reset-password: /);
  });
});
