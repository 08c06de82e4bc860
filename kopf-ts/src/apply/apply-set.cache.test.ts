import { testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { TemporaryError } from "../base/index.ts";
import { Informers } from "../cache/index.ts";
import { type Kind, type KubeObject, refTo } from "../kube/index.ts";
import { ApplyError } from "./apply-error.ts";
import { type ApplySetOptions, applySet } from "./apply-set.ts";
import { claimOf, setIndex, setLabel } from "./marks.ts";
import { ConfigMap, type Data, ResourceQuota, Secret, TestCluster } from "./testing/cluster.ts";
import { fieldManager, found, names, ownerIn, Snapshot, thrownBy } from "./testing/sets.ts";

describe("applySet on an API server", function () {
  this.timeout(120_000);

  before(() => testEnv());

  describe("with a cache", () => {
    /** A set of ConfigMaps with its cache, applied once. */
    async function applied(cluster: TestCluster, objects: readonly Data[]) {
      const snapshot = new Snapshot();
      const options = {
        owner: await ownerIn(cluster),
        fieldManager,
        prune: [ConfigMap],
        caches: () => snapshot,
      } satisfies ApplySetOptions;
      await applySet(cluster.client, objects, options);
      await snapshot.read(cluster, ConfigMap);
      return { snapshot, options };
    }

    it("sends nothing when nothing changed", async () => {
      await using cluster = await TestCluster.open();
      const objects = [cluster.configMap("a", { k: "1" }), cluster.configMap("b")];
      const { options } = await applied(cluster, objects);

      const report = await applySet(cluster.client, objects, options);

      expect(cluster.requests()).to.deep.equal([]);
      expect(names(report.unchanged)).to.deep.equal(["a", "b"]);
    });

    it("sends one request for the one object that changed", async () => {
      await using cluster = await TestCluster.open();
      const { options } = await applied(cluster, [
        cluster.configMap("a", { k: "1" }),
        cluster.configMap("b"),
      ]);

      const report = await applySet(
        cluster.client,
        [cluster.configMap("a", { k: "2" }), cluster.configMap("b")],
        options,
      );

      expect(cluster.requests()).to.deep.equal(["apply configmaps 200"]);
      expect(names(report.changed)).to.deep.equal(["a"]);
    });

    it("repairs a field of ours that somebody changed, and keeps theirs", async () => {
      await using cluster = await TestCluster.open();
      const wanted = cluster.configMap("a", { ours: "1" });
      const { snapshot, options } = await applied(cluster, [wanted]);
      await cluster.client.patch(
        wanted,
        { merge: { data: { ours: "drifted", theirs: "kept" } } },
        { fieldManager: "somebody" },
      );
      await snapshot.read(cluster, ConfigMap);

      const report = await applySet(cluster.client, [wanted], options);

      expect(names(report.changed)).to.deep.equal(["a"]);
      expect((await found(cluster, "a"))?.data).to.deep.equal({ ours: "1", theirs: "kept" });
    });

    it("removes a field that left the object", async () => {
      await using cluster = await TestCluster.open();
      const { snapshot, options } = await applied(cluster, [
        cluster.configMap("a", { stays: "1", goes: "1" }),
      ]);
      const wanted = cluster.configMap("a", { stays: "1" });

      await applySet(cluster.client, [wanted], options);
      await snapshot.read(cluster, ConfigMap);
      const again = await applySet(cluster.client, [wanted], options);

      expect((await found(cluster, "a"))?.data).to.deep.equal({ stays: "1" });
      expect(names(again.unchanged)).to.deep.equal(["a"]);
      expect(cluster.requests()).to.deep.equal(["get configmaps 200"]);
    });

    it("puts back marks that somebody removed", async () => {
      await using cluster = await TestCluster.open();
      const wanted = cluster.configMap("a");
      const { snapshot, options } = await applied(cluster, [wanted]);
      await cluster.client.patch(wanted, {
        merge: { metadata: { labels: null, annotations: null } },
      });
      await snapshot.read(cluster, ConfigMap);

      await applySet(cluster.client, [wanted], options);

      expect((await found(cluster, "a"))?.metadata.labels).to.have.property(setLabel);
    });

    it("does not fight over fields with force off", async () => {
      await using cluster = await TestCluster.open();
      const wanted = cluster.configMap("a", { ours: "1" });
      const { snapshot, options } = await applied(cluster, [wanted]);
      await cluster.client.apply(cluster.configMap("a", { ours: "theirs" }), {
        fieldManager: "somebody",
      });
      await snapshot.read(cluster, ConfigMap);

      const error = await thrownBy(
        applySet(cluster.client, [wanted], { ...options, force: false }),
      );

      expect(error).to.be.instanceOf(ApplyError);
      expect((error as ApplyError).errors[0]).to.include({ code: 409, reason: "Conflict" });
    });

    it("sends nothing for what the server stores in another form", async () => {
      await using cluster = await TestCluster.open();
      const quota = {
        ...refTo(ResourceQuota, "q", cluster.namespace),
        spec: { hard: { "requests.cpu": "1000m", "requests.memory": "1024Mi" } },
      };
      const secret = {
        ...refTo(Secret, "s", cluster.namespace),
        stringData: { password: "correct horse" },
      };
      const snapshots = new Map<Kind, Snapshot>([
        [ResourceQuota, new Snapshot()],
        [Secret, new Snapshot()],
      ]);
      const options = {
        owner: await ownerIn(cluster),
        fieldManager,
        prune: [ResourceQuota, Secret],
        caches: (kind: Kind) => snapshots.get(kind),
      };
      await applySet(cluster.client, [quota, secret], options);
      for (const [kind, snapshot] of snapshots) await snapshot.read(cluster, kind);

      const report = await applySet(cluster.client, [quota, secret], options);
      const steady = cluster.requests();
      await cluster.client.patch(quota, { merge: { spec: { hard: { "requests.cpu": "3" } } } });
      for (const [kind, snapshot] of snapshots) await snapshot.read(cluster, kind);
      const repaired = await applySet(cluster.client, [quota, secret], options);

      expect(steady).to.deep.equal([]);
      expect(names(report.unchanged)).to.have.members(["q", "s"]);
      expect(names(repaired.changed)).to.deep.equal(["q"]);
    });

    it("costs one apply that changes nothing where that form was forgotten", async () => {
      await using cluster = await TestCluster.open();
      const secret = { ...refTo(Secret, "s", cluster.namespace), stringData: { a: "b" } };
      const options = { owner: await ownerIn(cluster), fieldManager, prune: [Secret] };
      const [before, after] = [new Snapshot(), new Snapshot()];
      await applySet(cluster.client, [secret], { ...options, caches: () => before });
      await after.read(cluster, Secret);
      const { resourceVersion } = (await cluster.client.get(Secret, "s", cluster)).metadata;
      cluster.requests();

      const report = await applySet(cluster.client, [secret], { ...options, caches: () => after });

      expect(cluster.requests()).to.deep.equal(["apply secrets 200"]);
      expect(report.unchanged[0]?.metadata.resourceVersion).to.equal(resourceVersion);
      expect(report.changed).to.deep.equal([]);
    });

    it("prunes by the versions that the cache had", async () => {
      await using cluster = await TestCluster.open();
      const { options } = await applied(cluster, [cluster.configMap("a")]);

      const { pruned } = await applySet(cluster.client, [], options);

      expect(cluster.requests()).to.deep.equal(["delete configmaps 200"]);
      expect(names(pruned)).to.deep.equal(["a"]);
    });

    it("reads a member that changed since, and prunes it when it still is one", async () => {
      await using cluster = await TestCluster.open();
      const { options } = await applied(cluster, [cluster.configMap("a")]);
      await cluster.client.patch(cluster.configMap("a"), { merge: { data: { k: "new" } } });
      cluster.requests();

      const { pruned } = await applySet(cluster.client, [], options);

      expect(cluster.requests()).to.deep.equal([
        "delete configmaps 409",
        "get configmaps 200",
        "delete configmaps 200",
      ]);
      expect(names(pruned)).to.deep.equal(["a"]);
    });

    it("does not prune a member that lost its marks unseen", async () => {
      await using cluster = await TestCluster.open();
      const { options } = await applied(cluster, [cluster.configMap("a")]);
      await cluster.client.patch(cluster.configMap("a"), {
        merge: { metadata: { labels: { [setLabel]: null } } },
      });

      const { pruned } = await applySet(cluster.client, [], options);

      expect(pruned).to.deep.equal([]);
      expect(await found(cluster, "a")).to.not.equal(undefined);
    });

    it("does not prune an object that took a member's name unseen", async () => {
      await using cluster = await TestCluster.open();
      const { options } = await applied(cluster, [cluster.configMap("a")]);
      const marked = await cluster.client.get(ConfigMap, "a", cluster);
      await cluster.client.delete(marked);
      const { uid: _, resourceVersion: __, ...metadata } = marked.metadata;
      await cluster.client.create({ ...marked, metadata });

      const { pruned } = await applySet(cluster.client, [], options);

      expect(pruned).to.deep.equal([]);
      expect(await found(cluster, "a")).to.not.equal(undefined);
    });

    it("takes a member that is gone already for pruned by somebody else", async () => {
      await using cluster = await TestCluster.open();
      const { options } = await applied(cluster, [cluster.configMap("a")]);
      await cluster.client.delete(refTo(ConfigMap, "a", cluster.namespace));

      const { pruned } = await applySet(cluster.client, [], options);

      expect(pruned).to.deep.equal([]);
    });

    it("destroys nothing by an empty cache", async () => {
      await using cluster = await TestCluster.open();
      const { options } = await applied(cluster, [cluster.configMap("a")]);

      const { pruned } = await applySet(cluster.client, [], {
        ...options,
        caches: () => new Snapshot(),
      });

      expect(pruned).to.deep.equal([]);
      expect(await found(cluster, "a")).to.not.equal(undefined);
    });

    it("waits for an object on its way out, and asks nothing of it", async () => {
      await using cluster = await TestCluster.open();
      const wanted = cluster.configMap("a");
      const held = { ...wanted, metadata: { ...wanted.metadata, finalizers: ["test.dev/hold"] } };
      const { snapshot, options } = await applied(cluster, [held]);
      await cluster.client.delete(refTo(ConfigMap, "a", cluster.namespace));
      await snapshot.read(cluster, ConfigMap);

      const kept = await applySet(cluster.client, [held], options);
      const dropped = await applySet(cluster.client, [], options);

      expect(names(kept.terminating)).to.deep.equal(["a"]);
      expect(dropped.pruned).to.deep.equal([]);
      expect(cluster.requests()).to.deep.equal([]);
      await cluster.client.patch(wanted, { merge: { metadata: { finalizers: null } } });
    });

    it("neither takes over nor prunes an object of another set", async () => {
      await using cluster = await TestCluster.open();
      const { snapshot, options } = await applied(cluster, [cluster.configMap("a")]);
      const rival = { ...options, id: "rival", fieldManager: "rival" };
      cluster.requests();

      const error = await thrownBy(applySet(cluster.client, [cluster.configMap("a")], rival));
      const { pruned } = await applySet(cluster.client, [], rival);

      expect(error).to.be.instanceOf(ApplyError);
      expect((error as ApplyError).errors[0]).to.be.instanceOf(TemporaryError);
      expect(String(error)).to.contain("belongs to set apply-test of /v1, Kind=ConfigMap");
      expect(pruned).to.deep.equal([]);
      expect(cluster.requests()).to.deep.equal([]);
      expect(snapshot.get(`${cluster.namespace}/a`)).to.satisfy(
        (object: KubeObject) => claimOf(object) !== undefined,
      );
    });

    it("takes over no object of another set that its cache has not shown yet", async () => {
      await using cluster = await TestCluster.open();
      const { options } = await applied(cluster, []);
      const wanted = [cluster.configMap("new", { k: "1" }), cluster.configMap("bare", { k: "1" })];
      await cluster.client.create(cluster.configMap("bare", { k: "0" }));
      const before = new Snapshot();
      await before.read(cluster, ConfigMap);
      await applySet(cluster.client, wanted, options);
      cluster.requests();

      const error = await thrownBy(
        applySet(cluster.client, wanted, {
          ...options,
          caches: () => before,
          id: "rival",
          fieldManager: "rival",
        }),
      );

      expect((error as ApplyError).failures.map(({ what }) => what)).to.have.members([
        `ConfigMap ${cluster.namespace}/new`,
        `ConfigMap ${cluster.namespace}/bare`,
      ]);
      expect(String(error)).to.contain("belongs to set apply-test of /v1, Kind=ConfigMap");
      expect(cluster.requests().filter((each) => /^apply .* 20/.test(each))).to.deep.equal([]);
    });

    it("adopts, behind its cache, an object that bears no marks", async () => {
      await using cluster = await TestCluster.open();
      const { options } = await applied(cluster, []);
      const bare = await cluster.client.create(cluster.configMap("bare", { k: "0" }));
      const unseen = await cluster.client.create(cluster.configMap("unseen", { k: "0" }));
      const before = new Snapshot([bare]);
      await cluster.client.patch(bare, { merge: { data: { more: "1" } } });

      const { changed } = await applySet(
        cluster.client,
        [bare, unseen].map(({ metadata }) => cluster.configMap(metadata.name, { k: "1" })),
        { ...options, caches: () => before },
      );

      expect(names(changed)).to.have.members(["bare", "unseen"]);
      expect((await found(cluster, "bare"))?.data).to.deep.equal({ k: "1", more: "1" });
    });

    it("leaves, behind its cache, what it does not adopt, and shows it", async () => {
      await using cluster = await TestCluster.open();
      const { options } = await applied(cluster, []);
      const bare = await cluster.client.create(cluster.configMap("bare", { k: "0" }));
      await cluster.client.create(cluster.configMap("unseen", { k: "0", theirs: "1" }));
      const before = new Snapshot([bare]);
      await cluster.client.patch(bare, { merge: { data: { theirs: "1" } } });
      const wanted = ["bare", "unseen", "new"].map((name) => cluster.configMap(name, { k: "1" }));
      const adopts = (live: KubeObject) => (live as Data).data?.theirs === undefined;

      const error = await thrownBy(
        applySet(cluster.client, wanted, { ...options, caches: () => before, adopts }),
      );

      const { failures, report } = error as ApplyError;
      expect(failures.map(({ stranger }) => stranger?.metadata.name)).to.have.members([
        "bare",
        "unseen",
      ]);
      expect(names(report.created)).to.deep.equal(["new"]);
      for (const name of ["bare", "unseen"]) {
        expect((await found(cluster, name))?.data).to.deep.equal({ k: "0", theirs: "1" });
      }
    });

    it("adopts an object that bears no marks", async () => {
      await using cluster = await TestCluster.open();
      await cluster.client.create(cluster.configMap("a", { theirs: "1" }));
      const { snapshot, options } = await applied(cluster, [cluster.configMap("a", { ours: "1" })]);

      await snapshot.read(cluster, ConfigMap);
      const { unchanged } = await applySet(
        cluster.client,
        [cluster.configMap("a", { ours: "1" })],
        options,
      );

      expect((unchanged[0] as Data).data).to.deep.equal({ ours: "1", theirs: "1" });
    });
  });

  describe("with informers", () => {
    it("settles: repairs what drifts, prunes what left, and then is silent", async () => {
      await using cluster = await TestCluster.open();
      await using informers = new Informers(cluster.client, { freeze: true });
      const informer = informers.acquire(ConfigMap, { namespace: cluster.namespace });
      await informer.addIndex(setIndex.name, setIndex.of);
      await informer.whenSynced();
      const { cache } = informer;
      const options = {
        owner: await ownerIn(cluster),
        fieldManager,
        prune: [ConfigMap],
        caches: () => cache,
      };
      const applyAndCatchUp = async (objects: readonly KubeObject[]) => {
        const report = await applySet(cluster.client, objects, options);
        const { metadata } = await cluster.client.create(cluster.configMap(uniqueName("last")));
        await cache.waitFor(metadata.resourceVersion ?? "", { timeout: 5_000 });
        return report;
      };
      const [a, b] = [cluster.configMap("a", { k: "1" }), cluster.configMap("b", {})];
      await applyAndCatchUp([a, b]);

      await cluster.client.patch(a, { merge: { data: { k: "drifted" } } });
      await applyAndCatchUp([a, b]);
      const second = await applyAndCatchUp([a]);
      cluster.requests();
      const third = await applySet(cluster.client, [a], options);

      expect(names(second.pruned)).to.deep.equal(["b"]);
      expect(names(third.unchanged)).to.deep.equal(["a"]);
      expect((await found(cluster, "a"))?.data).to.deep.equal({ k: "1" });
      expect(cluster.requests().filter((each) => !each.startsWith("watch"))).to.deep.equal([
        "get configmaps 200",
      ]);
    });
  });
});
