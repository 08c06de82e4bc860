import type { Project } from "@drover/crds";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { refTo } from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { RunningDownstream } from "../../testing/downstream.ts";
import { eventsIn } from "../../testing/events.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { annotate, inside, newNamespace, newProject } from "../../testing/projects.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { projectSecrets } from "./index.ts";

const projectId = "field.cattle.io/projectId";
const label = "management.cattle.io/project-scoped-secret";
const copyKey = "management.cattle.io/project-scoped-secret-copy";
const ignoreKey = "management.cattle.io/project-scoped-secret-ignore-namespaces";
const within = { within: 15_000 };
const text = (value: string) => Buffer.from(value).toString("base64");

describe("project-secrets between a hub and a cluster", function () {
  this.timeout(60_000);
  let running: RunningDownstream;

  eachDownstream(async (opened) => {
    running = opened;
    await running.run(projectSecrets);
  });

  const aProjectWithNamespace = async () => {
    const backingNamespace = uniqueName(`${running.name}-p`);
    await running.hub.create({ ...refTo(Namespace, backingNamespace) });
    return newProject(running, { status: { backingNamespace } });
  };
  const aMemberOf = (project: Project) => newNamespace(running, inside(project));
  const aSourceOf = (
    project: Project,
    fields: Partial<Secret> = {},
    annotations: Readonly<Record<string, string>> = {},
  ) => {
    const [name, namespace] = [uniqueName("db"), project.status?.backingNamespace ?? ""];
    const labels = { [label]: project.metadata.name, [`${label}-cluster`]: running.name };
    return running.hub.create<Secret>({
      ...refTo(Secret, name, namespace),
      metadata: { name, namespace, labels, annotations },
      data: { password: text("s3cr3t") },
      ...fields,
    });
  };
  const copyIn = ({ metadata }: Namespace, source: Secret) =>
    running.cluster.find(Secret, source.metadata.name, { namespace: metadata.name });
  const untilCopy = (namespace: Namespace, source: Secret, data = source.data) =>
    eventually(async () => {
      const copy = await copyIn(namespace, source);
      return JSON.stringify(copy?.data) === JSON.stringify(data) && copy;
    }, within);
  const untilNone = (namespace: Namespace, source: Secret) =>
    eventually(async () => (await copyIn(namespace, source)) === undefined, within);

  it("case 50: copies a secret into the namespaces of its project, but not where it is not wanted", async () => {
    const [project, other] = [await aProjectWithNamespace(), await aProjectWithNamespace()];
    const [first, second, spared] = [
      await aMemberOf(project),
      await aMemberOf(project),
      await aMemberOf(project),
    ];
    const outside = await aMemberOf(other);
    const source = await aSourceOf(project, {}, { [ignoreKey]: `x, ^${spared.metadata.name}.*` });

    const copy = await untilCopy(first, source);
    await untilCopy(second, source);
    await quiet(running);

    expect(copy.metadata.annotations).to.include({
      [copyKey]: "true",
      "secret.user.cattle.io/secret": "true",
    });
    expect(copy.metadata.labels).to.deep.equal(source.metadata.labels);
    expect(await copyIn(spared, source)).to.equal(undefined);
    expect(await copyIn(outside, source)).to.equal(undefined);
  });

  it("follows changes of data, labels, annotations, patterns and namespaces", async () => {
    const [project, other] = [await aProjectWithNamespace(), await aProjectWithNamespace()];
    const [staying, moving] = [await aMemberOf(project), await aMemberOf(project)];
    const [source, another] = [await aSourceOf(project), await aSourceOf(other)];
    await untilCopy(moving, source);

    const data = { token: text("new") };
    await running.hub.patch(source, {
      merge: {
        data: { ...data, password: null },
        metadata: { annotations: { note: "x" }, labels: { tier: "1" }, resourceVersion: null },
      },
    });
    const copy = await untilCopy(staying, source, data);
    expect(copy.metadata.annotations).to.include({ note: "x" });
    expect(copy.metadata.labels).to.include({ tier: "1" });
    await annotate(running, moving, inside(other));
    await untilNone(moving, source);
    await untilCopy(moving, another);
    await annotate(running, moving, { [projectId]: null });
    await untilNone(moving, another);
    const ref = refTo(Secret, source.metadata.name, source.metadata.namespace);
    await running.hub.patch(ref, {
      merge: { metadata: { annotations: { [ignoreKey]: staying.metadata.name } } },
    });

    await untilNone(staying, source);
  });

  it("case 50: removes only copies: a secret of the same labels without the annotation stays", async () => {
    const project = await aProjectWithNamespace();
    const namespace = await aMemberOf(project);
    const source = await aSourceOf(project);
    await untilCopy(namespace, source);
    const theirs = await running.cluster.create<Secret>({
      ...refTo(Secret, "theirs", namespace.metadata.name),
      metadata: {
        name: "theirs",
        namespace: namespace.metadata.name,
        labels: source.metadata.labels ?? {},
      },
      data: { key: text("x") },
    });

    await running.hub.delete(refTo(Secret, source.metadata.name, source.metadata.namespace));
    await untilNone(namespace, source);
    await annotate(running, namespace, { [projectId]: null });
    await quiet(running);

    const left = await copyIn(namespace, theirs);
    expect(left?.metadata.resourceVersion).to.equal(theirs.metadata.resourceVersion);
  });

  it("does not overwrite another secret of the name, says so at the source, and never shows data", async () => {
    const project = await aProjectWithNamespace();
    const [namespace, labelled, free] = [
      await aMemberOf(project),
      await aMemberOf(project),
      await aMemberOf(project),
    ];
    const name = uniqueName("taken");
    const theirs = (where: Namespace, labels: Readonly<Record<string, string>>) =>
      running.cluster.create<Secret>({
        ...refTo(Secret, name, where.metadata.name),
        metadata: { name, namespace: where.metadata.name, labels },
        data: { key: text("theirs") },
      });
    const made = [
      await theirs(namespace, {}),
      await theirs(labelled, { [label]: project.metadata.name }),
    ];
    const { backingNamespace = "" } = project.status ?? {};
    const labels = { [label]: project.metadata.name, [`${label}-cluster`]: running.name };
    const source = await running.hub.create<Secret>({
      ...refTo(Secret, name, backingNamespace),
      metadata: { name, namespace: backingNamespace, labels },
      data: { key: text("s3cr3t") },
    });

    await untilCopy(free, source);
    const told = await eventually(async () => {
      await running.flush();
      const found = await eventsIn(running.hub, backingNamespace, name);
      return found.length === 2 && found;
    }, within);

    expect(told.map((each) => each.split(" ")[2])).to.have.members([
      namespace.metadata.name,
      labelled.metadata.name,
    ]);
    for (const [at, where] of [namespace, labelled].entries()) {
      expect((await copyIn(where, source))?.metadata.resourceVersion).to.equal(
        made[at]?.metadata.resourceVersion,
      );
    }
    const shown = JSON.stringify([running.lines, told]);
    expect(shown).not.to.contain("s3cr3t").and.not.to.contain(text("s3cr3t"));
    expect(running.lines.filter((line) => line.includes('"level":"error"'))).to.deep.equal([]);
  });

  it("replaces what cannot be changed: another type, and what is immutable", async () => {
    const project = await aProjectWithNamespace();
    const namespace = await aMemberOf(project);
    const source = await aSourceOf(project, { immutable: true });
    const before = await untilCopy(namespace, source);
    const { metadata } = source;
    const again = async (fields: Partial<Secret>) => {
      await running.hub.delete(refTo(Secret, metadata.name, metadata.namespace));
      const { name, namespace: home = "", labels = {} } = metadata;
      return running.hub.create<Secret>({
        ...refTo(Secret, name, home),
        metadata: { name, namespace: home, labels },
        ...fields,
      });
    };
    expect(before.immutable).to.equal(true);

    const other = await again({ immutable: true, data: { password: text("other") } });
    await untilCopy(namespace, other);
    const typed = await again({
      type: "kubernetes.io/basic-auth",
      data: { password: text("typed") },
    });

    const after = await untilCopy(namespace, typed);
    expect(after)
      .to.include({ type: "kubernetes.io/basic-auth" })
      .and.not.have.property("immutable");
    expect(after.metadata.uid).not.to.equal(before.metadata.uid);
  });

  it("repairs copies that somebody deletes, changes or relabels, and then writes nothing", async () => {
    const project = await aProjectWithNamespace();
    const namespace = await aMemberOf(project);
    const source = await aSourceOf(project);
    await untilCopy(namespace, source);
    const ref = refTo(Secret, source.metadata.name, namespace.metadata.name);

    await running.cluster.patch(ref, { merge: { data: { password: text("x"), more: text("y") } } });
    await untilCopy(namespace, source);
    await running.cluster.patch(ref, { merge: { metadata: { labels: null } } });
    await eventually(
      async () => (await copyIn(namespace, source))?.metadata.labels?.[label],
      within,
    );
    const { uid } = (await copyIn(namespace, source))?.metadata ?? {};
    await running.cluster.delete(ref);
    await eventually(async () => {
      const found = await copyIn(namespace, source);
      return found !== undefined && found.metadata.uid !== uid;
    }, within);
    await quiet(running);
    await running.stop();
    const before = writes(running).length;
    await running.run(projectSecrets);
    await annotate(running, namespace, inside(project));
    await quiet(running);

    expect(writes(running).length).to.equal(before);
  });

  it("removes the copies of a source that went while nobody looked", async () => {
    const project = await aProjectWithNamespace();
    const namespace = await aMemberOf(project);
    const source = await aSourceOf(project);
    await untilCopy(namespace, source);
    await running.stop();
    await running.hub.delete(refTo(Secret, source.metadata.name, source.metadata.namespace));

    await running.run(projectSecrets);

    await untilNone(namespace, source);
  });

  it("copies nothing that is not in the project's own namespace", async () => {
    const project = await aProjectWithNamespace();
    const namespace = await aMemberOf(project);
    const elsewhere = await running.hub.create<Secret>({
      ...refTo(Secret, uniqueName("db"), running.name),
      metadata: {
        name: uniqueName("db"),
        namespace: running.name,
        labels: { [label]: project.metadata.name, [`${label}-cluster`]: running.name },
      },
    });

    await untilCopy(namespace, await aSourceOf(project));

    expect(await copyIn(namespace, elsewhere)).to.equal(undefined);
  });

  it("does the same where the hub is the cluster, and takes no copy for a source", async () => {
    await running.stop();
    await using own = await RunningDownstream.open({ clusterIsHub: true });
    running = own;
    await running.run(projectSecrets);
    const project = await aProjectWithNamespace();
    const namespace = await aMemberOf(project);
    const source = await aSourceOf(project);

    await untilCopy(namespace, source);
    await quiet(running);
    await running.hub.delete(refTo(Secret, source.metadata.name, source.metadata.namespace));

    await untilNone(namespace, source);
  });
});
