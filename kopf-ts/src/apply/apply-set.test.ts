import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { PermanentError } from "../base/index.ts";
import { Informers } from "../cache/index.ts";
import { type Kind, type KubeObject, keyOf, type ObjectRef, refTo } from "../kube/index.ts";
import { ApplyError } from "./apply-error.ts";
import { type ApplySetOptions, applySet } from "./apply-set.ts";
import { claimOf, setIndex, setLabel } from "./marks.ts";
import type { MemberCache } from "./members.ts";
import {
  ClusterRole,
  ConfigMap,
  type Data,
  Namespace,
  ResourceQuota,
  Secret,
  TestCluster,
} from "./testing/cluster.ts";

const fieldManager = "apply-test";

/** A cache as far as applySet is concerned: what the server had when it was last read. */
class Snapshot implements MemberCache {
  readonly synced = true;
  readonly watchState = { phase: "live" } as const;
  #objects: readonly KubeObject[] = [];

  async read(cluster: TestCluster, kind: Kind): Promise<void> {
    this.#objects = (await cluster.client.list(kind, { namespace: cluster.namespace })).items;
    cluster.requests();
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.find((object) => keyOf(object) === key);
  }

  byIndex(index: string, value: string): readonly KubeObject[] {
    expect(index).to.equal(setIndex.name);
    return this.#objects.filter((object) => setIndex.of(object).includes(value));
  }
}

async function ownerIn(cluster: TestCluster): Promise<KubeObject> {
  return cluster.client.create(cluster.configMap(uniqueName("owner")));
}

async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("nothing was thrown"),
    (error: unknown) => error,
  );
}

describe("applySet on an API server", function () {
  this.timeout(120_000);

  before(() => testEnv());

  describe("without a cache", () => {
    it("creates, then sends nothing but one list per kind, then prunes", async () => {
      await using cluster = await TestCluster.open();
      const owner = await ownerIn(cluster);
      const options = { owner, fieldManager, prune: [ConfigMap, Secret] };
      const objects = [cluster.configMap("a", { k: "1" }), cluster.configMap("b")];
      cluster.requests();

      const first = await applySet(cluster.client, objects, options);
      const created = cluster.requests();
      const second = await applySet(cluster.client, objects, options);
      const steady = cluster.requests();
      const third = await applySet(cluster.client, objects.slice(0, 1), options);
      const pruned = cluster.requests();

      expect(names(first.created)).to.have.members(["a", "b"]);
      expect(created.filter((each) => each.startsWith("apply"))).to.have.length(2);
      expect(names(second.unchanged)).to.have.members(["a", "b"]);
      expect(steady).to.have.members(["list configmaps 200", "list secrets 200"]);
      expect(names(third.pruned)).to.deep.equal(["b"]);
      expect(pruned.filter((each) => !each.startsWith("list"))).to.deep.equal([
        "delete configmaps 200",
      ]);
      expect(await found(cluster, "b")).to.equal(undefined);
    });

    it("prunes in every namespace and outside of them, where no ownerReference reaches", async () => {
      await using cluster = await TestCluster.open();
      const elsewhere = await freshNamespace(await testEnv());
      const owner = await ownerIn(cluster);
      const role = { ...refTo(ClusterRole, uniqueName("role")), rules: [] };
      const options = { owner, fieldManager, prune: [ConfigMap, ClusterRole] };

      const { created } = await applySet(
        cluster.client,
        [cluster.configMap("near"), cluster.configMap("far", {}, elsewhere), role],
        options,
      );
      const { pruned } = await applySet(cluster.client, [], options);

      const owned = created.filter(({ metadata }) => metadata.ownerReferences !== undefined);
      expect(names(owned)).to.deep.equal(["near"]);
      expect(names(pruned)).to.have.members(["near", "far", role.metadata.name]);
      expect(await cluster.client.find(ClusterRole, role.metadata.name)).to.equal(undefined);
    });

    it("leaves sets of other ids and other owners alone", async () => {
      await using cluster = await TestCluster.open();
      const [one, two] = [await ownerIn(cluster), await ownerIn(cluster)];
      const options = { fieldManager, prune: [ConfigMap] };
      await applySet(cluster.client, [cluster.configMap("a")], { ...options, owner: one });
      await applySet(cluster.client, [cluster.configMap("b")], { ...options, owner: one, id: "x" });
      await applySet(cluster.client, [cluster.configMap("c")], { ...options, owner: two });

      const { pruned } = await applySet(cluster.client, [], { ...options, owner: one });

      expect(names(pruned)).to.deep.equal(["a"]);
      expect(await found(cluster, "b")).to.not.equal(undefined);
      expect(await found(cluster, "c")).to.not.equal(undefined);
    });

    it("works for a set without owner", async () => {
      await using cluster = await TestCluster.open();
      const options = { id: uniqueName("built-in"), fieldManager, prune: [ConfigMap] };

      const { created } = await applySet(cluster.client, [cluster.configMap("a")], options);
      const { pruned } = await applySet(cluster.client, [], options);

      expect(created[0]?.metadata.ownerReferences).to.equal(undefined);
      expect(names(pruned)).to.deep.equal(["a"]);
    });

    it("never deletes kinds that are only kept", async () => {
      await using cluster = await TestCluster.open();
      const owner = await ownerIn(cluster);
      const options = { owner, fieldManager, prune: [], keep: [ConfigMap] };
      await applySet(cluster.client, [cluster.configMap("a")], options);

      const { pruned } = await applySet(cluster.client, [], options);

      expect(pruned).to.deep.equal([]);
      expect(await found(cluster, "a")).to.not.equal(undefined);
    });

    it("sends nothing at all for a mistake in the call", async () => {
      await using cluster = await TestCluster.open();
      const wanted = [cluster.configMap("a"), cluster.configMap("a")];

      const error = await thrownBy(
        applySet(cluster.client, wanted, { id: "x", fieldManager, prune: [ConfigMap] }),
      );

      expect(error).to.be.instanceOf(TypeError);
      expect(cluster.requests().filter((each) => !each.includes("namespaces"))).to.deep.equal([]);
    });

    it("finds what wrangler applied under the same id and owner", async () => {
      await using cluster = await TestCluster.open();
      const owner = await ownerIn(cluster);
      const { created } = await applySet(cluster.client, [cluster.configMap("new")], {
        owner,
        id: "cluster-deploy",
        fieldManager,
        prune: [ConfigMap],
      });
      const { labels, annotations = {} } = created[0]?.metadata ?? {};
      const { "kopf-ts.dev/applied": _, ...wranglers } = annotations;
      const { metadata, ...rest } = cluster.configMap("old");
      await cluster.client.create({
        ...rest,
        metadata: { ...metadata, ...(labels && { labels }), annotations: wranglers },
      });

      const { pruned } = await applySet(cluster.client, [], {
        owner,
        id: "cluster-deploy",
        fieldManager,
        prune: [ConfigMap],
      });

      expect(names(pruned)).to.have.members(["new", "old"]);
    });
  });

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
      expect((error as ApplyError).errors[0]).to.be.instanceOf(PermanentError);
      expect(String(error)).to.contain("belongs to set apply-test of /v1, Kind=ConfigMap");
      expect(pruned).to.deep.equal([]);
      expect(cluster.requests()).to.deep.equal([]);
      expect(snapshot.get(`${cluster.namespace}/a`)).to.satisfy(
        (object: KubeObject) => claimOf(object) !== undefined,
      );
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

  describe("when something fails", () => {
    it("does the rest, pruning too, and throws everything together", async () => {
      await using cluster = await TestCluster.open();
      const owner = await ownerIn(cluster);
      const options = { owner, fieldManager, prune: [ConfigMap] };
      await applySet(cluster.client, [cluster.configMap("leaves")], options);
      const invalid = cluster.configMap("invalid", { "no/key": "x" });
      const nowhere = cluster.configMap("nowhere", {}, uniqueName("missing"));

      const error = await thrownBy(
        applySet(cluster.client, [invalid, nowhere, cluster.configMap("good")], options),
      );

      expect(error).to.be.instanceOf(ApplyError);
      const { failures, report, errors, message } = error as ApplyError;
      expect(failures.map(({ verb, what }) => `${verb} ${what}`)).to.have.members([
        `apply ConfigMap ${cluster.namespace}/invalid`,
        `apply ConfigMap ${nowhere.metadata.namespace}/nowhere`,
      ]);
      expect(errors).to.have.length(2);
      expect(message).to.contain("ConfigMap");
      expect(names(report.created)).to.deep.equal(["good"]);
      expect(names(report.pruned)).to.deep.equal(["leaves"]);
    });

    it("leaves out a kind that cannot be listed", async () => {
      await using cluster = await TestCluster.open();
      const missing = { ...ConfigMap, plural: "nosuchthings", kind: "NoSuchThing" };
      const options = { id: uniqueName("x"), fieldManager, prune: [missing, ConfigMap] };

      const error = await thrownBy(applySet(cluster.client, [cluster.configMap("a")], options));

      expect(
        (error as ApplyError).failures.map(({ verb, what }) => `${verb} ${what}`),
      ).to.deep.equal(["list nosuchthings"]);
      expect(names((error as ApplyError).report.created)).to.deep.equal(["a"]);
    });

    it("stops when its signal aborts", async () => {
      await using cluster = await TestCluster.open();
      const stop = new AbortController();
      const objects = Array.from({ length: 50 }, (_, index) => cluster.configMap(`a-${index}`));
      const options = { id: uniqueName("x"), fieldManager, prune: [ConfigMap], concurrency: 1 };
      let applies = 0;
      const counting = {
        ...bound(cluster),
        apply: (...args: Parameters<typeof cluster.client.apply>) => {
          applies += 1;
          if (applies === 3) stop.abort(new Error("stopped"));
          return cluster.client.apply(...args);
        },
      };

      const error = await thrownBy(
        applySet(counting as typeof cluster.client, objects, { ...options, signal: stop.signal }),
      );

      expect(error).to.have.property("message", "stopped");
      expect(applies).to.equal(3);
    });
  });

  it("deletes the other way round: what is referred to goes last", async () => {
    await using cluster = await TestCluster.open();
    const options = { id: uniqueName("order"), fieldManager, prune: [ClusterRole, ConfigMap] };
    const role = { ...refTo(ClusterRole, uniqueName("role")), rules: [] };
    await applySet(cluster.client, [cluster.configMap("a"), role], options);

    const { pruned } = await applySet(cluster.client, [], options);

    expect(pruned.map(({ kind }) => kind)).to.deep.equal(["ClusterRole", "ConfigMap"]);
  });

  it("sends namespaces before what lives in them, and no more at once than allowed", async () => {
    await using cluster = await TestCluster.open();
    const name = uniqueName("made");
    const inside = Array.from({ length: 12 }, (_, index) =>
      cluster.configMap(`a-${index}`, {}, name),
    );
    let [running, most] = [0, 0];
    const watching = {
      ...bound(cluster),
      apply: async (...args: Parameters<typeof cluster.client.apply>) => {
        running += 1;
        most = Math.max(most, running);
        return cluster.client.apply(...args).finally(() => {
          running -= 1;
        });
      },
    };

    const { created } = await applySet(
      watching as typeof cluster.client,
      [...inside, refTo(Namespace, name)],
      { id: name, fieldManager, prune: [ConfigMap], keep: [Namespace], concurrency: 4 },
    );

    expect(created[0]?.kind).to.equal("Namespace");
    expect(created).to.have.length(13);
    expect(most).to.equal(4);
  });
});

function bound({ client }: TestCluster) {
  return {
    find: client.find.bind(client),
    pages: client.pages.bind(client),
    delete: client.delete.bind(client),
  };
}

function names(objects: readonly ObjectRef[]): readonly string[] {
  return objects.map(({ metadata }) => metadata.name);
}

async function found(cluster: TestCluster, name: string): Promise<Data | undefined> {
  return cluster.client.find(ConfigMap, name, { namespace: cluster.namespace });
}
