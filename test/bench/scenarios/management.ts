import { GlobalRole, GlobalRoleBinding, installCrds, kinds, Token, User } from "@drover/crds";
import { startControlPlane } from "@drover/env";
import { type Client, connect, loadConfig, silentLogger } from "kopf-ts";
import { AuditLog } from "../audit-log.ts";
import { type Bench, interleave, type Outcome, type Scenario } from "../bench.ts";
import { inParallel, isOurs, made, restAfterMany, serve, untilSilent } from "../drover.ts";
import type { Figures } from "../stats.ts";

/** So long it is watched afterwards. */
const steady = 60_000;

/**
 * `drover server` starts on a cluster that holds N users, 2 N global role bindings and 5 N tokens that nobody has reconciled, and then has nothing to
 * do. Everything is read from the API server's audit log: the cold time ends with the last write, and the requests of the minute after it are
 * counted.
 */
export const management: Scenario = {
  name: "management",
  about: "users, bindings and tokens: cold start, then a minute in which nothing changes",
  run: async (bench) => {
    const n = bench.n ?? 2000;
    const once = { ...bench, rounds: 1 }; // each needs a control plane of its own, and minutes
    const rounds = await interleave(once, { drover: () => measure(bench, n) });
    return { n, rounds, targets, missing: {} } satisfies Outcome;
  },
};

const targets: Outcome["targets"] = [
  { subject: "drover", figure: "cold_s", limit: 180 },
  { subject: "drover", figure: "requests_per_steady_minute", limit: 0 },
];

async function measure(bench: Bench, n: number): Promise<Figures> {
  using log = new AuditLog();
  await using plane = await startControlPlane({
    name: "management",
    flags: { apiServer: log.flags },
  });
  const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
  await using client = connect(config, { kinds, userAgent: "bench" });
  await fill(bench, client, n);
  await log.read();

  await using drover = serve(plane);
  const { started, last } = await untilSilent(drover, [log], { ...restAfterMany, say: bench.say });
  const cold = drover.cost();
  await check(client, n);
  await log.read();
  await new Promise((resolve) => setTimeout(resolve, steady)); // measured: what is asked in this time
  const asked = (await log.read()).filter(isOurs);
  for (const { verb, uri } of asked.slice(0, 20))
    bench.say(`  in the steady minute: ${verb} ${uri}`);
  return {
    cold_s: (last - started) / 1000,
    cpu_s: cold.cpu_s,
    rss_mb: drover.cost().rss_mb,
    requests_per_steady_minute: asked.length,
    steady_cpu_s: drover.cost().cpu_s - cold.cpu_s,
  };
}

/** Throws unless everything was reconciled. */
async function check(client: Client, n: number): Promise<void> {
  const { items: bindings } = await client.list(GlobalRoleBinding);
  const settled = bindings.filter(({ status }) => status?.summary === "Completed").length;
  const { items: tokens } = await client.list(Token);
  const dated = tokens.filter(({ expiresAt }) => expiresAt).length;
  if (settled < 2 * n || dated < 5 * n) {
    throw new Error(`settled: ${settled} of ${2 * n} bindings, ${dated} of ${5 * n} tokens`);
  }
}

async function fill({ say }: Bench, client: Client, n: number): Promise<void> {
  await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
  const roles = ["bench-read", "bench-write"];
  const verbs = { "bench-read": ["get", "list"], "bench-write": ["update"] };
  for (const [name, allowed] of Object.entries(verbs)) {
    const rules = [{ verbs: allowed, apiGroups: [""], resources: ["configmaps"] }];
    await client.create(made(GlobalRole, name, { rules }));
  }
  await inParallel(n, (index) =>
    client.create(made(User, `u-${index}`, { username: `u${index}` })),
  );
  say(`  ${n} users exist`);
  await inParallel(2 * n, (index) => {
    const [userName, globalRoleName] = [`u-${index % n}`, roles[index < n ? 0 : 1]];
    return client.create(made(GlobalRoleBinding, `grb-${index}`, { userName, globalRoleName }));
  });
  say(`  ${2 * n} bindings exist`);
  await inParallel(5 * n, (index) => {
    const fields = { userId: `u-${index % n}`, ttl: 86_400_000, token: "x".repeat(54) };
    return client.create(made(Token, `token-${index}`, { ...fields, authProvider: "local" }));
  });
  say(`  ${5 * n} tokens exist`);
}
