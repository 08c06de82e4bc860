import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import { type KubeObject, refTo } from "../kube/index.ts";
import { ApplyError } from "./apply-error.ts";
import { applySet } from "./apply-set.ts";
import {
  ClusterRole,
  ConfigMap,
  type Data,
  Namespace,
  Scaler,
  Secret,
  TestCluster,
} from "./testing/cluster.ts";
import { fieldManager, found, names, ownerIn, thrownBy } from "./testing/sets.ts";

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

    it("takes over no object of another set, under one field manager or two", async () => {
      await using cluster = await TestCluster.open();
      const [one, two] = [await ownerIn(cluster), await ownerIn(cluster)];
      const options = { fieldManager, prune: [ConfigMap] };
      await applySet(cluster.client, [cluster.configMap("a", { k: "1" })], {
        ...options,
        owner: one,
      });

      for (const rival of [{ owner: two }, { owner: one, id: "x", fieldManager: "rival" }]) {
        const error = await thrownBy(
          applySet(cluster.client, [cluster.configMap("a", { k: "2" })], { ...options, ...rival }),
        );
        expect(error).to.be.instanceOf(ApplyError);
        expect(String(error)).to.contain("belongs to set apply-test of /v1, Kind=ConfigMap");
      }
      const after = await found(cluster, "a");
      expect(after?.data).to.deep.equal({ k: "1" });
      expect(after?.metadata.ownerReferences?.map(({ uid }) => uid)).to.deep.equal([
        one.metadata.uid,
      ]);
      const { unchanged } = await applySet(cluster.client, [cluster.configMap("a", { k: "1" })], {
        ...options,
        owner: one,
      });
      expect(names(unchanged)).to.deep.equal(["a"]);
    });

    it("adopts what bears no marks, and waits for it where it is on its way out", async () => {
      await using cluster = await TestCluster.open();
      const owner = await ownerIn(cluster);
      const held = {
        ...cluster.configMap("leaves"),
        metadata: { ...cluster.configMap("leaves").metadata, finalizers: ["example.com/held"] },
      };
      await cluster.client.create(cluster.configMap("stays", { theirs: "1", k: "0" }));
      await cluster.client.delete(await cluster.client.create(held));

      const { changed, terminating } = await applySet(
        cluster.client,
        [cluster.configMap("stays", { k: "1" }), cluster.configMap("leaves", { k: "1" })],
        { owner, fieldManager, prune: [ConfigMap] },
      );

      expect(names(changed)).to.deep.equal(["stays"]);
      expect((changed[0] as Data).data).to.deep.equal({ theirs: "1", k: "1" });
      expect(names(terminating)).to.deep.equal(["leaves"]);
      await cluster.client.patch(held, { merge: { metadata: { finalizers: null } } });
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

    it("prunes by kind, whatever versions are looked at", async () => {
      await using cluster = await TestCluster.open();
      const owner = await ownerIn(cluster);
      const scaler = (name: string) => ({
        ...refTo(Scaler, name, cluster.namespace),
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        },
      });
      const options = { owner, fieldManager, prune: [Scaler, { ...Scaler, version: "v1" }] };
      const find = (name: string) =>
        cluster.client.find(Scaler, name, { namespace: cluster.namespace });
      await applySet(cluster.client, [scaler("a"), scaler("b")], options);

      const second = await applySet(cluster.client, [scaler("a")], options);
      const left = [await find("a"), await find("b")];
      const kept = await applySet(cluster.client, [], {
        ...options,
        keep: [{ ...Scaler, version: "v1" }],
      });

      expect(names(second.unchanged)).to.deep.equal(["a"]);
      expect(names(second.pruned)).to.deep.equal(["b"]);
      expect(left.map((each) => each?.metadata.name)).to.deep.equal(["a", undefined]);
      expect(kept.pruned).to.deep.equal([]);
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

    it("sends nothing under nobody's name", async () => {
      await using cluster = await TestCluster.open();

      const error = await thrownBy(applySet(cluster.client, [], { prune: [ConfigMap] }));

      expect(error)
        .to.be.instanceOf(TypeError)
        .with.property("message")
        .that.contains("fieldManager");
      expect(cluster.requests()).to.deep.equal([]);
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

  it("leaves nothing on its way when its signal aborts", async () => {
    await using cluster = await TestCluster.open();
    const stop = new AbortController();
    const objects = Array.from({ length: 8 }, (_, index) => cluster.configMap(`a-${index}`));
    let [begun, running] = [0, 0];
    const slow = {
      ...bound(cluster),
      apply: async (object: KubeObject) => {
        begun += 1;
        running += 1;
        if (begun === 4) stop.abort(new Error("stopped"));
        await systemClock.sleep(20 * begun);
        running -= 1;
        return object;
      },
    };

    const error = await thrownBy(
      applySet(slow as unknown as typeof cluster.client, objects, {
        id: uniqueName("x"),
        fieldManager,
        prune: [ConfigMap],
        signal: stop.signal,
        concurrency: 4,
      }),
    );

    expect(error).to.have.property("message", "stopped");
    expect([begun, running]).to.deep.equal([4, 0]);
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
