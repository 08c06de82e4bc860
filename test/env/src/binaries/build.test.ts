import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Child, processesWith, startChild } from "../testing/child.ts";
import { until } from "../wait.ts";
import { build } from "./build.ts";

/**
 * Stands in for the Go command, whose real run takes minutes: it counts its calls, waits for the file
 * `gate` before it writes its result, and fails if there is a file `fault`.
 */
const FAKE_GO = `#!/bin/sh
root=$(dirname "$0")
echo "$@" >> "$root/calls"
if [ "$1" = list ]; then
  echo "go: downloading k8s.io/kubernetes v1.35.4" >&2
  echo fmt; echo drover.dev/controlplane
  exit 0
fi
while [ ! -e "$root/gate" ]; do sleep 0.02; done
if [ -e "$root/fault" ]; then echo "main.go:1: it does not compile" >&2; exit 1; fi
while [ "$1" != -o ]; do shift; done
echo fmt; echo drover.dev/controlplane
printf '#!/bin/sh\\n' > "$2" && chmod +x "$2"
`;

describe("build", () => {
  let root: string;
  let env: Record<string, string>;
  let children: Child[];
  let lines: string[];
  const output = { write: (text: string): unknown => lines.push(text) };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "build-"));
    writeFileSync(join(root, "go"), FAKE_GO);
    chmodSync(join(root, "go"), 0o755);
    env = { PATH: `${root}:${process.env.PATH}`, XDG_CACHE_HOME: join(root, "cache") };
    children = [];
    lines = [];
  });
  afterEach(() => {
    for (const { process: child } of children) child.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
  });

  const touch = (name: string): void => writeFileSync(join(root, name), "");
  const calls = (): string[] =>
    existsSync(join(root, "calls"))
      ? readFileSync(join(root, "calls"), "utf8").trim().split("\n")
      : [];
  const builds = (): number => calls().filter((line) => line.startsWith("build ")).length;
  const cache = (): string => join(root, "cache", "drover", "controlplane");
  const started = (count: number): Promise<true> =>
    until("go build starting", () => (builds() >= count ? true : undefined), { timeout: 5_000 });

  function buildElsewhere(): Child {
    const child = startChild(
      `import { build } from "$binaries/build.js";
       console.log(await build({ env: ${JSON.stringify(env)} }));`,
    );
    children.push(child);
    return child;
  }

  it("builds once, links every program to the one executable, and finds it the next time", async () => {
    touch("gate");

    const first = await build({ env, output });
    const begin = performance.now();
    const second = await build({ env, output });

    expect(performance.now() - begin).to.be.below(1_000);
    expect(second).to.equal(first);
    expect(builds()).to.equal(1);
    expect(readdirSync(first).sort()).to.deep.equal([
      "controlplane",
      "etcd",
      "kube-apiserver",
      "kube-controller-manager",
      "kubectl",
    ]);
    expect(lines.at(-1)).to.match(/^building Kubernetes v1\.35\.\d+: done after \d+ s\n$/);
  });

  it("stamps the version and leaves out cgo and debug information", async () => {
    touch("gate");

    await build({ env, output });

    const flags = calls().find((line) => line.startsWith("build "));
    expect(flags).to.match(/version\.gitVersion=v1\.35\.\d+ /);
    expect(flags).to.contain("-trimpath").and.to.contain("-s -w").and.to.contain("-dwarf=false");
  });

  it("tells the end of Go's output and where the rest is when the build fails, and leaves nothing", async () => {
    touch("gate");
    touch("fault");

    const error = await build({ env, output }).catch((e: Error) => e);

    const message = error instanceof Error ? error.message : "";
    const log = /the whole output is in (\S+),/.exec(message)?.[1] ?? "";
    expect(message).to.contain("main.go:1: it does not compile");
    expect(readFileSync(log, "utf8")).to.contain("downloading");
    expect(readdirSync(cache())).to.deep.equal([log.slice(cache().length + 1)]);
  });

  it("builds once when two processes ask at the same time; the second waits and says so", async function () {
    this.timeout(10_000);
    const first = buildElsewhere();
    await started(1);
    const second = buildElsewhere();
    await until("the second waiting", () => second.stderr().includes("waiting") || undefined, {
      timeout: 5_000,
    });

    touch("gate");

    expect([await first.ended, await second.ended]).to.deep.equal([0, 0]);
    expect(second.stderr()).to.contain(`process ${first.pid} is building the control plane`);
    expect(second.stdout()).to.equal(first.stdout());
    expect(builds()).to.equal(1);
  });

  it("takes over from a process that was killed while it built, whose compiler ends too", async function () {
    this.timeout(10_000);
    const first = buildElsewhere();
    await started(1);
    first.process.kill("SIGKILL");
    await until(
      "go ending",
      () => (processesWith(join(root, "go")).length === 0 ? true : undefined),
      {
        timeout: 5_000,
      },
    );

    const second = buildElsewhere();
    await started(2);
    touch("gate");

    expect(await second.ended).to.equal(0);
    expect(existsSync(join(second.stdout().trim(), "kubectl"))).to.equal(true);
    expect(readdirSync(cache()).filter((name) => name.includes("partial"))).to.deep.equal([]);
  });

  it("ends the compiler when the caller aborts", async () => {
    const abort = new AbortController();
    const building = build({ env, output, signal: abort.signal }).catch((e: Error) => e);
    await started(1);

    abort.abort(new Error("enough"));

    expect(String(await building)).to.equal("Error: enough");
    expect(processesWith(join(root, "go"))).to.deep.equal([]);
    expect(lines.at(-1)).to.match(/stopped after/);
  });

  it("removes builds that nobody has used for a month when it makes a new one", async () => {
    touch("gate");
    const [old, recent] = [join(cache(), "old"), join(cache(), "recent")];
    for (const folder of [old, recent]) mkdirSync(folder, { recursive: true });
    const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000);
    utimesSync(old, longAgo, longAgo);

    await build({ env, output });

    expect(existsSync(old)).to.equal(false);
    expect(existsSync(recent)).to.equal(true);
  });
});
