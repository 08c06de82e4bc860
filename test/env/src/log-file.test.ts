import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { follow, sizeOf, tail } from "./log-file.ts";
import { until } from "./wait.ts";

describe("log files", () => {
  let root: string;
  let path: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "log-"));
    path = join(root, "log");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("tell their last lines, or nothing when they are not there", () => {
    expect(tail(path, 2)).to.equal("");

    writeFileSync(path, "one\ntwo\nthree\n");

    expect(tail(path, 2)).to.equal("two\nthree");
  });

  it("are followed line by line from an offset until the end, nothing lost or cut", async () => {
    writeFileSync(path, "before\n");
    const end = Promise.withResolvers<string>();
    const lines: string[] = [];
    const following = follow(path, { from: sizeOf(path), until: end.promise }, (line) =>
      lines.push(line),
    );

    appendFileSync(path, "a\nha");
    await until("the first line", () => (lines.length > 0 ? true : undefined), { timeout: 1_500 });
    appendFileSync(path, "lf\n");
    end.resolve("result");

    expect(await following).to.equal("result");
    expect(lines).to.deep.equal(["a", "half"]);
  });

  it("are followed until an abort", async () => {
    const options = {
      from: 0,
      until: new Promise(() => undefined),
      signal: AbortSignal.abort(new Error("enough")),
    };

    const error = await follow(path, options, () => undefined).catch((e: Error) => e);

    expect(String(error)).to.equal("Error: enough");
  });
});
