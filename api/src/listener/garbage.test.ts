import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

const run = promisify(execFile);
const program = new URL("./testing/ended-requests.js", import.meta.url).pathname;

describe("requests that have ended", function () {
  this.timeout(60_000);

  it("are garbage of which little outlives a minor collection", async () => {
    const { stdout } = await run(process.execPath, ["--expose-gc", program]);

    expect(stdout).to.match(/^-?\d+(\.\d+)?\n$/);
    expect(Number(stdout)).to.be.within(-200, 200); // much less, where what had stayed before went with a major one
  });
});
