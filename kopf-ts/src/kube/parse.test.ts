import { expect } from "chai";
import { ConfigMap } from "./loopback.test.support.ts";
import { toList } from "./parse.ts";

describe("toList", () => {
  it("gives items the apiVersion and kind that built-in lists leave out", () => {
    const list = toList(ConfigMap, {
      metadata: { resourceVersion: "7" },
      items: [
        { metadata: { name: "a" } },
        { apiVersion: "v2", kind: "X", metadata: { name: "b" } },
      ],
    });

    expect(list).to.deep.equal({
      resourceVersion: "7",
      items: [
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
        { apiVersion: "v2", kind: "X", metadata: { name: "b" } },
      ],
    });
  });

  it("says that more follows, and how much", () => {
    const metadata = { resourceVersion: "7", continue: "token", remainingItemCount: 0 };

    expect(toList(ConfigMap, { metadata, items: [] })).to.deep.equal({ ...metadata, items: [] });
  });

  it("takes an empty continue token as the end", () => {
    expect(toList(ConfigMap, { metadata: { continue: "" }, items: [] })).not.to.have.property(
      "continue",
    );
  });

  it("takes null as no items", () => {
    expect(toList(ConfigMap, { items: null }).items).to.deep.equal([]);
  });

  for (const answer of [{}, { items: {} }]) {
    it(`refuses ${JSON.stringify(answer)}`, () => {
      expect(() => toList(ConfigMap, answer)).to.throw("the list of configmaps has no items");
    });
  }
});
