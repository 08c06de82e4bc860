import { execFile } from "node:child_process";
import { join } from "node:path";
import { installCrds, kinds, User } from "@drover/crds";
import {
  aClusterRoleTemplateBinding,
  aGlobalRole,
  aGlobalRoleBinding,
  aRoleTemplate,
  aUser,
} from "@drover/crds/testing";
import { type ControlPlane, freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { apiVersionOf, type Client, connect, loadConfig, silentLogger } from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  RoleBinding,
  type Subject,
} from "kopf-ts/kinds";

import { clusterAt, forget, nowhere, SilentServer } from "../away.test.support.ts";

const main = join(import.meta.dirname, "..", "main.js");
const rule = { verbs: ["list"], apiGroups: [""], resources: ["configmaps"] };

describe("drover can", function () {
  this.timeout(60_000);

  let plane: ControlPlane;
  let client: Client;

  const can = (
    ...args: readonly string[]
  ): Promise<{ code: number | null; out: string; err: string }> =>
    new Promise((resolve) => {
      const command = [main, "can", "--kubeconfig", plane.kubeconfigPath, ...args];
      const child = execFile(process.execPath, command, (_error, out, err) =>
        resolve({ code: child.exitCode, out, err }),
      );
    });
  const newUser = async (): Promise<string> => {
    const name = uniqueName("u");
    await client.create(aUser({ metadata: { name }, displayName: "Jane", username: `${name}-x` }));
    return name;
  };

  before(async () => {
    plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }), { kinds });
    await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
  });
  after(() => client?.[Symbol.asyncDispose]());

  it("shows the way through a global role, by name and by username", async () => {
    const user = await newUser();
    const name = uniqueName("reader");
    await client.create(aGlobalRole({ metadata: { name }, rules: [rule] }));
    await client.create(
      aGlobalRoleBinding({ metadata: { name }, userName: user, globalRoleName: name }),
    );
    await grant(client, name, user);

    const [byName, byUsername] = [
      await can(user, "list", "cm"),
      await can(`${user}-x`, "list", "cm"),
    ];

    expect(byName.err).to.equal("");
    expect(byName.code).to.equal(0);
    expect(byName.out).to.include(`yes: ${user} (Jane) can list configmaps in cluster local`);
    expect(byName.out).to.include(`  GlobalRoleBinding ${name}\n    GlobalRole ${name}\n`);
    expect(byName.out).to.include(`  ClusterRoleBinding ${name}\n    ClusterRole ${name}\n`);
    expect(byUsername.out).to.equal(byName.out);
  });

  it("says what is missing, and which template would do", async () => {
    const user = await newUser();
    const template = uniqueName("template");
    await client.create(
      aRoleTemplate({ metadata: { name: template }, context: "cluster", rules: [rule] }),
    );

    const { code, out } = await can(user, "list", "configmaps", "-n", "default");

    expect(code).to.equal(1);
    expect(out).to.include(
      `no: ${user} (Jane) cannot list configmaps in namespace default of cluster local`,
    );
    expect(out).to.include('missing: {APIGroups:[""], Resources:["configmaps"], Verbs:["list"]}');
    expect(out).to.include(template);
  });

  it("says what is declared and not in effect", async () => {
    const user = await newUser();
    const name = uniqueName("declared");
    await client.apply(
      { apiVersion: "v1", kind: Namespace.kind, metadata: { name: "local" } },
      { fieldManager: "test" },
    );
    await client.create(aRoleTemplate({ metadata: { name }, context: "cluster", rules: [rule] }));
    await client.create(
      aClusterRoleTemplateBinding({
        metadata: { name, namespace: "local" },
        ...{ clusterName: "local", userName: user, roleTemplateName: name },
      }),
    );

    const { code, out } = await can(user, "list", "configmaps");

    expect(code).to.equal(1);
    expect(out).to.include(
      `  ClusterRoleTemplateBinding local/${name}\n    RoleTemplate ${name}\n`,
    );
    expect(out).to.include(`drover explain clusterroletemplatebinding/${name} -n local`);
  });

  for (const { title, args, expected } of [
    { title: "a resource", args: ["x", "get", "podz"], expected: /serves no resource "podz"/ },
    {
      title: "a namespace",
      args: ["x", "get", "pods", "-n", "no-such-namespace"],
      expected: /no namespace no-such-namespace in cluster local/,
    },
    {
      title: "a cluster",
      args: ["x", "get", "pods", "-c", "no-such"],
      expected: /cluster no-such/,
    },
  ]) {
    it(`names ${title} that does not exist, with exit code 2`, async () => {
      const { code, out, err } = await can(...args);

      expect([code, out]).to.deep.equal([2, ""]);
      expect(err)
        .to.match(/^drover can: .*\n$/)
        .and.match(expected);
    });
  }

  it("says at once what it may not see", async () => {
    const { path } = await plane.kubeconfigFor({ name: "nobody" });

    const { code, out, err } = await can("x", "get", "pods", "--kubeconfig", path);

    expect([code, out]).to.deep.equal([2, ""]);
    expect(err).to.match(/^drover can: .* is forbidden: User "nobody" cannot list resource .*\n$/);
  });

  it("says why a cluster does not answer", async () => {
    const cluster = await clusterAt(nowhere, client);

    const { code, out, err } = await can("x", "get", "pods", "-c", cluster);

    expect([code, out]).to.deep.equal([2, ""]);
    expect(err).to.match(/^drover can: .*:1 cannot be reached: .*\n$/);
    await forget(cluster, client);
  });

  it("waits no longer than it is told", async () => {
    await using silent = await SilentServer.open();
    const cluster = await clusterAt(silent.url, client);

    const { code, err } = await can("x", "get", "pods", "-c", cluster, "--timeout", "50ms");

    expect([code, err]).to.deep.equal([2, "drover can: the 0.05 s of --timeout are over\n"]);
    await forget(cluster, client);
  });

  it("takes somebody who is no User for a user of the cluster's own", async () => {
    const namespace = await freshNamespace(plane);
    const somebody = `system:serviceaccount:${namespace}:nobody`;

    const { code, out } = await can(somebody, "list", "secrets", "-n", namespace);

    expect(code).to.equal(1);
    expect(out).to.include(`there is no User ${somebody}`);
    expect(
      (await client.list(User)).items.some(({ metadata }) => metadata.name === somebody),
    ).to.equal(false);
  });

  it("counts what is bound to the groups of a service account", async () => {
    const namespace = await freshNamespace(plane);
    const subject = { kind: "Group", name: `system:serviceaccounts:${namespace}` } as const;
    await bindIn(client, namespace, { ...subject, apiGroup: ClusterRole.group });

    const account = `system:serviceaccount:${namespace}:robot`;
    const { code, out } = await can(account, "list", "secrets", "-n", namespace);

    expect(out).to.match(/^yes: /);
    expect(code).to.equal(0);
  });

  it("counts what is bound in a namespace for the namespace itself", async () => {
    const [user, namespace] = [await newUser(), await freshNamespace(plane)];
    await bindIn(client, namespace, { kind: "User", name: user, apiGroup: ClusterRole.group });

    const { code, out } = await can(user, "get", "namespaces", "--name", namespace);
    const other = await can(user, "get", "namespaces", "--name", "default");
    const all = await can(user, "list", "namespaces");

    expect(await client.as({ user }).get(Namespace, namespace)).not.to.equal(undefined);
    expect([code, other.code, all.code]).to.deep.equal([0, 1, 1]);
    expect(out).to.include(`  RoleBinding ${namespace}/all\n    ClusterRole cluster-admin\n`);
  });
});

async function grant(client: Client, name: string, user: string): Promise<void> {
  const roleRef = { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name };
  const subjects = [{ kind: "User", name: user, apiGroup: ClusterRole.group }] as const;
  await client.create<ClusterRole>({
    apiVersion: apiVersionOf(ClusterRole),
    kind: ClusterRole.kind,
    metadata: { name },
    rules: [rule],
  });
  await client.create<ClusterRoleBinding>({
    apiVersion: apiVersionOf(ClusterRoleBinding),
    kind: ClusterRoleBinding.kind,
    metadata: { name },
    roleRef,
    subjects,
  });
}

/** Makes somebody admin of a namespace. */
async function bindIn(client: Client, namespace: string, subject: Subject): Promise<void> {
  await client.create<RoleBinding>({
    apiVersion: apiVersionOf(RoleBinding),
    kind: RoleBinding.kind,
    metadata: { name: "all", namespace },
    roleRef: { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name: "cluster-admin" },
    subjects: [subject],
  });
}
