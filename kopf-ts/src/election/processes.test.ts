import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import type { ElectionTiming } from "./options.ts";
import { type Candidate, Candidates, interleavings, machineTime } from "./testing/candidates.ts";
import {
  expectHandover,
  expectNoWriteAfterFreezing,
  leaderAndStandby,
  renewal,
  useArena,
} from "./testing/contests.ts";

/** client-go's defaults. */
const normal = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2000 };
/** A fifth of them, so that a test of expiry need not wait so long. */
const quick = { leaseDuration: 3000, renewDeadline: 2000, retryPeriod: 400 };

describe("election of processes", function () {
  this.timeout(90_000);

  const arena = useArena();

  /** A lease of its own and the ConfigMap that leaders write. */
  async function contest(name: string, timing: Required<ElectionTiming>): Promise<Candidates> {
    const { kubeconfig, client, namespace } = arena();
    const ledger = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace } };
    await client.create(ledger);
    return new Candidates({ kubeconfig, namespace, name, ...timing });
  }

  it("hands over at SIGTERM, long before the lease would end, after the last write of the old leader", async () => {
    await using candidates = await contest("sigterm", normal);

    await expectHandover(await leaderAndStandby(candidates), normal);
  });

  it("hands over within the lease time and a retry period of kill -9, never before the lease time", async () => {
    await using candidates = await contest("sigkill", quick);
    const { first, second } = await leaderAndStandby(candidates);
    const beforeRenewal = await renewal(arena(), "sigkill");

    const killed = machineTime();
    first.signal("SIGKILL");
    const { at, token } = await second.first("leading", 10_000);
    await second.first("write", 5000);

    // the longest there is: the lease has just been renewed
    expect(at - beforeRenewal).to.be.at.least(quick.leaseDuration);
    expect(at - killed).to.be.at.most(quick.leaseDuration + quick.retryPeriod);
    expect(token).to.equal(1);
    expect(interleavings([first, second])).to.deep.equal([]);
  });

  it("a leader that was frozen past its lease starts no write when it goes on, and exits", async () => {
    await using candidates = await contest("sigstop", quick);
    const { first, second } = await leaderAndStandby(candidates);

    await expectNoWriteAfterFreezing({ first, second });

    expect(first.all("over").map(({ how }) => how)).to.deep.equal(["lost"]);
  });

  it("never lets two lead at once, however leaders end", async () => {
    await using candidates = await contest("endings", quick);
    const all = [candidates.start("c0"), candidates.start("c1"), candidates.start("c2")];
    const former = new Set<Candidate>();
    const endings: readonly NodeJS.Signals[] = ["SIGTERM", "SIGKILL", "SIGSTOP", "SIGTERM"];

    for (const ending of endings) {
      const leader = await nextLeader(all, former);
      await leader.first("write", 10_000);
      leader.signal(ending);
      all.push(candidates.start(`c${all.length}`));
      if (ending !== "SIGSTOP") continue;
      const successor = await nextLeader(all, former);
      former.delete(successor);
      await successor.first("write", 10_000);
      leader.signal("SIGCONT");
      expect(await leader.ended()).to.equal(75);
    }
    await (await nextLeader(all, former)).first("write", 10_000);

    const led = all.filter((candidate) => candidate.all("write").length > 0);
    expect(led.length).to.equal(endings.length + 1);
    expect(interleavings(led)).to.deep.equal([]);
    const tokens = led.flatMap((each) => each.all("leading").map(({ token }) => token));
    expect(tokens.sort()).to.deep.equal([0, 1, 2, 3, 4]);
  });
});

/** Waits for a candidate that leads and is not among the former leaders, and adds it to them. */
async function nextLeader(
  candidates: readonly Candidate[],
  former: Set<Candidate>,
): Promise<Candidate> {
  const deadline = systemClock.monotonic() + 15_000;
  for (;;) {
    const found = candidates.find((each) => !former.has(each) && each.all("leading").length > 0);
    if (found !== undefined) {
      former.add(found);
      return found;
    }
    if (systemClock.monotonic() > deadline) throw new Error("nobody leads");
    await systemClock.sleep(10);
  }
}
