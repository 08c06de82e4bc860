import { join } from "node:path";
import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import { type Client, connect, loadConfig } from "../kube/index.ts";
import { eventually, type FakeClock, fakeClock } from "../testing/index.ts";
import { Lease, type LeaseObject } from "./lease.ts";
import { Members } from "./members.ts";
import { defaultMemberId, type MembersOptions, membersLabel } from "./members-options.ts";
import { type Candidate, Candidates } from "./testing/candidates.ts";
import { useArena } from "./testing/contests.ts";
import type { MembersEvent } from "./testing/member.ts";

/** Generous, for machines that are busy. */
const slow = { within: 15_000 };

describe("members of a group", function () {
  this.timeout(60_000);

  const arena = useArena();
  let count = 0;
  const aGroup = (): string => `group-${++count}`;
  const leaseOf = (group: string, id: string): Promise<LeaseObject | undefined> =>
    arena().client.find(Lease, `${group}-${id}`, { namespace: arena().namespace });

  /** One member, with a client and a clock of its own, and what it was told. */
  class Someone implements AsyncDisposable {
    readonly clock: FakeClock = fakeClock();
    readonly told: (readonly string[])[] = [];
    readonly sent: string[] = [];
    readonly members: Members;
    readonly #client: Client;
    readonly #stop = new AbortController();
    readonly #running: Promise<void>;

    private constructor(client: Client, sent: string[], options: Partial<MembersOptions>) {
      this.#client = client;
      this.sent = sent;
      const { namespace } = arena();
      const all = { namespace, group: "", clock: this.clock, ...options };
      this.members = new Members(client, all);
      this.members.onChange((ids) => this.told.push(ids));
      this.#running = this.members.run(this.#stop.signal);
    }

    static async join(group: string, id: string, options: Partial<MembersOptions> = {}) {
      const sent: string[] = [];
      const observe = (verb: string, _code: number, resource: string): void =>
        void sent.push(`${verb} ${resource}`);
      const config = await loadConfig({ kubeconfig: arena().kubeconfig });
      const client = connect(config, { metrics: { observe } });
      return new Someone(client, sent, { group, id, ...options });
    }

    /** Lets time pass for it until `look` holds. */
    async until(look: () => boolean, step = 1000): Promise<void> {
      await eventually(async () => {
        await this.clock.advance(step);
        return look();
      }, slow);
    }

    async leave(): Promise<void> {
      this.#stop.abort();
      await this.#running;
    }

    async [Symbol.asyncDispose](): Promise<void> {
      await this.leave();
      await this.#client[Symbol.asyncDispose]();
    }
  }

  it("know each other, in order, and each learns of the next as it comes", async () => {
    const group = aGroup();
    await using b = await Someone.join(group, "b");
    await eventually(() => b.members.ids.length === 1, slow);
    await using a = await Someone.join(group, "a");

    await eventually(() => a.members.ids.length === 2 && b.members.ids.length === 2, slow);

    expect(b.told).to.deep.equal([["b"], ["a", "b"]]);
    expect(a.told).to.deep.equal([["a", "b"]]);
    expect(a.members.isMember).to.equal(true);
    const lease = await leaseOf(group, "a");
    expect(lease?.metadata.labels).to.deep.equal({ [membersLabel]: group });
    expect(lease?.spec).to.include({ holderIdentity: "a", leaseDurationSeconds: 30 });
  });

  it("are told apart by group", async () => {
    await using a = await Someone.join(aGroup(), "a");
    await using other = await Someone.join(aGroup(), "other");

    await eventually(() => a.told.length === 1 && other.told.length === 1, slow);

    expect(a.members.ids).to.deep.equal(["a"]);
    expect(other.members.ids).to.deep.equal(["other"]);
  });

  it("case 16: are told nothing while they stay the same, and send nothing but one renewal per period", async () => {
    const group = aGroup();
    await using a = await Someone.join(group, "a");
    await using b = await Someone.join(group, "b");
    await eventually(() => a.members.ids.length === 2 && b.members.ids.length === 2, slow);
    const before = { told: a.told.length, sent: a.sent.length };

    const renewals = (one: Someone): number =>
      one.sent.filter((each) => each.startsWith("update")).length;
    const since = a.clock.monotonic();
    await a.until(() => {
      void b.clock.advance(1000);
      return renewals(a) >= 3 && renewals(b) >= 3;
    });

    expect(a.clock.monotonic() - since).to.be.at.least(29_000);
    expect(a.told.length).to.equal(before.told);
    const sent = new Set(a.sent.slice(before.sent));
    expect([...sent].filter((each) => !each.startsWith("watch"))).to.deep.equal([
      "update leases.coordination.k8s.io",
    ]);
  });

  it("are gone at once when they leave, with their lease", async () => {
    const group = aGroup();
    await using a = await Someone.join(group, "a");
    const b = await Someone.join(group, "b");
    await eventually(() => a.members.ids.length === 2 && b.members.ids.length === 2, slow);

    await b[Symbol.asyncDispose]();

    await eventually(() => a.members.ids.length === 1, slow);
    expect(b.members.isMember).to.equal(false);
    expect(await leaseOf(group, "b")).to.equal(undefined);
  });

  it("leave no lease behind when they leave while they come", async () => {
    const group = aGroup();

    for (let turn = 0; turn < 20; turn++) {
      const member = await Someone.join(group, `m${turn}`);
      if (turn % 2 === 0) await systemClock.sleep(turn / 4); // within the request that makes the lease
      await member[Symbol.asyncDispose]();
    }

    const { client, namespace } = arena();
    const labelSelector = `${membersLabel}=${group}`;
    expect((await client.list(Lease, { namespace, labelSelector })).items).to.deep.equal([]);
  });

  it("are gone once nobody has renewed their lease for its duration, by the clock of who looks; never earlier", async () => {
    const group = aGroup();
    await using a = await Someone.join(group, "a");
    await using dead = await Someone.join(group, "dead"); // its clock stands still, so it renews nothing
    await eventually(() => a.members.ids.length === 2 && dead.members.ids.length === 2, slow);
    const since = a.clock.monotonic();
    const uid = (await leaseOf(group, "dead"))?.metadata.uid;
    expect(uid).to.be.a("string");

    await a.until(() => a.members.ids.length === 1);

    expect(a.clock.monotonic() - since).to.be.at.least(30_000);
    // Its process, which is not dead at all, makes another lease once it learns that its own is gone.
    await eventually(async () => (await leaseOf(group, "dead"))?.metadata.uid !== uid, slow);
  });

  it("stay as long as their leases are renewed, whatever the watch tells of it", async () => {
    const group = aGroup();
    await using a = await Someone.join(group, "a");
    await using b = await Someone.join(group, "b");
    await eventually(() => a.members.ids.length === 2 && b.members.ids.length === 2, slow);
    const before = [a.told.length, b.told.length];

    for (let second = 0; second < 60; second++) {
      await Promise.all([a.clock.advance(1000), b.clock.advance(1000)]);
      await systemClock.sleep(50); // requests take real time
    }

    expect(a.told.at(-1)).to.deep.equal(["a", "b"]);
    expect([a.told.length, b.told.length]).to.deep.equal(before);
    expect(a.told.length + b.told.length).to.be.at.most(4); // each may have seen itself alone at first
  });

  it("make a lease anew that somebody deleted or took out of the group", async () => {
    const group = aGroup();
    await using a = await Someone.join(group, "a");
    await eventually(() => a.members.ids.length === 1, slow);
    const { client } = arena();
    const first = await leaseOf(group, "a");
    if (first === undefined) throw new Error("it has no lease");

    await client.delete(first, { preconditions: "uid" });

    const second = await eventually(() => leaseOf(group, "a"), slow);
    expect(second.metadata.uid).not.to.equal(first.metadata.uid);
    await client.patch(second, { merge: { metadata: { labels: { [membersLabel]: null } } } });
    await eventually(async () => {
      const lease = await leaseOf(group, "a");
      return lease?.metadata.labels?.[membersLabel] === group;
    }, slow);
    await eventually(() => a.members.isMember, slow);
  });

  it("count themselves out by the clock once they could not renew", async () => {
    const group = aGroup();
    await using a = await Someone.join(group, "a");
    await eventually(() => a.members.isMember, slow);
    const { client } = arena();
    const name = `${group}-a`;
    const former = await client.get(Lease, name, { namespace: arena().namespace });

    a.clock.setNow(a.clock.now() + 25_000); // as a machine that was asleep

    expect(a.members.isMember).to.equal(false);
    expect(a.members.ids).to.deep.equal(["a"]);
    await a.clock.advance(10_000);
    await eventually(() => a.members.isMember, slow);
    const renewed = await client.get(Lease, name, { namespace: arena().namespace });
    expect(renewed.spec?.renewTime).not.to.equal(former.spec?.renewTime);
  });

  it("take over a lease of their own name that an earlier run left", async () => {
    const group = aGroup();
    const { client, namespace } = arena();
    const metadata = { namespace, name: `${group}-a`, labels: { [membersLabel]: group } };
    const spec = { holderIdentity: "a", leaseDurationSeconds: 30, renewTime: null };
    await client.create<LeaseObject>({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata,
      spec,
    });

    await using a = await Someone.join(group, "a");

    await eventually(() => a.members.isMember && a.members.ids.length === 1, slow);
  });

  it("refuse times that do not fit together", () => {
    const options = { namespace: "n", group: "g", renewPeriod: 20_000 };

    expect(() => new Members(arena().client, options)).to.throw(TypeError, "renewDeadline");
  });

  describe("as processes", () => {
    const quick = { leaseDuration: 3000, renewDeadline: 2000, retryPeriod: 500 };
    const script = join(import.meta.dirname, "testing", "member.js");
    const groupOf = (): Candidates => {
      const { kubeconfig, namespace } = arena();
      return new Candidates({ kubeconfig, namespace, name: aGroup(), ...quick }, script);
    };
    const know = (member: Candidate, ids: string): Promise<number> =>
      eventually(
        () => {
          const last: MembersEvent | undefined = member.all("members").at(-1);
          return last?.ids.join() === ids && last.at;
        },
        { within: 20_000, what: `${member.identity} knows ${ids}\n${member.log}` },
      );

    it("notice a kill -9 within the lease time and a renewal, and SIGTERM at once", async () => {
      await using group = groupOf();
      const [a, b, c] = [group.start("a"), group.start("b"), group.start("c")];
      await Promise.all([a, b, c].map((each) => know(each, "a,b,c")));

      c.signal("SIGKILL");
      await Promise.all([a, b].map((each) => know(each, "a,b")));
      b.signal("SIGTERM");
      await know(a, "a");

      expect(await b.ended()).to.equal(0);
    });

    it("notice one that was frozen and goes on, which makes its lease anew", async () => {
      await using group = groupOf();
      const [a, b] = [group.start("a"), group.start("b")];
      await Promise.all([a, b].map((each) => know(each, "a,b")));

      b.signal("SIGSTOP");
      await know(a, "a");
      b.signal("SIGCONT");

      await know(a, "a,b");
    });
  });
});

describe("the id of a member", () => {
  for (const { host, expected } of [
    { host: "node-1", expected: /^node-1-[0-9a-f]{8}$/ },
    { host: "My Host.Example.COM", expected: /^my-host-example-com-[0-9a-f]{8}$/ },
    { host: "-_-", expected: /^[0-9a-f]{8}$/ },
    { host: "x".repeat(300), expected: /^x{40}-[0-9a-f]{8}$/ },
  ]) {
    it(`is fit for a name: ${host.slice(0, 20)}`, () => {
      expect(defaultMemberId(host)).to.match(expected);
    });
  }
});
