import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { copyRepository } from "./copy.ts";
import { clean, eventually, type Finished, Program, root, run, Workplace } from "./drover.ts";

const readme = readFileSync(join(root, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = ""]) => text.trim());
const inline = [...readme.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);
const targets = [...blocks, ...inline].flatMap((text) => /^make ([a-z]+)$/.exec(text)?.[1] ?? []);

/** Free ports, since others may run: the only thing that differs from what the README says. */
const ports =
  "ARGS=--https-listen-port 0 --http-listen-port 0 --metrics-listen-addr 127.0.0.1:0 --webhook-listen-port 0";

describe("README.md", () => {
  it("names targets of make that exist, in the help as well", async function () {
    this.timeout(10_000);
    const help = await run("make", [], { cwd: root, env: clean() });
    const dry = await Promise.all(
      targets.map((target) => run("make", ["-n", target], { cwd: root, env: clean() })),
    );

    expect(targets).to.include.members(["run", "test", "bench"]);
    expect(dry.map(({ code }) => code)).to.deep.equal(targets.map(() => 0));
    for (const target of targets) expect(help.stdout).to.match(new RegExp(`^ +${target} `, "m"));
  });

  it("has the commands that are run here", () => {
    expect(blocks.map((block) => block.split("\n").length)).to.deep.equal([1, 3, 1]);
    expect(blocks[0]).to.equal("make run");
    expect(blocks[1]).to.match(/^export KUBECONFIG=.*\nkubectl apply .*\nkubectl get .* --watch$/);
    expect(blocks[2]).to.equal("make test");
  });

  describe("in a fresh clone", function () {
    this.timeout(240_000);

    let place: Workplace;
    let make: Program | undefined;
    const [, other = ""] = blocks;
    const [settings = "", apply = "", watch = ""] = other.split("\n");
    /** As in the other terminal. */
    const shell = (command: string): Promise<Finished> =>
      run("bash", ["-euc", `${settings}\n${command}`], { cwd: place.dir, env: clean() });

    before(async () => {
      place = new Workplace();
      copyRepository(place.dir);
      const built = await run("make", ["build"], { cwd: place.dir, env: clean() });
      expect(built.code, built.stdout + built.stderr).to.equal(0);
    });
    after(async () => {
      await make?.[Symbol.asyncDispose]();
      place?.[Symbol.dispose]();
    });

    it("is ready after `make run`", async () => {
      make = new Program("make", ["run", ports], { cwd: place.dir, group: true });

      await make.prints(/drover is ready/, 120_000);
    });

    it("applies the samples and shows the token that goes", async () => {
      const applied = await shell(apply);
      expect(applied.code, applied.stderr).to.equal(0);

      await using watching = new Program("bash", ["-euc", `${settings}\nexec ${watch}`], {
        cwd: place.dir,
      });
      await watching.prints(/^token-ten-seconds/m);
      await eventually(
        "end of token-ten-seconds",
        async () =>
          (await shell("kubectl get token token-ten-seconds")).code === 0 ? undefined : 1,
        30_000,
      );
    });

    it("tells in an Event why it went", async () => {
      const [command = ""] = inline.filter((text) => text.startsWith("kubectl get events"));

      const told = await eventually(
        "Event",
        async () => {
          const { stdout } = await shell(command);
          return stdout === "" ? undefined : stdout;
        },
        10_000,
      );

      expect(told).to.match(/TokenExpired +token\/token-ten-seconds/);
    });

    it("ends with Ctrl-C, leaves no process and keeps the data", async () => {
      make?.interrupt();
      await make?.ended();

      await eventually(
        "end of every process",
        () => (place.processes().length === 0 ? true : undefined),
        20_000,
        () => place.processes().join("\n"),
      );
      expect(existsSync(place.state("kubeconfig"))).to.equal(true);
      expect(make?.output).to.not.contain("rror:");
    });
  });
});
