import { aFeature, aToken } from "@drover/crds/testing";
import { verifyKey } from "@drover/platform";
import { expect } from "chai";
import { Beginning, hashPatch, isOurs, isPlain, plainness } from "./desired.ts";

const hashed = { annotations: { "authn.management.cattle.io/token-hashed": "true" } };

describe("isPlain", () => {
  for (const { name, token, expected } of [
    { name: "a key", token: aToken({ token: "key" }), expected: true },
    { name: "a hash", token: aToken({ token: "$3:1:a:b", metadata: hashed }), expected: false },
    { name: "no key", token: aToken(), expected: false },
    { name: "an empty key", token: aToken({ token: "" }), expected: false },
    { name: "a number", token: { ...aToken(), token: 7 } as never, expected: false },
    {
      name: "an annotation that says something else",
      token: aToken({
        token: "key",
        metadata: { annotations: { "authn.management.cattle.io/token-hashed": "false" } },
      }),
      expected: true,
    },
  ]) {
    it(`of a token with ${name} is ${expected}`, () => {
      expect(isPlain(token)).to.equal(expected);
      expect(plainness(token)).to.deep.equal(expected ? ["plain"] : []);
    });
  }
});

describe("isOurs", () => {
  it("is feature token-hashing alone", () => {
    expect(isOurs(aFeature({ metadata: { name: "token-hashing" } }))).to.equal(true);
    expect(isOurs(aFeature({ metadata: { name: "legacy" } }))).to.equal(false);
  });
});

describe("hashPatch", () => {
  it("names the very state that it was made from, and not the key", async () => {
    const metadata = { uid: "u", resourceVersion: "7", labels: { kept: "yes" } };
    const token = aToken({ token: "plain-key", metadata });

    const patch = hashPatch(token) as { readonly token: string };

    expect({ ...patch, token: "" }).to.deep.equal({
      metadata: { uid: "u", resourceVersion: "7", ...hashed },
      token: "",
    });
    expect(await verifyKey("plain-key", patch.token, true)).to.equal(true);
    expect(JSON.stringify(patch)).to.not.contain("plain-key");
  });
});

describe("Beginning", () => {
  it("lets nothing begin while the feature is off, nor for ten seconds after", () => {
    const beginning = new Beginning();

    expect(beginning.wait(false, 5_000)).to.equal(undefined);
    expect(beginning.wait(true, 20_000)).to.equal(10_000);
    expect(beginning.wait(true, 29_999)).to.equal(1);
    expect(beginning.wait(true, 30_000)).to.equal(0);
    expect(beginning.wait(true, 90_000)).to.equal(0);
  });

  it("counts anew when the feature was off in between", () => {
    const beginning = new Beginning();
    beginning.wait(true, 0);

    beginning.wait(false, 60_000);

    expect(beginning.wait(true, 61_000)).to.equal(10_000);
  });
});
