import { expect } from "chai";
import type { PolicyRule } from "kopf-ts/kinds";
import {
  allowsCreatingNamespaces,
  allowsPodSecurity,
  allowsRegistrationTokens,
  makesOwner,
  managementRules,
  promotedRules,
} from "./template-rules.ts";

const management = "management.cattle.io";

/** `get nodes /`, with names after the group; `/` is the core group. */
function rule(text: string): PolicyRule {
  const [verbs = "", resources = "", groups = "", names] = text.split(" ");
  const list = (part: string): string[] =>
    part.split(",").map((each) => (each === "/" ? "" : each));
  return {
    verbs: list(verbs),
    apiGroups: list(groups),
    resources: list(resources),
    ...(names !== undefined && { resourceNames: list(names) }),
  };
}

const everything = rule("* * *");

describe("promotedRules", () => {
  it("case 61: of everything are exactly seven, with cluster local alone", () => {
    expect(promotedRules([everything])).to.deep.equal([
      rule("* navlinks ui.cattle.io"),
      rule("* nodes /"),
      rule("* persistentvolumes /"),
      rule("* storageclasses storage.k8s.io"),
      rule("* apiservices apiregistration.k8s.io"),
      rule("* clusterrepos catalog.cattle.io"),
      rule(`* clusters ${management} local`),
    ]);
  });

  for (const { name, rules, expected } of [
    { name: "nothing of what is in namespaces", rules: [rule("get pods,secrets /")], expected: [] },
    {
      name: "one narrow rule of a wide one",
      rules: [rule("get,list pods,nodes /,apps")],
      expected: [rule("get,list nodes /")],
    },
    {
      name: "all resources of a group",
      rules: [rule("get * /")],
      expected: [rule("get nodes /"), rule("get persistentvolumes /")],
    },
    {
      name: "a resource of all groups",
      rules: [rule("get nodes *")],
      expected: [rule("get nodes /")],
    },
    {
      name: "names as they are",
      rules: [rule("get nodes / a,b")],
      expected: [rule("get nodes / a,b")],
    },
    {
      name: "of clusters the local one",
      rules: [rule(`get clusters ${management} c-1,local`)],
      expected: [rule(`get clusters ${management} local`)],
    },
    {
      name: "nothing of other clusters",
      rules: [rule(`get clusters ${management} c-1`)],
      expected: [],
    },
    { name: "nothing of another group", rules: [rule(`get nodes ${management}`)], expected: [] },
    {
      name: "nothing without a verb",
      rules: [{ ...rule("get nodes /"), verbs: [] }],
      expected: [],
    },
    { name: "nothing of URLs", rules: [{ verbs: ["*"], nonResourceURLs: ["*"] }], expected: [] },
  ]) {
    it(`are ${name}`, () => expect(promotedRules(rules)).to.deep.equal(expected));
  }

  it("keep the order of the rules", () => {
    const rules = [rule("list nodes /"), rule("get persistentvolumes /"), rule("get nodes /")];

    expect(promotedRules(rules)).to.deep.equal(rules);
  });
});

describe("managementRules", () => {
  it("of everything are those of one plane", () => {
    expect(managementRules([everything], "project")).to.deep.equal([
      rule(`* projectroletemplatebindings ${management}`),
      rule("* secrets /"),
    ]);
    expect(
      managementRules([everything], "cluster").map(({ resources }) => resources?.[0]),
    ).to.deep.equal([
      "clusterscans",
      "clusterregistrationtokens",
      "clusterroletemplatebindings",
      "etcdbackups",
      "nodes",
      "nodepools",
      "projects",
      "etcdsnapshots",
    ]);
  });

  for (const { name, plane, rules, expected } of [
    {
      name: "nothing of rules with names",
      plane: "cluster",
      rules: [rule(`get nodes ${management} n-1`)],
      expected: [],
    },
    {
      name: "one narrow rule with the verbs of a wide one",
      plane: "cluster",
      rules: [rule(`get,watch nodes,settings ${management},/`)],
      expected: [rule(`get,watch nodes ${management}`)],
    },
    { name: "nothing of core nodes", plane: "cluster", rules: [rule("get nodes /")], expected: [] },
    {
      name: "secrets in projects",
      plane: "project",
      rules: [rule("get secrets,configmaps /")],
      expected: [rule("get secrets /")],
    },
    {
      name: "no secrets in clusters",
      plane: "cluster",
      rules: [rule("get secrets /")],
      expected: [],
    },
    {
      name: "no projects in projects",
      plane: "project",
      rules: [rule(`get projects ${management}`)],
      expected: [],
    },
  ] as const) {
    it(`are ${name}`, () => expect(managementRules(rules, plane)).to.deep.equal(expected));
  }
});

describe("makesOwner", () => {
  for (const { text, expected } of [
    { text: `own clusters ${management}`, expected: true },
    { text: `get,own nodes,clusters *`, expected: true },
    { text: `own clusters ${management} c-1`, expected: true },
    { text: `own clusters ${management} c-2`, expected: false },
    { text: `own clusters cluster.x-k8s.io`, expected: false },
    { text: `own projects ${management}`, expected: false },
    { text: `get clusters ${management}`, expected: false },
    { text: `* * *`, expected: false },
  ]) {
    it(`is ${expected} for ${text}`, () => {
      expect(makesOwner([rule("get pods /"), rule(text)], "clusters", "c-1")).to.equal(expected);
    });
  }
});

describe("what rules allow", () => {
  for (const { text, namespaces, psa, tokens } of [
    { text: "create namespaces /", namespaces: true, psa: false, tokens: false },
    { text: "get namespaces /", namespaces: false, psa: false, tokens: false },
    { text: "create namespaces / a", namespaces: false, psa: false, tokens: false },
    { text: "* * *", namespaces: true, psa: true, tokens: true },
    { text: `updatepsa projects ${management}`, namespaces: false, psa: true, tokens: false },
    { text: `updatepsa projects ${management} p-1`, namespaces: false, psa: true, tokens: false },
    { text: `updatepsa projects ${management} p-2`, namespaces: false, psa: false, tokens: false },
    {
      text: `list clusterregistrationtokens ${management}`,
      namespaces: false,
      psa: false,
      tokens: true,
    },
    {
      text: `create clusterregistrationtokens ${management}`,
      namespaces: false,
      psa: false,
      tokens: true,
    },
    {
      text: `delete clusterregistrationtokens ${management}`,
      namespaces: false,
      psa: false,
      tokens: false,
    },
  ]) {
    it(`follows from ${text}`, () => {
      const rules = [rule("get pods /"), rule(text)];

      expect(allowsCreatingNamespaces(rules)).to.equal(namespaces);
      expect(allowsPodSecurity(rules, "p-1")).to.equal(psa);
      expect(allowsRegistrationTokens(rules)).to.equal(tokens);
    });
  }
});
