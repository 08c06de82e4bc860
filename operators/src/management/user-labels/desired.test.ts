import { aUser } from "@drover/crds/testing";
import { expect } from "chai";
import { labelChanges, retentionLabels } from "./desired.ts";

const [last, disable, remove] = [
  "cattle.io/last-login",
  "cattle.io/disable-after",
  "cattle.io/delete-after",
];

describe("retentionLabels", () => {
  it("are seconds since the epoch, rounded down", () => {
    const times = { lastLogin: 1_700_000_000_999, disableAt: 1_700_000_060_000, deleteAt: 0 };

    expect(retentionLabels(times)).to.deep.equal({
      [last]: "1700000000",
      [disable]: "1700000060",
      [remove]: "0",
    });
  });

  it("are absent for what never comes", () => {
    expect(retentionLabels({})).to.deep.equal({ [last]: null, [disable]: null, [remove]: null });
  });
});

describe("labelChanges", () => {
  const wanted = { [last]: "1", [disable]: "2", [remove]: null };
  for (const { name, labels, expected } of [
    {
      name: "are none where all is right",
      labels: { [last]: "1", [disable]: "2" },
      expected: undefined,
    },
    {
      name: "leave other labels",
      labels: { [last]: "1", [disable]: "2", a: "b" },
      expected: undefined,
    },
    {
      name: "are all for a user without labels",
      labels: undefined,
      expected: { [last]: "1", [disable]: "2" },
    },
    {
      name: "take away what is not wanted",
      labels: { [last]: "1", [disable]: "2", [remove]: "3" },
      expected: { [remove]: null },
    },
    {
      name: "correct what is wrong",
      labels: { [last]: "9", [disable]: "2" },
      expected: { [last]: "1" },
    },
  ]) {
    it(name, () => {
      const user = aUser(labels === undefined ? {} : { metadata: { labels } });
      expect(labelChanges(user, wanted)).to.deep.equal(expected);
    });
  }
});
