import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { anyPorts, type Program, startDrover, Workplace } from "./drover.ts";

const leads = /became leader/;
const leaseDuration = 6_000;
const retryPeriod = 500;

/** As by default, seven times as fast. */
const env = {
  CATTLE_ELECTION_LEASE_DURATION: `${leaseDuration}ms`,
  CATTLE_ELECTION_RENEW_DEADLINE: "4s",
  CATTLE_ELECTION_RETRY_PERIOD: `${retryPeriod}ms`,
};

describe("two replicas of drover server", function () {
  this.timeout(120_000);

  let plane: ControlPlane;
  let place: Workplace;
  let replicas: readonly Program[];
  const start = (): Program =>
    startDrover(
      ["server", "--kubeconfig", plane.kubeconfigPath, ...anyPorts, "--metrics-listen-addr", "0"],
      { cwd: place.dir, env },
    );

  before(async () => {
    plane = await startControlPlane();
    place = new Workplace();
  });
  beforeEach(async () => {
    const leader = start();
    await leader.prints(leads);
    const standby = start();
    await standby.prints(/waiting for the lease/);
    replicas = [leader, standby];
  });
  afterEach(() => Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]())));
  after(async () => {
    await plane.stop();
    place[Symbol.dispose]();
  });

  it("case 94: one takes over within the lease when the leader is killed", async () => {
    const [leader, standby] = replicas;
    expect(standby?.output).to.not.match(leads);

    leader?.kill("SIGKILL");
    const killed = performance.now();
    await standby?.prints(leads);

    expect(performance.now() - killed).to.be.below(leaseDuration + 2 * retryPeriod);
  });

  it("case 94: one takes over at once when the leader ends in order", async () => {
    const [leader, standby] = replicas;

    leader?.kill("SIGTERM");
    expect(await leader?.ended()).to.equal(0);
    const ended = performance.now();
    await standby?.prints(leads);

    expect(performance.now() - ended).to.be.below(leaseDuration / 2);
  });
});
