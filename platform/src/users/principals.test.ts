import { base32, base32Hex } from "@drover/crds";
import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import {
  isLocalPrincipal,
  isSystemPrincipal,
  localPrincipal,
  localUserName,
  principalLabels,
  userNameFor,
} from "./principals.ts";

describe("base32", () => {
  for (const { text, standard, hex } of [
    { text: "", standard: "", hex: "" },
    { text: "f", standard: "MY", hex: "CO" },
    { text: "fo", standard: "MZXQ", hex: "CPNG" },
    { text: "foo", standard: "MZXW6", hex: "CPNMU" },
    { text: "foob", standard: "MZXW6YQ", hex: "CPNMUOG" },
    { text: "fooba", standard: "MZXW6YTB", hex: "CPNMUOJ1" },
    { text: "foobar", standard: "MZXW6YTBOI", hex: "CPNMUOJ1E8" },
  ]) {
    it(`encodes "${text}" as RFC 4648 says`, () => {
      expect(base32(Buffer.from(text))).to.equal(standard);
      expect(base32Hex(Buffer.from(text))).to.equal(hex);
    });
  }
});

describe("userNameFor", () => {
  it("is that of the check vector", () => {
    expect(userNameFor("github_user://1234")).to.equal("u-6vf4mrvv7e");
  });

  it("is a name that Kubernetes takes, whatever the principal", () => {
    for (const principal of ["", "x".repeat(100_000), "openldap_user://cn=Ä,dc=example", "\0"]) {
      expect(userNameFor(principal)).to.match(/^u-[a-z2-7]{10}$/);
    }
  });
});

describe("principalLabels", () => {
  it("has the principal as its key", () => {
    expect(principalLabels("github_user://1234")).to.deep.equal({
      CTKN8Q3LC9FNASR5E8T2UBPH68PJ8: "hashed-principal-name",
    });
  });

  it("has a key that Kubernetes takes, whatever the principal", () => {
    const random = seededRandom(78);
    for (let round = 0; round < 200; round += 1) {
      const principal = Array.from({ length: 1 + random.below(90) }, () =>
        String.fromCodePoint(random.below(0x3000)),
      ).join("");

      const [key = ""] = Object.keys(principalLabels(principal));

      expect(key, `seed ${random.seed}, round ${round}`).to.match(/^[0-9A-V]{1,63}$/);
    }
  });

  it("is the same for principals that begin with the same 40 bytes", () => {
    const common = "x".repeat(40);

    expect(principalLabels(`${common}1`)).to.deep.equal(principalLabels(`${common}2`));
    expect(userNameFor(`${common}1`)).not.to.equal(userNameFor(`${common}2`));
  });

  it("refuses an empty principal", () => {
    expect(() => principalLabels("")).to.throw(TypeError);
  });
});

describe("principals", () => {
  it("tell local users and system accounts", () => {
    expect(localPrincipal("u-abc")).to.equal("local://u-abc");
    expect(isLocalPrincipal("local://u-abc")).to.equal(true);
    expect(isLocalPrincipal("localx_user://u-abc")).to.equal(false);
    expect(isSystemPrincipal("system://local")).to.equal(true);
    expect(isSystemPrincipal("local://system:")).to.equal(false);
  });

  for (const { principal, name } of [
    { principal: "local://u-abc", name: "u-abc" },
    { principal: "local://a.b", name: "a.b" },
    { principal: "local://", name: undefined },
    { principal: "local://Ada", name: undefined },
    { principal: "local://../x", name: undefined },
    { principal: "github_user://u-abc", name: undefined },
  ]) {
    it(`names ${name} in ${principal}`, () => {
      expect(localUserName(principal)).to.equal(name);
    });
  }
});
