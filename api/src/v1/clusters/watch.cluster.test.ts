import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { eventually, seededRandom } from "kopf-ts/testing";
import { randomMessage } from "../subscribe/random-message.test.support.ts";
import type { Told } from "../subscribe/websockets.test.support.ts";
import { listAt, textAt } from "../tree.ts";
import { aKind, crdOf, install, send } from "../types/testing.test.support.ts";
import type { TwoClusters } from "./two.test.support.ts";
import { course, errorsOf, names, severalBed, within } from "./watch-bed.test.support.ts";

describe("subscriptions to several real clusters", function () {
  this.timeout(120_000);

  const bed = severalBed();

  describe("a watch", () => {
    it("tells what happens in all of them, each object with its cluster", async () => {
      const [a = "", b = ""] = names(2);
      const admin = await bed.two.subscriber();
      await admin.watch(bed.configMaps());
      await bed.make(bed.two.own, a);
      await bed.make(bed.two.other, b);
      await bed.remove(bed.two.other, b);

      const { data, revision, ...rest } = await admin.heard("resource.create", b);
      await admin.heard("resource.remove", b);
      await admin.heard("resource.create", a);

      expect(rest).to.deep.equal({ name: "resource.create", ...bed.configMaps() });
      expect(revision).to.equal(`${bed.two.managed}:${data.metadata.resourceVersion}`);
      expect(Object.keys(data).slice(0, 3)).to.deep.equal(["cluster", "id", "type"]);
      expect(data).to.include({ cluster: bed.two.managed, id: `${bed.namespace}/${b}` });
      expect(data.links.self).to.contain(
        `/k8s/clusters/${bed.two.managed}/v1/configmaps/${bed.namespace}/${b}`,
      );
      expect(admin.told[0]).to.deep.equal({
        ...{ name: "resource.start", ...bed.configMaps() },
        data: { type: "subscribe", links: {} },
      });
      expect(course(admin, [a])).to.deep.equal([`create ${a}`]);
      expect(course(admin, [b])).to.deep.equal([`create ${b}*`, `remove ${b}*`]);
      expect(admin.named("resource.start")).to.have.length(1);
    });

    it("shows items as lists do, managedFields as well", async () => {
      const [a = ""] = names(1);
      const admin = await bed.two.subscriber();
      await admin.watch(bed.configMaps());
      await bed.make(bed.two.other, a, { one: "1" });

      const { data } = await admin.heard("resource.create", a);
      const list = `configmaps/${bed.namespace}?${bed.both}&filter=metadata.name=${a}`;
      const [item] = listAt((await bed.two.ask(list)).body, "data");

      expect(data.metadata.managedFields).to.have.length(1);
      expect(data.metadata.managedFields).to.deep.equal(listAt(item, "metadata", "managedFields"));
      expect(Object.keys(data)).to.deep.equal(Object.keys(item ?? {}));
    });

    it("is narrowed by id and selector in each", async () => {
      const [a = "", b = ""] = names(2);
      const admin = await bed.two.subscriber();
      await admin.watch(bed.configMaps({ id: a }));
      await admin.watch(bed.configMaps({ selector: `one=${a}` }));
      for (const client of [bed.two.own, bed.two.other]) {
        await bed.make(client, a);
        await bed.make(client, b, { one: a });
        await bed.remove(client, b);
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
      const admin = await bed.two.subscriber();
      await admin.watch(bed.configMaps());
      admin.send(bed.configMaps({ stop: true }));
      await admin.heard("resource.stop");
      await bed.make(bed.two.other, a);
      await admin.watch(bed.configMaps({ id: b }));
      await bed.make(bed.two.other, b);

      await admin.heard("resource.create", b);
      expect(course(admin, [a])).to.deep.equal([]);
      expect(admin.named("resource.stop")).to.have.length(1);
    });

    it("goes on from the revision of a list, in each cluster from its own", async () => {
      const [a = "", b = "", c = "", d = ""] = names(4);
      await bed.make(bed.two.own, a);
      await bed.make(bed.two.other, b);
      const list = (...of: readonly string[]): ReturnType<TwoClusters["ask"]> => {
        const filter = of.map((name) => `metadata.name=${name}`).join();
        return bed.two.ask(`configmaps/${bed.namespace}?${bed.both}&filter=${filter}`);
      };
      await eventually(async () => (await list(a, b)).body.count === 2, within);
      const revision = textAt((await list(a, b)).body, "revision");
      await bed.make(bed.two.own, c);
      await bed.make(bed.two.other, d);
      await eventually(async () => (await list(c, d)).body.count === 2, within);

      const admin = await bed.two.subscriber();
      await admin.watch(bed.configMaps({ resourceVersion: revision }));

      await admin.heard("resource.create", c);
      await admin.heard("resource.create", d);
      expect(revision).to.match(new RegExp(`^local:\\d+,${bed.two.managed}:\\d+$`));
      expect(course(admin, [a, b, c, d])).to.have.members([`create ${c}`, `create ${d}*`]);
      expect(admin.named("resource.changes")).to.deep.equal([]);
    });

    it("that goes on from too far back says so of that cluster, and joins it", async () => {
      const [a = ""] = names(1);
      const admin = await bed.two.subscriber();
      await admin.watch(bed.configMaps({ resourceVersion: `${bed.two.managed}:1` }));

      await bed.joined(admin, bed.two.managed);
      await bed.make(bed.two.other, a);
      await admin.heard("resource.create", a);

      expect(errorsOf(admin, bed.two.managed)).to.deep.equal(["resourceversion too old"]);
      expect(admin.named("resource.error")).to.have.length(1);
      expect(admin.named("resource.stop")).to.deep.equal([]);
    });

    it("may be of notifications: one for all, with how far each has come", async () => {
      const [a = "", b = ""] = names(2);
      const admin = await bed.two.subscriber();
      await admin.watch(bed.configMaps({ mode: "resource.changes", debounceMs: 50 }));
      await bed.make(bed.two.own, a);
      await bed.make(bed.two.other, b);

      const isOfBoth = ({ revision = "" }: Told): boolean =>
        revision.includes("local:") && revision.includes(`${bed.two.managed}:`);
      await admin.until(() => admin.named("resource.changes").some(isOfBoth), "both");
      const last = admin.named("resource.changes").at(-1);

      expect(last?.data).to.deep.equal({ type: "subscribe", links: {} });
      const { status, warnings, body } = await bed.two.ask(
        `configmaps/${bed.namespace}?${bed.both}&revision=${last?.revision}`,
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
      const admin = await bed.two.subscriber();
      await admin.watch(bed.configMaps({ clusters: `local,c-nothing,${bed.two.away}` }));
      await bed.make(bed.two.own, a);

      await admin.heard("resource.create", a);
      await admin.until(() => admin.named("resource.error").length === 2, "both errors");
      expect(errorsOf(admin, "c-nothing")).to.deep.equal(["there is no such cluster"]);
      expect(errorsOf(admin, bed.two.away).join()).to.match(
        /^ClusterUnavailable 503: the server has not connected to it yet$/,
      );
    });

    it("that lacks the type joins when it has it", async () => {
      const kind = aKind("cog");
      await install(bed.two.own, crdOf(kind, {}));
      const resourceType = `${kind.group}.cog`;
      const list = `${kind.group}.cogs?clusters=local`;
      await eventually(async () => (await bed.two.ask(list)).warnings === "", within);
      const admin = await bed.two.subscriber();
      await admin.watch(bed.configMaps({ resourceType }));
      await admin.heard("resource.error");

      await install(bed.two.other, crdOf(kind, {}));
      await bed.joined(admin, bed.two.managed);
      const path = `/apis/${kind.group}/v1/namespaces/${bed.namespace}/cogs`;
      const body = { apiVersion: `${kind.group}/v1`, kind: kind.kind };
      const { data } = await bed.told(admin, bed.two.managed, (name) =>
        send(bed.two.other, "POST", path, { ...body, metadata: { name } }),
      );

      expect(data.cluster).to.equal(bed.two.managed);
      expect(errorsOf(admin, bed.two.managed)).to.deep.equal([
        `failed to find schema ${resourceType}`,
      ]);
    });

    it("that goes and comes back is told, and joins", async () => {
      const [a = ""] = names(1);
      const admin = await bed.two.subscriber();
      await admin.watch(bed.configMaps({ clusters: "all" }));

      await bed.two.leave();
      await admin.until(() => errorsOf(admin, bed.two.managed).length > 0, "that it has gone");
      await bed.make(bed.two.own, a);
      await bed.two.join();
      await bed.joined(admin, bed.two.managed);
      const { data } = await bed.told(admin, bed.two.managed, (name) =>
        bed.make(bed.two.other, name),
      );

      const b = data.metadata.name;
      expect(course(admin, [a, b])).to.deep.equal([`create ${a}`, `create ${b}*`]);
      expect(admin.named("resource.start")).to.have.length(1);
      expect(admin.named("resource.stop")).to.deep.equal([]);
    });
  });

  it("follow the clusters that there are", async () => {
    const name = uniqueName("c");
    const path = "/apis/management.cattle.io/v3/clusters";
    const admin = await bed.two.subscriber();
    await admin.watch(bed.configMaps({ clusters: "all" }));

    await send(bed.two.own, "POST", path, {
      ...{ apiVersion: "management.cattle.io/v3", kind: "Cluster", metadata: { name }, spec: {} },
    });
    await admin.until(() => errorsOf(admin, name).length === 1, "that it cannot be asked");
    await send(bed.two.own, "DELETE", `${path}/${name}`);
    await admin.until(() => errorsOf(admin, name).length === 2, "that it has gone");

    expect(errorsOf(admin, name)[0]).to.match(
      /^ClusterUnavailable 503: the replica that was asked /,
    );
    expect(errorsOf(admin, name)[1]).to.equal("there is no such cluster");
  });

  it("count as many watches as they have clusters", async () => {
    const clusters = Array.from({ length: 200 }, (_, index) => `c-none-${index}`).join();
    const [first, second, third] = ["1", "2", "3"].map((id) => bed.configMaps({ id, clusters }));
    const admin = await bed.two.subscriber();
    for (const each of [first, second]) await admin.watch({ ...each });

    admin.send({ ...third });
    await admin.until(() => admin.named("resource.error").length === 401, "all errors");
    admin.send({ ...first, stop: true });
    await admin.heard("resource.stop");
    await admin.watch({ ...third });

    expect(admin.named("resource.error").map(({ data }) => data.error)).to.include(
      "too many watches: a session may have 512",
    );
  });

  it("take messages of any kind (3,000 random ones)", async () => {
    const random = seededRandom(Number(process.env.SUBSCRIBE_SEED ?? 1));
    const admin = await bed.two.subscriber();
    for (let index = 0; index < 3_000; index++) {
      const text = randomMessage(random, bed.namespace);
      const clusters = random.pick([
        "all",
        "local",
        bed.two.managed,
        `local,${bed.two.managed},c-none`,
      ]);
      const goesToMany = random.chance(0.5) && text.endsWith("}");
      admin.send(goesToMany ? `${text.slice(0, -1)},"clusters":"${clusters}"}` : text);
      if (index % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const other = await bed.two.subscriber();
    await other.watch(bed.configMaps());

    // A cluster that begins late, with all those messages before, is told of from then on.
    const made = async (): Promise<boolean> => {
      for (const name of names(1)) await bed.make(bed.two.other, name);
      return other.named("resource.create").length > 0;
    };
    await eventually(made, { within: 20_000, what: "an object that is told of" });
    expect(admin.closed).to.equal(undefined);
  });

  describe("refuse", () => {
    const refused: readonly (readonly [message: object, error: string])[] = [
      [{ clusters: "A" }, "invalid clusters: 'A' is no name of a cluster"],
      [{ clusters: "," }, "invalid clusters: clusters must be names with commas between, or all"],
      [{ clusters: 7 }, "invalid clusters: it must be a text"],
      [
        { clusters: "local", resourceVersion: "12" },
        "invalid resourceVersion: it must be the revision of a list",
      ],
      [{ resourceType: "counts" }, "schema counts is of one cluster alone"],
      [{ selector: "a=(" }, ""],
    ];
    for (const [more, error] of refused) {
      it(`${JSON.stringify(more)}`, async () => {
        const admin = await bed.two.subscriber();
        admin.send(bed.configMaps(more));

        const told = await admin.heard("resource.error");

        expect(told.data).to.have.all.keys("error");
        expect(told.data.error).to.contain(error);
        expect(admin.named("resource.start")).to.deep.equal([]);
      });
    }
  });
});
