import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import { isSecretName, maskText, shownText } from "./secrets.ts";

/** Milliseconds of the fastest of three runs: a busy machine is not to blame. */
function fastest(run: () => void): number {
  const times = [1, 2, 3].map(() => {
    const start = systemClock.monotonic();
    run();
    return systemClock.monotonic() - start;
  });
  return Math.min(...times);
}

describe("isSecretName", () => {
  for (const name of [
    "token",
    "Token",
    "bearerToken",
    "bearer-token",
    "BEARER_TOKEN",
    "password",
    "newPassword",
    "authorization",
    "Authorization",
    "Set-Cookie",
    "kubeconfig",
    "adminKubeconfig",
    "clientSecret",
    "client.secret",
    "privateKey",
    "private_key",
    "apiKey",
    "jwt",
    "credentials",
    "passphrase",
  ]) {
    it(`${name} is secret`, () => expect(isSecretName(name)).to.equal(true));
  }

  for (const name of [
    "key",
    "publicKey",
    "tokenName",
    "tokenTtl",
    "secretName",
    "passwordHashAlgorithm",
    "kubeconfigPath",
    "authorizationMode",
    "namespace",
    "tokenizer",
    "broken",
    "",
  ]) {
    it(`${JSON.stringify(name)} is not`, () => expect(isSecretName(name)).to.equal(false));
  }
});

describe("maskText", () => {
  for (const { text, expected } of [
    { text: "nothing to hide", expected: "nothing to hide" },
    {
      text: "sent Authorization: Bearer abc.DEF-123",
      expected: "sent Authorization: Bearer [redacted]",
    },
    { text: "basic dXNlcjpwYXNzd29yZA==", expected: "basic [redacted]" },
    { text: "the basic idea", expected: "the basic idea" },
    { text: "x eyJhbGciOiJSUzI1.eyJpc3MiOiJr.c2ln y", expected: "x [redacted] y" },
    { text: "cut eyJhbGciOiJSUzI1.eyJpc3Mi", expected: "cut [redacted]" },
    { text: "kc-user-eyJhbGciOiJSUzI1.eyJpc3MiOiJr.c2ln", expected: "kc-user-[redacted]" },
    { text: "kc_eyJ_eyJhbGciOiJSUzI1.eyJpc3MiOiJr.c2ln", expected: "kc_[redacted]" },
    { text: "apiKeyJsonDocument.example.com", expected: "apiKeyJsonDocument.example.com" },
    { text: "eyJ.eyJ.eyJ", expected: "eyJ.eyJ.eyJ" },
    { text: "https://user:hunter2@host/path", expected: "https://user:[redacted]@host/path" },
    {
      text: `${"x".repeat(99)}://user:p:w@host a://b:c@d`,
      expected: `${"x".repeat(99)}://user:[redacted]@host a://b:[redacted]@d`,
    },
    { text: "https://host:8443/a@b", expected: "https://host:8443/a@b" },
    {
      text: "a -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- b",
      expected: "a [redacted] b",
    },
    { text: "-----BEGIN PRIVATE KEY-----\nabc", expected: "[redacted]" },
    { text: "-----BEGIN CERTIFICATE-----\nabc", expected: "-----BEGIN CERTIFICATE-----\nabc" },
  ]) {
    it(JSON.stringify(text), () => expect(maskText(text)).to.equal(expected));
  }

  it("masks shapes that the caller names", () => {
    expect(maskText("login kc-12345 kc-6", [/kc-\d+/g])).to.equal("login [redacted] [redacted]");
  });
});

describe("the time that masking takes", () => {
  const parts = [
    "a",
    "A",
    "-",
    "_",
    ".",
    " ",
    "\n",
    ":",
    "://",
    "@",
    "=",
    "eyJ",
    "eyJaaaaaaaa",
    "Bearer",
    "-----BEGIN ",
    "PRIVATE KEY",
    "-----END ",
  ];
  const length = 30_000;

  for (const first of parts) {
    it(`is in proportion to the text, also when ${JSON.stringify(first)} and anything else come again and again`, () => {
      for (const second of parts) {
        const text = (first + second).repeat(length / (first.length + second.length));

        expect(
          fastest(() => maskText(text)),
          JSON.stringify(second),
        ).to.be.below(50);
      }
    });
  }

  it("does not grow with what is cut off", () => {
    const text = "a-".repeat(5_000_000);

    expect(fastest(() => shownText(text, 8192))).to.be.below(50);
  });
});

describe("shownText", () => {
  for (const { name, text, expected } of [
    { name: "shows what fits", text: "0123456789", expected: "0123456789" },
    { name: "cuts what does not", text: "0123456789a", expected: "0123456789[cut]" },
    { name: "masks before it cuts", text: "a https://u:hunter2@h", expected: "a https://[cut]" },
    {
      name: "masks a secret across the cut",
      text: `1234 Bearer ${"x".repeat(90)}`,
      expected: "1234 Beare[cut]",
    },
  ]) {
    it(name, () => expect(shownText(text, 10)).to.equal(expected));
  }

  it("masks a password that ends behind the cut", () => {
    const text = `${"x ".repeat(500)}http://u:${"hunter2".repeat(100)}@host`;

    expect(shownText(text, 1020)).to.contain("http://u:[redact").and.not.contain("hunter2");
  });

  it("shows nothing of a secret that it did not look at to its end, however much was masked before", () => {
    const text = `Bearer ${"x".repeat(2000)}\nhttp://u:${"hunter2".repeat(1000)}@host`;

    expect(shownText(text, 1000)).to.equal("Bearer [redacted]\n[cut]");
  });
});
