import { expect } from "chai";
import { Others } from "./others.ts";
import { accessOf, aType, tokens, typesOf } from "./testing.test.support.ts";

describe("what a caller learns of others", () => {
  const ext = { group: "ext.cattle.io", scope: "Cluster" } as const;
  const own = aType({ ...ext, kind: "Token", plural: "tokens" });
  const kubeconfigs = aType({ ...ext, kind: "Kubeconfig", plural: "kubeconfigs" });
  const types = typesOf(own, kubeconfigs, tokens);

  for (const { who, rights, expected } of [
    { who: "nobody", rights: [], expected: [false, false, false] },
    {
      who: "somebody who may list tokens and kubeconfigs",
      rights: ["get,list tokens", "get,list kubeconfigs"],
      expected: [false, false, true],
    },
    { who: "somebody who may list everything", rights: ["list *"], expected: [true, true, true] },
  ]) {
    it(`leaves out what people see only their own of, for ${who}`, () => {
      const others = new Others(undefined, types, accessOf({ "": rights }));

      const seen = [own, kubeconfigs, tokens].map(({ id }) => others.sees(id, "", "x"));

      expect(seen).to.deep.equal(expected);
    });
  }
});
