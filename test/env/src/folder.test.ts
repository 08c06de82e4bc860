import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { build } from "./binaries/build.ts";
import { statePaths, takeState } from "./control-plane/state.ts";
import { makeFolder } from "./folder.ts";
import { startCli } from "./testing/child.ts";

const purpose = { what: "the folder for tests", remedy: "choose another" };

describe("a folder", () => {
  let root: string;
  let file: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "folder-"));
    file = join(root, "file");
    writeFileSync(file, "");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("is made with all before it, and may be there already", () => {
    const path = join(root, "a", "b");

    makeFolder(path, purpose, 0o700);
    makeFolder(path, purpose, 0o700);

    expect(statSync(path).mode & 0o777).to.equal(0o700);
  });

  for (const [name, below, reason] of [
    ["a file", [], "it is a file"],
    ["below a file", ["x"], "a part of its path is a file"],
  ] as const) {
    it(`that is ${name} is named, with its purpose and what to do`, () => {
      const path = join(file, ...below);

      expect(() => makeFolder(path, purpose)).to.throw(
        `${path}, the folder for tests, cannot be used: ${reason}; choose another`,
      );
    });
  }

  it("for what is built can be chosen by XDG_CACHE_HOME", async () => {
    writeFileSync(join(root, "go"), "#!/bin/sh\n", { mode: 0o755 });
    const env = { PATH: root, XDG_CACHE_HOME: file };

    const error = await build({ env, output: { write: () => undefined } }).catch((e) => e);

    expect(String(error)).to.contain(
      `${join(file, "drover/controlplane")}, the cache of built programs, cannot be used: a part of its path is a file`,
    );
    expect(String(error)).to.match(/; set XDG_CACHE_HOME to a folder that can be written$/);
  });

  it("for state can be chosen by --dir", async () => {
    const error = await takeState(statePaths(file), undefined).catch((e) => e);

    expect(String(error)).to.equal(
      `Error: ${file}, the folder of the control plane's state, cannot be used: it is a file; choose another with --dir`,
    );
  });

  it("for what is temporary can be chosen by TMPDIR", async function () {
    this.timeout(10_000);
    const bin = join(root, "bin");
    makeFolder(bin, purpose);
    for (const name of ["etcd", "kube-apiserver", "kube-controller-manager"]) {
      writeFileSync(join(bin, name), "", { mode: 0o755 });
    }

    const env = { KUBEBUILDER_ASSETS: bin, TMPDIR: file };
    const child = startCli(["up", "--dir", join(root, "state")], env);

    expect(await child.ended).to.equal(1);
    expect(child.stderr()).to.contain("temporary files").and.to.contain("set TMPDIR");
    expect(existsSync(join(root, "state"))).to.equal(false);
  });
});
