import { Project } from "@drover/crds";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { isAlreadyExists, refTo } from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import type { RunningDownstream } from "../../testing/downstream.ts";
import { eachDownstream } from "../../testing/hooks.ts";
import { inside, newNamespace, newProject } from "../../testing/projects.ts";
import { quiet, writes } from "../../testing/writes.ts";
import { pullCopyOf, pullSecrets, sourcesOf } from "./pull-secrets.ts";

const within = { within: 15_000 };
const system = "authz.management.cattle.io/system-project";
const wanted = "management.cattle.io/use-global-private-registry-pull-secret";
const copyLabel = "management.cattle.io/rancher-managed-pull-secret";
const dockerConfig = { ".dockerconfigjson": Buffer.from('{"auths":{}}').toString("base64") };
const aPullSecret = (name: string): Secret => ({
  ...refTo(Secret, name, "cattle-system"),
  metadata: {
    name,
    namespace: "cattle-system",
    labels: { "management.cattle.io/rancher-default-registry-pull-secret": "true", tier: "1" },
  },
  type: "kubernetes.io/dockerconfigjson",
  data: dockerConfig,
});

describe("sourcesOf", () => {
  const settings = (values: Readonly<Record<string, string>>) => ({
    text: (name: string) => values[name] ?? "",
  });
  const list = "system-default-registry-pull-secrets";

  for (const { name, values, expected } of [
    { name: "none without a registry", values: { [list]: "a" }, expected: [] },
    { name: "none", values: { "system-default-registry": "r" }, expected: [] },
    {
      name: "each name once",
      values: { "system-default-registry": "r", [list]: " a,b ,,a" },
      expected: ["a", "b"],
    },
  ]) {
    it(`is ${name}`, () => expect(sourcesOf(settings(values))).to.deep.equal(expected));
  }
});

describe("pullCopyOf", () => {
  it("has a name and a label of its own", () => {
    const copy = pullCopyOf(aPullSecret("hub"), "kube-system");

    expect(copy.metadata).to.deep.include({
      name: "registry-pull-secret-hub",
      namespace: "kube-system",
      labels: { tier: "1", [copyLabel]: "true" },
    });
    expect(copy.data).to.deep.equal(dockerConfig);
  });
});

describe("pull-secrets between a hub and a cluster", function () {
  this.timeout(60_000);
  let running: RunningDownstream;

  eachDownstream(async (opened) => {
    running = opened;
    await running.hub.create({ ...refTo(Namespace, "cattle-system") }).catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
  });

  it("follow the label of the System project, its namespaces and the source", async () => {
    const source = await running.hub.create(aPullSecret(uniqueName("pull")));
    const { name } = source.metadata;
    const env = {
      CATTLE_SYSTEM_DEFAULT_REGISTRY: "r",
      CATTLE_SYSTEM_DEFAULT_REGISTRY_PULL_SECRETS: name,
    };
    const project = await newProject(running, { metadata: { labels: { [system]: "true" } } });
    const { name: namespace } = (await newNamespace(running, inside(project))).metadata;
    const copy = () => running.cluster.find(Secret, `registry-pull-secret-${name}`, { namespace });
    const label = (value: string | null) =>
      running.hub.patch(refTo(Project, project.metadata.name, running.name), {
        merge: { metadata: { labels: { [wanted]: value } } },
      });
    await running.run(pullSecrets({ env }));
    await quiet(running);
    expect(await copy()).to.equal(undefined);

    await label("true");
    const made = await eventually(copy, within);
    expect(made).to.include({ type: "kubernetes.io/dockerconfigjson" });
    const data = { ".dockerconfigjson": Buffer.from('{"auths":{"r":{}}}').toString("base64") };
    await running.hub.patch(refTo(Secret, name, "cattle-system"), { merge: { data } });
    await eventually(
      async () => (await copy())?.data?.[".dockerconfigjson"] === data[".dockerconfigjson"],
      within,
    );
    await running.cluster.delete(made, { preconditions: "none" });
    await eventually(copy, within);
    await quiet(running);
    await running.stop();
    const count = writes(running).length;
    await running.run(pullSecrets({ env }));
    await quiet(running);
    expect(writes(running).length).to.equal(count);
    await label(null);

    await eventually(async () => (await copy()) === undefined, within);
    await running.hub.delete(refTo(Secret, name, "cattle-system"));
  });

  it("come to rest where several projects are labelled as the System project", async () => {
    const name = uniqueName("pull");
    await running.hub.create(aPullSecret(name));
    const env = {
      CATTLE_SYSTEM_DEFAULT_REGISTRY: "r",
      CATTLE_SYSTEM_DEFAULT_REGISTRY_PULL_SECRETS: name,
    };
    const aSystemProject = (labels: Readonly<Record<string, string>>) =>
      newProject(running, { metadata: { labels: { [system]: "true", ...labels } } });
    const projects = [
      await aSystemProject({ [wanted]: "true" }),
      await aSystemProject({ [wanted]: "true" }),
      await aSystemProject({}),
    ];
    const namespaces = await Promise.all(
      projects.map((project) => newNamespace(running, inside(project))),
    );
    const has = async (...expected: readonly boolean[]) => {
      const copies = await Promise.all(
        namespaces.map(({ metadata: { name: namespace } }) =>
          running.cluster.find(Secret, `registry-pull-secret-${name}`, { namespace }),
        ),
      );
      const found = copies.map((copy) => copy !== undefined);
      return JSON.stringify(found) === JSON.stringify(expected);
    };
    const unlabel = ({ metadata }: Project) =>
      running.hub.patch(refTo(Project, metadata.name, running.name), {
        merge: { metadata: { labels: { [system]: null } } },
      });

    await running.run(pullSecrets({ env }));
    await eventually(() => has(true, true, false), within);
    await quiet(running);
    expect(await has(true, true, false)).to.equal(true);
    const [first, ...others] = projects;
    if (first !== undefined) await unlabel(first);
    await eventually(() => has(false, true, false), within);
    await quiet(running);
    expect(await has(false, true, false)).to.equal(true);
    for (const project of others) await unlabel(project);

    await eventually(() => has(false, false, false), within);
    await running.hub.delete(refTo(Secret, name, "cattle-system"));
  });
});
