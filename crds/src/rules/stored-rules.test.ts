import { expect } from "chai";
import { storedRules } from "./stored-rules.ts";

describe("storedRules", () => {
  it("is null for none, and leaves out empty lists", () => {
    const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

    expect(storedRules([])).to.equal(null);
    expect(storedRules([{ ...rule, resourceNames: [], nonResourceURLs: [] }])).to.deep.equal([
      rule,
    ]);
  });
});
