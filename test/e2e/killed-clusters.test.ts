import { userAgent as ours } from "@drover/platform";
import { expect } from "chai";
import { type Kind, type KubeObject, type ObjectMeta, refTo, setLabel, systemClock } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace } from "kopf-ts/kinds";
import { eventually, type Random, seededRandom } from "kopf-ts/testing";
import { identities, snapshot } from "./killed-clusters/snapshot.ts";
import { cleanUp, prepare, Story } from "./killed-clusters/story.ts";
import { isWrite, Pair, second, sides } from "./pair.ts";
import { difference } from "./snapshots.ts";

const seeds = process.env.DROVER_SOAK === undefined ? 1 : 10;
/** How often the server is killed for one seed. */
const kills = 5;
/** Milliseconds that a server lives at most: some are killed as they start, the others at work. */
const life = { starting: 1_500, working: 2_000 };
/** Milliseconds until all is as it should be. */
const patience = 60_000;
/** Milliseconds more in which nothing may be written. */
const steady = 5_000;

describe("drover server for two clusters that is killed again and again @soak", function () {
  this.timeout(600_000);

  let pair: Pair;
  let bare: readonly string[];

  before(async () => {
    pair = await Pair.start();
    await pair.importSecond({ enableNetworkPolicy: true });
    await prepare(pair);
    await plantStrangers(pair);
    await pair.rests();
    bare = await snapshot(pair);
  });
  afterEach(async () => {
    await cleanUp(pair); // where a test failed, the next one begins anew
    await settled(pair, bare);
  });
  after(() => pair?.[Symbol.asyncDispose]());

  for (let seed = 1; seed <= seeds; seed++) {
    it(`leaves in both what it would have left (seed ${seed})`, async () => {
      await new Story(seed).tell(pair);
      await eventually(async () => !(await snapshot(pair)).some(isLeaving), { within: patience });
      await pair.rests();
      const undisturbed = await snapshot(pair);
      await clear(pair, bare);
      const strangers = await identities(pair, isStrange);

      const killing = killNowAndThen(seededRandom(seed), pair);
      await Promise.all([new Story(seed).tell(pair, true), killing]);
      const left = await settled(pair, undisturbed);
      await pair.rests();
      await systemClock.sleep(steady);

      expect(difference(left, undisturbed)).to.equal("");
      expect(await writesOfOurs(pair)).to.deep.equal([]);
      expect(await identities(pair, isStrange)).to.deep.equal(strangers);
      await clear(pair, bare);
      expect(await identities(pair, isStrange)).to.deep.equal(strangers);
    });
  }
});

/** Kills the server at random moments, and the hub's API server under it at one of them; the last server stays. */
async function killNowAndThen(random: Random, pair: Pair): Promise<void> {
  const restart = random.below(kills);
  for (let at = 0; at < kills; at++) {
    const isStarting = at !== restart && random.chance(0.3);
    if (!isStarting) await pair.leads();
    await systemClock.sleep(random.below(isStarting ? life.starting : life.working));
    if (at === restart) await pair.hub.plane.restartApiServer("SIGKILL");
    await pair.kill();
    pair.start();
  }
  await pair.leads();
}

const strange = "test.drover.dev/strange";

/** Plants in both clusters what looks like objects of the stories, and is nobody's. */
async function plantStrangers(pair: Pair): Promise<void> {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
  const unknown = { "field.cattle.io/projectId": `${second}:crash-p-unknown` };
  const marks = { "management.cattle.io/aggregates": "crash-view", [setLabel]: "0".repeat(40) };
  const owner = { "authz.cluster.cattle.io/crtb-owner-crash-c-crash-u-0": "true" };
  const project = { "field.cattle.io/projectId": "crash-p-a" };
  for (const { client } of sides.map((side) => pair[side])) {
    await client.create(stranger(ClusterRole, "crash-view-copy", { labels: marks }));
    await client.create(stranger(ClusterRole, "crash-p-a-namespaces-admin", { labels: project }));
    await client.create({
      ...stranger(ClusterRoleBinding, "crb-crash", { labels: owner }),
      roleRef,
    });
    await client.create(stranger(Namespace, "crash-stranger", { annotations: unknown }));
  }
}

function stranger(kind: Kind, name: string, metadata: Partial<ObjectMeta>): KubeObject {
  const ref = refTo(kind, name);
  const labels = { ...metadata.labels, [strange]: "true" };
  return { ...ref, metadata: { ...ref.metadata, ...metadata, labels } };
}

function isStrange({ metadata }: KubeObject): boolean {
  return metadata.labels?.[strange] !== undefined;
}

async function writesOfOurs(pair: Pair): Promise<readonly string[]> {
  const logs = await Promise.all(sides.map((side) => pair[side].log.read()));
  const writes = logs
    .flat()
    .filter(isWrite)
    .filter(({ userAgent }) => userAgent === ours);
  return writes.map(({ verb, uri }) => `${verb} ${uri}`);
}

/** Kubernetes takes its time for namespaces. */
function isLeaving(line: string): boolean {
  return line.includes('"isLeaving":true');
}

/** What is there once it is as it should be, or will not become so any more. */
async function settled(pair: Pair, wanted: readonly string[]): Promise<readonly string[]> {
  const end = systemClock.now() + patience;
  for (;;) {
    const found = await snapshot(pair);
    if (difference(found, wanted) === "" || systemClock.now() > end) return found;
    await systemClock.sleep(500);
  }
}

/** Nothing that controllers made is left once people have deleted what was theirs. */
async function clear(pair: Pair, bare: readonly string[]): Promise<void> {
  await cleanUp(pair);
  expect(difference(await settled(pair, bare), bare)).to.equal("");
}
