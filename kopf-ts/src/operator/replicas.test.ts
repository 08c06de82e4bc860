import { join } from "node:path";
import { expect } from "chai";
import { type Candidate, Candidates } from "../election/testing/candidates.ts";
import {
  expectHandover,
  expectNoWriteAfterFreezing,
  leaderAndStandby,
  useArena,
} from "../election/testing/contests.ts";
import { defineKind } from "../kube/index.ts";
import { eventually } from "../testing/index.ts";
import { type ScannedObject, Watch, type WatchSink } from "../watch/index.ts";
import type { ReplicaOptions } from "./testing/replica.ts";

const script = join(import.meta.dirname, "testing", "replica.js");
const ConfigMap = defineKind({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});
/** Nobody takes such a lease over by chance, however slow the machine is. */
const long = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 400 };
const quick = { leaseDuration: 3000, renewDeadline: 2000, retryPeriod: 400 };

describe("replicas of an operator", function () {
  this.timeout(90_000);

  const arena = useArena();

  /** Sixty objects that each replica writes while it leads. */
  async function contest(name: string, timing: typeof long): Promise<Candidates> {
    const { kubeconfig, client, namespace } = arena();
    for (let index = 0; index < 60; index++) {
      const metadata = { name: `${name}-${index}`, namespace, labels: { [name]: "" } };
      await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata });
    }
    const options: Omit<ReplicaOptions, "identity"> = {
      ...{ kubeconfig, namespace, name, concurrency: 40 },
      ...timing,
    };
    return new Candidates(options, script);
  }

  /**
   * Who wrote, in the server's order and without repetitions: also writes whose writer never heard the answer. Complete, since a watch tells
   * every version of an object.
   */
  async function follow(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const { client, namespace } = arena();
    const writers: string[] = [];
    let live = false;
    const change = ({ bytes, start, end }: ScannedObject): void => {
      const { data } = JSON.parse(bytes.toString("utf8", start, end));
      if (data !== undefined && writers.at(-1) !== data.writer) writers.push(data.writer);
    };
    const sink: WatchSink = {
      begin: () => undefined,
      item: () => undefined,
      end: () => undefined,
      change: (_type, object) => change(object),
      bookmark: () => undefined,
      state: ({ phase }) => {
        live = phase === "live";
      },
    };
    void new Watch(client, ConfigMap, sink, { namespace, labelSelector: name }).start(signal);
    await eventually(() => live, { within: 10_000 });
    return writers;
  }

  it("hand over on SIGTERM before the lease ends, with code 0 and no write of the old one among those of the new", async () => {
    await using replicas = await contest("stopped", long);
    const over = new AbortController();
    const writers = await follow("stopped", over.signal);
    const { first, second } = await leaderAndStandby(replicas);

    await expectHandover({ first, second }, long);

    await afterMoreWrites(second);
    expect(writers).to.deep.equal(["first", "second"]);
    over.abort();
  });

  it("that were frozen past their lease start no write when they go on, and exit with code 75", async () => {
    await using replicas = await contest("frozen", quick);
    const over = new AbortController();
    const writers = await follow("frozen", over.signal);
    const { first, second } = await leaderAndStandby(replicas);

    await expectNoWriteAfterFreezing({ first, second });

    await afterMoreWrites(second);
    expect(writers).to.deep.equal(["first", "second"]);
    over.abort();
  });
});

/** Waits until the leader has written some more, so that what came before has been seen. */
async function afterMoreWrites(leader: Candidate): Promise<void> {
  const enough = leader.all("write").length + 50;
  await eventually(() => leader.all("write").length >= enough, { within: 10_000 });
}
