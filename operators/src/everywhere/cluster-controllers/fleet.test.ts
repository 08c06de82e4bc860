import { expect } from "chai";
import { ClusterSet, connect, Metrics } from "kopf-ts";
import type { Facts } from "./facts.ts";
import { Fleet } from "./fleet.ts";

const rules = { startCount: 50, consistentHashing: true };

/** A cluster that cannot be reached yet. */
function waiting(name: string): Facts {
  const way = { reason: "NotProvisioned", message: "" };
  const none = { isInternal: false, identity: undefined, isDeleted: false, since: "" };
  return { name, uid: `uid-of-${name}`, way, ...none };
}

/** Members that count how often somebody asks who they are. */
class AskedMembers {
  readonly id = "a";
  readonly isMember = true;
  asked = 0;
  #ids: readonly string[] = ["a", "b"];
  #tell: () => void = () => undefined;

  get ids(): readonly string[] {
    this.asked += 1;
    return this.#ids;
  }

  readonly onChange = (listener: (ids: readonly string[]) => void): Disposable => {
    this.#tell = () => listener(this.#ids);
    return { [Symbol.dispose]: () => undefined };
  };

  become(ids: readonly string[]): void {
    this.#ids = ids;
    this.#tell();
  }
}

describe("a fleet", () => {
  it("counts and shares out clusters at a cost that grows with them, not with their square", async () => {
    const size = 200;
    const metrics = new Metrics({ process: false });
    const members = new AskedMembers();
    await using hub = connect({ server: "http://127.0.0.1:1" });
    await using fleet = new Fleet({ hub, metrics, members });
    fleet.use(new ClusterSet({ name: "test", metrics }));

    const names = Array.from({ length: size }, (_, index) => `c-${index}`);
    for (const name of names) fleet.learn(waiting(name), rules);
    members.become(["a", "b", "c"]);
    const { asked } = members;

    const ours = names.filter((name) => fleet.owns(name)).length;
    const text = await metrics.text();
    expect(asked).to.be.below(20 * size);
    expect(ours).to.be.within(1, size - 1);
    expect(text).to.include(`drover_clusters{phase="waiting"} ${ours}\n`);
    expect(text).to.include(`drover_clusters{phase="elsewhere"} ${size - ours}\n`);
  });
});
