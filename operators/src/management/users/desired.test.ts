import type { User } from "@drover/crds";
import { aGlobalRole, aUser } from "@drover/crds/testing";
import { expect } from "chai";
import { findCondition, type KubeObject } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { fakeClock } from "kopf-ts/testing";
import {
  initialBinding,
  initialRoles,
  isOf,
  missingRoles,
  settledAt,
  userPatch,
  viewBinding,
  viewRole,
} from "./desired.ts";
import { treatmentOf } from "./lock-out.ts";

const created = "lifecycle.cattle.io/create.mgmt-auth-users-controller";
const roleBindings = "authz.management.cattle.io/creator-role-bindings";
const now = Date.parse("2026-03-04T05:06:07Z");
const clock = fakeClock(now);

/** A user that needs nothing, changed by what a test cares about. */
function settled(fields: Partial<User> = {}, notes: Readonly<Record<string, string>> = {}): User {
  const metadata = {
    name: "u-abc",
    uid: "uid-1",
    resourceVersion: "7",
    annotations: { [created]: "true", ...notes },
  };
  return aUser({ principalIds: ["local://u-abc"], ...fields, metadata });
}

const wants = (text: string) => ({ [roleBindings]: text });
const populated = (status: "True" | "False") => ({
  status: { conditions: [{ type: "InitialRolesPopulated", status }] },
});

describe("the view of itself", () => {
  const user = settled();

  it("allows get of the user alone", () => {
    expect(viewRole(user)).to.deep.include({
      metadata: { name: "u-abc-view" },
      rules: [
        {
          apiGroups: ["management.cattle.io"],
          resources: ["users"],
          resourceNames: ["u-abc"],
          verbs: ["get"],
        },
      ],
    });
  });

  it("is granted to the user alone", () => {
    const { metadata, roleRef, subjects } = viewBinding(user);

    expect(metadata.name).to.equal("grb-u-abc-view");
    expect(roleRef).to.include({ kind: "ClusterRole", name: "u-abc-view" });
    expect(subjects).to.deep.equal([
      { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "u-abc" },
    ]);
  });
});

describe("initialRoles", () => {
  for (const { text, expected } of [
    { text: undefined, expected: undefined },
    { text: "", expected: undefined },
    { text: "null", expected: undefined },
    { text: "[]", expected: undefined },
    { text: '"user"', expected: undefined },
    { text: "{", expected: undefined },
    { text: "{}", expected: { required: [], created: [] } },
    { text: '{"required":["user"]}', expected: { required: ["user"], created: [] } },
    {
      text: '{"created":["a"],"required":["a","b"]}',
      expected: { required: ["a", "b"], created: ["a"] },
    },
    { text: '{"required":"user"}', expected: { required: [], created: [] } },
    { text: '{"required":[1,"user",null,""]}', expected: { required: ["user"], created: [] } },
  ]) {
    it(`reads ${text}`, () => {
      const user = settled({}, text === undefined ? {} : wants(text));
      expect(initialRoles(user)).to.deep.equal(expected);
    });
  }
});

describe("missingRoles", () => {
  const both = wants('{"created":["a"],"required":["a","b"]}');
  for (const { name, user, expected } of [
    { name: "none without the annotation", user: settled(), expected: [] },
    { name: "those not made yet", user: settled({}, both), expected: ["b"] },
    { name: "those of a failed attempt", user: settled(populated("False"), both), expected: ["b"] },
    { name: "none once they were given", user: settled(populated("True"), both), expected: [] },
  ]) {
    it(`are ${name}`, () => expect(missingRoles(user)).to.deep.equal(expected));
  }

  it("are none for a user that is being deleted", () => {
    const user = settled({}, both);
    const metadata = { ...user.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(missingRoles({ ...user, metadata })).to.deep.equal([]);
  });
});

describe("initialBinding", () => {
  const role = aGlobalRole({ metadata: { name: "user", uid: "uid-role" } });

  it("gives the role to the user, goes with the role, and is the same each time", () => {
    const binding = initialBinding(settled(), role);

    expect(binding).to.deep.equal(initialBinding(settled(), role));
    expect(binding).to.include({ userName: "u-abc", globalRoleName: "user" });
    expect(binding.metadata.name).to.match(/^grb-[0-9a-f]{10}$/);
    expect(binding.metadata.ownerReferences).to.deep.include({
      apiVersion: "management.cattle.io/v3",
      kind: "GlobalRole",
      name: "user",
      uid: "uid-role",
      controller: false,
      blockOwnerDeletion: false,
    });
  });

  it("differs for another user of the same name, and for another role", () => {
    const names = [
      initialBinding(settled(), role),
      initialBinding({ ...settled(), metadata: { name: "u-abc", uid: "uid-2" } }, role),
      initialBinding(settled(), aGlobalRole({ metadata: { name: "other", uid: "x" } })),
    ].map(({ metadata }) => metadata.name);

    expect(new Set(names).size).to.equal(3);
  });
});

describe("userPatch", () => {
  const nothing = { given: [], passwordMoved: false };
  const base = { uid: "uid-1", resourceVersion: "7" };
  const at = "2026-03-04T05:06:07Z";
  const condition = (fields: object) => ({
    status: {
      conditions: [
        { type: "InitialRolesPopulated", lastUpdateTime: at, lastTransitionTime: at, ...fields },
      ],
    },
  });
  const one = wants('{"required":["a"]}');

  for (const { name, user, findings, expected } of [
    { name: "is none for a settled user", user: settled(), findings: {}, expected: undefined },
    {
      name: "adds a principal to one that has none",
      user: settled({ principalIds: [] }),
      findings: {},
      expected: { metadata: base, principalIds: ["local://u-abc"] },
    },
    {
      name: "adds the local principal behind others",
      user: settled({ principalIds: ["github_user://1"] }),
      findings: {},
      expected: { metadata: base, principalIds: ["github_user://1", "local://u-abc"] },
    },
    {
      name: "leaves any local principal",
      user: settled({ principalIds: ["local://fakeuser"] }),
      findings: {},
      expected: undefined,
    },
    {
      name: "marks a user it has not seen",
      user: settled({}, { [created]: "" }),
      findings: {},
      expected: { metadata: { ...base, annotations: { [created]: "true" } } },
    },
    {
      name: "clears a password that was moved",
      user: settled({ password: "$2a$..." }),
      findings: { passwordMoved: true },
      expected: { metadata: base, password: null },
    },
    {
      name: "leaves a password that was not",
      user: settled({ password: "plain" }),
      findings: {},
      expected: undefined,
    },
    {
      name: "notes the roles given and that they are all",
      user: settled({}, one),
      findings: { given: ["a"] },
      expected: {
        metadata: { ...base, annotations: wants('{"created":["a"],"required":["a"]}') },
        ...condition({ status: "True" }),
      },
    },
    {
      name: "names the roles that do not exist",
      user: settled({}, one),
      findings: {},
      expected: {
        metadata: base,
        ...condition({
          status: "False",
          reason: "GlobalRoleMissing",
          message: "there is no GlobalRole a",
        }),
      },
    },
    {
      name: "says that the annotation cannot be read",
      user: settled({}, wants("{")),
      findings: {},
      expected: {
        metadata: base,
        ...condition({
          status: "False",
          reason: "InvalidAnnotation",
          message: `annotation ${roleBindings} is not {"required": [...]}`,
        }),
      },
    },
    {
      name: "tells of a user that a person made that nothing is left to give",
      user: settled({}, { "field.cattle.io/creatorId": "u-admin" }),
      findings: {},
      expected: { metadata: base, ...condition({ status: "True" }) },
    },
    {
      name: "is none once the roles were given",
      user: settled(populated("True"), one),
      findings: {},
      expected: undefined,
    },
  ]) {
    it(name, () => {
      expect(userPatch(user, { ...nothing, ...findings }, clock)).to.deep.equal(expected);
    });
  }

  it("is none a second time", () => {
    const user = settled({}, one);
    const patch = userPatch(user, nothing, clock);
    const after = { ...user, status: patch?.status } as User;

    expect(findCondition(after.status?.conditions, "InitialRolesPopulated")?.status).to.equal(
      "False",
    );
    expect(userPatch(after, nothing, fakeClock(now + 60_000))).to.equal(undefined);
  });
});

describe("isOf", () => {
  const user = aUser({
    metadata: { name: "u-abc", uid: "uid-1", creationTimestamp: "2026-01-01T00:00:00Z" },
  });
  const owner = (uid: string) => ({
    ownerReferences: [{ apiVersion: "v1", kind: "User", name: "x", uid }],
  });

  for (const { name, metadata, expected } of [
    { name: "a namespace made after the user", metadata: {}, expected: true },
    {
      name: "one made with the user",
      metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
      expected: true,
    },
    {
      name: "one made before the user",
      metadata: { creationTimestamp: "2025-12-31T23:59:59Z" },
      expected: false,
    },
    { name: "one without a date", metadata: { creationTimestamp: "" }, expected: false },
    { name: "kube-system", metadata: { name: "kube-system" }, expected: false },
    { name: "default", metadata: { name: "default" }, expected: false },
    { name: "that of a cluster", metadata: { name: "c-m-abcdefgh" }, expected: false },
    { name: "one that begins alike", metadata: { name: "kubernetes-fan" }, expected: true },
    {
      name: "one of the system",
      metadata: { annotations: { "management.cattle.io/system-namespace": "true" } },
      expected: false,
    },
    {
      name: "one of a project",
      metadata: { annotations: { "field.cattle.io/projectId": "c-a:p-b" } },
      expected: false,
    },
    { name: "one that the user owns", metadata: owner("uid-1"), expected: true },
    { name: "one that somebody else owns", metadata: owner("uid-2"), expected: false },
  ]) {
    it(`tells ${name}: ${expected}`, () => {
      const namespace: KubeObject = {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "u-abc", creationTimestamp: "2026-01-01T00:00:01Z", ...metadata },
      };
      expect(isOf(user, namespace)).to.equal(expected);
    });
  }
});

describe("settledAt", () => {
  it("is two seconds behind the deletion", () => {
    const user = aUser({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    expect(settledAt(user)).to.equal(Date.parse("2026-01-01T00:00:02Z"));
  });
});

describe("treatmentOf an ext token", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const token = (data: Readonly<Record<string, string>>, metadata: object = {}): Secret => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "token-abc", ...metadata },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
  });

  for (const { name, secret, expected } of [
    { name: "a session", secret: token({ kind: "session", enabled: "true" }), expected: "delete" },
    {
      name: "a disabled session",
      secret: token({ kind: "session", enabled: "false" }),
      expected: "delete",
    },
    {
      name: "a derived one",
      secret: token({ kind: "kubeconfig", enabled: "true" }),
      expected: "disable",
    },
    { name: "one that says nothing", secret: token({}), expected: "disable" },
    {
      name: "a disabled derived one",
      secret: token({ kind: "", enabled: "false" }),
      expected: "leave",
    },
    {
      name: "one that is being deleted",
      secret: token({ kind: "session" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      expected: "leave",
    },
  ]) {
    it(`is to ${expected} ${name}`, () => expect(treatmentOf(secret)).to.equal(expected));
  }
});
