import { type ControlPlane, startControlPlane } from "@drover/env";
import { type Client, connect, type KubeObject, loadConfig } from "kopf-ts";
import { type Bench, interleave, type Outcome, type Scenario } from "../bench.ts";
import { type Aim, closedLoop, fetchBody } from "../load.ts";
import { createPods, namespaceOf } from "../pods.ts";
import { cpuSeconds } from "../process.ts";
import type { Figures } from "../stats.ts";
import { desk, startOurs, startStatic, startSteve, type V1Server } from "../v1-peers.ts";

/** Pages of 100 of all Pods, asked for in several ways by people with different rights, on ten connections. */
export const page: Scenario = {
  name: "page",
  about: "pages of 100 of /v1/pods, in several orders, filters and rights",
  run: async (bench) => {
    const n = bench.n ?? 10_000;
    await using plane = await startControlPlane({ name: "bench-page" });
    await using client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    await createPods(client, n, (done) => bench.say(`${done} of ${n} Pods exist`));
    await createPeople(client);
    using place = await desk();
    await using ours = await startOurs(plane, place);
    await using steve = await startSteve(plane, place);
    await compare(bench, ours, steve, n);
    await using fixed = await startStatic(place, await fetchBody(aimAt(ours, "id", n), 0));
    const apiServer = await apiServerAim(plane);
    const rounds = await interleave(bench, {
      drover: () => measure(ours, n, Object.keys(questions)),
      steve: () => measure(steve, n, Object.keys(questions)),
      static: () => measure(fixed, n, ["id"]),
      "kube-apiserver": () =>
        figures("id", apiServer, () => cpuSeconds(plane.pids["kube-apiserver"] ?? 0)),
    });
    return { n, rounds, targets, missing: {} } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "drover", peer: "steve", figure: "id_cpu_ms", limit: 0.02 },
  { subject: "drover", peer: "static", figure: "id_cpu_ms", limit: 2 },
  { subject: "drover", figure: "id_p99_ms", limit: 15 },
  ...["created", "state", "label", "name", "ns50", "deep"].map((name) => ({
    ...{ subject: "drover", peer: "steve", figure: `${name}_cpu_ms`, limit: 0.02 },
  })),
];

const connections = 10;
/** Of one question in one round. */
const bounds = { requests: 400, time: 8000 } as const;

/** A way to ask for pages. */
interface Question {
  readonly user: string;
  readonly query: string;
  /** The first page that is asked for, as a part of all; 0 unless told. */
  readonly from?: number;
}

const questions: Readonly<Record<string, Question>> = {
  id: { user: "admin", query: "" },
  created: { user: "admin", query: "sort=-metadata.creationTimestamp,metadata.name" },
  state: { user: "admin", query: "filter=metadata.state.name=running" },
  label: { user: "admin", query: "filter=metadata.labels[tier]=backend" },
  name: { user: "admin", query: "filter=metadata.name~check" },
  deep: { user: "admin", query: "sort=metadata.name", from: 0.8 },
  ns1: { user: "ns1", query: "" },
  ns50: { user: "ns50", query: "" },
};

/** Each sees the Pods of so many namespaces. */
const people: Readonly<Record<string, number>> = { ns1: 1, ns50: 50 };

async function createPeople(client: Client): Promise<void> {
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };
  const apiGroup = "rbac.authorization.k8s.io";
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] }];
  const role = { ...rbac, kind: "ClusterRole", metadata: { name: "bench-pods" }, rules };
  await client.create<KubeObject>(role);
  for (const [name, count] of Object.entries(people)) {
    for (let index = 0; index < count; index++) {
      await client.create<KubeObject & object>({
        ...rbac,
        ...{ kind: "RoleBinding", metadata: { name, namespace: namespaceOf(index) } },
        ...{ roleRef: { apiGroup, kind: "ClusterRole", name: "bench-pods" } },
        ...{ subjects: [{ apiGroup, kind: "User", name }] },
      });
    }
  }
}

function aimAt({ base }: Pick<V1Server, "base">, name: string, n: number): Aim {
  const { user = "", query = "", from = 0 } = questions[name] ?? {};
  const pages = Math.max(1, Math.floor(n / 100));
  const first = Math.floor(pages * from);
  const path = (index: number): string => {
    const number = 1 + ((first + (index % 10)) % pages);
    return `/v1/pods?pagesize=100&page=${number}${query === "" ? "" : `&${query}`}`;
  };
  const group = user === "admin" ? { "impersonate-group": "system:masters" } : {};
  const headers = { accept: "application/json", "impersonate-user": user, ...group };
  return { base, headers, path };
}

/** Asks the API server itself, which knows one order and no pages: the first hundred. */
async function apiServerAim(plane: ControlPlane): Promise<Aim> {
  const token = await plane.serviceAccountToken("kube-system", "generic-garbage-collector");
  const headers = { accept: "application/json", authorization: `Bearer ${token}` };
  return { base: plane.url, headers, path: () => "/api/v1/pods?limit=100" };
}

/** A wrong answer is not fast: both must show the same objects and totals before anything is timed. */
async function compare(bench: Bench, ours: V1Server, steve: V1Server, n: number): Promise<void> {
  for (const name of Object.keys(questions)) {
    bench.say(`comparing ${name}`);
    const [a, b] = [await shown(ours, name, n), await shown(steve, name, n)];
    if (a !== b)
      throw new Error(`${name}: the answers differ: ${a.slice(0, 200)} / ${b.slice(0, 200)}`);
  }
}

async function shown(server: V1Server, name: string, n: number): Promise<string> {
  const { count, data } = JSON.parse(String(await fetchBody(aimAt(server, name, n), 3)));
  return JSON.stringify([count, data.map(({ id }: { readonly id: string }) => id)]);
}

async function measure(server: V1Server, n: number, names: readonly string[]): Promise<Figures> {
  const all: Record<string, number> = {};
  for (const name of names) {
    Object.assign(
      all,
      await figures(name, aimAt(server, name, n), () => server.subject.cost().cpu_s),
    );
  }
  const { rss_mb, rss_peak_mb } = server.subject.cost();
  return { ...all, rss_mb, rss_peak_mb };
}

async function figures(name: string, aim: Aim, cpu: () => number): Promise<Figures> {
  const before = cpu();
  const { p50, p99, perSecond, count, bytes } = await closedLoop(aim, connections, bounds);
  // The connections' first answers count as well: they were sent by the same process.
  return {
    [`${name}_cpu_ms`]: ((cpu() - before) * 1000) / (count + connections),
    [`${name}_p50_ms`]: p50,
    [`${name}_p99_ms`]: p99,
    [`${name}_per_s`]: perSecond,
    [`${name}_bytes`]: bytes,
  };
}
