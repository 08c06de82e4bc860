import { Cluster, GlobalRole, GlobalRoleBinding, RoleTemplate, Setting, User } from "@drover/crds";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { parseFeatures, publicSettings } from "@drover/platform";
import { expect } from "chai";
import { HealthChecks, type Task } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, SubjectAccessReview } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { bootstrapData, bootstrapWait, type DataOptions } from "./data.ts";
import { prepare } from "./prepare.ts";
import { aReplica, type Replica } from "./testing/plane.ts";

const features = parseFeatures("");

/** Tests follow each other: what one leaves is what the next starts on. */
describe("bootstrap-data on a prepared cluster", function () {
  this.timeout(60_000);

  let plane: ControlPlane;
  let replica: Replica;
  /** Passwords that were shown. */
  const shown: string[] = [];
  const marker = (): Promise<Namespace | undefined> =>
    replica.client.find(Namespace, "cattle-global-data");
  const run = async (task: Task): Promise<readonly string[]> => {
    await using one = await aReplica(plane);
    await task.run(one.context);
    return one.writes();
  };
  const lead = (options: Partial<DataOptions> = {}): Promise<readonly string[]> =>
    run(bootstrapData({ env: {}, features, ...options }));
  const mayRead = async (name: string, verb = "get"): Promise<boolean> => {
    const { group, plural: resource } = Setting;
    const review: SubjectAccessReview = {
      apiVersion: "authorization.k8s.io/v1",
      kind: SubjectAccessReview.kind,
      metadata: { name: "" },
      spec: {
        groups: ["system:unauthenticated"],
        user: "system:anonymous",
        resourceAttributes: { group, resource, verb, name },
      },
    };
    return (await replica.client.create(review)).status?.allowed === true;
  };

  before(async () => {
    plane = await startControlPlane({ controllerManager: false });
    replica = await aReplica(plane);
    await prepare({ env: {}, features })(replica.context);
  });
  after(async () => {
    await replica?.[Symbol.asyncDispose]();
    await plane?.stop();
  });

  it("makes replicas wait until the leader is done", async () => {
    const health = new HealthChecks();
    const waiting = run(bootstrapWait(health));
    await eventually(async () => (await health.unready()).length === 1);
    expect(await health.unready()).to.deep.equal([
      "bootstrap-data: the leader has not made namespace cattle-global-data yet",
    ]);

    await lead({ announce: (password) => void shown.push(password.reveal()) });

    await waiting;
    expect(await health.unready()).to.deep.equal([]);
  });

  it("has made the built-in roles and the first admin, whose password it showed once", async () => {
    const { client } = replica;

    const [admin] = (await client.list(User)).items;
    const [binding] = (await client.list(GlobalRoleBinding)).items;

    expect((await client.list(GlobalRole)).items.length).to.be.greaterThan(10);
    expect((await client.list(RoleTemplate)).items.length).to.be.greaterThan(20);
    expect(admin?.username).to.equal("admin");
    expect(binding).to.include({ globalRoleName: "admin", userName: admin?.metadata.name });
    expect(shown).to.have.length(1);
    expect(shown[0]?.length).to.be.greaterThan(20);
  });

  it("has made the marker last", async () => {
    const made = (object: { metadata: { resourceVersion?: string } } | undefined): number =>
      Number(object?.metadata.resourceVersion);
    const role = await replica.client.get(ClusterRole, "cattle-unauthenticated");

    const [binding] = (await replica.client.list(GlobalRoleBinding)).items;
    expect(made(await marker())).to.be.greaterThan(made(role));
    expect(made(await marker())).to.be.greaterThan(made(binding));
    expect(made(await marker())).to.be.greaterThan(
      made(await replica.client.get(Cluster, "local")),
    );
  });

  it("lets callers without login read public settings, and nothing else", async () => {
    expect(await mayRead("first-login")).to.equal(true);
    expect(await mayRead("ui-banners")).to.equal(true);
    expect(await mayRead("server-url")).to.equal(false);
    expect(await mayRead("first-login", "update")).to.equal(false);
    const { rules } = await replica.client.get(ClusterRole, "cattle-unauthenticated");
    expect(rules?.[0]?.resourceNames).to.have.members([...publicSettings]);
  });

  it("sends no write the second time", async () => {
    expect(await lead()).to.deep.equal([]);
  });

  it("repairs what somebody changed while nobody led", async () => {
    const role = await replica.client.get(ClusterRole, "cattle-unauthenticated");
    await replica.client.update({ ...role, rules: [] });
    const binding = await replica.client.get(ClusterRoleBinding, "cattle-unauthenticated");
    await replica.client.delete(binding, { preconditions: "none" });

    await lead();

    expect(await mayRead("first-login")).to.equal(true);
  });

  it("takes the local cluster out where it shall not be managed", async () => {
    await lead({ local: null });

    expect(await replica.client.find(Cluster, "local")).to.equal(undefined);
    expect(await lead({ local: null })).to.deep.equal([]);
  });
});
