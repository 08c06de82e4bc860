import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Confidential } from "@drover/platform";
import { expect } from "chai";
import { passwordFile } from "./admin-password.ts";

describe("passwordFile", () => {
  it("keeps the password in a file that only its owner may read", async () => {
    const dir = mkdtempSync(join(tmpdir(), "drover-password-"));
    const file = join(dir, "bootstrap-password");

    await passwordFile(file)(new Confidential("sesame-open"));

    expect(readFileSync(file, "utf8")).to.equal("sesame-open\n");
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    rmSync(dir, { recursive: true });
  });
});
