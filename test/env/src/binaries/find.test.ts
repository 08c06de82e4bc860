import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect } from "chai";
import { findBinaries } from "./find.ts";

const complete = ["etcd", "kube-apiserver", "kube-controller-manager"] as const;
const silent = { write: () => undefined };

describe("findBinaries", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "find-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** A folder of programs that do nothing but exist. */
  function folder(name: string, programs: readonly string[], mode = 0o755): string {
    const path = join(root, name);
    mkdirSync(path);
    for (const program of programs) writeFileSync(join(path, program), "#!/bin/sh\n", { mode });
    return path;
  }

  const noBuild = async (): Promise<string> => {
    throw new Error("built");
  };

  it("takes the explicit folder before everything else", async () => {
    const mine = folder("mine", complete);
    const env = { KUBEBUILDER_ASSETS: folder("assets", complete), PATH: folder("path", complete) };

    const found = await findBinaries({ dir: mine, env, build: noBuild });

    expect(found.etcd).to.equal(join(mine, "etcd"));
    expect(found.origin).to.equal(mine);
  });

  it("refuses an explicit folder that lacks a program, naming it, and looks no further", async () => {
    const mine = folder("mine", ["etcd", "kubectl"]);
    const env = { PATH: folder("path", complete) };

    const error = await findBinaries({ dir: mine, env, build: noBuild }).catch((e: Error) => e);

    expect(String(error)).to.contain(
      `${mine} is not a complete set: it has no executable kube-apiserver, no kube-controller-manager`,
    );
  });

  it("takes KUBEBUILDER_ASSETS before PATH, and kubectl from PATH if the set has none", async () => {
    const assets = folder("assets", complete);
    const path = folder("path", [...complete, "kubectl"]);

    const found = await findBinaries({
      env: { KUBEBUILDER_ASSETS: assets, PATH: path },
      build: noBuild,
    });

    expect(found.apiServer).to.equal(join(assets, "kube-apiserver"));
    expect(found.kubectl).to.equal(join(path, "kubectl"));
  });

  it("passes over a KUBEBUILDER_ASSETS that is not complete, and says so", async () => {
    const assets = folder("assets", ["etcd", "kube-apiserver"]);
    const path = folder("path", complete);
    const lines: string[] = [];

    const found = await findBinaries({
      env: { KUBEBUILDER_ASSETS: assets, PATH: path },
      output: { write: (text) => lines.push(text) },
      build: noBuild,
    });

    expect(found.etcd).to.equal(join(path, "etcd"));
    expect(lines).to.deep.equal([
      `KUBEBUILDER_ASSETS (${assets}) is not a complete set: it has no executable kube-controller-manager, looking further\n`,
    ]);
  });

  it("finds the programs in different folders of PATH", async () => {
    const path = [folder("a", ["etcd"]), folder("b", complete.slice(1))];

    const found = await findBinaries({ env: { PATH: path.join(delimiter) }, build: noBuild });

    expect(found).to.deep.equal({
      origin: "PATH",
      etcd: join(root, "a", "etcd"),
      apiServer: join(root, "b", "kube-apiserver"),
      controllerManager: join(root, "b", "kube-controller-manager"),
      kubectl: undefined,
    });
  });

  it("does not take files that cannot be executed", async () => {
    const env = { PATH: folder("path", complete, 0o644) };

    const error = await findBinaries({ env, build: noBuild }).catch((e: Error) => e);

    expect(String(error)).to.contain("built");
  });

  it("builds when neither has a complete set", async () => {
    const built = folder("built", [...complete, "kubectl"]);
    const env = { KUBEBUILDER_ASSETS: "", PATH: folder("path", ["etcd"]) };

    const found = await findBinaries({ env, build: async () => built });

    expect(found.etcd).to.equal(join(built, "etcd"));
    expect(found.kubectl).to.equal(join(built, "kubectl"));
  });

  it("names every way there is when there are no programs and no Go", async () => {
    const env = { PATH: folder("path", []), XDG_CACHE_HOME: join(root, "cache") };

    const error = await findBinaries({ env, output: silent }).catch((e: Error) => e);

    const message = error instanceof Error ? error.message : "";
    expect(message).to.contain("etcd, kube-apiserver and kube-controller-manager were not found");
    for (const way of ["install Go", "KUBEBUILDER_ASSETS", "PATH", "--kubeconfig"]) {
      expect(message).to.contain(way);
    }
  });
});
