import { expect } from "chai";
import { isSecretName, maskText } from "./secrets.ts";

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
    { text: "https://user:hunter2@host/path", expected: "https://user:[redacted]@host/path" },
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
