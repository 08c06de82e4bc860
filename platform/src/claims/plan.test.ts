import { ClusterRoleTemplateBinding, ProjectRoleTemplateBinding } from "@drover/crds";
import { expect } from "chai";
import type { KubeObject, ObjectMeta } from "kopf-ts";
import { type Claimant, claimantsOf, claimIndex, claimOn, claimsOn } from "./marks.ts";
import { stepAway, stepToward } from "./plan.ts";

const ada: Claimant = {
  kind: ProjectRoleTemplateBinding,
  cluster: "c-1",
  key: "p-1/ada",
  label: "owner-ada",
};
const namesake: Claimant = { ...ada, key: "p-2/ada" };
const bob: Claimant = { ...ada, key: "p-1/bob", label: "owner-bob" };
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
const subjects = [{ kind: "User", name: "u-1" }];

const binding = (metadata: Partial<ObjectMeta> = {}, fields: object = {}): KubeObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  ...{ roleRef, subjects, ...fields },
  metadata: { name: "crb-1", uid: "1", resourceVersion: "7", ...metadata },
});
const wanted = binding({ labels: { feature: "true" } });

/** One that is there, claimed by some. */
const claimed = (claimants: readonly Claimant[], fields: object = {}): KubeObject => {
  const marks = claimants.map((each) => claimOn(wanted, each));
  return binding(
    {
      labels: { feature: "true", ...Object.fromEntries(marks.map(({ label }) => [label, "true"])) },
      annotations: Object.fromEntries(marks.map(({ name, value }) => [name, value])),
    },
    fields,
  );
};

describe("claims", () => {
  it("tell of what kind, in which cluster and where a claimant is", () => {
    const object = claimed([ada, bob]);

    expect(claimantsOf(object, ProjectRoleTemplateBinding, "c-1")).to.deep.equal([
      "p-1/ada",
      "p-1/bob",
    ]);
    expect(claimantsOf(object, ProjectRoleTemplateBinding, "local")).to.deep.equal([]);
    expect(claimantsOf(object, ClusterRoleTemplateBinding, "c-1")).to.deep.equal([]);
    expect(claimIndex.of(object)).to.include("ProjectRoleTemplateBinding c-1 p-1/ada");
  });

  it("are none once they are copied to another object", () => {
    const { metadata } = claimed([ada]);

    expect(claimsOn(binding({ ...metadata, name: "mine" }))).to.deep.equal([]);
  });
});

describe("stepToward", () => {
  it("creates what is missing with claim and label", () => {
    const step = stepToward(wanted, undefined, ada);

    expect(step).to.include({ do: "create" });
    const { object } = step as { readonly object: KubeObject };
    expect(object.metadata.labels).to.deep.equal({ feature: "true", "owner-ada": "true" });
    expect(claimantsOf(object, ProjectRoleTemplateBinding, "c-1")).to.deep.equal(["p-1/ada"]);
  });

  it("case 63: leaves alone what is as it should be, also when others have it too", () => {
    expect(stepToward(wanted, claimed([ada]), ada)).to.equal(undefined);
    expect(stepToward(wanted, claimed([ada, bob]), ada)).to.equal(undefined);
  });

  it("adds its claim to what another one has, and nothing else", () => {
    const own = claimOn(wanted, ada);

    expect(stepToward(wanted, claimed([bob]), ada)).to.deep.include({
      do: "patch",
      merge: {
        metadata: {
          uid: "1",
          labels: { "owner-ada": "true" },
          annotations: { [own.name]: own.value },
        },
      },
    });
  });

  for (const { name, fields } of [
    { name: "role", fields: { roleRef: { ...roleRef, name: "cluster-admin" } } },
    { name: "subject", fields: { subjects: [{ kind: "User", name: "u-eve" }] } },
    { name: "subject besides", fields: { subjects: [...subjects, { kind: "User", name: "e" }] } },
    { name: "subject at all", fields: { subjects: undefined } },
  ]) {
    it(`case 63: replaces one with another ${name}, and keeps all its claims`, () => {
      const step = stepToward(wanted, claimed([bob], fields), ada);

      expect(step).to.include({ do: "replace" });
      const { object } = step as { readonly object: KubeObject };
      expect(object).to.deep.include({ roleRef, subjects });
      expect(claimsOn(object).map(({ key }) => key)).to.have.members(["p-1/ada", "p-1/bob"]);
      expect(object.metadata.labels).to.include({ "owner-ada": "true", "owner-bob": "true" });
    });
  }

  it("puts back other fields without replacing the object", () => {
    const role = { ...binding(), kind: "ClusterRole", rules: [{ verbs: ["get"] }] };
    const { name, value } = claimOn(role, ada);
    const metadata = {
      ...role.metadata,
      labels: { "owner-ada": "true" },
      annotations: { [name]: value },
    };
    const live = { ...role, metadata, rules: [{ verbs: ["*"] }] } as KubeObject;

    expect(stepToward(role, live, ada)).to.deep.include({
      do: "patch",
      merge: { rules: [{ verbs: ["get"] }], metadata: { uid: "1" } },
    });
  });

  it("takes over what a Rancher labelled for it, and nobody else's", () => {
    const labelled = (label: string) => binding({ labels: { feature: "true", [label]: "true" } });

    expect(stepToward(wanted, labelled("owner-ada"), ada)).to.include({ do: "patch" });
    expect(stepToward(wanted, labelled("owner-eve"), ada)).to.include({ do: "leave" });
    expect(stepToward(wanted, binding(), ada)).to.include({ do: "leave" });
  });

  it("repairs one whose labels were taken away", () => {
    const { metadata } = claimed([ada]);
    const { labels: _, ...bare } = metadata;

    expect(stepToward(wanted, binding(bare), ada)).to.include({ do: "patch" });
  });

  it("waits for one that is being deleted", () => {
    const { metadata } = claimed([ada]);
    const going = { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };

    expect(stepToward(wanted, binding(going), ada)).to.equal(undefined);
    expect(stepAway(binding(going), ada)).to.equal(undefined);
  });
});

describe("stepAway", () => {
  it("leaves to others what only they claim", () => {
    expect(stepAway(claimed([bob]), ada)).to.equal(undefined);
  });

  it("deletes what nobody else claims, whatever labels say", () => {
    expect(stepAway(claimed([ada]), ada)).to.include({ do: "delete" });
  });

  it("takes only its own claim and label off what others have, in the version that was looked at", () => {
    const { name } = claimOn(wanted, ada);

    expect(stepAway(claimed([ada, bob]), ada)).to.deep.include({
      do: "patch",
      merge: {
        metadata: {
          resourceVersion: "7",
          annotations: { [name]: null },
          labels: { "owner-ada": null },
        },
      },
    });
  });

  it("leaves the label to a claimant of the same name in another project", () => {
    const { name } = claimOn(wanted, ada);

    expect(stepAway(claimed([ada, namesake]), ada)).to.deep.include({
      merge: { metadata: { resourceVersion: "7", annotations: { [name]: null } } },
    });
  });

  it("keeps what another hub has as well", () => {
    const elsewhere = { ...ada, cluster: "local" };

    expect(stepAway(claimed([ada, elsewhere]), ada)).to.include({ do: "patch" });
  });
});
