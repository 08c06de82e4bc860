import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { issue } from "./certificate.ts";
import { ensurePki, issueClient, issueServer, type Pki, readPair } from "./pki.ts";

const DAY = 24 * 3_600_000;

describe("ensurePki", () => {
  let dir: string;
  let pki: Pki;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "pki-"));
    pki = await ensurePki(dir);
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const read = (file: string): string => readFileSync(join(dir, file), "utf8");
  const certificate = (name: string): X509Certificate => new X509Certificate(read(`${name}.crt`));
  const everything = (): Record<string, string> =>
    Object.fromEntries(readdirSync(dir).map((file) => [file, read(file)]));

  it("issues every certificate from its authority, with its key", () => {
    for (const [name, authority] of [
      ["ca", "ca"],
      ["admin", "ca"],
      ["apiserver", "ca"],
      ["controller-manager", "ca"],
      ["front-proxy-ca", "front-proxy-ca"],
      ["front-proxy-client", "front-proxy-ca"],
    ] as const) {
      const cert = certificate(name);
      expect(cert.checkPrivateKey(createPrivateKey(read(`${name}.key`))), name).to.equal(true);
      expect(cert.verify(certificate(authority).publicKey), name).to.equal(true);
      expect(cert.ca, name).to.equal(name === authority);
    }
  });

  it("keeps the two authorities apart", () => {
    const key = certificate("ca").publicKey;

    expect(certificate("front-proxy-client").verify(key)).to.equal(false);
  });

  it("names the administrator, its group and the server's addresses as Kubernetes reads them", () => {
    expect(certificate("admin").subject).to.equal("O=system:masters\nCN=kubernetes-admin");
    expect(certificate("controller-manager").subject).to.equal("CN=system:kube-controller-manager");
    expect(certificate("apiserver").checkIP("127.0.0.1")).to.equal("127.0.0.1");
    expect(certificate("apiserver").checkIP("::1")).to.not.equal(undefined);
    expect(certificate("apiserver").checkHost("kubernetes.default.svc")).to.not.equal(undefined);
    expect(certificate("apiserver").checkHost("example.org")).to.equal(undefined);
  });

  it("lets nobody but the owner read the keys", () => {
    expect(statSync(dir).mode & 0o077).to.equal(0);
    for (const file of readdirSync(dir)) {
      expect(statSync(join(dir, file)).mode & 0o077, file).to.equal(0);
    }
  });

  it("keeps what is there", async () => {
    const before = everything();

    await ensurePki(dir);

    expect(everything()).to.deep.equal(before);
  });

  it("issues anew what expires within 30 days, from the same authority", async () => {
    const soon = {
      use: "client",
      name: "kubernetes-admin",
      notAfter: new Date(Date.now() + 29 * DAY),
    } as const;
    const { cert, key } = await issue(soon, pki.ca);
    writeFileSync(join(dir, "admin.crt"), cert);
    writeFileSync(join(dir, "admin.key"), key);

    const renewed = await ensurePki(dir);

    expect(new X509Certificate(renewed.admin.cert).validToDate.getTime()).to.be.above(
      Date.now() + 300 * DAY,
    );
    expect(renewed.ca).to.deep.equal(pki.ca);
  });

  for (const { name, damage } of [
    { name: "a certificate is missing", damage: (): void => rmSync(join(dir, "apiserver.crt")) },
    {
      name: "a file is half",
      damage: (): void => writeFileSync(join(dir, "apiserver.crt"), "-----BEG"),
    },
    {
      name: "a key belongs to another certificate",
      damage: (): void => writeFileSync(join(dir, "apiserver.key"), read("admin.key")),
    },
  ]) {
    it(`issues one pair anew when ${name}`, async () => {
      const before = everything();
      damage();

      await ensurePki(dir);

      const pair = readPair(dir, "apiserver");
      const changed = Object.keys(before).filter((file) => everything()[file] !== before[file]);
      expect(
        new X509Certificate(pair?.cert ?? "").checkPrivateKey(createPrivateKey(pair?.key ?? "")),
      ).to.equal(true);
      expect(changed.sort()).to.deep.equal(["apiserver.crt", "apiserver.key"]);
    });
  }

  it("issues everything anew under a new authority when that is lost", async () => {
    rmSync(join(dir, "ca.key"));

    const renewed = await ensurePki(dir);

    expect(renewed.ca.cert).to.not.equal(pki.ca.cert);
    expect(certificate("apiserver").verify(certificate("ca").publicKey)).to.equal(true);
    expect(certificate("admin").verify(certificate("ca").publicKey)).to.equal(true);
    expect(renewed.frontProxyCa).to.deep.equal(pki.frontProxyCa);
  });

  it("derives the public key of service account tokens from the private one", async () => {
    rmSync(join(dir, "sa.pub"));

    await ensurePki(dir);

    const derived = createPublicKey(read("sa.key")).export({ type: "spki", format: "pem" });
    expect(read("sa.pub")).to.equal(derived);
  });

  describe("issueClient", () => {
    const dates = (cert: string): { from: number; to: number } => {
      const { validFromDate, validToDate } = new X509Certificate(cert);
      return { from: validFromDate.getTime(), to: validToDate.getTime() };
    };

    it("carries several groups and characters that need escaping", async () => {
      const { cert } = await issueClient(pki.ca, { name: "a,b=c", groups: ["one", "two"] });

      const { subject } = new X509Certificate(cert).toLegacyObject();
      expect(subject).to.deep.include({ O: ["one", "two"], CN: "a,b=c" });
    });

    it("makes an expired certificate that was valid before", async () => {
      const { cert } = await issueClient(pki.ca, {
        name: "late",
        notAfter: new Date(Date.now() - DAY),
      });

      const { from, to } = dates(cert);
      expect(to).to.be.below(Date.now());
      expect(from).to.be.below(to);
    });

    it("lasts a year and is valid at once", async () => {
      const { cert } = await issueClient(pki.ca, { name: "now" });

      const { from, to } = dates(cert);
      expect(from).to.be.below(Date.now());
      expect(to).to.be.within(Date.now() + 364 * DAY, Date.now() + 366 * DAY);
    });
  });

  describe("issueServer", () => {
    it("answers to the hosts it was asked for and no others", async () => {
      const { cert } = await issueServer(pki.ca, ["api.default.svc", "127.0.0.1"]);

      const server = new X509Certificate(cert);
      expect(server.checkHost("api.default.svc")).to.equal("api.default.svc");
      expect(server.checkIP("127.0.0.1")).to.equal("127.0.0.1");
      expect(server.checkHost("localhost")).to.equal(undefined);
    });
  });
});
