import { freshNamespace, uniqueName } from "@drover/env";
import { expect } from "chai";
import { connect, type KubeObject, loadConfig } from "kopf-ts";
import { eventually, startFaultProxy } from "kopf-ts/testing";
import { at } from "../tree.ts";
import { crdOf, install, uninstall } from "../types/testing.test.support.ts";
import { lists, subscribeBed, unseen, within } from "./bed.test.support.ts";
import type { SubscribeServer } from "./harness.test.support.ts";
import type { Subscriber } from "./websockets.test.support.ts";

describe("subscribe, on an API server", function () {
  this.timeout(90_000);

  const bed = subscribeBed();

  describe("to tokens and kubeconfigs", () => {
    const of = { group: "ext.cattle.io", kind: "Token", plural: "tokens" };
    const kind = { ...of, crd: `${of.plural}.${of.group}` };
    const rule = { apiGroups: [of.group], resources: [of.plural], verbs: ["list"] };
    const everything = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
    const resourceType = "ext.cattle.io.token";

    before(async () => {
      await install(bed.client, crdOf(kind, {}));
      await known(bed.server);
      await served();
    });
    after(() => uninstall(bed.client, kind));

    const known = (server: SubscribeServer): Promise<unknown> =>
      eventually(() => (server.types.find(resourceType)?.columns.length ?? 0) > 0, within);

    const make = (owner: string, namespace = bed.namespace): Promise<KubeObject> => {
      const labels = { "cattle.io/user-id": owner };
      const metadata = { name: uniqueName("token"), namespace, labels };
      return bed.client.create({ apiVersion: `${of.group}/v1`, kind: of.kind, metadata });
    };

    /** The API server makes the storage of a new kind twice; until it is there writes wait. */
    const served = async (): Promise<unknown> => bed.client.delete(await make("nobody", "default"));

    const ownersSeenBy = (person: Subscriber | undefined): unknown =>
      person
        ?.named("resource.create")
        .map(({ data }) => at(data, "metadata", "labels", "cattle.io/user-id"));

    it("tells people of their own alone", async () => {
      const one = await bed.somebody([lists, rule]);
      const names = [one, await bed.somebody([lists, rule])];
      const people = await Promise.all(names.map((name) => bed.server.subscriber(name)));
      for (const person of people) await person.watch({ resourceType, namespace: bed.namespace });

      for (const owner of [...names, one]) await make(owner);

      await eventually(() => people[0]?.named("resource.create").length === 2, within);
      await people[1]?.heard("resource.create");
      expect(ownersSeenBy(people[0])).to.deep.equal([one, one]);
      expect(ownersSeenBy(people[1])).to.deep.equal([names[1]]);
    });

    const giveTo = (owner: string, token: KubeObject): Promise<KubeObject> =>
      bed.client.patch(token, { merge: { metadata: { labels: { "cattle.io/user-id": owner } } } });

    it("tells that one is theirs no more, and nothing of what it is now", async () => {
      const names = [await bed.somebody([lists, rule]), await bed.somebody([lists, rule])] as const;
      const [one, other] = await Promise.all(names.map((name) => bed.server.subscriber(name)));
      for (const each of [one, other])
        await each?.watch({ resourceType, namespace: bed.namespace });
      const token = await make(names[0]);

      await giveTo(names[1], token);

      await other?.heard("resource.create", token.metadata.name);
      const removed = await one?.heard("resource.remove", token.metadata.name);
      const { name = "", namespace = "" } = token.metadata;
      expect(removed?.data).to.deep.equal({
        ...{ id: `${namespace}/${name}`, type: resourceType, links: {} },
        metadata: { name, namespace },
      });
    });

    it("tells nothing of others' where the cache had to list anew, but that it is to be listed", async () => {
      const { kubeconfigPath } = bed.plane;
      await using proxy = await startFaultProxy(await loadConfig({ kubeconfig: kubeconfigPath }));
      await using client = connect(proxy.config);
      await using behind = await bed.serve({}, client);
      await known(behind);
      const name = await bed.somebody([lists, rule]);
      await eventually(() => {
        const reach = behind.access.of({ username: name, groups: [] }).listed(of);
        return reach !== "all" && reach.namespaces.size > 0;
      }, within);
      const [changed, gone] = [await make("other"), await make("other")];
      const [admin, user] = [await behind.subscriber(), await behind.subscriber(name)];
      for (const each of [admin, user])
        await each.watch({ resourceType, namespace: bed.namespace });

      using _tooOld = await unseen(proxy, `/apis/${of.group}/v1/${of.plural}`, async () => {
        await giveTo("another", changed);
        await bed.client.delete(gone);
      });

      await admin.heard("resource.change", changed.metadata.name);
      await admin.heard("resource.remove", gone.metadata.name);
      await user.heard("resource.stop");
      expect(user.course).to.deep.equal(["start", "error", "stop"]);
      expect((await user.heard("resource.error")).data.error).to.contain("too old");
    });

    it("ends when somebody who saw those of all may see their own alone", async () => {
      const name = await bed.everywhere([everything]);
      const user = await bed.server.subscriber(name);
      await user.watch({ resourceType, namespace: bed.namespace });

      await bed.changeRulesEverywhere(name, [rule]);

      await user.heard("resource.stop");
      expect((await user.heard("resource.error")).data.error).to.contain("too old");
      await user.watch({ resourceType, namespace: bed.namespace });
      for (const owner of ["other", name]) await make(owner);
      await user.heard("resource.create");
      expect(ownersSeenBy(user)).to.deep.equal([name]);
    });

    it("asks anew what somebody may see when that changed while the cache was made", async () => {
      const { kubeconfigPath } = bed.plane;
      await using proxy = await startFaultProxy(await loadConfig({ kubeconfig: kubeconfigPath }));
      await using client = connect(proxy.config);
      await using other = await bed.serve({}, client);
      await known(other);
      const name = await bed.everywhere([everything]);
      const caller = { username: name, groups: ["system:authenticated"] };
      const seesAll = (): boolean =>
        other.access.of(caller).may("list", { group: "*", plural: "*" });
      await eventually(seesAll, within);
      const user = await other.subscriber(name);
      const outage = proxy.always({ kind: "status", code: 503 }, ({ path }) =>
        path.startsWith(`/apis/${of.group}/v1/${of.plural}`),
      );

      user.send({ resourceType, namespace: bed.namespace });
      await bed.changeRulesEverywhere(name, [rule]);
      await eventually(() => !seesAll(), within);
      outage[Symbol.dispose]();

      await user.heard("resource.start");
      for (const owner of ["other", name]) await make(owner);
      await user.heard("resource.create");
      expect(ownersSeenBy(user)).to.deep.equal([name]);
    });
  });

  describe("to namespaces of which somebody sees little", () => {
    const resourceType = "namespace";
    const reads = { ...lists, resources: ["namespaces"] };

    const label = (team: string): Promise<KubeObject> => {
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: bed.namespace } };
      return bed.client.patch(namespace, { merge: { metadata: { labels: { team } } } });
    };

    it("tells by labels that are shown alone", async () => {
      const user = await bed.server.subscriber(await bed.somebody());
      const reader = await bed.server.subscriber(await bed.somebody([lists, reads]));
      for (const selector of ["team=red", "team!=blue"]) {
        for (const each of [user, reader]) await each.watch({ resourceType, selector });
      }

      for (const team of ["red", "blue", "end"]) await label(team);

      const toldBy = (person: Subscriber, wanted: string): readonly string[] =>
        person.told
          .filter(({ name, selector }) => selector === wanted && name !== "resource.start")
          .map(({ name }) => name);
      await user.until(() => toldBy(user, "team!=blue").length === 3, "three changes");
      await reader.until(() => toldBy(reader, "team!=blue").length === 3, "three changes");
      const change = "resource.change";
      expect(toldBy(user, "team!=blue")).to.deep.equal([change, change, change]);
      expect(toldBy(user, "team=red")).to.deep.equal([]);
      expect(toldBy(reader, "team!=blue")).to.deep.equal([
        ...[change, "resource.remove", "resource.create"],
      ]);
      expect(toldBy(reader, "team=red")).to.deep.equal(["resource.create", "resource.remove"]);
    });

    it("ends when they see more of one", async () => {
      const name = await bed.somebody();
      const user = await bed.server.subscriber(name);
      await user.watch({ resourceType, id: bed.namespace });

      await bed.changeRules(name, [lists, reads]);

      await user.heard("resource.stop");
      expect(user.named("resource.remove")).to.deep.equal([]);
    });
  });

  describe("a change of rights", () => {
    it("that takes objects away tells which, and ends the watch", async () => {
      await bed.make("one");
      await bed.make("two");
      await bed.revisionWith("two");
      const name = await bed.somebody();
      const user = await bed.server.subscriber(name);
      await user.watch({ resourceType: "configmap" });

      await bed.changeRules(name, [{ ...lists, resourceNames: ["two"] }]);

      await user.heard("resource.stop");
      const removed = user.named("resource.remove").map(({ data }) => data.id);
      expect(removed).to.include(`${bed.namespace}/one`);
      expect(removed).not.to.include(`${bed.namespace}/two`);
      expect(user.named("resource.remove")[0]?.data).to.have.keys(
        "id",
        "type",
        "links",
        "metadata",
      );
      await user.watch({ resourceType: "configmap" });
      await bed.change("one", { data: { n: "1" } });
      await bed.change("two", { data: { n: "1" } });
      await user.heard("resource.change", "two");
      expect(user.course).not.to.include("change one");
    });

    /** Somebody who watches the front of the namespace, and loses all of it but `kept`. */
    async function losing(happen: (user: Subscriber) => Promise<void>): Promise<Subscriber> {
      for (const name of ["match", "kept", "left", "gone"]) await front(name);
      await bed.make("stranger", { labels: { tier: "back" } });
      await bed.make("bare");
      await bed.revisionWith("bare");
      const name = await bed.somebody();
      const user = await bed.server.subscriber(name, { perMessageDeflate: false });
      await user.watch({ resourceType: "configmap", selector: "tier=front" });

      await happen(user);
      await bed.changeRules(name, [{ ...lists, resourceNames: ["kept"] }]);
      return user;
    }

    const front = (name: string, data?: object): Promise<KubeObject> =>
      bed.make(name, { labels: { tier: "front" } }, data);

    const leave = (name: string): Promise<KubeObject> =>
      bed.change(name, { metadata: { labels: { tier: "back" } } });

    it("that takes objects away tells of those alone that match the selector then", async () => {
      const user = await losing(async (watcher) => {
        await leave("left");
        await watcher.heard("resource.remove", "left");
        await bed.remove("gone");
        await watcher.heard("resource.remove", "gone");
      });

      await user.heard("resource.stop");
      expect(user.course).to.deep.equal([
        ...["start", "remove left", "remove gone", "remove match", "stop"],
      ]);
    });

    it("that takes objects away tells also of those that ceased to match, or went, untold", async () => {
      const big = "x".repeat(900_000);
      const admin = await bed.server.subscriber(undefined, {}, "?exclude=data");
      await admin.watch(bed.configMaps());
      const user = await losing(async (watcher) => {
        watcher.ws.pause();
        for (let index = 0; index < 24; index++) await front(`big-${index}`, { big });
        await leave("left");
        await bed.remove("gone");
        await leave("stranger");
        await admin.heard("resource.remove", "gone");
      });
      await eventually(() => bed.server.subscriptions.stats.watches === 1, within);
      user.ws.resume();

      await user.heard("resource.stop");
      const removed = user.course.filter((text) => /remove (?!big)/.test(text));
      expect(removed).to.have.members(["remove match", "remove left", "remove gone"]);
    });

    it("that takes objects away is told once to those who want notifications alone", async () => {
      await bed.make("one");
      const name = await bed.somebody();
      const user = await bed.server.subscriber(name);
      await user.watch(bed.configMaps({ mode: "resource.changes", selector: "tier=front" }));

      await bed.changeRules(name, [{ ...lists, resourceNames: ["two"] }]);

      await user.heard("resource.stop");
      expect(user.course).to.deep.equal(["start", "changes", "stop"]);
    });

    it("that takes objects away is told to those who want notifications alone also when they do not read", async () => {
      const big = "x".repeat(900_000);
      const name = await bed.somebody();
      const user = await bed.server.subscriber(name, { perMessageDeflate: false });
      await user.watch(bed.configMaps());
      await user.watch(bed.configMaps({ mode: "resource.changes", debounceMs: 3_600_000 }));
      const behind = (): Promise<number> => bed.server.metric("drover_subscribe_fell_behind_total");
      const before = await behind();
      user.ws.pause();
      for (let index = 0; (await behind()) === before; index++) {
        await bed.make(`big-${index}`, {}, { big });
      }

      await bed.changeRules(name, [{ ...lists, resourceNames: ["two"] }]);
      await eventually(() => bed.server.subscriptions.stats.watches === 0, within);
      user.ws.resume();

      await user.until(() => user.named("resource.stop").length === 2, "both ends");
      const notified = user.told.filter(({ mode }) => mode === "resource.changes");
      expect(notified.map((each) => each.name)).to.deep.equal([
        ...["resource.start", "resource.changes", "resource.changes", "resource.stop"],
      ]);
    });

    it("that gives more ends the watch, so that it is begun anew", async () => {
      for (const each of ["one", "two"]) await bed.make(each);
      await bed.revisionWith("two");
      const name = await bed.somebody([{ ...lists, resourceNames: ["two"] }]);
      const user = await bed.server.subscriber(name);
      for (const selector of ["", "tier=front"]) {
        await user.watch({ resourceType: "configmap", selector });
      }

      await bed.changeRules(name, [lists]);

      await user.until(() => user.named("resource.stop").length === 2, "both ends");
      expect(user.course).to.deep.equal(["start", "start", "stop", "stop"]);
    });

    it("in another namespace, or of another object, leaves narrowed watches as they are, but for links", async () => {
      const elsewhere = await freshNamespace(bed.plane, "elsewhere");
      await bed.make("one");
      await bed.revisionWith("one");
      const named = { ...lists, verbs: ["get"], resourceNames: ["one"] };
      const name = await bed.somebody([named]);
      const user = await bed.server.subscriber(name);
      for (const narrow of [{}, { mode: "resource.changes" }, { id: "one", namespace: "" }]) {
        await user.watch(bed.configMaps(narrow));
      }
      await user.watch({ resourceType: "configmap", id: `${bed.namespace}/one` });
      const rights = (): string => bed.accessOf(name).fingerprint;
      const before = rights();

      await bed.bind(name, [lists], elsewhere);
      await eventually(() => rights() !== before, within);
      await bed.unbind(name, elsewhere);
      await eventually(() => rights() === before, within);
      await bed.changeRules(name, [named, { ...lists, verbs: ["delete"] }]);
      await eventually(() => rights() !== before, within);
      await bed.change("one", { data: { n: "1" } });

      await user.until(() => user.named("resource.change").length >= 2, "both changes");
      await user.heard("resource.changes");
      expect(user.course).to.have.members([
        ...["start", "start", "start", "stop", "start", "changes", "change one", "change one"],
      ]);
      const stopped = user.named("resource.stop").map(({ id, namespace }) => [id, namespace]);
      expect(stopped).to.deep.equal([["one", undefined]]); // it was shown wherever it is
      for (const { data } of user.named("resource.change"))
        expect(data.links).to.include.keys("remove");
    });

    it("that is about something else leaves nothing out, and tells nothing twice", async () => {
      const name = await bed.somebody();
      const user = await bed.server.subscriber(name);
      const admin = await bed.server.subscriber();
      for (const each of [user, admin]) await each.watch(bed.configMaps());
      await bed.make("one");

      const changeSome = async (): Promise<void> => {
        for (const n of ["1", "2", "3", "4", "5"]) await bed.change("one", { data: { n } });
      };
      const rights = ["delete", "patch", "delete", "patch", "delete", "patch", "delete", "patch"];
      for (const verb of rights) {
        await bed.changeRules(name, [lists, { ...lists, verbs: [verb] }]);
        await changeSome();
      }
      await bed.make("end");

      for (const each of [user, admin]) await each.heard("resource.create", "end");
      const revisions = ({ told }: Subscriber): unknown => told.map(({ revision }) => revision);
      expect(revisions(user)).to.deep.equal(revisions(admin));
    });

    it("that is about something else changes the links, and the watch goes on", async () => {
      const name = await bed.somebody();
      const user = await bed.server.subscriber(name);
      await user.watch({ resourceType: "configmap" });
      const before = bed.server.access.of({ username: name, groups: ["system:authenticated"] });

      await bed.changeRules(name, [lists, { ...lists, verbs: ["delete"] }]);
      const after = (): typeof before =>
        bed.server.access.of({ username: name, groups: ["system:authenticated"] });
      await eventually(() => after().fingerprint !== before.fingerprint, within);
      await bed.make("one");

      await eventually(async () => {
        await bed.change("one", { data: { n: String(Math.random()) } });
        return user.named("resource.change").some(({ data }) => "remove" in data.links);
      }, within);
      expect(user.named("resource.stop")).to.deep.equal([]);
    });
  });
});
