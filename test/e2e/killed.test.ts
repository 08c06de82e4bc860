import { kinds } from "@drover/crds";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { userAgent as ours } from "@drover/platform";
import { expect } from "chai";
import { type Client, connect, loadConfig, systemClock } from "kopf-ts";
import { type Random, seededRandom } from "kopf-ts/testing";
import { type Audited, AuditLog } from "../bench/audit-log.ts";
import { anyPorts, type Program, startDrover, Workplace } from "./drover.ts";
import { cleanUp, prepare, Story, secrets } from "./killed/population.ts";
import { snapshot, versions } from "./killed/snapshot.ts";
import { difference } from "./snapshots.ts";

const seeds = process.env.DROVER_SOAK === undefined ? 1 : 20;
const leads = /became leader/;
/** Milliseconds that a server lives: some are killed as they start, the others at work. */
const life = { starting: 3_000, working: 6_000 };
/** Milliseconds without a request after which the work counts as done: more than the cleaner of tokens waits before its first pass. */
const silence = 6_000;
/** Milliseconds that may pass until then. */
const patience = 120_000;
/** Milliseconds more in which nothing may be asked. */
const steady = 5_000;

/** Webhooks never ask about this one, so its requests do not wait for a server that was killed. */
const people = {
  user: "system:serviceaccount:cattle-system:rancher-webhook-sudo",
  groups: ["system:masters"],
};
const lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "cattle-controllers", namespace: "kube-system" },
} as const;

describe("drover server that is killed again and again @soak", function () {
  this.timeout(600_000);

  let log: AuditLog;
  let plane: ControlPlane;
  let place: Workplace;
  let root: Client;
  let client: Client;
  let bare: readonly string[];
  let server: Program;
  let printed = "";
  const start = (): void => {
    const argv = ["server", "--kubeconfig", plane.kubeconfigPath, ...anyPorts];
    const more = ["--metrics-listen-addr", "0", "--log-level", "debug"];
    server = startDrover([...argv, ...more], { cwd: place.dir });
  };
  /** As by power failure; and as if the lease had run out since. */
  const kill = async (): Promise<void> => {
    server.kill("SIGKILL");
    await server.ended();
    printed += server.output;
    await client.delete(lease, { preconditions: "none" });
  };

  before(async () => {
    log = new AuditLog();
    place = new Workplace();
    plane = await startControlPlane({ flags: { apiServer: log.flags } });
    const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
    root = connect(config, { kinds, userAgent: "people" });
    client = root.as(people);
    start();
    await server.prints(leads);
    await prepare(client);
    await quiet(log);
    bare = await snapshot(client);
  });
  afterEach(() => cleanUp(client)); // where a test failed, the next one begins anew
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await root?.[Symbol.asyncDispose]();
    await plane?.stop();
    place?.[Symbol.dispose]();
    log?.[Symbol.dispose]();
  });

  for (let seed = 1; seed <= seeds; seed++) {
    it(`leaves what it would have left (seed ${seed})`, async () => {
      await new Story(seed).tell(client);
      await quiet(log);
      const undisturbed = await snapshot(client);
      await clear(client, bare);

      const over = new AbortController();
      const servers = { kill, start, leads: () => server.prints(leads) };
      const killing = killNowAndThen(seededRandom(seed), servers, over.signal);
      await new Story(seed).tell(client).finally(() => over.abort());
      await killing;
      await server.prints(leads);
      const left = await settled(client, undisturbed);
      await quiet(log);
      const before = await versions(client);
      await systemClock.sleep(steady);

      expect(difference(left, undisturbed)).to.equal("");
      expect((await log.read()).filter(isOurs)).to.deep.equal([]);
      expect(await versions(client)).to.deep.equal(before);
      await clear(client, bare);
    });
  }

  it("shows no secret in its log", () => {
    for (const secret of Object.values(secrets)) {
      expect(printed + server.output).to.not.include(secret);
    }
  });
});

interface Servers {
  readonly kill: () => Promise<void>;
  readonly start: () => void;
  readonly leads: () => Promise<unknown>;
}

/** Lets every server live for a while; the last one stays. */
async function killNowAndThen(
  random: Random,
  { kill, start, leads }: Servers,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const isStarting = random.chance(0.3);
    if (!isStarting) await leads();
    await systemClock.sleep(random.below(isStarting ? life.starting : life.working));
    await kill();
    start();
  }
  await leads();
}

/** What is there once it is as it should be, or will not become so any more. */
async function settled(client: Client, wanted: readonly string[]): Promise<readonly string[]> {
  const text = JSON.stringify(wanted);
  const end = systemClock.now() + patience;
  for (;;) {
    const found = await snapshot(client);
    if (JSON.stringify(found) === text || systemClock.now() > end) return found;
    await systemClock.sleep(500);
  }
}

/** Nothing that controllers made is left once people have deleted what was theirs. */
async function clear(client: Client, bare: readonly string[]): Promise<void> {
  await cleanUp(client);
  expect(difference(await settled(client, bare), bare)).to.equal("");
}

/** Waits until the server has asked for nothing for a while. */
async function quiet(log: AuditLog): Promise<void> {
  const end = systemClock.now() + patience;
  let last = systemClock.now();
  while (systemClock.now() - last < silence) {
    if (systemClock.now() > end) throw new Error("the server does not come to rest");
    await systemClock.sleep(250);
    const asked = (await log.read()).filter(isOurs);
    last = Math.max(last, ...asked.map(({ time }) => time));
  }
}

/** Requests of ours but leases and watches. */
function isOurs({ userAgent, verb, resource }: Audited): boolean {
  return userAgent === ours && verb !== "watch" && resource !== "leases";
}
