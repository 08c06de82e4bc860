import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { rejection } from "../loopback.test.support.ts";
import { inClusterConfig, isInCluster } from "./in-cluster.ts";

const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

describe("inClusterConfig", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "service-account-"));
    await writeFile(join(folder, "ca.crt"), "-----BEGIN CA-----");
    await writeFile(join(folder, "token"), "one");
    await writeFile(join(folder, "namespace"), "mine\n");
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("leads to the Pod's own cluster", async () => {
    const config = await inClusterConfig(env, folder);

    expect(config).to.include({
      server: "https://10.0.0.1:443",
      namespace: "mine",
      context: "in-cluster",
    });
  });

  it("writes IPv6 addresses in brackets", async () => {
    const { server } = await inClusterConfig(
      { ...env, KUBERNETES_SERVICE_HOST: "fd00::1" },
      folder,
    );

    expect(server).to.equal("https://[fd00::1]:443");
  });

  it("reads the token each time it is asked", async () => {
    const { credentials } = await inClusterConfig(env, folder);
    if (typeof credentials !== "function") throw new Error("the credentials are no function");
    const before = await credentials({ force: false });

    await writeFile(join(folder, "token"), "two");
    const after = await credentials({ force: false });

    expect(before).to.deep.equal({ ca: "-----BEGIN CA-----", token: "one" });
    expect(after.token).to.equal("two");
  });

  it("explains a Pod without a token", async () => {
    await rm(join(folder, "token"));

    expect(await rejection(inClusterConfig(env, folder)))
      .property("message")
      .match(
        /its service account cannot be used: .*token: it does not exist; set automountServiceAccountToken/,
      );
  });

  it("explains a token that is empty, at first and later", async () => {
    const { credentials } = await inClusterConfig(env, folder);
    if (typeof credentials !== "function") throw new Error("the credentials are no function");
    await writeFile(join(folder, "token"), "\n");

    const errors = [
      await rejection(inClusterConfig(env, folder)),
      await rejection(credentials({ force: false })),
    ];

    for (const error of errors) {
      expect(error).to.include({ name: "ConfigError" });
      expect(error)
        .property("message")
        .match(/token: it is empty; set automountServiceAccountToken/);
    }
  });

  it("is recognized by both variables", () => {
    expect(isInCluster(env)).to.equal(true);
    expect(isInCluster({ ...env, KUBERNETES_SERVICE_PORT: "" })).to.equal(false);
    expect(isInCluster({})).to.equal(false);
  });
});
