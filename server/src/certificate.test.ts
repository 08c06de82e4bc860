import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selfSigned } from "@drover/api";
import { expect } from "chai";
import { certificateOf } from "./certificate.ts";
import type { ServerOptions } from "./options.ts";

describe("certificateOf", () => {
  let folder: string;
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const failure = async (options: Partial<ServerOptions>): Promise<string> => {
    const all = { bindHost: "127.0.0.1", ...options } as ServerOptions;
    return certificateOf(all).then(
      () => "none",
      (error: Error) => error.message,
    );
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "drover-certificate-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("makes one without files", async () => {
    expect(await failure({})).to.equal("none");
  });

  it("takes a pair", async () => {
    const { cert, key } = await selfSigned(["localhost"], Date.now());

    const pair = { tlsCertFile: file("a.crt", cert), tlsKeyFile: file("a.key", key) };

    expect(await failure(pair)).to.equal("none");
  });

  it("refuses half a pair", async () => {
    expect(await failure({ tlsKeyFile: "x" })).to.contain("--tls-cert-file and --tls-key-file");
  });

  it("refuses a key of another certificate", async () => {
    const [one, other] = await Promise.all([1, 2].map(() => selfSigned(["localhost"], Date.now())));

    const message = await failure({
      tlsCertFile: file("one.crt", one?.cert ?? ""),
      tlsKeyFile: file("other.key", other?.key ?? ""),
    });

    expect(message).to.contain("--tls-key-file").and.contain("the key is not the certificate's");
  });
});
