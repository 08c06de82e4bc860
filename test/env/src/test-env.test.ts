import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { freshNamespace, secondTestEnv, testEnv, uniqueName } from "./test-env.ts";
import { startChild } from "./testing/child.ts";

describe("testEnv", function () {
  this.timeout(120_000);

  it("is one control plane for everybody in the run, and the second another", async () => {
    const [first, again, second] = await Promise.all([testEnv(), testEnv(), secondTestEnv()]);

    expect(again).to.equal(first);
    expect(second).to.not.equal(first);
    expect(second.url).to.not.equal(first.url);
  });

  it("gives each test a namespace of its own", async () => {
    const controlPlane = await testEnv();

    const names = await Promise.all([1, 2, 3].map(() => freshNamespace(controlPlane, "mine")));

    expect(new Set(names)).to.have.property("size", 3);
    for (const name of names) {
      expect(name).to.match(/^mine-/);
      expect((await controlPlane.request("GET", `/api/v1/namespaces/${name}`)).status).to.equal(
        200,
      );
    }
  });

  it("does not keep a process from ending that forgot to stop it", async () => {
    const child = startChild('import { testEnv } from "$test-env.js"; await testEnv();');

    expect(await child.ended, child.stderr()).to.equal(0);
  });

  it("tells everybody who asked when it cannot start", async () => {
    const cache = mkdtempSync(join(tmpdir(), "cache-"));
    const child = startChild(
      `import { testEnv } from "$test-env.js";
       const attempts = await Promise.allSettled([testEnv(), testEnv()]);
       process.stdout.write(attempts.map(({ reason }) => reason.message.slice(0, 16)).join());`,
      { PATH: "/nonexistent", KUBEBUILDER_ASSETS: "", XDG_CACHE_HOME: cache },
    );

    expect(await child.ended, child.stderr()).to.equal(0);
    rmSync(cache, { recursive: true });
    expect(child.stdout()).to.equal("no control plane,no control plane");
  });
});

describe("uniqueName", () => {
  it("never repeats and is valid in DNS labels", () => {
    const names = Array.from({ length: 100 }, () => uniqueName("x"));

    expect(new Set(names)).to.have.property("size", 100);
    for (const name of names) expect(name).to.match(/^x-[a-z0-9-]{1,30}$/);
  });
});
