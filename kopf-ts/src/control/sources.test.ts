import { expect } from "chai";
import type { Cache, Informer, InformerOptions } from "../cache/index.ts";
import { Store } from "../cache/index.ts";
import { defineKind, type Kind, type KubeObject, type ObjectMeta } from "../kube/index.ts";
import { type Controller, done, owned, readable, related, UndeclaredKind } from "./index.ts";
import { type InformerSource, Sources, showing } from "./sources.ts";

const Widget = defineKind({
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});
const Team = defineKind({ ...Widget, plural: "teams", kind: "Team" });
const Pod = defineKind({ ...Widget, group: "", plural: "pods", kind: "Pod" });

/** Informers that watch nothing, and what was asked of them. */
function stillInformers(): InformerSource & {
  readonly asked: InformerOptions[];
  readonly released: Kind[];
} {
  const asked: InformerOptions[] = [];
  const released: Kind[] = [];
  const acquire = <T extends KubeObject>(
    kind: Kind<T>,
    options: InformerOptions = {},
  ): Informer<T> => {
    asked.push(options);
    const cache = new Store(kind);
    return {
      cache,
      whenSynced: () => Promise.resolve(),
      addColumns: () => Promise.resolve(),
      addIndex: (name, fn) => cache.addIndex(name, fn),
      release: () => void released.push(kind),
    };
  };
  return { acquire, asked, released };
}

const controller: Controller = {
  name: "test",
  watches: Widget,
  select: { namespace: "ns" },
  owns: [Team],
  related: [
    related(Pod, { metadataOnly: true, map: () => [] }),
    related(Pod, { select: { labelSelector: "app=web,tier!=back" }, map: () => [] }),
  ],
  reconcile: async () => done,
};

function pod(metadata: Partial<ObjectMeta> = {}, more: object = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", ...metadata },
    ...more,
  };
}

describe("Sources", () => {
  it("ask for each declared kind in its form", () => {
    const informers = stillInformers();

    new Sources(controller, { informers });

    expect(informers.asked).to.deep.equal([
      { namespace: "ns" },
      {},
      { metadataOnly: true },
      { labelSelector: "app=web,tier!=back" },
    ]);
  });

  it("give every informer back", () => {
    const informers = stillInformers();

    new Sources(controller, { informers }).release();

    expect(informers.released).to.deep.equal([Widget, Team, Pod, Pod]);
  });

  it("reject when two functions want the name of one index", async () => {
    const twice: Controller = {
      ...controller,
      indexes: { team: () => [] },
      reads: [
        readable(Widget, { select: { namespace: "ns" }, indexes: { team: () => ["other"] } }),
      ],
    };
    const cache = new Store(Widget);
    const one: InformerSource = {
      acquire: <T extends KubeObject>() => ({
        cache: cache as unknown as Cache<T>,
        whenSynced: () => Promise.resolve(),
        addColumns: () => Promise.resolve(),
        addIndex: (name, fn) => cache.addIndex(name, fn as () => readonly string[]),
        release: () => undefined,
      }),
    };

    const thrown = await new Sources(twice, { informers: one })
      .synced(new AbortController().signal)
      .catch((error: unknown) => error);

    expect(thrown).to.have.property("message", "another index team is there");
  });

  describe("cache", () => {
    it("finds what is declared, the first of several unless told", () => {
      const sources = new Sources(controller, { informers: stillInformers() });

      expect(sources.cache(Widget)).to.equal(sources.primary.informer.cache);
      expect(sources.cache(Team)).to.equal(sources.owned[0]?.informer.cache);
      expect(sources.cache(Pod)).to.equal(sources.related[0]?.informer.cache);
    });

    it("tells several of one kind apart by their form", () => {
      const sources = new Sources(controller, { informers: stillInformers() });
      const [metadata, selected] = sources.related.map(({ informer }) => informer.cache);

      expect(sources.cache(Pod, { metadataOnly: true })).to.equal(metadata);
      expect(sources.cache(Pod, { metadataOnly: false })).to.equal(selected);
      expect(sources.cache(Pod, { labelSelector: "app=web,tier!=back" })).to.equal(selected);
    });

    it("has nothing else, and says how to declare it", () => {
      const { cache } = new Sources(controller, { informers: stillInformers() });

      for (const read of [
        () => cache({ ...Widget, version: "v2" }),
        () => cache(Pod, { namespace: "other" }),
      ]) {
        expect(read).to.throw(UndeclaredKind, /test reads .* add it to reads, owns or related/);
      }
    });
  });

  describe("of a hub and a cluster", () => {
    const hub = { clusters: () => [] };
    const both: Controller = {
      ...controller,
      hub,
      owns: [Team],
      related: [related(Pod, { hub: true, map: () => [] }), related(Pod, { map: () => [] })],
    };
    const team = { apiVersion: "example.com/v1", kind: "Team", metadata: { name: "t" } };

    it("come from where they are declared to be", () => {
      const [here, there] = [stillInformers(), stillInformers()];

      const sources = new Sources(both, { informers: here, hub: { informers: there } });

      expect(
        [sources.primary, ...sources.owned, ...sources.related].map(({ side }) => side),
      ).to.deep.equal(["hub", "cluster", "hub", "cluster"]);
      expect(sources.hub(Pod)).to.equal(sources.related[0]?.informer.cache);
      expect(sources.cache(Pod)).to.equal(sources.related[1]?.informer.cache);
      expect(() => sources.cache(Widget)).to.throw(UndeclaredKind);
      expect(() => sources.hub(Team)).to.throw(UndeclaredKind, "owns or related with `hub`");
      sources.release();
      expect([here.released, there.released]).to.deep.equal([
        [Team, Pod],
        [Widget, Pod],
      ]);
    });

    it("show what is written to their server, whose versions are its own", () => {
      const sources = new Sources(both, {
        informers: stillInformers(),
        hub: { informers: stillInformers() },
      });

      expect(showing(sources.shown("cluster"), team)).to.have.length(1);
      expect(showing(sources.shown("hub"), team)).to.deep.equal([]);
      expect(sources.server("hub")).not.to.equal(sources.server("cluster"));
    });

    it("show all that is written where the hub is the cluster", () => {
      const informers = stillInformers();
      const sources = new Sources(both, { informers, hub: { informers } });

      expect(showing(sources.shown("cluster"), pod())).to.have.length(2);
      expect(showing(sources.shown("hub"), team)).to.have.length(1);
      expect(sources.server("hub")).to.equal(sources.server("cluster"));
    });
  });

  describe("showing", () => {
    for (const { name, object, shown } of [
      {
        name: "by all caches that select everything",
        object: pod({ labels: { app: "web" } }),
        shown: [0, 1],
      },
      {
        name: "not by one whose labels do not match",
        object: pod({ labels: { app: "db" } }),
        shown: [0],
      },
      {
        name: "not by one that a second label keeps out",
        object: pod({ labels: { app: "web", tier: "back" } }),
        shown: [0],
      },
      { name: "by none of another kind", object: { ...pod(), kind: "Node" }, shown: [] },
      { name: "by none of another version", object: { ...pod(), apiVersion: "v2" }, shown: [] },
    ]) {
      it(`is told a write ${name}`, () => {
        const sources = new Sources(controller, { informers: stillInformers() });
        const caches = sources.related.map(({ informer }) => informer.cache as Cache);

        expect(showing(sources.shown("cluster"), object)).to.deep.equal(
          shown.map((at) => caches[at]),
        );
      });
    }

    for (const { fieldSelector, shown } of [
      { fieldSelector: "metadata.name=p", shown: true },
      { fieldSelector: "metadata.name=q", shown: false },
      { fieldSelector: "metadata.name!=q", shown: true },
      { fieldSelector: "spec.nodeName==n-1,metadata.namespace=ns", shown: true },
      { fieldSelector: "spec.nodeName=n-2", shown: false },
      { fieldSelector: "status.phase=", shown: true },
      { fieldSelector: "status.phase=Running", shown: false },
    ]) {
      it(`${shown ? "is" : "is not"} by fields ${fieldSelector}`, () => {
        const narrow: Controller = {
          ...controller,
          related: [],
          owns: [owned(Pod, { select: { fieldSelector } })],
        };
        const sources = new Sources(narrow, { informers: stillInformers() });

        expect(
          showing(sources.shown("cluster"), pod({}, { spec: { nodeName: "n-1" } })),
        ).to.have.length(shown ? 1 : 0);
      });
    }

    it("is not by a cache of another namespace", () => {
      const sources = new Sources(controller, { informers: stillInformers() });
      const widget = {
        ...pod({ namespace: "other" }),
        apiVersion: "example.com/v1",
        kind: "Widget",
      };

      expect(showing(sources.shown("cluster"), widget)).to.deep.equal([]);
    });
  });
});
