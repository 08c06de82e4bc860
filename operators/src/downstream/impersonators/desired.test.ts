import { aUser, aUserAttribute } from "@drover/crds/testing";
import { expect } from "chai";
import type { ClusterRole } from "kopf-ts/kinds";
import { account, clusterRole } from "./desired.ts";

const ada = aUser({ metadata: { name: "u-ada" }, displayName: "Ada", principalIds: ["b", "a"] });
const rulesOf = ({ rules }: ClusterRole) =>
  rules?.map(({ apiGroups, resources, resourceNames = ["*"] }) =>
    [apiGroups?.join() || "core", resources?.join(), resourceNames.join(" ")].join(" "),
  );
const everybody = "system:authenticated system:cattle:authenticated";
const same = [
  "core users u-ada",
  "authentication.k8s.io userextras/requesttokenid *",
  "authentication.k8s.io userextras/requesthost *",
];

describe("clusterRole", () => {
  it("lets the account act as the user, as its User tells who has no attributes", () => {
    const role = clusterRole(ada, undefined);

    expect(role.metadata).to.deep.equal({
      name: "cattle-impersonation-u-ada",
      labels: { "authz.cluster.cattle.io/impersonator": "true" },
    });
    expect(new Set(role.rules?.flatMap(({ verbs }) => verbs))).to.deep.equal(
      new Set(["impersonate"]),
    );
    expect(rulesOf(role)).to.deep.equal([
      ...same,
      `core groups ${everybody}`,
      "authentication.k8s.io userextras/principalid a b",
      "authentication.k8s.io userextras/username Ada",
    ]);
  });

  it("takes groups, as logins carry them, and what else is told from all providers, sorted and without doubles", () => {
    const group = (name: string) => ({ metadata: { name } });
    const attribute = aUserAttribute({
      GroupPrincipals: {
        github: { Items: [group("github_team://2"), group("github_team://1")] },
        local: { Items: [group("github_team://1"), group("local://g-1"), {}] },
        openldap: { Items: null },
      },
      ExtraByProvider: {
        github: { principalid: ["github_user://9"], username: ["ada"] },
        local: { principalid: ["local://u-ada"], username: ["ada"] },
      },
    });

    expect(rulesOf(clusterRole(ada, attribute))).to.deep.equal([
      ...same,
      `core groups g-1 github_team://1 github_team://2 ${everybody}`,
      "authentication.k8s.io userextras/principalid github_user://9 local://u-ada",
      "authentication.k8s.io userextras/username ada",
    ]);
  });

  it("has no rule without names, which would allow any value, where nothing is known", () => {
    const attribute = aUserAttribute({ GroupPrincipals: null, ExtraByProvider: null });

    expect(rulesOf(clusterRole(ada, attribute))).to.deep.equal([
      ...same,
      `core groups ${everybody}`,
    ]);
  });
});

describe("account", () => {
  it("is a ServiceAccount that has the role, and belongs to it", () => {
    const role = clusterRole(ada, undefined);
    const [made, binding] = account({ ...role, metadata: { ...role.metadata, uid: "7" } });

    const owner = [
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        name: "cattle-impersonation-u-ada",
        uid: "7",
      },
    ];
    expect(made?.metadata).to.deep.include({
      name: "cattle-impersonation-u-ada",
      namespace: "cattle-impersonation-system",
      ownerReferences: owner,
    });
    expect(binding).to.deep.include({
      roleRef: {
        apiGroup: "rbac.authorization.k8s.io",
        kind: "ClusterRole",
        name: "cattle-impersonation-u-ada",
      },
      subjects: [
        {
          kind: "ServiceAccount",
          name: "cattle-impersonation-u-ada",
          namespace: "cattle-impersonation-system",
        },
      ],
    });
    expect(binding?.metadata.ownerReferences).to.deep.equal(owner);
  });
});
