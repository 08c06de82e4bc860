import { constants } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createSecureContext, createServer } from "node:tls";
import { expect } from "chai";
import { selfSigned } from "./certificate.ts";
import { tlsOf, usualTls } from "./tls.ts";

const always = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
const secureOptions = constants.SSL_OP_PRIORITIZE_CHACHA;
const usual = [
  ...["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384"],
  ...["ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-AES128-GCM-SHA256"],
  ...["ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305"],
].join(":");
const old = "TLS_RSA_WITH_AES_128_CBC_SHA";
const newer = "TLS_RSA_WITH_AES_128_GCM_SHA256";

describe("tlsOf", () => {
  for (const [name, openssl] of [
    ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"],
    ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"],
    ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"],
    ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"],
    ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
    ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
    ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"],
    ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"],
    ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"],
    ["TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"],
    ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256"],
    ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"],
    ["TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"],
    ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256"],
    ["TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"],
    ["TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA"],
    ["TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256"],
    ["TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"],
    ["TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384"],
  ] as const) {
    it(`knows ${name}`, () => {
      const { tls, unknown } = tlsOf({ minVersion: "1.2", ciphers: [name] });

      expect(tls).to.deep.equal({
        minVersion: "TLSv1.2",
        ciphers: `${always}:${openssl}`,
        secureOptions,
      });
      expect(unknown).to.deep.equal([]);
      createSecureContext({ ...tls, ciphers: openssl }); // throws where OpenSSL does not know it
    });
  }

  const level = "@SECLEVEL=0";
  for (const [said, minVersion] of [
    ["1.0", "TLSv1"],
    ["1.1", "TLSv1.1"],
    ["1.2", "TLSv1.2"],
    ["1.3", "TLSv1.3"],
    [" 1.3 ", "TLSv1.3"],
  ] as const) {
    it(`takes "${said}" for the oldest version`, () => {
      const { tls, unknown } = tlsOf({ minVersion: said, ciphers: [newer] });

      expect(tls).to.deep.equal({
        minVersion,
        ciphers: `${always}:AES128-GCM-SHA256`,
        secureOptions,
      });
      expect(unknown).to.deep.equal([]);
    });
  }

  for (const [said, expected] of [
    ["1.0", level],
    ["1.1", level],
    ["1.2", undefined],
  ] as const) {
    it(`has OpenSSL ${expected ? "" : "not "}take signatures of old from ${said} on, with suites of old`, () => {
      const { tls } = tlsOf({ minVersion: said, ciphers: [old, "TLS_AES_128_GCM_SHA256"] });

      const parts = [always, "AES128-SHA", ...(expected ? [expected] : [])];
      expect(tls.ciphers).to.equal(parts.join(":"));
      createSecureContext(tls);
    });
  }

  it("offers suites of TLS 1.3 whatever is said", () => {
    const { tls, unknown } = tlsOf({ minVersion: "1.2", ciphers: ["TLS_AES_128_GCM_SHA256"] });

    expect([tls.ciphers, unknown]).to.deep.equal([always, []]);
    createSecureContext(tls);
  });

  it("tells what it does not know, and goes by the rest", () => {
    const strange = [
      ...["TLS_RSA_WITH_RC4_128_SHA", "AES128-SHA", "TLS_X:@SECLEVEL=0", "", "constructor"],
      ...["TLS_rsa_WITH_AES_128_CBC_SHA", "TLS_PSK_WITH_AES_128_GCM_SHA256"],
    ];

    for (const version of ["2.0", "constructor", "__proto__", ""]) {
      const { tls, unknown } = tlsOf({ minVersion: version, ciphers: [...strange, old] });
      expect(tls).to.deep.equal({
        minVersion: "TLSv1.2",
        ciphers: `${always}:AES128-SHA`,
        secureOptions,
      });
      expect(unknown).to.deep.equal([version, ...strange]);
    }
  });

  it("offers the suites of the default when it knows none", () => {
    expect(tlsOf({ minVersion: "1.3", ciphers: ["x"] })).to.deep.equal({
      tls: { minVersion: "TLSv1.3", ciphers: `${always}:${usual}`, secureOptions },
      unknown: ["x"],
    });
    expect(usualTls).to.deep.equal({
      minVersion: "TLSv1.2",
      ciphers: `${always}:${usual}`,
      secureOptions,
    });
  });

  for (const [who, ciphers, chosen] of [
    ["a client that takes all", undefined, "TLS_AES_128_GCM_SHA256"],
    [
      "one that would rather have longer keys",
      "TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256",
      "TLS_AES_128_GCM_SHA256",
    ],
    [
      "one without instructions for AES",
      "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256",
      "TLS_CHACHA20_POLY1305_SHA256",
    ],
  ] as const) {
    it(`speaks ${chosen} with ${who}`, async () => {
      const server = createServer({ ...usualTls, ...(await selfSigned(["a"], Date.now())) });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;

      const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ciphers });
      await once(socket, "secureConnect");

      expect(socket.getCipher().name).to.equal(chosen);
      socket.destroy();
      server.close();
    });
  }
});
