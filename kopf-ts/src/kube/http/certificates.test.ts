import { expect } from "chai";
import { outOfForce, untrusted } from "./certificates.ts";

const said = "what TLS said";
const named = { cluster: 'cluster "a"', ca: true };
const bare = { cluster: undefined, ca: true };

describe("untrusted", () => {
  for (const code of [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_GET_ISSUER_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "CERT_SIGNATURE_FAILURE",
    "CERT_UNTRUSTED",
  ]) {
    it(`says whose authority has not signed it: ${code}`, () => {
      expect(untrusted(code, named, said)).to.equal(
        `it is not signed by the certificate-authority of cluster "a" in the kubeconfig (${code})`,
      );
    });
  }

  for (const { name, trust, code = "SELF_SIGNED_CERT_IN_CHAIN", text } of [
    { name: "an authority written by hand", trust: bare, text: "not signed by the ca given" },
    {
      name: "a kubeconfig without one",
      trust: { ...named, ca: false },
      text: 'set the certificate-authority of cluster "a" in the kubeconfig',
    },
    { name: "none", trust: { ...bare, ca: false }, text: "give the server's ca" },
    { name: "a certificate's end", trust: named, code: "CERT_HAS_EXPIRED", text: "renew it" },
    { name: "its beginning", trust: named, code: "CERT_NOT_YET_VALID", text: "set our clock" },
    {
      name: "another host",
      trust: named,
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
      text: `set tls-server-name of cluster "a" in the kubeconfig: ${said}`,
    },
    {
      name: "a purpose",
      trust: named,
      code: "INVALID_PURPOSE",
      text: `is not made out for this: ${said}`,
    },
  ] as const) {
    it(`says what to do about ${name}`, () => {
      expect(untrusted(code, trust, said))
        .to.contain(text)
        .and.match(new RegExp(`\\(${code}\\)$`));
    });
  }

  for (const code of ["ECONNREFUSED", "toString", "ERR_SSL_WRONG_VERSION_NUMBER"]) {
    it(`says nothing about ${code}`, () => {
      expect(untrusted(code, named, said)).to.equal(undefined);
    });
  }
});

describe("outOfForce", () => {
  /** Of 2020 alone. */
  const cert = `-----BEGIN CERTIFICATE-----
MIIBcTCCARegAwIBAgIRAIMHVpGc5D7e2Nw1OV+6zOYwCgYIKoZIzj0EAwIwDzEN
MAsGA1UEAxMEamFuZTAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMA8x
DTALBgNVBAMTBGphbmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARB9eNE3Dw/
7RGb464fMS315yvTUsMCO5ZrD9TYiDjjxTagvRqk4oYkapUHg2KJSaZHZiMQMK/G
cBXn6kO2d0sJo1QwUjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNV
HSUEDDAKBggrBgEFBQcDAjAdBgNVHQ4EFgQURQAMAMc335SE/XUqXbVHoDIMwwMw
CgYIKoZIzj0EAwIDSAAwRQIgCzM5xqg/I1TEqsW3VbiwZQf27V1TpWF9NdFksoZY
9h4CIQCX1XuIzKHjCGDApAMfjrIals1MCMKNXFq5t+a0uNrQTg==
-----END CERTIFICATE-----
`;
  const at = (date: string) => outOfForce(cert, 'user "a"', Date.parse(date));

  it("names the user and the day a certificate ended", () => {
    expect(at("2021-06-01")).to.equal(
      'the client certificate of user "a" expired on 2021-01-01T00:00:00Z; renew it',
    );
  });

  it("says by which clock one is not valid yet", () => {
    expect(at("2019-06-01")).to.equal(
      'the client certificate of user "a" is not valid before 2020-01-01T00:00:00Z, and by our clock it is 2019-06-01T00:00:00Z',
    );
  });

  it("says nothing of one in force, of none, and of what cannot be read", () => {
    expect(at("2020-06-01")).to.equal(undefined);
    expect(outOfForce(undefined, undefined, 0)).to.equal(undefined);
    expect(outOfForce("-----BEGIN NONSENSE-----", undefined, 0)).to.equal(undefined);
  });

  it("calls a user without a name ours", () => {
    expect(outOfForce(cert, undefined, Date.now())).to.match(/^our client certificate expired/);
  });
});
