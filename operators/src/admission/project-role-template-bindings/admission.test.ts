import {
  type Cluster,
  type PolicyRule,
  type Project,
  ProjectRoleTemplateBinding,
  type RoleTemplate,
} from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aProject,
  aProjectRoleTemplateBinding,
  aRoleTemplate,
} from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { RunningAdmission } from "../../testing/admission.ts";
import { accepted, anyVersion, aPerson, may, mayWrite, refusal } from "../testing/people.ts";
import { clusterWithNamespace, projectWithNamespace } from "../testing/places.ts";
import { projectRoleTemplateBindingMutator, projectRoleTemplateBindingValidator } from "./index.ts";

type Fields = Partial<ProjectRoleTemplateBinding>;

describe("project role template bindings, as the API server accepts them", function () {
  this.timeout(60_000);

  const secrets = [may("get", "secrets")];
  let running: RunningAdmission;
  let cluster: Cluster;
  let project: Project;
  let template: RoleTemplate;
  let namespace: string;

  before(async () => {
    running = await RunningAdmission.open({
      webhooks: [projectRoleTemplateBindingValidator, projectRoleTemplateBindingMutator],
    });
    cluster = await clusterWithNamespace(running.own);
    project = await projectWithNamespace(running.own, cluster);
    namespace = project.status?.backingNamespace ?? "";
    template = await running.own.create(aRoleTemplate({ context: "project", rules: secrets }));
  });
  after(() => running[Symbol.asyncDispose]());

  const nameOf = ({ metadata }: Project): string => `${metadata.namespace}:${metadata.name}`;

  /** A binding in the project, of somebody who has none yet. */
  const aBinding = ({ metadata, ...fields }: Fields = {}): ProjectRoleTemplateBinding =>
    aProjectRoleTemplateBinding({
      userName: uniqueName("user"),
      projectName: nameOf(project),
      roleTemplateName: template.metadata.name,
      ...fields,
      metadata: { namespace, ...metadata },
    });

  /** One whose name is still to be made. */
  const unnamed = (fields: Fields, generateName?: string): ProjectRoleTemplateBinding => {
    const { name: _, ...metadata } = aBinding(fields).metadata;
    const generate = generateName === undefined ? {} : { generateName };
    return { ...aBinding(fields), metadata: { ...metadata, ...generate, name: "" } };
  };

  const writer = (...held: readonly PolicyRule[]) =>
    aPerson(running, [mayWrite(ProjectRoleTemplateBinding), ...held], namespace);

  it("lets people hand out what they hold in the backing namespace, the project or the cluster", async () => {
    const [here, member, owner] = [await writer(...secrets), await writer(), await writer()];
    await running.own.create(aBinding({ userName: member.name }));
    const wide = await running.own.create(aRoleTemplate({ rules: secrets }));
    await running.own.create(
      aClusterRoleTemplateBinding({
        metadata: { namespace: cluster.metadata.name },
        userName: owner.name,
        clusterName: cluster.metadata.name,
        roleTemplateName: wide.metadata.name,
      }),
    );

    for (const { client } of [here, member, owner]) await accepted(() => client.create(aBinding()));
  });

  it("refuses what the maker does not hold in this project, with 422", async () => {
    const person = await writer();
    const other = await projectWithNamespace(running.own, cluster);
    await running.own.create(
      aBinding({
        userName: person.name,
        projectName: nameOf(other),
        metadata: { name: uniqueName("prtb"), namespace: other.status?.backingNamespace ?? "" },
      }),
    );

    const { code, message } = await refusal(person.client.create(aBinding()));

    expect(code).to.equal(422);
    expect(message).to.contain(
      `roleTemplateName ${template.metadata.name} grants what user ${person.name} does not hold: in project ${nameOf(project)}`,
    );
  });

  for (const { name, fields } of [
    { name: "a user and a group", fields: { groupName: "devs" } },
    { name: "a user and a service account", fields: { serviceAccount: "ns:bot" } },
    { name: "nobody", fields: { userName: "" } },
  ]) {
    it(`refuses a binding that names ${name} with 422`, async () => {
      const { code, message } = await refusal(running.client.create(aBinding(fields)));

      expect(code).to.equal(422);
      expect(message).to.contain("OR a service account [serviceAccount]");
    });
  }

  it("takes a service account alone, of the form namespace:name", async () => {
    const bound = (serviceAccount: string) => aBinding({ userName: "", serviceAccount });

    await running.client.create(bound("ns:bot"));
    const { code, message } = await refusal(running.client.create(bound("bot")));

    expect(code).to.equal(422);
    expect(message).to.contain("serviceAccount must have the form <namespace>:<name>");
  });

  it("refuses changes of subject, project and role", async () => {
    const binding = await running.client.create(aBinding());
    const changes = {
      userName: "user-other",
      projectName: "c-other:p-other",
      roleTemplateName: "rt-other",
      serviceAccount: "ns:bot",
    };

    for (const [field, value] of Object.entries(changes)) {
      const { code, message } = await refusal(
        running.client.patch(binding, { merge: { [field]: value } }),
      );
      expect(code, field).to.equal(422);
      expect(message).to.contain(`${field} is`);
    }
  });

  it("refuses projects that do not exist and those of others with one and the same sentence", async () => {
    const other = await projectWithNamespace(running.own, cluster);
    const named = (projectName: string) =>
      refusal(running.client.create(aBinding({ projectName })));

    const [missing, elsewhere] = [
      await named(`${cluster.metadata.name}:p-nowhere`),
      await named(nameOf(other)),
    ];

    expect([missing?.code, elsewhere?.code]).to.deep.equal([422, 422]);
    expect(missing?.message).to.contain(
      `projectName must name a project of an existing cluster whose backing namespace is ${namespace}`,
    );
    expect(elsewhere?.message.replace(nameOf(other), "X")).to.contain(
      missing?.message
        .replace(`${cluster.metadata.name}:p-nowhere`, "X")
        .replace(/^.*projectName/, "projectName"),
    );
  });

  it("refuses a project that belongs to another cluster than projectName says, and names of another form", async () => {
    const clusterName = cluster.metadata.name;
    const stray = aProject({
      metadata: { name: namespace, namespace: clusterName },
      spec: { displayName: "Stray", clusterName: "c-other" },
    });
    await running.own.create(stray);

    const refusals = await Promise.all(
      [nameOf(stray), "p-abcde", ":", "a:b:c", ""].map((projectName) =>
        refusal(running.client.create(aBinding({ projectName }))),
      ),
    );

    expect(refusals.map(({ code }) => code)).to.deep.equal([422, 422, 422, 422, 422]);
    expect(refusals[0]?.message).to.contain("must name a project of an existing cluster");
    expect(refusals[1]?.message).to.contain("must have the form <cluster>:<project>");
    expect(refusals[4]?.message).to.contain("projectName is empty");
  });

  it("takes a project without a backing namespace in the namespace of its own name", async () => {
    const clusterName = cluster.metadata.name;
    const name = uniqueName("p");
    await running.own.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await running.own.create(
      aProject({
        metadata: { name, namespace: clusterName },
        spec: { displayName: "Old", clusterName },
      }),
    );

    await running.client.create(
      aBinding({
        projectName: `${clusterName}:${name}`,
        metadata: { name: uniqueName("prtb"), namespace: name },
      }),
    );
  });

  it("refuses a role template that does not exist with 404, one of another context or locked with 422", async () => {
    const ofClusters = await running.own.create(aRoleTemplate());
    const locked = await running.own.create(aRoleTemplate({ context: "project", locked: true }));

    const refusals = await Promise.all(
      ["nowhere", ofClusters.metadata.name, locked.metadata.name].map((roleTemplateName) =>
        refusal(running.client.create(aBinding({ roleTemplateName }))),
      ),
    );

    expect(refusals.map(({ code }) => code)).to.deep.equal([404, 422, 422]);
    expect(refusals[0]?.message).to.contain("roleTemplateName names role template nowhere");
    expect(refusals[1]?.message).to.contain("of context project");
    expect(refusals[2]?.message).to.contain("that is not locked");
  });

  it("refuses a duplicate with 409, until the first is gone", async () => {
    const first = await running.client.create(aBinding());
    const second = () =>
      running.client.create(aBinding({ userName: first.userName ?? "" }), { dryRun: true });

    await accepted(async () => {
      const { code, message } = await refusal(second());
      expect(code).to.equal(409);
      expect(message).to.contain(`duplicate: binding ${first.metadata.name}`);
    });
    await running.client.delete(first);
    await second();
  });

  it("makes the same name of the same binding, after prtb- unless told", async () => {
    const fields = { userName: uniqueName("user") };

    const { metadata } = await running.client.create(unnamed(fields));
    const again = await refusal(running.client.create(unnamed(fields, "prtb-")));
    const other = await running.client.create(unnamed({}, "mine-"));
    const nobody = await refusal(running.client.create(unnamed({ userName: "" }, "prtb-")));

    expect(metadata.name).to.match(/^prtb-[a-z2-7]{10}$/);
    expect(again.code).to.equal(409);
    expect(other.metadata.name).to.match(/^mine-[a-z2-7]{10}$/);
    expect(nobody.code).to.equal(400);
  });

  it("finds a project and a role template that were made a moment ago", async () => {
    for (let round = 0; round < 5; round++) {
      const young = await projectWithNamespace(running.own, cluster);
      const { metadata } = await running.own.create(aRoleTemplate({ context: "project" }));
      await running.client.create(
        aBinding({
          projectName: nameOf(young),
          roleTemplateName: metadata.name,
          metadata: { name: uniqueName("prtb"), namespace: young.status?.backingNamespace ?? "" },
        }),
      );
    }
  });

  it("lets labels and finalizers change of what is older than the rules", async () => {
    const person = await writer();
    const old = await running.own.create(
      aBinding({
        groupName: "devs",
        projectName: "nonsense",
        metadata: { name: uniqueName("prtb"), namespace, finalizers: ["drover.test/hold"] },
      }),
    );
    const reference = anyVersion(old);

    await person.client.patch(reference, { merge: { metadata: { labels: { a: "b" } } } });
    await person.client.delete(reference);
    await person.client.patch(reference, { merge: { metadata: { finalizers: null } } });

    expect(
      await running.own.find(ProjectRoleTemplateBinding, old.metadata.name, { namespace }),
    ).to.equal(undefined);
  });

  it("judges a dry run the same, and stores nothing", async () => {
    const good = aBinding();

    await running.client.create(good, { dryRun: true });
    const bad = await refusal(running.client.create(aBinding({ userName: "" }), { dryRun: true }));

    const { name } = good.metadata;
    expect(bad.code).to.equal(422);
    expect(await running.own.find(ProjectRoleTemplateBinding, name, { namespace })).to.equal(
      undefined,
    );
  });
});
