import { Confidential } from "@drover/platform";
import { expect } from "chai";
import type { Secret } from "kopf-ts/kinds";
import { adminUser, mustChange, readPassword, withPassword } from "./desired.ts";
import { nameFrom } from "./names.ts";

const first = (text: string, generated = false) => ({ text: new Confidential(text), generated });
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const aSecret = (data?: Readonly<Record<string, string>>): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "bootstrap-secret", namespace: "cattle-system", resourceVersion: "7" },
  type: "Opaque",
  ...(data !== undefined && { data }),
});

describe("mustChange", () => {
  for (const { name, text, generated, expected } of [
    { name: "a generated one", text: "bcdfg", generated: true, expected: true },
    { name: "the one that everybody tries", text: "admin", generated: false, expected: true },
    { name: "a chosen one", text: "correct horse", generated: false, expected: false },
    { name: "one that only begins so", text: "administrator", generated: false, expected: false },
  ]) {
    it(`${expected ? "wants another for" : "takes"} ${name}`, () => {
      expect(mustChange(first(text, generated))).to.equal(expected);
    });
  }
});

describe("the bootstrap Secret", () => {
  for (const { name, secret } of [
    { name: "no Secret", secret: undefined },
    { name: "one without data", secret: aSecret() },
    { name: "one with other keys", secret: aSecret({ password: base64("x") }) },
    { name: "one with an empty key", secret: aSecret({ bootstrapPassword: "" }) },
  ]) {
    it(`holds no password: ${name}`, () => expect(readPassword(secret)).to.equal(undefined));
  }

  for (const generated of [true, false]) {
    it(`gives back what was put in, and ${generated ? "that" : "not that"} it was generated`, () => {
      const secret = withPassword(undefined, first("pässword\n", generated));

      expect(readPassword(secret)?.text.reveal()).to.equal("pässword\n");
      expect(readPassword(secret)?.generated).to.equal(generated);
    });
  }

  it("keeps the resourceVersion and what else it holds", () => {
    const secret = withPassword(aSecret({ other: "b3RoZXI=" }), first("x"));

    expect(secret).to.deep.include({ type: "Opaque", metadata: { ...secret.metadata } });
    expect(secret.metadata.resourceVersion).to.equal("7");
    expect(secret.data).to.deep.equal({ other: "b3RoZXI=", bootstrapPassword: base64("x") });
  });

  it("shows no password that was only read", () => {
    const read = readPassword(aSecret({ bootstrapPassword: base64("s3cr3t") }));
    expect(JSON.stringify(read)).not.to.contain("s3cr3t");
  });
});

describe("nameFrom", () => {
  it("gives the same name for the same seed, and another for another", () => {
    expect(nameFrom("user-", "a")).to.equal(nameFrom("user-", "a"));
    expect(nameFrom("user-", "a")).not.to.equal(nameFrom("user-", "b"));
  });

  it("looks as what the API server generates", () => {
    for (let seed = 0; seed < 100; seed++) {
      expect(nameFrom("user-", `${seed}`)).to.match(/^user-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    }
  });

  it("is in the object beside the prefix that it came from", () => {
    expect(adminUser("user-abcde", true).metadata).to.deep.include({
      name: "user-abcde",
      generateName: "user-",
    });
  });
});
