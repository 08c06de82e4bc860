import { idOfProject, Project, type ProjectSpec } from "@drover/crds";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { intercept, type ObjectMeta, refTo } from "kopf-ts";
import { Namespace, ResourceQuota } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { RunningDownstream } from "../../testing/downstream.ts";
import { eventsIn } from "../../testing/events.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { annotate, inside, newNamespace, newProject } from "../../testing/projects.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { resourceQuotas } from "./index.ts";

const label = "resourcequota.management.cattle.io/default-resource-quota";
const projectId = "field.cattle.io/projectId";
const counted = "field.cattle.io/resourceQuotaProjectId";
const quotaKey = "field.cattle.io/resourceQuota";
const within = { within: 15_000 };

const pods = (limit: string, share: string): Partial<ProjectSpec> => ({
  resourceQuota: { limit: { pods: limit } },
  namespaceDefaultResourceQuota: { limit: { pods: share } },
});
const asking = (amount: string) => ({ [quotaKey]: JSON.stringify({ limit: { pods: amount } }) });

describe("resource-quotas between a hub and a cluster", function () {
  this.timeout(60_000);
  let running: RunningDownstream;

  eachDownstream((opened) => {
    running = opened;
  });

  const aProjectWith = (spec: Partial<ProjectSpec>, metadata: Partial<ObjectMeta> = {}) =>
    newProject(running, { spec, metadata });
  const aNamespaceIn = (project: Project, more: Readonly<Record<string, string>> = {}) =>
    newNamespace(running, { ...inside(project), ...more });
  const quotasIn = async ({ metadata: { name } }: Namespace) =>
    (await running.cluster.list(ResourceQuota, { namespace: name })).items;
  /** The hard limits of the one labelled quota, once they are these. */
  const hardOf = async (namespace: Namespace) => {
    const labelled = (await quotasIn(namespace)).filter(
      ({ metadata }) => metadata.labels?.[label] === "true",
    );
    return labelled.length === 1 ? labelled[0]?.spec?.hard : undefined;
  };
  const untilHard = (namespace: Namespace, hard: Readonly<Record<string, string>>) =>
    eventually(async () => sameJson(await hardOf(namespace), hard), within);
  const untilUsed = ({ metadata: { name } }: Project, used: unknown) =>
    eventually(async () => {
      const found = await running.hub.get(Project, name, { namespace: running.name });
      return sameJson(found.spec?.resourceQuota?.usedLimit ?? {}, used);
    }, within);
  const live = ({ metadata: { name } }: Namespace) => running.cluster.get(Namespace, name);
  const conditionsOf = async (namespace: Namespace) => {
    const text = (await live(namespace)).metadata.annotations?.["cattle.io/status"];
    const { Conditions = [] } = JSON.parse(text ?? "{}") as {
      readonly Conditions?: readonly {
        readonly Type: string;
        readonly Status: string;
        readonly Message: string;
      }[];
    };
    return new Map(Conditions.map((each) => [each.Type, each]));
  };

  it("case 39: gives a namespace what it asks for, in a quota with Rancher's name and label", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("100", "10"));
    const namespace = await aNamespaceIn(project, asking("4"));

    await untilHard(namespace, { pods: "4" });
    await untilUsed(project, { pods: "4" });

    const [quota] = await quotasIn(namespace);
    expect(quota?.metadata.name).to.match(/^default-[a-z0-9]{5}$/);
    expect((await live(namespace)).metadata.annotations).to.include({
      ...asking("4"),
      [counted]: idOfProject(project),
    });
    const conditions = await conditionsOf(namespace);
    expect(conditions.get("ResourceQuotaInit")?.Status).to.equal("True");
    expect(conditions.get("ResourceQuotaValidated")?.Status).to.equal("True");
  });

  it("case 40: gives one that asks for nothing its share, and tells the project", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("100", "4"));
    const namespace = await aNamespaceIn(project);

    await untilHard(namespace, { pods: "4" });
    await untilUsed(project, { pods: "4" });
    await eventually(
      async () =>
        (await live(namespace)).metadata.annotations?.[quotaKey] === '{"limit":{"pods":"4"}}',
      within,
    );
  });

  it("case 41: zeroes what does not fit, counts nothing for it, and says so once", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("100", "10"));
    const namespace = await aNamespaceIn(project, asking("200"));

    await untilHard(namespace, { pods: "0" });
    await eventually(async () => (await conditionsOf(namespace)).size === 2, within);
    await quiet(running);
    await running.flush();

    expect((await conditionsOf(namespace)).get("ResourceQuotaValidated")).to.include({
      Status: "False",
      Message: "Oversubscribed resource quota [pods=200]",
    });
    await untilUsed(project, {});
    expect(await eventsIn(running.hub, running.name, project.metadata.name)).to.deep.equal([
      `ResourceQuotaRefused: namespace ${namespace.metadata.name}: Oversubscribed resource quota [pods=200]`,
    ]);
  });

  it("case 42: looks at the siblings, and leaves out what the project does not give out", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith({
      resourceQuota: { limit: { limitsCpu: "500m" } },
      namespaceDefaultResourceQuota: { limit: { limitsCpu: "200m" } },
    });
    const request = (limit: object) => ({ [quotaKey]: JSON.stringify({ limit }) });
    const sibling = await aNamespaceIn(project, request({ limitsCpu: "190m" }));
    await untilHard(sibling, { "limits.cpu": "190m" });
    const namespace = await aNamespaceIn(project, request({ limitsCpu: "400m", configMaps: "50" }));

    await untilHard(namespace, { "limits.cpu": "0" });

    expect(await hardOf(sibling)).to.deep.equal({ "limits.cpu": "190m" });
    await untilUsed(project, { limitsCpu: "190m" });
  });

  it("case 46, 47: follows the project's quota as it comes, grows, shrinks and goes", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith({});
    const namespace = await aNamespaceIn(project);
    const ref = refTo(Project, project.metadata.name, running.name);

    await running.hub.patch(ref, { merge: { spec: pods("100", "4") } });
    await untilHard(namespace, { pods: "4" });
    const secrets = {
      resourceQuota: { limit: { secrets: "9" } },
      namespaceDefaultResourceQuota: { limit: { secrets: "2" } },
    };
    await running.hub.patch(ref, { merge: { spec: secrets } });
    await untilHard(namespace, { pods: "4", secrets: "2" });
    await untilUsed(project, { pods: "4", secrets: "2" });
    const none = {
      resourceQuota: { limit: { pods: null } },
      namespaceDefaultResourceQuota: { limit: { pods: null } },
    };
    await running.hub.patch(ref, { merge: { spec: none } });
    await untilHard(namespace, { secrets: "2" });
    await untilUsed(project, { secrets: "2" });
    await running.hub.patch(ref, {
      merge: { spec: { resourceQuota: null, namespaceDefaultResourceQuota: null } },
    });

    await eventually(async () => (await quotasIn(namespace)).length === 0, within);
    await eventually(async () => {
      const { annotations = {} } = (await live(namespace)).metadata;
      return annotations[quotaKey] === undefined && annotations[counted] === undefined;
    }, within);
    expect([...(await conditionsOf(namespace)).keys()]).to.deep.equal(["ResourceQuotaInit"]);
  });

  it("case 48: counts a namespace for the project that it moves to, and for nobody once it left", async () => {
    await running.run(resourceQuotas);
    const from = await aProjectWith(pods("10", "3"));
    const to = await aProjectWith(pods("10", "5"));
    const namespace = await aNamespaceIn(from);
    await untilUsed(from, { pods: "3" });

    await annotate(running, namespace, inside(to));
    await untilUsed(from, {});
    await untilUsed(to, { pods: "3" });
    expect((await live(namespace)).metadata.annotations?.[counted]).to.equal(idOfProject(to));
    await annotate(running, namespace, { [projectId]: null });
    await untilUsed(to, {});

    await eventually(async () => (await quotasIn(namespace)).length === 0, within);
    await eventually(async () => (await conditionsOf(namespace)).size === 0, within);
    expect((await live(namespace)).metadata.annotations ?? {}).not.to.include.keys(
      quotaKey,
      counted,
    );
  });

  it("does not let a namespace bring along what the new project has no room for", async () => {
    await running.run(resourceQuotas);
    const from = await aProjectWith(pods("100", "50"));
    const to = await aProjectWith(pods("10", "5"));
    const namespace = await aNamespaceIn(from, asking("50"));
    await untilHard(namespace, { pods: "50" });

    await annotate(running, namespace, inside(to));

    await untilHard(namespace, { pods: "0" });
    await untilUsed(to, {});
  });

  it("keeps the previous quota when a change does not fit, and gives it once there is room", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("10", "4"));
    const [first, second] = [await aNamespaceIn(project), await aNamespaceIn(project)];
    await untilUsed(project, { pods: "8" });

    await annotate(running, first, asking("7"));
    await eventually(
      async () => (await conditionsOf(first)).get("ResourceQuotaValidated")?.Status === "False",
      within,
    );
    expect(await hardOf(first)).to.deep.equal({ pods: "4" });
    const [quota] = await quotasIn(first);
    await running.cluster.patch(
      refTo(ResourceQuota, quota?.metadata.name ?? "", first.metadata.name),
      {
        merge: { spec: { hard: { pods: "6" } } },
      },
    );
    await untilHard(first, { pods: "4" });
    await running.cluster.delete(refTo(Namespace, second.metadata.name));

    await untilHard(first, { pods: "7" });
    await untilUsed(project, { pods: "7" });
  });

  it("counts what a burst of namespaces gets exactly, whoever comes first", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("10", "3"));

    const all = await Promise.all(Array.from({ length: 6 }, () => aNamespaceIn(project)));
    await eventually(async () => {
      const sums = await Promise.all(all.map(hardOf));
      return sums.every((hard) => hard !== undefined);
    }, within);
    await quiet(running);

    const given = (await Promise.all(all.map(hardOf))).map((hard) => hard?.pods).toSorted();
    expect(given).to.deep.equal(["0", "0", "0", "3", "3", "3"]);
    await untilUsed(project, { pods: "9" });
  });

  it("writes nothing when it starts anew, and nothing for what is in order", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith({
      resourceQuota: {
        limit: { limitsMemory: "8192Mi", pods: "10", extended: { "count/jobs.batch": "1e1" } },
      },
      namespaceDefaultResourceQuota: {
        limit: { limitsMemory: "1024Mi", pods: "4", extended: { "count/jobs.batch": "1" } },
      },
    });
    const namespace = await aNamespaceIn(project);
    await aNamespaceIn(project, asking("11"));
    await untilHard(namespace, { "limits.memory": "1Gi", pods: "4", "count/jobs.batch": "1" });
    await untilUsed(project, {
      limitsMemory: "2Gi",
      pods: "4",
      extended: { "count/jobs.batch": "2" },
    });
    await quiet(running);
    await running.stop();
    const before = writes(running).length;

    await running.run(resourceQuotas);
    await annotate(running, namespace, { "example.com/touched": "true" });
    await quiet(running);

    expect(writes(running).length).to.equal(before);
  });

  it("repairs a quota that somebody deletes, changes or relabels, and leaves those of others alone", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("10", "4"));
    const namespace = await aNamespaceIn(project);
    await untilHard(namespace, { pods: "4" });
    const [first] = await quotasIn(namespace);
    const ref = refTo(ResourceQuota, first?.metadata.name ?? "", namespace.metadata.name);
    const strange = await running.cluster.create<ResourceQuota>({
      ...refTo(ResourceQuota, "default-zzzzz", namespace.metadata.name),
      metadata: {
        name: "default-zzzzz",
        namespace: namespace.metadata.name,
        labels: { theirs: "true" },
      },
      spec: { hard: { secrets: "9" } },
    });
    const labelled = await running.cluster.create<ResourceQuota>({
      ...strange,
      metadata: {
        name: "default-yyyyy",
        namespace: namespace.metadata.name,
        labels: { [label]: "true" },
      },
    });

    await running.cluster.patch(ref, { merge: { metadata: { labels: null } } });
    await eventually(async () => {
      const { metadata } = await running.cluster.get(ResourceQuota, ref.metadata.name, {
        namespace: namespace.metadata.name,
      });
      return metadata.labels?.[label] === "true";
    }, within);
    await running.cluster.patch(ref, { merge: { spec: { hard: { pods: "9", secrets: "1" } } } });
    await eventually(async () => {
      const { spec } = await running.cluster.get(ResourceQuota, ref.metadata.name, {
        namespace: namespace.metadata.name,
      });
      return sameJson(spec?.hard, { pods: "4" });
    }, within);
    await running.cluster.delete(ref);
    await eventually(async () => {
      const found = await running.cluster.find(ResourceQuota, ref.metadata.name, {
        namespace: namespace.metadata.name,
      });
      return found !== undefined && found.metadata.uid !== first?.metadata.uid;
    }, within);

    const others = (await quotasIn(namespace)).filter(
      ({ metadata }) => metadata.name !== ref.metadata.name,
    );
    expect(others.map(contentOf)).to.have.deep.members([strange, labelled].map(contentOf));
  });

  it("takes over the oldest of what a Rancher made, and removes the others", async () => {
    const project = await aProjectWith(pods("10", "4"));
    const namespace = await aNamespaceIn(project, {
      [counted]: idOfProject(project),
      ...asking("4"),
    });
    const made: ResourceQuota[] = [];
    for (let count = 0; count < 2; count++) {
      const { name } = namespace.metadata;
      const metadata = { generateName: "default-", namespace: name, labels: { [label]: "true" } };
      made.push(
        await running.cluster.create({
          apiVersion: "v1",
          kind: ResourceQuota.kind,
          metadata: metadata as unknown as ObjectMeta, // the server makes the name
          spec: { hard: { pods: "4" } },
        }),
      );
    }

    await running.run(resourceQuotas);

    await untilHard(namespace, { pods: "4" });
    const [left] = await quotasIn(namespace);
    const oldest = made.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))[0];
    expect(left?.metadata.uid).to.equal(oldest?.metadata.uid);
  });

  it("ends with one quota where another process makes one at the same moment", async () => {
    let raced = false;
    await using interrupted = await RunningDownstream.open({
      through: (client, side) =>
        intercept(client, {
          beforeWrite: async (verb, ref) => {
            if (raced || side !== "cluster" || verb !== "apply" || ref?.kind !== "ResourceQuota")
              return;
            raced = true;
            await running.cluster.create({
              apiVersion: "v1",
              kind: ResourceQuota.kind,
              metadata: {
                generateName: "default-",
                namespace: ref.metadata.namespace,
                labels: { [label]: "true" },
              } as unknown as ObjectMeta,
              spec: { hard: { pods: "4" } },
            } as ResourceQuota);
          },
        }),
    });
    running = interrupted;
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("10", "4"));
    const namespace = await aNamespaceIn(project);

    await eventually(async () => raced, within);
    await untilHard(namespace, { pods: "4" });
    await untilUsed(project, { pods: "4" });

    await eventually(async () => (await quotasIn(namespace)).length === 1, within);
    await quiet(running);
    expect(await quotasIn(namespace)).to.have.length(1);
  });

  it("says what the server finds wrong with an amount, and does not try again", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("100", "4"));
    const namespace = await aNamespaceIn(project, asking("1500m"));

    await eventually(
      async () => (await conditionsOf(namespace)).get("ResourceQuotaValidated")?.Status === "False",
      within,
    );
    await quiet(running);

    expect((await conditionsOf(namespace)).get("ResourceQuotaValidated")?.Message).to.match(
      /^Invalid resource quota: .*must be an integer/,
    );
    expect(running.lines.filter((line) => line.includes('"level":"error"'))).to.deep.equal([]);
  });

  it("leaves alone a namespace of a project that nobody knows, and what another hub looks after", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("100", "4"));
    const namespace = await aNamespaceIn(project);
    const strange = await running.cluster.create<Namespace>({
      ...refTo(Namespace, uniqueName("quota")),
      metadata: {
        name: uniqueName("quota"),
        annotations: { [projectId]: "c-other:p-1", ...asking("3") },
      },
    });
    await untilHard(namespace, { pods: "4" });

    await running.hub.delete(refTo(Project, project.metadata.name, running.name));
    await eventually(
      async () =>
        (await running.hub.find(Project, project.metadata.name, { namespace: running.name })) ===
        undefined,
      within,
    );
    await quiet(running);

    expect(await hardOf(namespace)).to.deep.equal({ pods: "4" });
    expect((await live(strange)).metadata.resourceVersion).to.equal(
      strange.metadata.resourceVersion,
    );
    await annotate(running, namespace, { [projectId]: null });
    await eventually(async () => (await quotasIn(namespace)).length === 0, within);
  });

  it("cleans a namespace that lost both annotations while nobody looked", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("100", "4"));
    const namespace = await aNamespaceIn(project);
    await untilHard(namespace, { pods: "4" });
    await quiet(running);
    await running.stop();
    await annotate(running, namespace, { [projectId]: null, [counted]: null, [quotaKey]: null });

    await running.run(resourceQuotas);

    await eventually(async () => (await quotasIn(namespace)).length === 0, within);
    await untilUsed(project, {});
  });

  it("lets whoever applied a quota server-side take it back, and never touches a field of theirs", async () => {
    await running.run(resourceQuotas);
    const manifest = (spec: object) => ({
      ...refTo(Project, "p-gitops", running.name),
      spec: { displayName: "x", clusterName: running.name, ...spec },
    });
    const apply = (spec: object) =>
      running.hub.apply(manifest(spec), { fieldManager: "gitops", force: false });
    const project = (await apply(pods("100", "4"))) as Project;
    const namespace = await aNamespaceIn(project);
    await untilUsed(project, { pods: "4" });

    await apply(pods("100", "4"));
    await apply({});

    await eventually(async () => (await quotasIn(namespace)).length === 0, within);
    await eventually(async () => {
      const { spec } = await running.hub.get(Project, "p-gitops", { namespace: running.name });
      return spec?.resourceQuota === undefined;
    }, within);
  });

  it("does the same where the hub is the cluster", async () => {
    await using own = await RunningDownstream.open({ clusterIsHub: true });
    running = own;
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("100", "4"));
    const namespace = await aNamespaceIn(project);
    await untilHard(namespace, { pods: "4" });
    await untilUsed(project, { pods: "4" });

    await annotate(running, namespace, { [projectId]: null });

    await untilUsed(project, {});
    await eventually(async () => (await quotasIn(namespace)).length === 0, within);
  });

  it("keeps what others say in the same annotation", async () => {
    await running.run(resourceQuotas);
    const project = await aProjectWith(pods("100", "4"));
    const roles = {
      Type: "InitialRolesPopulated",
      Status: "True",
      Message: "",
      LastUpdateTime: "x",
    };
    const namespace = await aNamespaceIn(project, {
      "cattle.io/status": JSON.stringify({ Conditions: [roles] }),
    });

    await eventually(async () => (await conditionsOf(namespace)).size === 3, within);

    expect((await conditionsOf(namespace)).get("InitialRolesPopulated")).to.deep.equal(roles);
  });
});

function sameJson(a: unknown, b: unknown): boolean {
  try {
    expect(a).to.deep.equal(b);
    return true;
  } catch {
    return false;
  }
}

/** What people wrote; usage is counted in its status. */
function contentOf({ metadata: { uid, labels, annotations }, spec }: ResourceQuota): unknown {
  return { uid, labels, annotations, spec };
}

function orderOf({ metadata: { creationTimestamp = "", name } }: ResourceQuota): string {
  return `${creationTimestamp} ${name}`;
}
