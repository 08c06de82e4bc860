import { readFileSync } from "node:fs";
import {
  Cluster,
  ClusterRoleTemplateBinding,
  dataNamespace,
  installCrds,
  kinds,
  localClusterName,
  Project,
  ProjectRoleTemplateBinding,
  RoleTemplate,
  User,
} from "@drover/crds";
import { type ControlPlane, freePort, startControlPlane } from "@drover/env";
import { mayDo } from "@drover/platform";
import { type Client, connect, loadConfig, silentLogger } from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { type Audited, AuditLog } from "../audit-log.ts";
import { type Bench, interleave, type Outcome, type Scenario } from "../bench.ts";
import {
  inParallel,
  made,
  restAfterMany,
  restAfterOne,
  serve,
  tally,
  untilSilent,
} from "../drover.ts";
import type { Subject } from "../process.ts";
import type { Figures } from "../stats.ts";

const imported = "c-bench";
const clusterNames = [localClusterName, imported];
const namespacesPerProject = 4;
const membersPerProject = 5;
const users = 100;
/** Bindings whose effect is timed, one after the other. */
const samples = 21;
/** Role template bindings of one cluster, all made at once. */
const crowd = 1000;
/** Milliseconds within which a binding must have its effect, or the round has failed. */
const effectiveWithin = 60_000;

/**
 * N projects with 4 namespaces and 5 members each, on the server's own cluster and on an imported one: from the start of `drover server` to the last write; then
 * the time from a new binding to the right that it gives in the imported cluster, what is written for it, and a second start.
 */
export const propagate: Scenario = {
  name: "propagate",
  about:
    "projects, namespaces and members on two clusters: cold start, one more binding, 1,000 more, a second start",
  run: async (bench) => {
    const n = bench.n ?? 50;
    const once = { ...bench, rounds: 1 }; // each needs control planes of its own, and minutes
    const rounds = await interleave(once, { drover: () => measure(bench, n) });
    return { n, rounds, targets, missing: {} } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "drover", figure: "cold_s", limit: 60 },
  { subject: "drover", figure: "effective_ms", limit: 500 },
  { subject: "drover", figure: "superfluous_writes", limit: 0 },
  { subject: "drover", figure: "crowd_s", limit: 180 },
  { subject: "drover", figure: "second_start_writes", limit: 0 },
];

/** Both clusters, with their audit logs. */
interface Field extends AsyncDisposable {
  readonly hub: ControlPlane;
  readonly logs: readonly AuditLog[];
  /** By cluster. */
  readonly clients: Readonly<Record<string, Client>>;
}

async function measure(bench: Bench, n: number): Promise<Figures> {
  await using field = await open();
  await fill(bench, field, n);
  await Promise.all(field.logs.map((log) => log.read()));

  const port = await freePort();
  await using first = serve(field.hub, port);
  const cold = await untilSilent(first, field.logs, { ...restAfterMany, say: bench.say });
  bench.say(`  ${tally(cold.writes).join(", ")}`);
  const cost = first.cost();
  await check(field, n);
  const single = await timeBindings(bench, field, first);
  const crowd_s = await timeCrowd(bench, field, first);
  await first[Symbol.asyncDispose]();

  await Promise.all(field.logs.map((log) => log.read()));
  await using second = serve(field.hub, port);
  const again = await untilSilent(second, field.logs, { ...restAfterMany, say: bench.say });
  bench.say(`  second start: ${tally(again.writes).join(", ") || "nothing"}`);
  return {
    cold_s: (cold.last - cold.started) / 1000,
    cold_writes: cold.writes.length,
    cpu_s: cost.cpu_s,
    rss_mb: cost.rss_mb,
    ...single,
    crowd_s,
    second_start_writes: again.writes.length,
  };
}

async function open(): Promise<Field> {
  const stack = new AsyncDisposableStack();
  const planes = await Promise.all(
    ["hub", "downstream"].map(async (name) => {
      const log = stack.use(new AuditLog());
      const plane = stack.use(await startControlPlane({ name, flags: { apiServer: log.flags } }));
      const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
      return { log, plane, client: stack.use(connect(config, { kinds, userAgent: "bench" })) };
    }),
  );
  const [hub, downstream] = planes;
  if (hub === undefined || downstream === undefined) throw new Error("two control planes");
  const secret = made(
    Secret,
    "bench-kubeconfig",
    { stringData: { value: readFileSync(downstream.plane.kubeconfigPath, "utf8") } },
    dataNamespace,
  );
  await hub.client.create(made(Namespace, dataNamespace));
  await hub.client.create(secret);
  return {
    hub: hub.plane,
    logs: planes.map(({ log }) => log),
    clients: { [localClusterName]: hub.client, [imported]: downstream.client },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function clientOf({ clients }: Field, cluster: string): Client {
  const client = clients[cluster];
  if (client === undefined) throw new Error(`no cluster ${cluster}`);
  return client;
}

/** What people have declared before the server starts. */
async function fill({ say }: Bench, field: Field, n: number): Promise<void> {
  const hub = clientOf(field, localClusterName);
  await installCrds(hub, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
  const rules = [{ verbs: ["get", "list"], apiGroups: [""], resources: ["configmaps"] }];
  for (const [name, context] of [
    ["bench-member", "project"],
    ["bench-viewer", "cluster"],
  ] as const)
    await hub.create(made(RoleTemplate, name, { displayName: name, context, rules }));
  await inParallel(users, (index) =>
    hub.create(made(User, `u-${index}`, { username: `u${index}` })),
  );
  await hub.create({
    ...made(Cluster, imported, { spec: { displayName: "bench" } }),
    metadata: {
      name: imported,
      annotations: { "drover.dev/kubeconfig-secret": "bench-kubeconfig" },
    },
  });
  for (const cluster of clusterNames) {
    await hub.create(made(Namespace, cluster));
    await inParallel(n, (index) => fillProject(field, cluster, index));
  }
  say(`  ${n} projects exist in each of ${clusterNames.length} clusters`);
}

async function fillProject(field: Field, cluster: string, index: number): Promise<void> {
  const hub = clientOf(field, localClusterName);
  const name = projectName(index);
  const backingNamespace = backing(cluster, index);
  await hub.create(made(Namespace, backingNamespace));
  const spec = { displayName: name, clusterName: cluster };
  await hub.create(made(Project, name, { spec, status: { backingNamespace } }, cluster));
  for (let at = 0; at < namespacesPerProject; at++) {
    const annotations = { "field.cattle.io/projectId": `${cluster}:${name}` };
    const metadata = { name: namespaceName(cluster, index, at), annotations };
    await clientOf(field, cluster).create({ ...made(Namespace, ""), metadata });
  }
  for (let at = 0; at < membersPerProject; at++)
    await hub.create(member(cluster, index, userName(index * membersPerProject + at), `m-${at}`));
}

const projectName = (index: number): string => `p-${index}`;
const backing = (cluster: string, index: number): string => `${cluster}-p-${index}`;
const namespaceName = (cluster: string, index: number, at: number): string =>
  `bench-${cluster}-${index}-${at}`;
const userName = (index: number): string => `u-${index % users}`;

function member(cluster: string, index: number, user: string, name: string) {
  const projectId = `${cluster}:${projectName(index)}`;
  const fields = { userName: user, projectName: projectId, roleTemplateName: "bench-member" };
  return made(ProjectRoleTemplateBinding, name, fields, backing(cluster, index));
}

/** Throws unless every member has the right in every namespace. */
async function check(field: Field, n: number): Promise<void> {
  const missing: string[] = [];
  for (const cluster of clusterNames) {
    await inParallel(n, async (index) => {
      for (let at = 0; at < membersPerProject; at++) {
        const user = userName(index * membersPerProject + at);
        const namespace = namespaceName(cluster, index, at % namespacesPerProject);
        if (!(await mayList(field, cluster, user, namespace)))
          missing.push(`${user} in ${namespace}`);
      }
    });
  }
  if (missing.length > 0)
    throw new Error(`${missing.length} rights are missing: ${missing.slice(0, 5)}`);
}

function mayList(
  field: Field,
  cluster: string,
  user: string,
  namespace?: string,
): Promise<boolean> {
  const attributes = { verb: "list", group: "", resource: "configmaps" };
  return mayDo(
    clientOf(field, cluster),
    { username: user, groups: ["system:authenticated"] },
    namespace === undefined ? attributes : { ...attributes, namespace },
  );
}

/** Objects that one more member of a project needs: a RoleBinding per namespace, membership of cluster and project on the hub, and the namespace role. */
async function timeBindings(bench: Bench, field: Field, server: Subject): Promise<Figures> {
  const hub = clientOf(field, localClusterName);
  const delays: number[] = [];
  const all: Audited[] = [];
  let objects = 0;
  for (let sample = 0; sample < samples; sample++) {
    const user = `u-new-${sample}`;
    await hub.create(made(User, user, { username: user }));
    await untilQuiet(field, server);
    const before = await rbacObjects(field);
    await Promise.all(field.logs.map((log) => log.read()));
    const began = performance.now();
    await hub.create(member(imported, 0, user, `new-${sample}`));
    await eventually(() => mayList(field, imported, user, namespaceName(imported, 0, 0)), {
      within: effectiveWithin,
    });
    delays.push(performance.now() - began);
    all.push(...(await untilQuiet(field, server)));
    objects += (await rbacObjects(field)) - before;
  }
  bench.say(`  ${samples} bindings: ${tally(all).join(", ")}; ${objects} objects`);
  const writes = all.length;
  const sorted = delays.toSorted((a, b) => a - b);
  return {
    effective_ms: sorted[Math.floor(sorted.length / 2)] ?? 0,
    effective_max_ms: sorted.at(-1) ?? 0,
    writes_per_binding: writes / samples,
    objects_per_binding: objects / samples,
    // Completing the binding itself is a write as well.
    superfluous_writes: Math.max(0, writes / samples - objects / samples - 1),
  };
}

const rbac = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map(
  (plural) => `/apis/rbac.authorization.k8s.io/v1/${plural}`,
);

/** Roles, bindings and accounts of both clusters. */
async function rbacObjects(field: Field): Promise<number> {
  const counts = await Promise.all(
    clusterNames.flatMap((cluster) =>
      [...rbac, "/api/v1/serviceaccounts"].map(async (collection) => {
        const path = `${collection}?limit=1`;
        const { body } = await clientOf(field, cluster).request({ method: "GET", path });
        const { items, metadata } = JSON.parse(body.toString());
        return items.length + (metadata.remainingItemCount ?? 0);
      }),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The writes until a change has had its effect. */
async function untilQuiet({ logs }: Field, server: Subject): Promise<readonly Audited[]> {
  return (await untilSilent(server, logs, { ...restAfterOne, since: Date.now() })).writes;
}

/** Seconds until 1,000 bindings of one cluster, made as fast as the server takes them, have their effect. */
async function timeCrowd(bench: Bench, field: Field, server: Subject): Promise<number> {
  const hub = clientOf(field, localClusterName);
  const began = Date.now();
  const binding = (index: number) =>
    made(
      ClusterRoleTemplateBinding,
      `crowd-${index}`,
      { userName: `u-crowd-${index}`, clusterName: imported, roleTemplateName: "bench-viewer" },
      imported,
    );
  await inParallel(crowd, async (index) => {
    await hub.create(made(User, `u-crowd-${index}`, { username: `crowd${index}` }));
    await hub.create(binding(index));
  });
  bench.say(`  ${crowd} bindings exist`);
  const watched = { ...restAfterMany, since: began, say: bench.say };
  const { last, writes } = await untilSilent(server, field.logs, watched);
  bench.say(`  ${tally(writes).join(", ")}`);
  await inParallel(crowd, async (index) => {
    if (!(await mayList(field, imported, `u-crowd-${index}`)))
      throw new Error(`u-crowd-${index} has no right`);
  });
  return (last - began) / 1000;
}
