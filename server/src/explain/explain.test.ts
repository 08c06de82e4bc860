import { execFile } from "node:child_process";
import { join } from "node:path";
import {
  annotations,
  backingNamespaceOf,
  GlobalRole,
  idOfProject,
  installCrds,
  kinds,
} from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aGlobalRole,
  aProject,
  aProjectRoleTemplateBinding,
  aRoleTemplate,
} from "@drover/crds/testing";
import { type ControlPlane, testEnv, uniqueName } from "@drover/env";
import { downstream } from "@drover/operators";
import { parseFeatures } from "@drover/platform";
import { expect } from "chai";
import {
  type Client,
  connect,
  type KubeObject,
  loadConfig,
  reconcileOnce,
  refTo,
  silentLogger,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace } from "kopf-ts/kinds";

import { clusterAt, forget, nowhere } from "../away.test.support.ts";

const main = join(import.meta.dirname, "..", "main.js");

describe("drover explain", function () {
  this.timeout(60_000);

  let plane: ControlPlane;
  let client: Client;

  const explain = (
    ...args: readonly string[]
  ): Promise<{ code: number | null; out: string; err: string }> =>
    new Promise((resolve) => {
      const command = [main, "explain", ...args, "--kubeconfig", plane.kubeconfigPath];
      const child = execFile(process.execPath, command, (_error, out, err) =>
        resolve({ code: child.exitCode, out, err }),
      );
    });

  /** As the server does in its own cluster. */
  const runOnce = async (concern: string, object: KubeObject): Promise<void> => {
    const concerns = downstream({ env: {}, features: parseFeatures(""), restart: () => undefined });
    const controller = concerns.find(({ name }) => name === concern);
    if (controller === undefined) throw new TypeError(`there is no ${concern}`);
    const place = { client, hub: { client }, cluster: "local", fieldManagerPrefix: "drover-" };
    await reconcileOnce(controller, object, place);
  };

  before(async () => {
    plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }), { kinds });
    await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
  });
  after(() => client?.[Symbol.asyncDispose]());

  it("tells what is missing, and makes none of it", async () => {
    const name = uniqueName("role");
    const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"] }];
    const role = await client.create(aGlobalRole({ metadata: { name }, rules }));

    const { code, out, err } = await explain(`gr/${name}`, "-c", "local"); // clusters that other tests left may be away

    expect(err).to.equal("");
    expect(code).to.equal(1);
    expect(out).to.match(new RegExp(`^GlobalRole ${name}\n`));
    expect(out).to.include(`  missing      ClusterRole cattle-globalrole-${name}\n`);
    expect(await client.find(ClusterRole, `cattle-globalrole-${name}`)).to.equal(undefined);
    expect(await client.get(GlobalRole, name)).to.deep.equal(role);

    const elsewhere = await explain(`gr/${name}`, "-c", "no-such");
    expect(elsewhere.err).to.equal("drover explain: there is no cluster no-such\n");
    expect(elsewhere.code).to.equal(2);
  });

  it("tells what is there of what a binding shares with others, and what differs", async () => {
    const namespace = "local";
    await client.apply(refTo(Namespace, namespace), { fieldManager: "test" });
    const { metadata } = await client.create(aRoleTemplate());
    const binding = await client.create(
      aClusterRoleTemplateBinding({
        metadata: { name: uniqueName("crtb"), namespace },
        ...{ clusterName: namespace, userName: uniqueName("u"), roleTemplateName: metadata.name },
      }),
    );
    const about = [`crtb/${binding.metadata.name}`, "-n", namespace] as const;
    const concern = "downstream-cluster-role-template-bindings";
    await runOnce(concern, binding);
    const [made] = (await client.list(ClusterRoleBinding)).items.filter(
      ({ subjects }) => subjects?.[0]?.name === binding.userName,
    );

    const settled = await explain(...about);
    const labels = { "management.cattle.io/roletemplate-aggregation": null };
    await client.patch(made ?? binding, { merge: { metadata: { labels } } });
    const drifted = await explain(...about);

    const name = made?.metadata.name;
    const part = `${concern} in cluster local:\n`;
    expect(settled.out).to.include(`${part}  in order     ClusterRoleBinding ${name}\n`);
    expect(drifted.out).to.include(`${part}  differs      ClusterRoleBinding ${name}: /metadata/`);
  });

  it("tells which quotas and limits there are because of a project", async () => {
    await client.apply(refTo(Namespace, "local"), { fieldManager: "test" });
    const limit = { pods: "5" };
    const project = await client.create(
      aProject({
        metadata: { name: uniqueName("p"), namespace: "local" },
        spec: {
          ...{ clusterName: "local", displayName: "x", resourceQuota: { limit } },
          ...{ namespaceDefaultResourceQuota: { limit } },
          containerDefaultResourceLimit: { limitsCpu: "100m" },
        },
      }),
    );
    const name = uniqueName("ns");
    const ns = await client.create({
      ...{ apiVersion: "v1", kind: "Namespace" },
      metadata: { name, annotations: { [annotations.projectId]: idOfProject(project) } },
    });
    await runOnce("resource-quotas", project);
    await runOnce("container-limits", ns);

    const ofProject = await explain(`project/${project.metadata.name}`, "-n", "local");
    const ofNamespace = await explain(`ns/${name}`);

    expect(ofProject.out).to.match(
      new RegExp(`resource-quotas in cluster local:\n  in order     ResourceQuota ${name}/`),
    );
    expect(ofNamespace.out).to.match(
      new RegExp(`container-limits in cluster local:\n  in order     LimitRange ${name}/`),
    );
  });

  it("tells what a concern would warn of, such as the user of a binding that does not exist", async () => {
    const project = await client.create(
      aProject({
        metadata: { name: uniqueName("p"), namespace: "local" },
        spec: { clusterName: "local", displayName: "x" },
      }),
    );
    const namespace = backingNamespaceOf(project);
    await client.apply(refTo(Namespace, namespace), { fieldManager: "test" });
    const template = await client.create(aRoleTemplate({ context: "project" }));
    const { metadata, userName } = await client.create(
      aProjectRoleTemplateBinding({
        metadata: { name: uniqueName("prtb"), namespace },
        ...{ projectName: idOfProject(project), userName: uniqueName("u") },
        roleTemplateName: template.metadata.name,
      }),
    );

    const { code, out } = await explain(`prtb/${metadata.name}`, "-n", namespace);

    expect(code).to.equal(1);
    expect(out).to.include(
      `  warns        UserNotFound: users.management.cattle.io "${userName}" not found`,
    );
  });

  it("says what cannot be told of a cluster that is away, and why, with exit code 2", async () => {
    const cluster = await clusterAt(nowhere, client);
    await client.apply(refTo(Namespace, cluster), { fieldManager: "test" });
    const { metadata } = await client.create(aRoleTemplate());
    const { name } = (
      await client.create(
        aClusterRoleTemplateBinding({
          metadata: { name: uniqueName("crtb"), namespace: cluster },
          ...{ clusterName: cluster, userName: "u-x", roleTemplateName: metadata.name },
        }),
      )
    ).metadata;

    const there = await explain(`crtb/${name}`, "-n", cluster, "-c", cluster);
    const everywhere = await explain(`crtb/${name}`, "-n", cluster);

    const concern = "downstream-cluster-role-template-bindings";
    const unknown = new RegExp(
      `\ncannot be told:\n  cluster ${cluster} \\(${concern}\\): .*:1 cannot be reached: .*\n$`,
    );
    expect([there.code, there.err]).to.deep.equal([2, ""]);
    expect(there.out).to.match(unknown);
    expect(everywhere.code).to.equal(1);
    expect(everywhere.out).to.include("\n  missing ").and.match(unknown);
    await forget(cluster, client);
  });

  for (const { title, args, expected } of [
    { title: "an object", args: ["gr/no-such"], expected: /there is no GlobalRole no-such/ },
    { title: "a kind", args: ["pod/a"], expected: /nothing is known of kind "pod"/ },
    { title: "a namespace", args: ["project/p-1"], expected: /add -n <namespace>/ },
    {
      title: "a cluster",
      args: ["ns/default", "-c", "no-such"],
      expected: /there is no cluster no-such/,
    },
  ]) {
    it(`names ${title} that is missing, with exit code 2`, async () => {
      const { code, out, err } = await explain(...args);

      expect([code, out]).to.deep.equal([2, ""]);
      expect(err)
        .to.match(/^drover explain: .*\n$/)
        .and.match(expected);
    });
  }
});
