import {
  type Cluster,
  ClusterRoleTemplateBinding,
  labels,
  type PolicyRule,
  type RoleTemplate,
} from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aGlobalRole,
  aGlobalRoleBinding,
  aRoleTemplate,
} from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { RunningAdmission } from "../../testing/admission.ts";
import { accepted, anyVersion, aPerson, may, mayWrite, refusal } from "../testing/people.ts";
import { clusterWithNamespace } from "../testing/places.ts";
import { clusterRoleTemplateBindingMutator, clusterRoleTemplateBindingValidator } from "./index.ts";

type Fields = Partial<ClusterRoleTemplateBinding>;

describe("cluster role template bindings, as the API server accepts them", function () {
  this.timeout(60_000);

  const secrets = [may("get", "secrets")];
  let running: RunningAdmission;
  let cluster: Cluster;
  let template: RoleTemplate;

  before(async () => {
    running = await RunningAdmission.open({
      webhooks: [clusterRoleTemplateBindingValidator, clusterRoleTemplateBindingMutator],
    });
    cluster = await clusterWithNamespace(running.own);
    template = await running.own.create(aRoleTemplate({ rules: secrets }));
  });
  after(() => running[Symbol.asyncDispose]());

  /** A binding in the cluster, of somebody who has none yet. */
  const aBinding = ({ metadata, ...fields }: Fields = {}): ClusterRoleTemplateBinding =>
    aClusterRoleTemplateBinding({
      userName: uniqueName("user"),
      clusterName: cluster.metadata.name,
      roleTemplateName: template.metadata.name,
      ...fields,
      metadata: { ...metadata, namespace: cluster.metadata.name },
    });

  /** One whose name is still to be made. */
  const unnamed = (fields: Fields, generateName?: string): ClusterRoleTemplateBinding => {
    const { name: _, ...metadata } = aBinding(fields).metadata;
    const generate = generateName === undefined ? {} : { generateName };
    return { ...aBinding(fields), metadata: { ...metadata, ...generate, name: "" } };
  };

  const writer = (...held: readonly PolicyRule[]) =>
    aPerson(running, [mayWrite(ClusterRoleTemplateBinding), ...held], cluster.metadata.name);

  it("lets people hand out what they hold in the cluster's namespace", async () => {
    const person = await writer(...secrets);

    await accepted(() => person.client.create(aBinding()));
  });

  it("lets people hand out what a binding or a global role gives them in the cluster", async () => {
    const [member, ranger] = [await writer(), await writer()];
    await running.own.create(aBinding({ userName: member.name }));
    const role = await running.own.create(
      aGlobalRole({ rules: [], inheritedClusterRoles: [template.metadata.name] }),
    );
    await running.own.create(
      aGlobalRoleBinding({ userName: ranger.name, globalRoleName: role.metadata.name }),
    );

    await accepted(() => member.client.create(aBinding()));
    await accepted(() => ranger.client.create(aBinding()));
  });

  it("refuses what the maker does not hold in this cluster, with 422", async () => {
    const person = await writer();
    const other = await clusterWithNamespace(running.own);
    await running.own.create(
      aClusterRoleTemplateBinding({
        metadata: { namespace: other.metadata.name },
        userName: person.name,
        clusterName: other.metadata.name,
        roleTemplateName: template.metadata.name,
      }),
    );

    const { code, message } = await refusal(person.client.create(aBinding()));

    expect(code).to.equal(422);
    expect(message).to.contain(
      `roleTemplateName ${template.metadata.name} grants what user ${person.name} does not hold: in cluster ${cluster.metadata.name}`,
    );
    expect(message).to.contain('Resources:["secrets"]');
  });

  for (const { name, fields, found } of [
    { name: "a user and a group", fields: { groupName: "devs" }, found: "more than one of them" },
    {
      name: "a user and a group principal",
      fields: { groupPrincipalName: "github_team://1" },
      found: "more than one of them",
    },
    { name: "nobody", fields: { userName: "" }, found: "names nobody" },
  ]) {
    it(`case 58: refuses a binding that names ${name} with 422`, async () => {
      const { code, message } = await refusal(running.client.create(aBinding(fields)));

      expect(code).to.equal(422);
      expect(message).to.contain(
        "must target a user [userName]/[userPrincipalName] OR a group [groupName]/[groupPrincipalName]",
      );
      expect(message).to.contain(found);
    });
  }

  it("case 58: refuses changes of subject, cluster and role", async () => {
    const binding = await running.client.create(aBinding());
    const changes = {
      userName: "user-other",
      clusterName: "c-other",
      roleTemplateName: "rt-other",
      groupName: "devs",
    };

    for (const [field, value] of Object.entries(changes)) {
      const { code, message } = await refusal(
        running.client.patch(binding, { merge: { [field]: value } }),
      );
      expect(code, field).to.equal(422);
      expect(message).to.match(field === "groupName" ? /must target/ : new RegExp(`${field} is`));
    }
  });

  it("lets a subject be filled in once, by who could hand out the role", async () => {
    const binding = await running.client.create(aBinding());
    const person = await writer();
    const fill = (userPrincipalName: string) => ({ merge: { userPrincipalName } });

    const refused = await refusal(person.client.patch(binding, fill("local://x")));
    const filled = await running.client.patch(binding, fill("local://x"));
    const again = await refusal(running.client.patch(filled, fill("local://y")));

    expect(refused.code).to.equal(422);
    expect(refused.message).to.contain("does not hold");
    expect(again.message).to.contain("userPrincipalName is set once");
  });

  it("refuses a cluster that is none, is another's namespace, or is left out", async () => {
    const nowhere = uniqueName("c");
    await running.own.create({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: nowhere },
    });
    const ghost = aClusterRoleTemplateBinding({
      metadata: { namespace: nowhere },
      clusterName: nowhere,
      roleTemplateName: template.metadata.name,
    });

    const refusals = [
      await refusal(running.client.create(ghost)),
      await refusal(running.client.create(aBinding({ clusterName: "c-other" }))),
      await refusal(running.client.create(aBinding({ clusterName: "" }))),
    ];

    expect(refusals.map(({ code }) => code)).to.deep.equal([422, 422, 422]);
    expect(refusals[0]?.message).to.contain(
      `clusterName names cluster ${nowhere}, which does not exist`,
    );
    expect(refusals[1]?.message).to.contain("clusterName must be the binding's namespace");
    expect(refusals[2]?.message).to.contain("clusterName is empty");
  });

  it("refuses a role template that does not exist with 404", async () => {
    const { code, message } = await refusal(
      running.client.create(aBinding({ roleTemplateName: "nowhere" })),
    );

    expect(code).to.equal(404);
    expect(message).to.contain(
      "roleTemplateName names role template nowhere, which does not exist",
    );
  });

  it("refuses a role template of another context", async () => {
    const other = await running.own.create(aRoleTemplate({ context: "project" }));

    const { code, message } = await refusal(
      running.client.create(aBinding({ roleTemplateName: other.metadata.name })),
    );

    expect(code).to.equal(422);
    expect(message).to.contain("must name a role template of context cluster");
  });

  it("refuses a locked role template, unless a live GlobalRoleBinding owns the binding", async () => {
    const locked = await running.own.create(aRoleTemplate({ locked: true }));
    const owner = await running.own.create(aGlobalRoleBinding());
    const owned = (name: string) =>
      aBinding({
        roleTemplateName: locked.metadata.name,
        metadata: { name: uniqueName("crtb"), labels: { [labels.globalRoleBindingOwner]: name } },
      });

    const refused = await refusal(
      running.client.create(aBinding({ roleTemplateName: locked.metadata.name })),
    );
    const orphan = await refusal(running.client.create(owned("nowhere")));
    const binding = await running.client.create(owned(owner.metadata.name));
    const disowned = await refusal(
      running.client.patch(binding, {
        merge: { metadata: { labels: { [labels.globalRoleBindingOwner]: null } } },
      }),
    );

    expect([refused.code, orphan.code, disowned.code]).to.deep.equal([422, 422, 422]);
    expect(refused.message).to.contain("that is not locked");
    expect(orphan.message).to.contain("must name a GlobalRoleBinding that exists");
    expect(disowned.message).to.contain("grb-owner is immutable");
  });

  it("case 64: refuses a duplicate with 409, until the first is gone", async () => {
    const first = await running.client.create(aBinding());
    const second = () =>
      running.client.create(aBinding({ userName: first.userName ?? "" }), { dryRun: true });

    const { message } = await accepted(async () => {
      const refused = await refusal(second());
      expect(refused.code).to.equal(409);
      return refused;
    });
    await running.client.delete(first);
    await second();

    expect(message).to.contain(`duplicate: binding ${first.metadata.name} gives roleTemplateName`);
  });

  it("tells nobody about a duplicate who could not hand out the role", async () => {
    const first = await running.client.create(aBinding());
    const person = await writer();

    const { message } = await refusal(
      person.client.create(aBinding({ userName: first.userName ?? "" })),
    );

    expect(message).to.contain("does not hold").and.not.contain("duplicate");
  });

  it("makes the same name of the same binding, so that it cannot be made twice", async () => {
    const fields = { userName: uniqueName("user") };

    const { metadata } = await running.client.create(unnamed(fields, "crtb-"));
    const again = await refusal(running.client.create(unnamed(fields, "crtb-")));

    expect(metadata.name).to.match(/^crtb-[a-z2-7]{10}$/);
    expect(again.code).to.equal(409);
  });

  it("refuses what has neither a name nor generateName, or no subject to make a name of", async () => {
    const refusals = [
      await refusal(running.client.create(unnamed({}))),
      await refusal(running.client.create(unnamed({ userName: "" }, "crtb-"))),
    ];

    expect(refusals.map(({ code }) => code)).to.deep.equal([400, 400]);
    expect(refusals[0]?.message).to.contain("metadata.name or metadata.generateName must be set");
    expect(refusals[1]?.message).to.contain("names no subject");
  });

  it("finds a cluster and a role template that were made a moment ago", async () => {
    for (let round = 0; round < 5; round++) {
      const young = await clusterWithNamespace(running.own);
      const { metadata } = await running.own.create(aRoleTemplate());
      await running.client.create(
        aClusterRoleTemplateBinding({
          metadata: { namespace: young.metadata.name },
          clusterName: young.metadata.name,
          roleTemplateName: metadata.name,
        }),
      );
    }
  });

  it("lets labels and finalizers change of what is older than the rules", async () => {
    const person = await writer();
    const old = await running.own.create(
      aBinding({
        groupName: "devs",
        roleTemplateName: "nowhere",
        metadata: { name: uniqueName("crtb"), finalizers: ["drover.test/hold"] },
      }),
    );
    const reference = anyVersion(old);

    await person.client.patch(reference, { merge: { metadata: { labels: { a: "b" } } } });
    await person.client.delete(reference);
    await person.client.patch(reference, { merge: { metadata: { finalizers: null } } });

    const { name, namespace } = old.metadata;
    expect(await running.own.find(ClusterRoleTemplateBinding, name, { namespace })).to.equal(
      undefined,
    );
  });

  it("judges a dry run the same, and stores nothing", async () => {
    const good = aBinding();

    await running.client.create(good, { dryRun: true });
    const bad = await refusal(running.client.create(aBinding({ userName: "" }), { dryRun: true }));

    const { name, namespace } = good.metadata;
    expect(bad.code).to.equal(422);
    expect(await running.own.find(ClusterRoleTemplateBinding, name, { namespace })).to.equal(
      undefined,
    );
  });
});
