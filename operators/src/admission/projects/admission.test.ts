import {
  annotations,
  type Cluster,
  labels,
  Project,
  type ProjectSpec,
  RoleTemplate,
} from "@drover/crds";
import { aCluster, aProject, aRoleTemplate, aUser } from "@drover/crds/testing";
import { expect } from "chai";
import type { KubeObject } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { RunningAdmission } from "../../testing/admission.ts";
import { refusal } from "../../testing/refusal.ts";
import { projectDefaults, projects } from "./index.ts";

const namespaceOf = (name: string, marks: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, ...marks },
});

describe("admission of projects", function () {
  this.timeout(60_000);

  let running: RunningAdmission;
  let cluster: Cluster;

  before(async () => {
    running = await RunningAdmission.open({ webhooks: [projects, projectDefaults] });
    cluster = await newCluster();
  });
  after(() => running[Symbol.asyncDispose]());

  async function newCluster(): Promise<Cluster> {
    const made = await running.own.create(aCluster());
    await running.own.create(namespaceOf(made.metadata.name));
    return made;
  }

  function project(spec: Partial<ProjectSpec> = {}, metadata: object = {}): Project {
    const namespace = cluster.metadata.name;
    return aProject({
      metadata: { namespace, ...metadata },
      spec: { displayName: "Shop", clusterName: namespace, ...spec },
    });
  }
  const create = (...args: Parameters<typeof project>): Promise<string> =>
    refusal(running.client.create(project(...args)));
  const patch = (object: Project, merge: object): Promise<string> =>
    refusal(running.client.patch(object, { merge }));

  describe("fills in", () => {
    it("case 29: the name of the project's own namespace", async () => {
      const made = await running.client.create(project());

      expect(made.status?.backingNamespace).to.equal(
        `${cluster.metadata.name}-${made.metadata.name}`,
      );
    });

    it("case 29: the name itself where it is generated, for the namespace follows from it", async () => {
      const { name: _, ...metadata } = project().metadata;
      const wanted = { ...project(), metadata: { ...metadata, generateName: "p-" } };

      const made = await running.client.create(wanted as unknown as Project);

      expect(made.metadata.name).to.match(/^p-[a-z0-9]{5}$/);
      expect(made.status?.backingNamespace).to.equal(
        `${cluster.metadata.name}-${made.metadata.name}`,
      );
    });

    it("case 31: the roles that its creator gets, locked ones left out", async () => {
      const [one, two] = [aRoleTemplate(), aRoleTemplate()];
      for (const template of [one, two, aRoleTemplate({ locked: true })]) {
        await running.own.create({ ...template, context: "project", projectCreatorDefault: true });
      }

      const given = { [annotations.creatorRoleBindings]: '{"required":["project-owner"]}' };
      const required = await eventually(async () => {
        const dry = await running.client.create(project({}, { annotations: given }));
        const names = JSON.parse(dry.metadata.annotations?.[annotations.creatorRoleBindings] ?? "");
        return names.required.includes(two.metadata.name) ? names.required : undefined;
      });

      expect(required).to.include(one.metadata.name);
      expect(required).not.to.include("project-owner");
      expect(required).to.deep.equal([...required].sort());
      expect(await lockedAmong(required)).to.deep.equal([]);
    });

    async function lockedAmong(names: readonly string[]): Promise<readonly string[]> {
      const { items } = await running.own.list(RoleTemplate);
      return items
        .filter(({ locked }) => locked)
        .map(({ metadata }) => metadata.name)
        .filter((name) => names.includes(name));
    }

    it("nothing in a dry run", async () => {
      const made = await running.client.create(project(), { dryRun: true });

      expect(made.status).to.equal(undefined);
    });

    it("the name of its namespace again, in a dry run too, where a request leaves it out", async () => {
      const { status, ...made } = await running.client.create(project());
      const bare: Project = made;

      for (const dryRun of [true, false]) {
        const replaced = await running.client.update(bare, { dryRun });
        expect(replaced.status?.backingNamespace).to.equal(status?.backingNamespace);
      }
    });

    it("the name of an older project as that of its namespace", async () => {
      const old = await running.own.create(project());

      const changed = await running.client.patch(old, { merge: { spec: { description: "old" } } });

      expect(changed.status?.backingNamespace).to.equal(old.metadata.name);
    });

    it("the namespace again where an update leaves it out", async () => {
      const made = await running.client.create(project());
      const { status: _, ...without } = made;

      const changed = await running.client.update(without as Project);

      expect(changed.status?.backingNamespace).to.equal(made.status?.backingNamespace);
    });
  });

  describe("refuses", () => {
    it("a project whose namespace would be one that exists", async () => {
      const wanted = project();
      const name = `${cluster.metadata.name}-${wanted.metadata.name}`;
      await running.own.create(namespaceOf(name));

      expect(await refusal(running.client.create(wanted))).to.equal(
        `400 status.backingNamespace would be ${name}, and that namespace exists already`,
      );
    });

    it("to point a project at another namespace, which would be deleted with it", async () => {
      const made = await running.client.create(project());
      const old = await running.own.create(project());
      const status = { backingNamespace: "kube-system" };

      expect(await patch(made, { status })).to.equal(
        "400 status.backingNamespace must not be changed",
      );
      expect(await patch(old, { status })).to.equal("accepted");
      const { name, namespace } = old.metadata;
      const found = await running.client.get(Project, name, { namespace });
      expect(found.status?.backingNamespace).to.equal(name);
    });

    it("a project of another cluster than its namespace's, or of none", async () => {
      await running.own.create(namespaceOf(`${cluster.metadata.name}-lonely`));
      const lonely = `${cluster.metadata.name}-lonely`;

      expect(await create({ clusterName: "local" })).to.equal(
        "400 spec.clusterName must be the same as the namespace",
      );
      expect(await create({ clusterName: lonely }, { namespace: lonely })).to.equal(
        "400 spec.clusterName must be a cluster that exists",
      );
    });

    it("to move a project to another cluster", async () => {
      const made = await running.client.create(project());

      expect(await patch(made, { spec: { clusterName: "local" } })).to.equal(
        "400 spec.clusterName must not be changed",
      );
    });

    it("creators who contradict each other, and principals of others", async () => {
      const user = await running.own.create(aUser({ principalIds: ["local://ada"] }));
      const by = (principal: string): object => ({
        annotations: {
          [annotations.creatorId]: user.metadata.name,
          [annotations.creatorPrincipalName]: principal,
        },
      });

      expect(await create({}, by("local://ada"))).to.equal("accepted");
      expect(await create({}, by("local://bob"))).to.equal(
        `400 annotation ${annotations.creatorPrincipalName} must be a principal of the user in ${annotations.creatorId}`,
      );
      const both = { [annotations.creatorId]: "u", [annotations.noCreatorRbac]: "true" };
      expect(await create({}, { annotations: both })).to.match(/^400 annotations .* exclude/);
    });

    it("limits of containers below their requests", async () => {
      const containerDefaultResourceLimit = { requestsMemory: "2Gi", limitsMemory: "1Gi" };

      expect(await create({ containerDefaultResourceLimit })).to.equal(
        "422 spec.containerDefaultResourceLimit.requestsMemory must not be above limitsMemory",
      );
    });
  });

  describe("judges quotas", () => {
    const quotas = (
      limit: object | undefined,
      share: object | undefined,
    ): Partial<ProjectSpec> => ({
      ...(limit && { resourceQuota: { limit } }),
      ...(share && { namespaceDefaultResourceQuota: { limit: share } }),
    });

    it("case 43: refuses one without the other, a share above the total, and missing keys", async () => {
      for (const [limit, share, field] of [
        [{ pods: "10" }, undefined, "spec.namespaceDefaultResourceQuota"],
        [undefined, { pods: "10" }, "spec.resourceQuota"],
        [{ pods: "10" }, { pods: "11" }, "spec.namespaceDefaultResourceQuota.limit.pods"],
        [
          { pods: "1", secrets: "1" },
          { pods: "1" },
          "spec.namespaceDefaultResourceQuota.limit.secrets",
        ],
      ] as const) {
        const answer = await create(quotas(limit, share));

        expect(answer.startsWith(`422 ${field} `), answer).to.equal(true);
      }
      expect(await create(quotas({ pods: "10" }, { pods: "10" }))).to.equal("accepted");
    });

    it("case 44: refuses a total below what is used", async () => {
      const spec = quotas({ pods: "10" }, { pods: "5" });
      const resourceQuota = { limit: { pods: "10" }, usedLimit: { pods: "10" } };
      const made = await running.own.create(project({ ...spec, resourceQuota }));

      expect(await patch(made, { spec: { resourceQuota: { limit: { pods: "9" } } } })).to.equal(
        "422 spec.resourceQuota.limit.pods must not be below what the project's namespaces use already",
      );
      expect(await patch(made, { spec: { resourceQuota: { limit: { pods: "11" } } } })).to.equal(
        "accepted",
      );
    });

    it("case 45: refuses a first total without room for the namespaces there are", async () => {
      const made = await running.client.create(project());
      const id = `${cluster.metadata.name}:${made.metadata.name}`;
      for (const n of [1, 2, 3, 4]) {
        const marks = { annotations: { [annotations.projectId]: id } };
        await running.own.create(namespaceOf(`${made.metadata.name}-${n}`, marks));
      }

      const tight = { spec: quotas({ pods: "5" }, { pods: "2" }) };
      const told =
        "422 spec.resourceQuota.limit.pods must have room for spec.namespaceDefaultResourceQuota.limit.pods in each of the 4 namespaces";
      await eventually(async () => {
        const answer = await refusal(
          running.client.patch(made, { merge: tight }, { dryRun: true }),
        );
        return answer === told;
      });
      expect(await patch(made, { spec: quotas({ pods: "8" }, { pods: "2" }) })).to.equal(
        "accepted",
      );
    });

    it("lets an old quota be that breaks newer rules", async () => {
      const made = await running.own.create(project(quotas({ pods: "-1" }, { secrets: "1" })));

      expect(await patch(made, { spec: { description: "old" } })).to.equal("accepted");
    });
  });

  describe("keeps the system project", () => {
    const system = { labels: { [labels.systemProject]: "true" } };

    it("case 32: while its cluster is there", async () => {
      const made = await running.client.create(project({}, system));
      const other = await running.client.create(project());

      for (const dryRun of [true, false]) {
        expect(await refusal(running.client.delete(made, { dryRun }))).to.equal(
          "405 System Project cannot be deleted",
        );
      }
      expect(await refusal(running.client.delete(other))).to.equal("accepted");
    });

    it("lets it go with a namespace that is being deleted", async () => {
      const leaving = await newCluster();
      const namespace = leaving.metadata.name;
      const home = namespaceOf(namespace);
      const held = { metadata: { finalizers: ["drover.test/x"] } };
      await running.own.patch(home, { merge: held });
      const made = await running.client.create(
        project({ clusterName: namespace }, { ...system, namespace }),
      );
      await running.own.delete(home);

      await eventually(async () => (await refusal(running.client.delete(made))) === "accepted");

      await running.own.patch(home, { merge: { metadata: { finalizers: null } } });
    });

    it("case 19: and lets it go with its cluster", async () => {
      const leaving = await running.own.create(
        aCluster({ metadata: { finalizers: ["drover.test/x"] } }),
      );
      const namespace = leaving.metadata.name;
      await running.own.create(namespaceOf(namespace));
      const made = await running.client.create(
        project({ clusterName: namespace }, { ...system, namespace }),
      );
      await running.own.delete(leaving);

      await eventually(async () => (await refusal(running.client.delete(made))) === "accepted");

      await running.own.patch(leaving, { merge: { metadata: { finalizers: null } } });
    });
  });
});
