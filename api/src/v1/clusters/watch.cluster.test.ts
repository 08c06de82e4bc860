import { uniqueName } from "@drover/env";
import { expect } from "chai";
import type { Client } from "kopf-ts";
import { eventually, seededRandom } from "kopf-ts/testing";
import { randomMessage } from "../subscribe/random-message.test.support.ts";
import type { Subscriber, Told } from "../subscribe/websockets.test.support.ts";
import { listAt, textAt } from "../tree.ts";
import { aKind, crdOf, install, send } from "../types/testing.test.support.ts";
import { TwoClusters } from "./two.test.support.ts";

const within = { within: 30_000 };
/** The same in both clusters. */
const namespace = uniqueName("watched");
const rbac = "/apis/rbac.authorization.k8s.io/v1";

describe("subscriptions to several real clusters", function () {
  this.timeout(120_000);

  let two: TwoClusters;

  before(async () => {
    two = await TwoClusters.start();
    for (const client of [two.own, two.other]) {
      await send(client, "POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    }
    await eventually(async () => (await two.ask(`configmaps?${both()}`)).warnings === "", within);
  });
  after(async () => {
    await two?.[Symbol.asyncDispose]();
    expect(two?.loud, "lines at error level").to.deep.equal([]);
  });
  afterEach(() => two.closeAll());

  const both = (): string => `clusters=local,${two.managed}`;
  const configMaps = (more: object = {}): object => ({
    ...{ resourceType: "configmap", namespace, clusters: `local,${two.managed}` },
    ...more,
  });

  async function make(client: Client, name: string, labels: object = {}): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await send(client, "POST", path, { metadata: { name, labels } });
  }

  async function remove(client: Client, name: string): Promise<void> {
    await send(client, "DELETE", `/api/v1/namespaces/${namespace}/configmaps/${name}`);
  }

  /** Names that a test alone has. */
  function names(count: number): readonly string[] {
    return Array.from({ length: count }, () => uniqueName("x"));
  }

  /** What was told of some objects, those of the managed cluster with a star. */
  function course({ told }: Subscriber, objects: readonly string[]): readonly string[] {
    return told
      .filter(({ data }) => objects.includes(data.metadata?.name))
      .map(({ name, data }) => {
        const star = data.cluster === "local" ? "" : "*";
        return `${name.replace("resource.", "")} ${data.metadata.name}${star}`;
      });
  }

  function errorsOf({ told }: Subscriber, cluster: string): readonly string[] {
    return told
      .filter(({ name, data }) => name === "resource.error" && data.cluster === cluster)
      .map(({ data }) => data.error);
  }

  /** Until it is told that there is something to list of a cluster. */
  function joined(person: Subscriber, cluster: string): Promise<void> {
    const has = ({ revision = "" }: Told): boolean => revision.startsWith(`${cluster}:`);
    return person.until(() => person.named("resource.changes").some(has), `${cluster} joins`);
  }

  describe("a watch", () => {
    it("tells what happens in all of them, each object with its cluster", async () => {
      const [a = "", b = ""] = names(2);
      const admin = await two.subscriber();
      await admin.watch(configMaps());
      await make(two.own, a);
      await make(two.other, b);
      await remove(two.other, b);

      const { data, revision, ...rest } = await admin.heard("resource.create", b);
      await admin.heard("resource.remove", b);
      await admin.heard("resource.create", a);

      expect(rest).to.deep.equal({ name: "resource.create", ...configMaps() });
      expect(revision).to.equal(`${two.managed}:${data.metadata.resourceVersion}`);
      expect(Object.keys(data).slice(0, 3)).to.deep.equal(["cluster", "id", "type"]);
      expect(data).to.include({ cluster: two.managed, id: `${namespace}/${b}` });
      expect(data.links.self).to.contain(
        `/k8s/clusters/${two.managed}/v1/configmaps/${namespace}/${b}`,
      );
      expect(admin.told[0]).to.deep.equal({
        ...{ name: "resource.start", ...configMaps() },
        data: { type: "subscribe", links: {} },
      });
      expect(course(admin, [a])).to.deep.equal([`create ${a}`]);
      expect(course(admin, [b])).to.deep.equal([`create ${b}*`, `remove ${b}*`]);
      expect(admin.named("resource.start")).to.have.length(1);
    });

    it("shows items as lists do, managedFields as well", async () => {
      const [a = ""] = names(1);
      const admin = await two.subscriber();
      await admin.watch(configMaps());
      await make(two.other, a, { one: "1" });

      const { data } = await admin.heard("resource.create", a);
      const list = `configmaps/${namespace}?${both()}&filter=metadata.name=${a}`;
      const [item] = listAt((await two.ask(list)).body, "data");

      expect(data.metadata.managedFields).to.have.length(1);
      expect(data.metadata.managedFields).to.deep.equal(listAt(item, "metadata", "managedFields"));
      expect(Object.keys(data)).to.deep.equal(Object.keys(item ?? {}));
    });

    it("is narrowed by id and selector in each", async () => {
      const [a = "", b = ""] = names(2);
      const admin = await two.subscriber();
      await admin.watch(configMaps({ id: a }));
      await admin.watch(configMaps({ selector: `one=${a}` }));
      for (const client of [two.own, two.other]) {
        await make(client, a);
        await make(client, b, { one: a });
        await remove(client, b);
      }

      await admin.until(() => course(admin, [b]).length === 4, "what the selector selects");
      await admin.until(() => course(admin, [a]).length === 2, "the object");
      expect(course(admin, [a, b])).to.have.members([
        ...[`create ${a}`, `create ${a}*`],
        ...[`create ${b}`, `create ${b}*`, `remove ${b}`, `remove ${b}*`],
      ]);
    });

    it("ends when it is stopped, and not before", async () => {
      const [a = "", b = ""] = names(2);
      const admin = await two.subscriber();
      await admin.watch(configMaps());
      admin.send(configMaps({ stop: true }));
      await admin.heard("resource.stop");
      await make(two.other, a);
      await admin.watch(configMaps({ id: b }));
      await make(two.other, b);

      await admin.heard("resource.create", b);
      expect(course(admin, [a])).to.deep.equal([]);
      expect(admin.named("resource.stop")).to.have.length(1);
    });

    it("goes on from the revision of a list, in each cluster from its own", async () => {
      const [a = "", b = "", c = "", d = ""] = names(4);
      await make(two.own, a);
      await make(two.other, b);
      const list = (): ReturnType<TwoClusters["ask"]> =>
        two.ask(`configmaps/${namespace}?${both()}&filter=metadata.name=${a},metadata.name=${b}`);
      await eventually(async () => (await list()).body.count === 2, within);
      const revision = textAt((await list()).body, "revision");
      await make(two.own, c);
      await make(two.other, d);

      const admin = await two.subscriber();
      await admin.watch(configMaps({ resourceVersion: revision }));

      await admin.heard("resource.create", c);
      await admin.heard("resource.create", d);
      expect(revision).to.match(new RegExp(`^local:\\d+,${two.managed}:\\d+$`));
      expect(course(admin, [a, b, c, d])).to.have.members([`create ${c}`, `create ${d}*`]);
      expect(admin.named("resource.changes")).to.deep.equal([]);
    });

    it("that goes on from too far back says so of that cluster, and joins it", async () => {
      const [a = ""] = names(1);
      const admin = await two.subscriber();
      await admin.watch(configMaps({ resourceVersion: `${two.managed}:1` }));

      await joined(admin, two.managed);
      await make(two.other, a);
      await admin.heard("resource.create", a);

      expect(errorsOf(admin, two.managed)).to.deep.equal(["resourceversion too old"]);
      expect(admin.named("resource.error")).to.have.length(1);
      expect(admin.named("resource.stop")).to.deep.equal([]);
    });

    it("may be of notifications: one for all, with how far each has come", async () => {
      const [a = "", b = ""] = names(2);
      const admin = await two.subscriber();
      await admin.watch(configMaps({ mode: "resource.changes", debounceMs: 50 }));
      await make(two.own, a);
      await make(two.other, b);

      const isOfBoth = ({ revision = "" }: Told): boolean =>
        revision.includes("local:") && revision.includes(`${two.managed}:`);
      await admin.until(() => admin.named("resource.changes").some(isOfBoth), "both");
      const last = admin.named("resource.changes").at(-1);

      expect(last?.data).to.deep.equal({ type: "subscribe", links: {} });
      const { status, warnings, body } = await two.ask(
        `configmaps/${namespace}?${both()}&revision=${last?.revision}`,
      );
      expect([status, warnings]).to.deep.equal([200, ""]);
      const listed = listAt(body, "data").map((item) => textAt(item, "metadata", "name"));
      expect(listed).to.include.members([a, b]);
      expect(course(admin, [a, b])).to.deep.equal([]);
    });
  });

  describe("a cluster", () => {
    it("that is not there or away is told, and ends no other", async () => {
      const [a = ""] = names(1);
      const admin = await two.subscriber();
      await admin.watch(configMaps({ clusters: `local,c-nothing,${two.away}` }));
      await make(two.own, a);

      await admin.heard("resource.create", a);
      await admin.until(() => admin.named("resource.error").length === 2, "both errors");
      expect(errorsOf(admin, "c-nothing")).to.deep.equal(["there is no such cluster"]);
      expect(errorsOf(admin, two.away).join()).to.match(/^ClusterUnavailable 503: /);
    });

    it("that lacks the type joins when it has it", async () => {
      const kind = aKind("cog");
      await install(two.own, crdOf(kind, {}));
      const resourceType = `${kind.group}.cog`;
      const list = `${kind.group}.cogs?clusters=local`;
      await eventually(async () => (await two.ask(list)).warnings === "", within);
      const admin = await two.subscriber();
      await admin.watch(configMaps({ resourceType }));
      await admin.heard("resource.error");

      await install(two.other, crdOf(kind, {}));
      await joined(admin, two.managed);
      const path = `/apis/${kind.group}/v1/namespaces/${namespace}/cogs`;
      const body = { apiVersion: `${kind.group}/v1`, kind: kind.kind, metadata: { name: "one" } };
      await send(two.other, "POST", path, body);

      expect((await admin.heard("resource.create", "one")).data.cluster).to.equal(two.managed);
      expect(errorsOf(admin, two.managed)).to.deep.equal([`failed to find schema ${resourceType}`]);
    });

    it("that goes and comes back is told, and joins", async () => {
      const [a = "", b = ""] = names(2);
      const admin = await two.subscriber();
      await admin.watch(configMaps({ clusters: "all" }));

      await two.leave();
      await admin.until(() => errorsOf(admin, two.managed).length > 0, "that it has gone");
      await make(two.own, a);
      await two.join();
      await joined(admin, two.managed);
      await make(two.other, b);

      await admin.heard("resource.create", b);
      expect(course(admin, [a, b])).to.deep.equal([`create ${a}`, `create ${b}*`]);
      expect(admin.named("resource.start")).to.have.length(1);
      expect(admin.named("resource.stop")).to.deep.equal([]);
    });
  });

  it("follow the clusters that there are", async () => {
    const name = uniqueName("c");
    const path = "/apis/management.cattle.io/v3/clusters";
    const admin = await two.subscriber();
    await admin.watch(configMaps({ clusters: "all" }));

    await send(two.own, "POST", path, {
      ...{ apiVersion: "management.cattle.io/v3", kind: "Cluster", metadata: { name }, spec: {} },
    });
    await admin.until(() => errorsOf(admin, name).length === 1, "that it cannot be asked");
    await send(two.own, "DELETE", `${path}/${name}`);
    await admin.until(() => errorsOf(admin, name).length === 2, "that it has gone");

    expect(errorsOf(admin, name)[0]).to.match(/^ClusterUnavailable 503: no replica /);
    expect(errorsOf(admin, name)[1]).to.equal("there is no such cluster");
  });

  it("take messages of any kind (3,000 random ones)", async () => {
    const random = seededRandom(Number(process.env.SUBSCRIBE_SEED ?? 1));
    const admin = await two.subscriber();
    for (let index = 0; index < 3_000; index++) {
      const text = randomMessage(random, namespace);
      const clusters = random.pick(["all", "local", two.managed, `local,${two.managed},c-none`]);
      const goesToMany = random.chance(0.5) && text.endsWith("}");
      admin.send(goesToMany ? `${text.slice(0, -1)},"clusters":"${clusters}"}` : text);
      if (index % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const [a = ""] = names(1);
    const other = await two.subscriber();
    await other.watch(configMaps());
    await make(two.other, a);

    await other.heard("resource.create", a);
    expect(admin.closed).to.equal(undefined);
  });

  describe("by somebody with few rights", () => {
    /** Binds a user in one of the clusters, in the namespace or everywhere. */
    async function grant(client: Client, user: string, rule: object, everywhere = false) {
      const path = everywhere ? `${rbac}/clusterroles` : `${rbac}/namespaces/${namespace}/roles`;
      await send(client, "POST", path, { metadata: { name: user }, rules: [rule] });
      await bind(client, user, everywhere);
    }

    async function bind(client: Client, user: string, everywhere: boolean): Promise<void> {
      const path = everywhere
        ? `${rbac}/clusterrolebindings`
        : `${rbac}/namespaces/${namespace}/rolebindings`;
      const kind = everywhere ? "ClusterRole" : "Role";
      const apiGroup = "rbac.authorization.k8s.io";
      await send(client, "POST", path, {
        ...{ metadata: { name: user }, roleRef: { apiGroup, kind, name: user } },
        subjects: [{ apiGroup, kind: "User", name: user }],
      });
    }

    const lists = { verbs: ["list"], apiGroups: [""], resources: ["configmaps"] };
    const knows = (): object => ({
      ...{ verbs: ["get"], apiGroups: ["management.cattle.io"], resources: ["clusters"] },
      resourceNames: [two.managed],
    });

    it("each cluster's own rights count there, and as they change", async () => {
      const [a = "", b = "", c = ""] = names(3);
      const user = uniqueName("guest");
      await grant(two.own, user, knows(), true);
      await grant(two.other, user, lists);
      const guest = await two.subscriber(user);
      const seen = async (): Promise<boolean> =>
        (await two.ask(`configmaps/${namespace}?clusters=${two.managed}`, user)).warnings === "";
      await eventually(seen, within);
      await guest.watch(configMaps());
      await make(two.own, a);
      await make(two.other, b);
      await guest.heard("resource.create", b);
      await grant(two.own, user, lists);
      await joined(guest, "local");
      await make(two.own, c);

      await guest.heard("resource.create", c);
      expect(errorsOf(guest, "local")).to.deep.equal(["failed to find schema configmap"]);
      expect(course(guest, [a, b, c])).to.deep.equal([`create ${b}*`, `create ${c}`]);

      const path = `${rbac}/namespaces/${namespace}/rolebindings/${user}`;
      await send(two.other, "DELETE", path);
      await guest.until(() => errorsOf(guest, two.managed).length > 0, "that it may not be seen");
      expect(course(guest, [b]).at(-1)).to.equal(`remove ${b}*`);
      expect(errorsOf(guest, two.managed)).to.deep.equal(["failed to find schema configmap"]);
      await bind(two.other, user, false);
      await joined(guest, two.managed);
      expect(guest.named("resource.stop")).to.deep.equal([]);
    });

    it("a cluster that they may get no more is as one that is not there", async () => {
      const [a = "", b = "", c = ""] = names(3);
      const user = uniqueName("guest");
      for (const client of [two.own, two.other]) await grant(client, user, lists);
      await grant(two.own, user, knows(), true);
      const list = `configmaps/${namespace}?clusters=all`;
      const known = async (): Promise<boolean> =>
        two.managed in Object((await two.ask(list, user)).body.clusters);
      await eventually(known, within);
      const guest = await two.subscriber(user);
      await guest.watch(configMaps({ clusters: "all" }));
      await make(two.other, a);
      await guest.heard("resource.create", a);

      await send(two.own, "DELETE", `${rbac}/clusterrolebindings/${user}`);
      await guest.until(() => errorsOf(guest, two.managed).length > 0, "that it is not there");
      await make(two.other, b);
      await make(two.own, c);

      await guest.heard("resource.create", c);
      expect(errorsOf(guest, two.managed)).to.deep.equal(["there is no such cluster"]);
      expect(course(guest, [b])).to.deep.equal([]);
    });
  });

  describe("refuse", () => {
    const refused: readonly (readonly [message: object, error: string])[] = [
      [{ clusters: "A" }, "invalid clusters: 'A' is no name of a cluster"],
      [{ clusters: "," }, "invalid clusters: clusters must be names with commas between, or all"],
      [{ clusters: 7 }, "invalid clusters: it is a text"],
      [
        { clusters: "local", resourceVersion: "12" },
        "invalid resourceVersion: it is the revision of a list",
      ],
      [{ resourceType: "counts" }, "schema counts is of one cluster alone"],
      [{ selector: "a=(" }, ""],
    ];
    for (const [more, error] of refused) {
      it(`${JSON.stringify(more)}`, async () => {
        const admin = await two.subscriber();
        admin.send(configMaps(more));

        const told = await admin.heard("resource.error");

        expect(told.data).to.have.all.keys("error");
        expect(told.data.error).to.contain(error);
        expect(admin.named("resource.start")).to.deep.equal([]);
      });
    }
  });
});
