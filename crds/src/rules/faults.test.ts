import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { ruleFaults, ruleText } from "./faults.ts";
import { validRule } from "./oracle.test.support.ts";

const pods = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const metrics = { verbs: ["get"], nonResourceURLs: ["/metrics"] };

const noVerbs = "verbs is empty: a rule needs at least one verb";
const noGroups =
  'apiGroups is empty: a rule on resources needs at least one API group ("" is the core group)';
const noResources = "resources is empty: a rule needs at least one resource, or nonResourceURLs";
const mixed =
  "nonResourceURLs is set beside apiGroups, resources or resourceNames: a rule is about resources or about URLs, not both";
const namespacedUrls =
  "nonResourceURLs is set: URLs belong to no namespace, so a namespaced rule cannot allow them";

describe("ruleFaults", () => {
  for (const { name, rule, faults = [] } of [
    { name: "accepts a rule on resources", rule: pods },
    {
      name: "accepts names for several resources",
      rule: { ...pods, resources: ["pods", "secrets"], resourceNames: ["a"] },
    },
    { name: "accepts wildcards", rule: { verbs: ["*"], apiGroups: ["*"], resources: ["*"] } },
    { name: "accepts a rule on URLs", rule: metrics },
    {
      name: "accepts a rule on URLs with empty lists beside",
      rule: { ...metrics, apiGroups: [], resources: [], resourceNames: [] },
    },
    {
      name: "accepts a rule on resources with empty URLs beside",
      rule: { ...pods, nonResourceURLs: [] },
    },
    { name: "wants verbs for resources", rule: { ...pods, verbs: [] }, faults: [noVerbs] },
    { name: "wants verbs for URLs", rule: { ...metrics, verbs: [] }, faults: [noVerbs] },
    { name: "wants groups", rule: { verbs: ["get"], resources: ["pods"] }, faults: [noGroups] },
    {
      name: "wants groups that are not an empty list",
      rule: { ...pods, apiGroups: [] },
      faults: [noGroups],
    },
    { name: "wants resources", rule: { verbs: ["get"], apiGroups: [""] }, faults: [noResources] },
    {
      name: "wants resources that are not an empty list",
      rule: { ...pods, resources: [] },
      faults: [noResources],
    },
    {
      name: "wants resources for names",
      rule: { verbs: ["get"], apiGroups: [""], resourceNames: ["a"] },
      faults: [noResources],
    },
    {
      name: "names every fault of an empty rule",
      rule: { verbs: [] },
      faults: [noVerbs, noGroups, noResources],
    },
    { name: "refuses URLs beside resources", rule: { ...pods, ...metrics }, faults: [mixed] },
    { name: "refuses URLs beside groups", rule: { ...metrics, apiGroups: [""] }, faults: [mixed] },
    {
      name: "refuses URLs beside names",
      rule: { ...metrics, resourceNames: ["a"] },
      faults: [mixed],
    },
    {
      name: "names both faults of a mixed rule without verbs",
      rule: { ...pods, ...metrics, verbs: [] },
      faults: [noVerbs, mixed],
    },
  ]) {
    it(name, () => {
      const found = ruleFaults([rule], "rules");

      expect(found).to.deep.equal(faults.map((fault) => `rules[0].${fault}`));
    });
  }

  it("finds nothing wrong with no rules", () => {
    expect(ruleFaults([], "rules")).to.deep.equal([]);
  });

  it("says which rule of which field is wrong", () => {
    const found = ruleFaults(
      [pods, { ...pods, verbs: [] }, { ...pods, apiGroups: [] }],
      "namespacedRules[team-a]",
    );

    expect(found).to.deep.equal([
      `namespacedRules[team-a][1].${noVerbs}`,
      `namespacedRules[team-a][2].${noGroups}`,
    ]);
  });

  it("refuses URLs in a namespace", () => {
    const found = ruleFaults([pods, metrics], "rules", { namespaced: true });

    expect(found).to.deep.equal([`rules[1].${namespacedUrls}`]);
  });

  it("refuses URLs in a namespace beside resources for both reasons", () => {
    const found = ruleFaults([{ ...pods, ...metrics }], "rules", { namespaced: true });

    expect(found).to.deep.equal([`rules[0].${namespacedUrls}`, `rules[0].${mixed}`]);
  });

  it("finds nothing wrong with valid rules by chance, and always something once they lose their verbs", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const rule = validRule(seededRandom(seed));

      expect(ruleFaults([rule], "rules"), `seed ${seed}`).to.deep.equal([]);
      expect(ruleFaults([{ ...rule, verbs: [] }], "rules"), `seed ${seed}`).to.have.length(1);
    }
  });
});

describe("ruleText", () => {
  for (const { rule, expected } of [
    { rule: pods, expected: '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}' },
    {
      rule: {
        verbs: ["get", "list"],
        apiGroups: ["apps", ""],
        resources: ["*"],
        resourceNames: ["a"],
      },
      expected:
        '{APIGroups:["apps" ""], Resources:["*"], ResourceNames:["a"], Verbs:["get" "list"]}',
    },
    { rule: metrics, expected: '{NonResourceURLs:["/metrics"], Verbs:["get"]}' },
    { rule: { verbs: [] }, expected: "{}" },
  ]) {
    it(`writes ${expected}`, () => expect(ruleText(rule)).to.equal(expected));
  }

  it("stays in one line whatever the values are", () => {
    const text = ruleText({ ...pods, resourceNames: ['a"\nb'] });

    expect(text).to.equal(
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a\\"\\nb"], Verbs:["get"]}',
    );
  });

  it("cuts long lists", () => {
    const verbs = Array.from({ length: 12 }, (_, index) => `v${index}`);

    const text = ruleText({ ...metrics, verbs });

    expect(text).to.match(/"v9" and 2 more\]\}$/);
  });
});
