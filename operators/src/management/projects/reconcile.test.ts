import {
  annotations,
  backingNamespaceOf,
  Cluster,
  labels,
  Project,
  ProjectRoleTemplateBinding,
  projectFinalizer,
  projectNames,
  RoleTemplate,
  User,
} from "@drover/crds";
import {
  aCluster,
  aProject,
  aProjectRoleTemplateBinding,
  aRoleTemplate,
  aUser,
  type Overrides,
} from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Kind, type KubeObject, refTo } from "kopf-ts";
import { Namespace, Role } from "kopf-ts/kinds";
import { eventually, fakeClock } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { eventsIn } from "../../testing/events.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { projects } from "./index.ts";

type Conditions = NonNullable<Cluster["status"]>["conditions"];

const patient = { within: 20_000 };

describe("projects on an API server", function () {
  this.timeout(60_000);

  let concern: RunningConcern;
  let home: string;
  const defaults: string[] = [];

  before(() => cluster());
  beforeEach(async () => {
    concern = await RunningConcern.open();
    home = uniqueName("c");
    await concern.client.create(aNamespace(home));
  });
  afterEach(async () => {
    for (const name of defaults.splice(0)) await concern.client.delete(refTo(RoleTemplate, name));
    await concern[Symbol.asyncDispose]();
  });

  /** As the webhook has it: with the namespace that follows from its name. */
  const newProject = async (overrides: Overrides<Project> = {}): Promise<Project> => {
    const name = overrides.metadata?.name ?? uniqueName("p");
    const backingNamespace = projectNames.backingNamespace(home, name);
    const given = { status: { backingNamespace }, ...overrides };
    const metadata = { ...overrides.metadata, name, namespace: home };
    const spec = { displayName: "Shop", clusterName: home };
    return concern.create(aProject({ ...given, metadata, spec }));
  };
  const conditionsOf = async (project: Project): Promise<Readonly<Record<string, string>>> => {
    const found = await concern.find(Project, project);
    return Object.fromEntries(found?.status?.conditions?.map((c) => [c.type, c.status]) ?? []);
  };
  const condition = async (project: Project, type: string) =>
    (await concern.find(Project, project))?.status?.conditions?.find((c) => c.type === type);
  const complete = (project: Project): Promise<unknown> =>
    eventually(async () => (await conditionsOf(project)).InitialRolesPopulated === "True", patient);
  const namespaceOf = (project: Project) =>
    concern.client.find(Namespace, backingNamespaceOf(project));
  const bindingsOf = async (project: Project) =>
    (
      await concern.client.list(ProjectRoleTemplateBinding, {
        namespace: backingNamespaceOf(project),
      })
    ).items;
  const gone = (kind: Kind, name: string, namespace?: string): Promise<unknown> =>
    eventually(async () => !(await concern.client.find(kind, name, { namespace })), patient);
  const aCreator = async (): Promise<string> =>
    (await concern.client.create(aUser())).metadata.name;
  const aDefault = async (overrides: Overrides<RoleTemplate> = {}): Promise<string> => {
    const fields = { context: "project", projectCreatorDefault: true, ...overrides } as const;
    const { metadata } = await concern.client.create(aRoleTemplate(fields));
    defaults.push(metadata.name); // other tests look at all of them
    return metadata.name;
  };
  const madeBy = (creator: string, required: readonly string[]) => ({
    [annotations.creatorId]: creator,
    [annotations.creatorRoleBindings]: JSON.stringify({ required }),
  });

  it("gets its namespace, its members' roles and its conditions, in five writes and none after a restart", async () => {
    await concern.run(projects({ env: {} }));
    const project = await newProject();
    await complete(project);
    await quiet(concern);
    await using again = await RunningConcern.open();
    const mine = { merge: { metadata: { labels: { test: again.label } } } };
    await concern.client.patch(project, mine);
    await again.run(projects({ env: {} }));
    await eventually(async () => (await again.metric(runs)) >= 1, patient);
    await quiet(again);

    const namespace = await namespaceOf(project);
    expect(namespace?.metadata.annotations).to.include({ [annotations.systemNamespace]: "true" });
    const { name } = project.metadata;
    const roles = await Promise.all(
      [projectNames.memberRole(name), projectNames.ownerRole(name)].map((role) =>
        concern.client.get(Role, role, { namespace: home }),
      ),
    );
    const owners = roles.map(({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid));
    expect(owners).to.deep.equal([[project.metadata.uid], [project.metadata.uid]]);
    expect(await conditionsOf(project)).to.deep.equal({
      BackingNamespaceCreated: "True",
      CreatorMadeOwner: "True",
      InitialRolesPopulated: "True",
    });
    const first = writes(concern).map(({ verb, resource }) => `${verb} ${resource.split(".")[0]}`);
    expect(first.toSorted()).to.deep.equal([
      "apply namespaces",
      "apply roles",
      "apply roles",
      "patch projects",
      "patch projects",
    ]);
    expect(writes(again)).to.deep.equal([]);
  });

  it("case 31: binds the creator to its role templates but a locked one, and then says so", async () => {
    const [member, workloads] = [await aDefault(), await aDefault()];
    const locked = await aDefault({ locked: true });
    const creator = await aCreator();
    await concern.run(projects({ env: {} }));

    const required = [member, workloads, locked];
    const project = await newProject({ metadata: { annotations: madeBy(creator, required) } });
    await complete(project);

    const bindings = await bindingsOf(project);
    const [one, two] = [member, workloads].toSorted();
    expect(bindings.map(({ metadata }) => metadata.name).toSorted()).to.deep.equal([
      `creator-${one}`,
      `creator-${two}`,
    ]);
    for (const binding of bindings) {
      expect(binding.userName).to.equal(creator);
      expect(binding.projectName).to.equal(`${home}:${project.metadata.name}`);
    }
    const found = await concern.find(Project, project);
    const said = found?.metadata.annotations?.[annotations.creatorRoleBindings] ?? "{}";
    expect(JSON.parse(said)).to.deep.equal({ created: [member, workloads], required });
  });

  it("never makes a binding again that somebody took away from the creator", async () => {
    const [role, creator] = [await aDefault(), await aCreator()];
    await concern.run(projects({ env: {} }));
    const project = await newProject({ metadata: { annotations: madeBy(creator, [role]) } });
    await complete(project);
    const [binding] = await bindingsOf(project);

    await concern.client.delete(binding as ProjectRoleTemplateBinding);
    const touched = { merge: { metadata: { labels: { touched: "yes" } } } };
    await concern.client.patch(project, touched);
    await quiet(concern);

    expect(await bindingsOf(project)).to.deep.equal([]);
  });

  it("binds nobody to a role that an annotation asks for and creators do not get", async () => {
    const powerful = await concern.client.create(aRoleTemplate({ context: "project" }));
    const creator = await aCreator();
    await concern.run(projects({ env: {} }));

    const required = [powerful.metadata.name, "never-existed"];
    const project = await newProject({ metadata: { annotations: madeBy(creator, required) } });
    await complete(project);

    expect(await bindingsOf(project)).to.deep.equal([]);
  });

  it("is complete without a creator who is no user, and tells so", async () => {
    const role = await aDefault();
    const nobody = uniqueName("nobody");
    await concern.run(projects({ env: {} }));

    const project = await newProject({ metadata: { annotations: madeBy(nobody, [role]) } });
    await complete(project);
    await concern.flush();

    expect(await bindingsOf(project)).to.deep.equal([]);
    const told = await condition(project, "CreatorMadeOwner");
    expect(told).to.include({ status: "True", reason: "CreatorNotFound" });
    const events = await eventsIn(concern.client, home, project.metadata.name);
    expect(events).to.deep.equal([`CreatorNotFound: ${told?.message}`]);
  });

  it("tells of an annotation that nobody can read, and goes on when it is mended", async () => {
    const [role, creator] = [await aDefault(), await aCreator()];
    const broken = { ...madeBy(creator, []), [annotations.creatorRoleBindings]: "[" };
    await concern.run(projects({ env: {} }));
    const project = await newProject({ metadata: { annotations: broken } });
    const told = await eventually(() => condition(project, "CreatorMadeOwner"), patient);

    const mended = { metadata: { annotations: madeBy(creator, [role]) } };
    await concern.client.patch(project, { merge: mended });
    await complete(project);

    expect(told).to.include({ status: "False", reason: "InvalidCreatorRoles" });
    expect(await bindingsOf(project)).to.have.length(1);
  });

  it("case 33: gives the creator project-owner alone in the local system project", async () => {
    const [other, creator] = [await aDefault(), await aCreator()];
    const owner = "project-owner";
    if ((await concern.client.find(RoleTemplate, owner)) === undefined) {
      await aDefault({ metadata: { name: owner } });
    }
    const metadata = {
      labels: { [labels.systemProject]: "true" },
      annotations: madeBy(creator, [other, owner]),
    };
    home = "local";
    await concern.client.apply(aNamespace(home), { fieldManager: "test" });
    await concern.run(projects({ env: {} }));

    const project = await newProject({ metadata });
    await complete(project);
    const bindings = await bindingsOf(project);
    await concern.client.delete(project, { preconditions: "uid" });
    await gone(Project, project.metadata.name, home);

    expect(bindings.map(({ roleTemplateName }) => roleTemplateName)).to.deep.equal([owner]);
  });

  it("puts back what people delete, change or relabel", async () => {
    await concern.run(projects({ env: {} }));
    const project = await newProject();
    await complete(project);
    const role = projectNames.ownerRole(project.metadata.name);
    const namespace = (await namespaceOf(project)) as Namespace;

    await concern.client.delete(refTo(Role, projectNames.memberRole(project.metadata.name), home));
    const strip = { labels: null, annotations: null };
    await concern.client.patch(refTo(Role, role, home), { merge: { rules: [], metadata: strip } });
    const key = "drover.dev/project";
    await concern.client.patch(namespace, {
      merge: {
        metadata: { labels: { [key]: "x" }, annotations: { [annotations.systemNamespace]: "no" } },
      },
    });

    await eventually(async () => {
      const member = projectNames.memberRole(project.metadata.name);
      return concern.client.find(Role, member, { namespace: home });
    }, patient);
    await eventually(async () => {
      const found = await concern.client.find(Role, role, { namespace: home });
      return found?.rules?.length === 1 && found.metadata.labels?.[key] !== undefined;
    }, patient);
    await eventually(async () => {
      const { metadata } = (await namespaceOf(project)) ?? namespace;
      const isMarked = metadata.labels?.[key] === backingNamespaceOf(project);
      return isMarked && metadata.annotations?.[annotations.systemNamespace] === "true";
    }, patient);
  });

  it("makes its namespace again once its deletion is finished", async () => {
    await concern.run(projects({ env: {} }));
    const project = await newProject();
    await complete(project);
    const before = (await namespaceOf(project)) as Namespace;

    await concern.client.delete(before, { preconditions: "uid" });

    await eventually(async () => {
      const after = await namespaceOf(project);
      return after !== undefined && after.metadata.uid !== before.metadata.uid;
    }, patient);
    await eventually(
      async () => (await conditionsOf(project)).BackingNamespaceCreated === "True",
      patient,
    );
  });

  it("leaves strangers' objects of its names alone, and goes on when they are gone", async () => {
    const name = uniqueName("p");
    const stranger = await concern.client.create(
      aNamespace(projectNames.backingNamespace(home, name)),
    );
    const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
    const role = refTo(Role, projectNames.memberRole(name), home);
    await concern.client.create({ ...role, rules } as Role);
    await concern.run(projects({ env: {} }));

    const project = await newProject({ metadata: { name } });
    const told = await eventually(() => condition(project, "BackingNamespaceCreated"), patient);
    await concern.flush();
    const live = await concern.client.get(Namespace, stranger.metadata.name);
    const events = await eventsIn(concern.client, home, name);
    await concern.client.delete(live, { preconditions: "uid" });
    await concern.client.delete(role);
    await concern.client.patch(project, { merge: { metadata: { labels: { touched: "yes" } } } });

    expect(told).to.include({ status: "False", reason: "NameTaken" });
    expect(live.metadata.labels).not.to.have.property("drover.dev/project");
    expect(events.some((each) => each.startsWith("NameTaken: namespace"))).to.equal(true);
    await complete(project);
  });

  it("gives a namespace that two projects claim to one of them, and tells the other", async () => {
    await concern.run(projects({ env: {} }));
    const one = await newProject();
    await complete(one);

    const other = await newProject({ status: { backingNamespace: backingNamespaceOf(one) } });
    const told = await eventually(() => condition(other, "BackingNamespaceCreated"), patient);
    await concern.client.delete(other, { preconditions: "uid" });
    await gone(Project, other.metadata.name, home);

    expect(told).to.include({ status: "False", reason: "NameTaken" });
    expect((await namespaceOf(one))?.metadata.deletionTimestamp).to.equal(undefined);
  });

  it("tells of a name that no namespace can have, and does not try again", async () => {
    await concern.run(projects({ env: {} }));
    const project = await newProject({ metadata: { name: `${uniqueName("p")}.x` } });
    const told = await eventually(() => condition(project, "BackingNamespaceCreated"), patient);
    await quiet(concern);

    expect(told).to.include({ status: "False", reason: "Invalid" });
    const tries = concern.sent.filter(
      ({ resource, code }) => resource === "namespaces" && code === 422,
    );
    expect(tries.length).to.be.at.most(3); // once per change of the project
  });

  it("takes over the namespace of a Rancher before us", async () => {
    const name = uniqueName("p");
    const system = { [annotations.systemNamespace]: "true" };
    const old = await concern.client.create(aNamespace(name, system));
    await concern.run(projects({ env: {} }));

    const project = await newProject({ metadata: { name }, status: {} });
    await complete(project);

    expect((await namespaceOf(project))?.metadata.uid).to.equal(old.metadata.uid);
  });

  it("case 30: deletes its own namespace, and never one that is named like the project", async () => {
    const name = uniqueName("p");
    const namesake = aNamespace(name, { [annotations.systemNamespace]: "true" });
    await concern.client.create(namesake);
    await concern.run(projects({ env: {} }));
    const project = await newProject({ metadata: { name } });
    await complete(project);

    await concern.client.delete(project, { preconditions: "uid" });
    await gone(Project, name, home);
    await gone(Namespace, backingNamespaceOf(project));

    const left = await concern.client.get(Namespace, name);
    expect(left.metadata.deletionTimestamp).to.equal(undefined);
  });

  it("takes along bindings, roles and its account, but no other's", async () => {
    await concern.run(projects({ env: {} }));
    const [project, other] = [await newProject(), await newProject()];
    await complete(project);
    await complete(other);
    const bind = (of: Project, namespace: string) =>
      concern.client.create(
        aProjectRoleTemplateBinding({
          metadata: { namespace },
          projectName: `${home}:${of.metadata.name}`,
        }),
      );
    const elsewhere = await bind(project, "default");
    const kept = await bind(other, backingNamespaceOf(other));
    const account = await concern.client.create(
      aUser({ principalIds: [projectNames.systemPrincipal(project.metadata.name)] }),
    );

    await concern.client.delete(project, { preconditions: "uid" });
    await gone(Project, project.metadata.name, home);

    const { client } = concern;
    const { name } = elsewhere.metadata;
    expect(await client.find(ProjectRoleTemplateBinding, name, { namespace: "default" })).to.equal(
      undefined,
    );
    expect(await client.find(User, account.metadata.name)).to.equal(undefined);
    const role = projectNames.ownerRole(project.metadata.name);
    expect(await client.find(Role, role, { namespace: home })).to.equal(undefined);
    expect(await concern.find(ProjectRoleTemplateBinding, kept)).not.to.equal(undefined);
    expect((await namespaceOf(other))?.metadata.deletionTimestamp).to.equal(undefined);
  });

  it("spares the namespace of a cluster that an old project has the name of", async () => {
    const { metadata } = await concern.client.create(aCluster());
    const system = { [annotations.systemNamespace]: "true" };
    await concern.client.create(aNamespace(metadata.name, system));
    await concern.run(projects({ env: {} }));
    const project = await newProject({ metadata: { name: metadata.name }, status: {} });
    await eventually(() => condition(project, "BackingNamespaceCreated"), patient);

    await concern.client.delete(project, { preconditions: "uid" });
    await gone(Project, project.metadata.name, home);

    const namespace = await concern.client.get(Namespace, metadata.name);
    expect(namespace.metadata.deletionTimestamp).to.equal(undefined);
    await concern.client.delete(refTo(Cluster, metadata.name));
  });

  describe("that the controllers of its cluster may not have seen", () => {
    const connected = [{ type: "Connected", status: "True" }] as const;
    const away = [{ type: "Connected", status: "False" }] as const;
    const aHome = async (conditions: Conditions = connected): Promise<Cluster> => {
      const { client } = concern;
      const made = await client.create(aCluster({ metadata: { name: home } }));
      const status = { conditions };
      return client.patch<Cluster>(made, { merge: { status } }, { subresource: "status" });
    };
    const held = () => ({ finalizers: [projectFinalizer(home)] });
    const finalizersOf = async (project: Project) =>
      (await concern.find(Project, project))?.metadata.finalizers ?? [];
    const free = async (project: Project): Promise<unknown> => {
      const finalizers = (await finalizersOf(project)).filter(
        (each) => !held().finalizers.includes(each),
      );
      return concern.client.patch(project, { merge: { metadata: { finalizers } } });
    };
    const aHeldOne = () => newProject({ metadata: held() });
    const aLeavingHome = async (): Promise<void> => {
      const cluster = await aHome();
      const merge = { metadata: { finalizers: ["test.dev/hold"] } };
      await concern.client.patch(cluster, { merge });
      await concern.client.delete(cluster, { preconditions: "uid" });
    };
    afterEach(async () => {
      const { client } = concern;
      const merge = { metadata: { finalizers: null } };
      for (const project of (await client.list(Project, { namespace: home })).items) {
        await client.patch(project, { merge });
      }
      const left = await client.find(Cluster, home);
      if (left !== undefined) await client.delete(await client.patch(left, { merge }));
    });

    it("is held for them where they hold others, and waits for them", async () => {
      await aHome();
      const seen = await aHeldOne();
      await concern.run(projects({ env: {} }));
      const project = await newProject();
      const hold = projectFinalizer(home);
      await eventually(async () => (await finalizersOf(project)).includes(hold), patient);

      await concern.client.delete(project, { preconditions: "uid" });
      await eventually(async () => (await finalizersOf(project)).join() === hold, patient);
      await free(project);

      await gone(Project, project.metadata.name, home);
      expect(await finalizersOf(seen)).to.include(hold);
    });

    for (const { title, arrange } of [
      { title: "they hold none", arrange: () => aHome() },
      { title: "the cluster is away", arrange: () => Promise.all([aHome(away), aHeldOne()]) },
      { title: "there is no cluster", arrange: () => aHeldOne() },
      {
        title: "the cluster is being removed",
        arrange: () => Promise.all([aLeavingHome(), aHeldOne()]),
      },
    ]) {
      it(`is not held for them where ${title}, and its deletion ends`, async () => {
        await arrange();
        await concern.run(projects({ env: {} }));
        const project = await newProject();
        await complete(project);
        await quiet(concern);

        const finalizers = await finalizersOf(project);
        await concern.client.delete(project, { preconditions: "uid" });

        await gone(Project, project.metadata.name, home);
        expect(finalizers).not.to.include(projectFinalizer(home));
      });
    }

    describe("and is deleted", () => {
      const patience = 60_000;
      const beginToDelete = async (): Promise<Project> => {
        const project = await aHeldOne();
        await complete(project);
        await concern.client.delete(project, { preconditions: "uid" });
        const hold = held().finalizers.join();
        await eventually(async () => (await finalizersOf(project)).join() === hold, patient);
        return project;
      };
      const told = (project: Project, text: string) =>
        eventually(async () => {
          const said = await condition(project, "Removed");
          return said?.message?.includes(text) === true ? said : undefined;
        }, patient);
      const setConnected = async (status: "True" | "False"): Promise<void> => {
        const merge = { status: { conditions: [{ type: "Connected", status }] } };
        await concern.client.patch(refTo(Cluster, home), { merge }, { subresource: "status" });
      };

      it("tells which cluster that is away it waits for, and what ends that; once, also after a restart", async () => {
        await aHome(away);
        await concern.run(projects({ env: {} }));
        const project = await beginToDelete();

        const said = await told(project, "not connected");
        await quiet(concern);
        await concern.flush();
        const events = await eventsIn(concern.client, home, project.metadata.name);
        await using again = await RunningConcern.open();
        const mine = { merge: { metadata: { labels: { test: again.label } } } };
        await concern.client.patch(project, mine);
        await again.run(projects({ env: {} }));
        await eventually(async () => (await again.metric(runs)) >= 1, patient);
        await quiet(again);

        const message = `waiting until cluster ${home} has let go of the project's namespaces: it is not connected; this ends once it is connected again, or once its Cluster is deleted`;
        expect(said).to.include({ status: "False", reason: "WaitsForCluster", message });
        expect(events).to.deep.equal([`WaitsForCluster: ${message}`]);
        expect(writes(again)).to.deep.equal([]);
        expect(concern.lines.filter((line) => line.includes('"level":"error"'))).to.deep.equal([]);
      });

      it("tells when its cluster goes away only then, and ends when that is back", async () => {
        await aHome();
        await concern.run(projects({ env: {} }));
        const project = await beginToDelete();
        await quiet(concern);
        const before = await condition(project, "Removed");

        await setConnected("False");
        await told(project, "not connected");
        await setConnected("True");
        await free(project); // as the controllers of the cluster do

        await gone(Project, project.metadata.name, home);
        expect(before).to.equal(undefined);
      });

      it("tells of a cluster that is connected and takes long", async () => {
        const clock = fakeClock(Date.now());
        await using slow = await RunningConcern.open({ clock });
        await aHome();
        await slow.run(projects({ env: {} }));
        const project = await aHeldOne();
        const mine = { merge: { metadata: { labels: { test: slow.label } } } };
        await concern.client.patch(project, mine);
        await complete(project);
        await concern.client.delete(project, { preconditions: "uid" });
        const hold = held().finalizers.join();
        await eventually(async () => (await finalizersOf(project)).join() === hold, patient);
        await quiet(slow);
        const before = await condition(project, "Removed");

        await eventually(async () => {
          await clock.advance(patience / 4);
          return (await condition(project, "Removed")) !== undefined;
        }, patient);

        expect(before).to.equal(undefined);
        expect(await condition(project, "Removed")).to.include({ reason: "WaitsForCluster" });
        await told(project, "it is connected, but has not done so for 60 s");
      });

      it("ends when its Cluster goes, even where nobody cleans up after that", async () => {
        const cluster = await aHome(away);
        await concern.run(projects({ env: {} }));
        const project = await beginToDelete();
        await told(project, "not connected");

        await concern.client.delete(cluster, { preconditions: "uid" });

        await gone(Project, project.metadata.name, home);
      });

      it("tells of finalizers that no cluster removes, once no cluster holds it", async () => {
        await aHome(away);
        await concern.run(projects({ env: {} }));
        const finalizers = [...held().finalizers, "test.dev/hold"];
        const project = await newProject({ metadata: { finalizers } });
        await complete(project);

        await concern.client.delete(project, { preconditions: "uid" });
        await told(project, `cluster ${home}`);
        await free(project);
        const said = await told(project, "test.dev/hold");

        expect(said).to.include({ status: "False", reason: "WaitsForFinalizers" });
      });
    });

    it("is let go when it is deleted after its cluster, which held it", async () => {
      await concern.run(projects({ env: {} }));
      const project = await aHeldOne();
      await complete(project);

      await concern.client.delete(project, { preconditions: "uid" });

      await gone(Project, project.metadata.name, home);
    });
  });

  it("puts on its namespace what people want on every one", async () => {
    const options = { enabled: true, labels: { team: "x" }, annotations: { note: "y" } };
    await concern.run(projects({ env: { RANCHER_NAMESPACE_OPTIONS: JSON.stringify(options) } }));

    const project = await newProject();
    await complete(project);

    const namespace = await namespaceOf(project);
    expect(namespace?.metadata.labels).to.include({ team: "x" });
    expect(namespace?.metadata.annotations).to.include({
      note: "y",
      "cattle.io/managed-namespace": "true",
    });
  });
});

const runs = 'controller_runtime_reconcile_total{controller="projects",result="success"}';

function aNamespace(name: string, said: Readonly<Record<string, string>> = {}): Namespace {
  const metadata = { name, annotations: said } satisfies KubeObject["metadata"];
  return { apiVersion: "v1", kind: "Namespace", metadata };
}
