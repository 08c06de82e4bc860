/** What tests do with processes that contend for one lease, whatever these are: candidates of an election, or replicas of an operator. */

import { freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { systemClock } from "../../base/index.ts";
import { type Client, connect, loadConfig } from "../../kube/index.ts";
import { Lease } from "../lease.ts";
import { type Candidate, type Candidates, interleavings, machineTime } from "./candidates.ts";

/** Milliseconds for a process to start and to write. */
const soon = 20_000;

/** The cluster of a suite, from its first test to its last. */
export interface Arena {
  readonly kubeconfig: string;
  readonly client: Client;
  readonly namespace: string;
}

/** Registers the hooks that open and close an arena; call the result within tests. */
export function useArena(): () => Arena {
  let arena: Arena | undefined;
  before(async () => {
    const controlPlane = await testEnv();
    const kubeconfig = controlPlane.kubeconfigPath;
    const client = connect(await loadConfig({ kubeconfig }));
    arena = { kubeconfig, client, namespace: await freshNamespace(controlPlane) };
  });
  after(() => arena?.client[Symbol.asyncDispose]());
  return () => {
    if (arena === undefined) throw new Error("only tests have an arena");
    return arena;
  };
}

/** One that leads and one that waits. */
export interface Pair {
  readonly first: Candidate;
  readonly second: Candidate;
}

/** Starts two processes, one after the other. */
export async function leaderAndStandby(candidates: Candidates): Promise<Pair> {
  const first = candidates.start("first");
  await first.first("write", soon);
  const second = candidates.start("second");
  await second.first("standing", soon);
  return { first, second };
}

/** Sends SIGTERM to the leader and expects the other to lead before the lease could have ended, after its last write; the leader ends with code 0. */
export async function expectHandover(
  { first, second }: Pair,
  { leaseDuration }: { readonly leaseDuration: number },
): Promise<void> {
  const asked = machineTime();
  first.signal("SIGTERM");
  const { at } = await second.first("leading", soon);
  await second.first("write", soon);

  expect(at - asked).to.be.lessThan(leaseDuration);
  expect(await first.ended()).to.equal(0);
  expect(interleavings([first, second])).to.deep.equal([]);
}

/** Freezes the leader until the other writes, and expects that it writes nothing more when it goes on, and ends with code 75. */
export async function expectNoWriteAfterFreezing({ first, second }: Pair): Promise<void> {
  first.signal("SIGSTOP");
  await second.first("write", soon);
  const resumed = machineTime();
  first.signal("SIGCONT");

  expect(await first.ended()).to.equal(75);
  expect(first.all("write").filter(({ from }) => from >= resumed)).to.deep.equal([]);
  expect(interleavings([first, second])).to.deep.equal([]);
}

/** Resolves right after the next renewal of a lease, with a time (machine's, ms) that is surely before it. */
export async function renewal({ client, namespace }: Arena, name: string): Promise<number> {
  const renewTime = async (): Promise<unknown> =>
    (await client.get(Lease, name, { namespace })).spec?.renewTime;
  let earlier = machineTime();
  const last = await renewTime();
  for (;;) {
    const asked = machineTime();
    if ((await renewTime()) !== last) return earlier;
    earlier = asked;
    await systemClock.sleep(10);
  }
}
