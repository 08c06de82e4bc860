import { GlobalRoleBinding, Token, UserAttribute } from "@drover/crds";
import { aGlobalRoleBinding, aToken, aUser, aUserAttribute } from "@drover/crds/testing";
import { expect } from "chai";
import { type CacheAccess, type Kind, type KubeObject, resourceName } from "kopf-ts";
import { blindKinds, leftBy, ownerOfSecret, referring } from "./references.ts";

/** What a cache of a kind shows. */
interface Shown {
  readonly phase?: string;
  readonly objects?: readonly KubeObject[];
}

/** Caches that show what is given by resource, found by the indexes that the controller declares; all others are empty. */
function caches(shown: Readonly<Record<string, Shown>>): CacheAccess {
  const access = (kind: Kind) => {
    const { phase = "live", objects = [] } = shown[resourceName(kind)] ?? {};
    const indexes = referring.find((each) => each.kind === kind)?.indexes ?? {};
    return {
      kind,
      watchState: { phase },
      get: (name: string) => objects.find(({ metadata }) => metadata.name === name),
      byIndex: (index: string, value: string) =>
        objects.filter((object) => indexes[index]?.(object).includes(value)),
    };
  };
  return access as unknown as CacheAccess; // what the functions under test use of it
}

const names = (objects: readonly KubeObject[]): readonly string[] =>
  objects.map(({ metadata }) => metadata.name);

describe("leftBy", () => {
  const user = aUser({
    metadata: { name: "u-a" },
    principalIds: ["local://u-a", "github_user://1"],
  });
  const binding = (name: string, fields: Partial<GlobalRoleBinding>, metadata = {}) =>
    ({
      ...aGlobalRoleBinding({ metadata: { name, ...metadata } }),
      userName: "",
      ...fields,
    }) as const;

  it("finds bindings by name, and by principal where these name nobody yet", () => {
    const objects = [
      binding("by-name", { userName: "u-a" }),
      binding("by-principal", { userPrincipalName: "github_user://1" }),
      binding("of-another", { userName: "u-b", userPrincipalName: "github_user://1" }),
      binding("of-a-group", { groupPrincipalName: "u-a" }),
      binding("going", { userName: "u-a" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    ];

    const left = leftBy(user, caches({ [resourceName(GlobalRoleBinding)]: { objects } }));

    expect(names(left)).to.deep.equal(["by-name", "by-principal"]);
  });

  it("finds tokens by user or label, and the attributes by name", () => {
    const label = { "authn.management.cattle.io/token-userId": "u-a" };
    const tokens = [
      aToken({ metadata: { name: "by-user" }, userId: "u-a" }),
      aToken({ metadata: { name: "by-label", labels: label }, userId: "" }),
      aToken({ metadata: { name: "of-another", labels: label }, userId: "u-b" }),
    ];
    const attributes = ["u-a", "u-b"].map((name) => aUserAttribute({ metadata: { name } }));

    const left = leftBy(
      user,
      caches({
        [resourceName(Token)]: { objects: tokens },
        [resourceName(UserAttribute)]: { objects: attributes },
      }),
    );

    expect(names(left)).to.deep.equal(["by-user", "by-label", "u-a"]);
  });
});

describe("blindKinds", () => {
  it("are none while all caches follow the server", () => {
    expect(blindKinds(caches({}))).to.deep.equal([]);
  });

  for (const { resource, kind } of [
    { resource: "globalrolebindings.management.cattle.io", kind: "GlobalRoleBinding" },
    { resource: "tokens.management.cattle.io", kind: "Token" },
    { resource: "secrets", kind: "Secret" },
    { resource: "userattributes.management.cattle.io", kind: "UserAttribute" },
  ]) {
    it(`are those whose caches lost their watch: ${kind}`, () => {
      expect(blindKinds(caches({ [resource]: { phase: "degraded" } }))).to.deep.equal([kind]);
    });
  }
});

describe("ownerOfSecret", () => {
  it("is the user that the label names", () => {
    const secret = { apiVersion: "v1", kind: "Secret" };
    const labels = { "cattle.io/user-id": "u-a" };

    expect(ownerOfSecret({ ...secret, metadata: { name: "x", labels } })).to.deep.equal(["u-a"]);
    expect(ownerOfSecret({ ...secret, metadata: { name: "x" } })).to.deep.equal([]);
  });
});
