import { testEnv } from "@drover/env";
import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import { type Condition, isConflict, type KubeObject, refTo } from "../kube/index.ts";
import { setCondition } from "./conditions.ts";
import { patchStatus } from "./patch-status.ts";
import { Namespace, TestCluster } from "./testing/cluster.ts";

interface Status {
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
}
type WithStatus = KubeObject & { readonly status?: Status };

const options = { fieldManager: "apply-test" };
const update = { type: "Ready", status: "True", reason: "Tested" } as const;

describe("patchStatus on an API server", function () {
  this.timeout(60_000);

  before(() => testEnv());

  async function open(): Promise<{ cluster: TestCluster; object: WithStatus }> {
    const cluster = await TestCluster.open();
    const object = await cluster.client.get<WithStatus>(Namespace, cluster.namespace);
    cluster.requests();
    return { cluster, object };
  }

  it("sends one request for a change and none for the same again", async () => {
    const { cluster, object } = await open();
    await using _ = cluster;
    const conditions = setCondition(object.status?.conditions, update, systemClock);

    const changed = await patchStatus(
      cluster.client,
      object,
      { ...object.status, conditions },
      options,
    );
    const again = setCondition(changed.status?.conditions, update, systemClock);
    const same = await patchStatus(
      cluster.client,
      changed,
      { ...changed.status, conditions: again },
      options,
    );

    expect(changed.status?.conditions?.[0]).to.include(update);
    expect(changed.status?.phase).to.equal("Active");
    expect(same).to.equal(changed);
    expect(cluster.requests()).to.deep.equal(["patch namespaces 200"]);
  });

  it("takes the whole status, which controllers share by applying their own fields of it", async () => {
    const { cluster, object } = await open();
    await using _ = cluster;
    const { apiVersion, kind, metadata } = object;
    const applied = (type: string): Promise<WithStatus> => {
      const conditions = setCondition([], { ...update, type }, systemClock);
      const mine = { apiVersion, kind, metadata: { name: metadata.name }, status: { conditions } };
      const as = { subresource: "status", fieldManager: `${type}-controller` } as const;
      return cluster.client.apply<WithStatus>(mine, as);
    };

    await applied("Ours");
    const shared = await applied("Theirs");
    const only = { phase: "Active", conditions: shared.status?.conditions?.slice(0, 1) ?? [] };
    const alone = await patchStatus(cluster.client, shared, only, options);

    expect(shared.status?.conditions?.map(({ type }) => type)).to.deep.equal(["Ours", "Theirs"]);
    expect(alone.status?.conditions?.map(({ type }) => type)).to.deep.equal(["Ours"]);
  });

  it("does not lose a condition that somebody else set meanwhile", async () => {
    const { cluster, object } = await open();
    await using _ = cluster;
    const ours = setCondition(object.status?.conditions, update, systemClock);
    const theirs = setCondition([], { ...update, type: "Theirs" }, systemClock);
    await patchStatus(cluster.client, object, { ...object.status, conditions: theirs }, options);

    const late = patchStatus(
      cluster.client,
      object,
      { ...object.status, conditions: ours },
      options,
    );

    expect(await late.catch((error: unknown) => isConflict(error))).to.equal(true);
    const now = await cluster.client.get<WithStatus>(Namespace, cluster.namespace);
    expect(now.status?.conditions?.map(({ type }) => type)).to.deep.equal(["Theirs"]);
  });

  it("does not give a status to an object created anew under the name", async () => {
    await using cluster = await TestCluster.open();
    type Body = KubeObject & { readonly data?: Record<string, string>; readonly status?: Status };
    const old: Body = await cluster.client.create(cluster.configMap("a"));
    await cluster.client.delete(old);
    await cluster.client.create(cluster.configMap("a"));

    const late = patchStatus(
      cluster.client,
      old,
      { phase: "Old" },
      { ...options, subresource: false },
    );

    expect(await late.catch((error: unknown) => isConflict(error))).to.equal(true);
  });

  it("reports an object that is gone", async () => {
    await using cluster = await TestCluster.open();
    const gone: WithStatus = refTo(Namespace, `${cluster.namespace}-gone`);

    const late = patchStatus(cluster.client, gone, { phase: "x" }, options);

    expect(await late.catch((error: { code: number }) => error.code)).to.equal(404);
  });
});
