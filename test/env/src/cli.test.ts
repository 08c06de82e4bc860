import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { startCli } from "./testing/child.ts";

describe("command line", function () {
  this.timeout(10_000);
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "cli-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("prepares by finding the programs, and says where in well under a second", async () => {
    const bin = join(root, "bin");
    mkdirSync(bin);
    for (const name of ["etcd", "kube-apiserver", "kube-controller-manager"]) {
      writeFileSync(join(bin, name), "", { mode: 0o755 });
    }
    const begin = performance.now();

    const child = startCli(["prepare"], { KUBEBUILDER_ASSETS: bin });

    expect(await child.ended).to.equal(0);
    expect(child.stdout()).to.equal(`control plane programs: KUBEBUILDER_ASSETS (${bin})\n`);
    expect(performance.now() - begin).to.be.below(2_000);
  });

  it("says on standard error that KUBEBUILDER_ASSETS leads nowhere, and takes what is in PATH", async () => {
    for (const name of ["etcd", "kube-apiserver", "kube-controller-manager"]) {
      writeFileSync(join(root, name), "", { mode: 0o755 });
    }
    const assets = join(root, "no", "such");

    const path = `${root}:${process.env.PATH}`;
    const child = startCli(["prepare"], { KUBEBUILDER_ASSETS: assets, PATH: path });

    expect(await child.ended).to.equal(0);
    expect(child.stderr()).to.equal(
      `KUBEBUILDER_ASSETS (${assets}) does not exist, looking further\n`,
    );
    expect(child.stdout()).to.equal("control plane programs: PATH\n");
  });

  it("fails with the ways there are, and without a stack, when there is neither program nor Go", async () => {
    const child = startCli(["prepare"], {
      KUBEBUILDER_ASSETS: "",
      PATH: root,
      XDG_CACHE_HOME: join(root, "cache"),
    });

    expect(await child.ended).to.equal(1);
    expect(child.stderr()).to.match(/^no control plane: .*\n( {2}- .*\n){4}$/);
  });

  it("explains itself when called with anything else", async () => {
    const child = startCli(["dance"]);

    expect(await child.ended).to.equal(2);
    expect(child.stderr()).to.match(/^usage: /);
  });

  it("explains itself when asked to", async () => {
    const child = startCli(["--help"]);

    expect(await child.ended).to.equal(0);
    expect(child.stdout()).to.match(/^usage: /);
  });

  it("explains itself, and shows no stack, for an option that there is not", async () => {
    const child = startCli(["up", "--where", "x"]);

    expect(await child.ended).to.equal(2);
    expect(child.stderr()).to.match(/^Unknown option '--where'.*\nusage: /);
    expect(child.stderr()).to.not.contain("    at ");
  });
});
