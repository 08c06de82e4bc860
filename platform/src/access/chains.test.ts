import type { PolicyRule } from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aGlobalRole,
  aGlobalRoleBinding,
  aProjectRoleTemplateBinding,
  aRoleTemplate,
} from "@drover/crds/testing";
import { expect } from "chai";
import type { KubeObject } from "kopf-ts";
import type { Caller } from "./caller.ts";
import { type Chain, declaredChains, grants, rbacChains, type Wish } from "./chains.ts";
import {
  aClusterRole,
  aRole,
  bindEverywhere,
  bindIn,
  group,
  may,
  memory,
  user,
} from "./memory.test.support.ts";
import { everything } from "./rights.ts";

const alice: Caller = { username: "u-alice", groups: ["devs"] };
const listPods: Wish = { verb: "list", apiGroup: "", resource: "pods" };
const inCluster = { cluster: "c-1" };
const inProject = { cluster: "c-1", namespace: "web", project: "c-1:p-1" };
const podLister: PolicyRule = may("list", "pods");
const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };

/** `CRTB c-1/b > RoleTemplate t`: what a chain leads through. */
const told = (chains: readonly Chain[]): readonly string[] =>
  chains.map(({ links }) =>
    links
      .map(({ kind, metadata: { namespace, name } }) =>
        [kind, [namespace, name].filter(Boolean).join("/")].join(" "),
      )
      .join(" > "),
  );

const template = (name: string, fields: object = {}, ...rules: readonly PolicyRule[]) =>
  aRoleTemplate({ metadata: { name }, rules, ...fields });
const onCluster = (fields: object = {}, metadata: object = {}) =>
  aClusterRoleTemplateBinding({
    metadata: { name: "b", namespace: "c-1", ...metadata },
    clusterName: "c-1",
    userName: "u-alice",
    roleTemplateName: "t",
    ...fields,
  });
const onProject = (fields: object = {}) =>
  aProjectRoleTemplateBinding({
    metadata: { name: "b", namespace: "c-1-p-1" },
    projectName: "c-1:p-1",
    userName: "u-alice",
    roleTemplateName: "t",
    ...fields,
  });

describe("grants", () => {
  const wish = { verb: "get", apiGroup: "apps", resource: "deployments/scale" };
  const rule: PolicyRule = {
    verbs: ["get"],
    apiGroups: ["apps"],
    resources: ["deployments/scale"],
  };

  for (const { name, changed, asked = wish, expected } of [
    { name: "the very rule", changed: {}, expected: true },
    {
      name: "stars",
      changed: { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      expected: true,
    },
    { name: "any resource's subresource", changed: { resources: ["*/scale"] }, expected: true },
    { name: "the resource alone", changed: { resources: ["deployments"] }, expected: false },
    { name: "another verb", changed: { verbs: ["list"] }, expected: false },
    { name: "another group", changed: { apiGroups: [""] }, expected: false },
    { name: "one object, any asked", changed: { resourceNames: ["a"] }, expected: false },
    {
      name: "one object, that one asked",
      changed: { resourceNames: ["a"] },
      asked: { ...wish, name: "a" },
      expected: true,
    },
  ]) {
    it(`${expected ? "takes" : "does not take"} ${name}`, () => {
      expect(grants({ ...rule, ...changed }, asked)).to.equal(expected);
    });
  }
});

describe("declaredChains", () => {
  const inherits = [
    template("t", { roleTemplateNames: ["middle"] }),
    template("middle", { roleTemplateNames: ["bottom", "t"] }),
    template("bottom", {}, podLister),
  ];
  const external = template("t", { external: true });
  const global = (fields: object) => [
    aGlobalRole({ metadata: { name: "g" }, ...fields }),
    aGlobalRoleBinding({ metadata: { name: "gb" }, userName: "u-alice", globalRoleName: "g" }),
  ];
  const throughGlobal = "GlobalRoleBinding gb > GlobalRole g";
  const throughCluster = "ClusterRoleTemplateBinding c-1/b > RoleTemplate t";
  const throughProject = "ProjectRoleTemplateBinding c-1-p-1/b > RoleTemplate t";

  const cases: readonly {
    readonly name: string;
    readonly objects: readonly KubeObject[];
    readonly place?: { cluster: string; namespace?: string; project?: string };
    readonly expected: readonly string[];
  }[] = [
    {
      name: "a template's own rule",
      objects: [template("t", {}, podLister), onCluster()],
      expected: [throughCluster],
    },
    { name: "no rule", objects: [template("t"), onCluster()], expected: [] },
    { name: "no template", objects: [onCluster()], expected: [] },
    {
      name: "what is inherited, once, also in a circle",
      objects: [...inherits, onCluster()],
      expected: [`${throughCluster} > RoleTemplate middle > RoleTemplate bottom`],
    },
    {
      name: "an external ClusterRole",
      objects: [external, aClusterRole("t", podLister), onCluster()],
      expected: [`${throughCluster} > ClusterRole t`],
    },
    {
      name: "a group",
      objects: [
        template("t", {}, podLister),
        onCluster({ userName: "", groupPrincipalName: "devs" }),
      ],
      expected: [throughCluster],
    },
    {
      name: "nothing of a binding that goes",
      objects: [template("t", {}, podLister), onCluster({}, deleted)],
      expected: [],
    },
    {
      name: "nothing of another cluster's binding",
      objects: [
        template("t", {}, podLister),
        onCluster({ clusterName: "c-2" }, { namespace: "c-2" }),
      ],
      expected: [],
    },
    {
      name: "a project's binding, in its namespaces",
      objects: [template("t", {}, podLister), onProject()],
      place: inProject,
      expected: [throughProject],
    },
    {
      name: "nothing of a project's binding in the whole cluster",
      objects: [template("t", {}, podLister), onProject()],
      expected: [],
    },
    {
      name: "nothing of a global role's own rules downstream",
      objects: global({ rules: [podLister] }),
      expected: [],
    },
    {
      name: "a global role's own rules in the local cluster",
      objects: global({ rules: [podLister] }),
      place: { cluster: "local" },
      expected: [throughGlobal],
    },
    {
      name: "a global role's rules for a namespace",
      objects: global({ namespacedRules: { web: [podLister] } }),
      place: { cluster: "local", namespace: "web" },
      expected: [throughGlobal],
    },
    {
      name: "a global role's rules for a namespace downstream",
      objects: global({ inheritedNamespacedRules: { web: [podLister] } }),
      place: { cluster: "c-1", namespace: "web" },
      expected: [throughGlobal],
    },
    {
      name: "an administrator's role downstream",
      objects: global({ rules: everything }),
      expected: [throughGlobal],
    },
    {
      name: "templates that a global role brings along",
      objects: [...global({ inheritedClusterRoles: ["t"] }), template("t", {}, podLister)],
      expected: [`${throughGlobal} > RoleTemplate t`],
    },
    {
      name: "none of them in the local cluster",
      objects: [...global({ inheritedClusterRoles: ["t"] }), template("t", {}, podLister)],
      place: { cluster: "local" },
      expected: [],
    },
  ];
  for (const { name, objects, place = inCluster, expected } of cases) {
    it(`leads through ${name}`, () => {
      expect(told(declaredChains(alice, listPods, place, memory(objects)))).to.deep.equal(expected);
    });
  }
});

describe("rbacChains", () => {
  const chains = (objects: readonly KubeObject[], namespace?: string) =>
    told(
      rbacChains(alice, listPods, namespace === undefined ? {} : { namespace }, memory(objects)),
    );

  it("leads through bindings of the cluster", () => {
    const objects = [aClusterRole("r", podLister), bindEverywhere("r", user("u-alice"))];

    expect(chains(objects)).to.deep.equal(["ClusterRoleBinding r > ClusterRole r"]);
    expect(chains(objects, "web")).to.deep.equal(["ClusterRoleBinding r > ClusterRole r"]);
  });

  it("leads through bindings of the namespace, to roles of either kind", () => {
    const objects = [
      aRole("web", "r", podLister),
      aClusterRole("cr", podLister),
      bindIn("web", "Role", "r", user("u-alice")),
      bindIn("web", "ClusterRole", "cr", group("devs")),
    ];

    expect(chains(objects, "web")).to.have.members([
      "RoleBinding web/r > Role web/r",
      "RoleBinding web/cr > ClusterRole cr",
    ]);
    expect(chains(objects, "other")).to.deep.equal([]);
  });

  it("leads nowhere by a role that is missing or grants something else", () => {
    const objects = [
      bindEverywhere("missing", user("u-alice")),
      aClusterRole("other", may("list", "secrets")),
      bindEverywhere("other", user("u-alice")),
    ];

    expect(chains(objects)).to.deep.equal([]);
  });
});
