import { expect } from "chai";
import { silentLogger } from "kopf-ts";
import { fakeClock } from "kopf-ts/testing";
import { everything } from "../access/held-access.ts";
import type { Collections } from "../collections/collection.ts";
import { ServedCache } from "../items/testing.test.support.ts";
import { problem } from "../problem.ts";
import { WatchShares } from "../subscribe/index.ts";
import { aType } from "../types/a-type.test.support.ts";
import { KnownTypes } from "../types/index.ts";
import type { ClusterSource } from "./cluster-source.ts";
import { type Answers, Clusters } from "./clusters.ts";
import { noMembers } from "./members.test.support.ts";

/** Sources are told apart only: what is asked of them is up to each test. */
const source: ClusterSource = {
  list: () => Promise.reject(new Error("nobody asks")),
  search: () => Promise.reject(new Error("nobody asks")),
  watch: () => Promise.reject(new Error("nobody asks")),
  onChange: () => ({ [Symbol.dispose]: () => undefined }),
};
const unused: Collections = { use: () => Promise.reject(new Error("nobody lists")) };

const { signal } = new AbortController();
const shares = new WatchShares({ log: silentLogger });

/** Without a type of clusters, unless told how it is listed. */
function open(clock = fakeClock(), collections?: Collections): Clusters {
  const parts = { clock, log: silentLogger };
  const members = noMembers(clock, shares);
  const types = new KnownTypes(silentLogger);
  if (collections !== undefined) types.replace([typeOfClusters]);
  const used = collections ?? unused;
  return new Clusters({ ...parts, own: source, members, types, collections: used });
}

const typeOfClusters = aType({ kind: "Cluster", group: "management.cattle.io", scope: "Cluster" });

const caller = { username: "u", groups: [] };
const admin = { caller, scope: undefined, access: everything, base: "https://drover", signal };

function texts({ failed }: Answers<object>): readonly string[] {
  return failed.map(
    ({ cluster, problem: { status, message } }) => `${cluster} ${status} ${message}`,
  );
}

describe("Clusters", () => {
  it("ask the server's own cluster under its own URLs", async () => {
    const { answered } = await open().ask(["local"], admin, async (_, { base }) => ({ base }));

    expect(answered).to.deep.equal([{ cluster: "local", answer: { base: "https://drover" } }]);
  });

  it("are the server's own alone where there is no other", async () => {
    const { answered, failed } = await open().ask("all", admin, async () => ({}));

    expect(answered).to.have.length(1);
    expect(failed).to.deep.equal([]);
  });

  it("say which clusters are not there", async () => {
    const answers = await open().ask(["local", "c-1"], admin, async () => ({}));

    expect(answers.answered).to.have.length(1);
    expect(texts(answers)).to.deep.equal(["c-1 404 there is no such cluster"]);
  });

  it("are those alone that a login is good for", async () => {
    const scoped = { ...admin, scope: "c-1" };
    const managed = ["c-1", "c-2"].map((name) => ({
      ...{ apiVersion: "management.cattle.io/v1", kind: "Cluster" },
      metadata: { name, uid: name, resourceVersion: "7" },
    }));
    await using served = await ServedCache.start(typeOfClusters, managed);
    const known = open(fakeClock(), { use: async () => served.collection });

    const all = await known.ask("all", scoped, async () => ({}));
    const named = await known.ask(["c-2"], scoped, async () => ({}));

    const away =
      "the replica that was asked does not work for it: another one does, or it was not imported yet";
    expect(texts(all)).to.deep.equal([`c-1 503 ${away}`]);
    expect(texts(named)).to.deep.equal(["c-2 404 there is no such cluster"]);
  });

  describe("while it is not known which there are", () => {
    const unlisted = (): Promise<never> => Promise.reject(problem("ClusterUnavailable", "no list"));
    const why = "503 which clusters there are is not known: no list";

    it("are the server's own, and a warning", async () => {
      const answers = await open(fakeClock(), { use: unlisted }).ask(
        "all",
        admin,
        async () => ({}),
      );

      expect(answers.answered.map(({ cluster }) => cluster)).to.deep.equal(["local"]);
      expect(texts(answers)).to.deep.equal([`all ${why}`]);
    });

    it("answer where the server's own is named", async () => {
      const names = ["c-1", "local"];
      const answers = await open(fakeClock(), { use: unlisted }).ask(
        names,
        admin,
        async () => ({}),
      );

      expect(answers.answered.map(({ cluster }) => cluster)).to.deep.equal(["local"]);
      expect(texts(answers)).to.deep.equal([`c-1 ${why}`]);
    });

    it("are waited for five seconds", async () => {
      const clock = fakeClock();
      const never: Collections = { use: () => new Promise(() => undefined) };
      const asked = open(clock, never).ask("all", admin, async () => ({}));

      await clock.advance(5000);

      expect((await asked).answered).to.have.length(1);
    });

    it("reject for those who watch, and look again later", async () => {
      const clusters = open(fakeClock(), { use: unlisted });
      let thrown: unknown;
      await clusters
        .askEach("all", admin, async () => ({}))
        .catch((error: unknown) => {
          thrown = error;
        });

      expect(thrown).to.have.property("message", "no list");
    });
  });

  it("wait five seconds, and let go of what comes later", async () => {
    const clock = fakeClock();
    const late = Promise.withResolvers<Disposable>();
    const disposed = Promise.withResolvers<void>();
    const asked = open(clock).ask(["local"], admin, () => late.promise);

    await clock.advance(5000);
    const answers = await asked;
    late.resolve({ [Symbol.dispose]: () => disposed.resolve() });
    await disposed.promise;

    expect(texts(answers)).to.deep.equal(["local 503 no answer within 5 s"]);
  });

  it("make no error of what nobody thought of", async () => {
    const answers = await open().ask(["local"], admin, () => Promise.reject(new Error("gone")));

    expect(texts(answers)).to.deep.equal(["local 503 it could not be asked"]);
  });

  it("ask one whose types change meanwhile again, three times in all", async () => {
    const asked: string[] = [];
    const answers = await open().ask(["local"], admin, async (_, { cluster }) => {
      if (asked.push(cluster) < 3) throw problem("SchemasNotRefreshed", "the type pod has changed");
      return { cluster };
    });
    expect(answers.answered).to.deep.equal([{ cluster: "local", answer: { cluster: "local" } }]);
    expect(asked).to.deep.equal(["local", "local", "local"]);

    const never = await open().ask(["local"], admin, async (_, { cluster }) => {
      asked.push(cluster);
      throw problem("SchemasNotRefreshed", "the type pod has changed");
    });
    expect(texts(never)).to.deep.equal(["local 503 the type pod has changed"]);
    expect(asked).to.have.length(6);
  });

  it("refuse what is wrong for all", async () => {
    const wrong = problem("InvalidFormat", "no field", "filter");
    let thrown: unknown;
    await open()
      .ask(["local", "c-1"], admin, () => Promise.reject(wrong))
      .catch((error: unknown) => {
        thrown = error;
      });

    expect(thrown).to.equal(wrong);
  });

  it("let go of everything when the caller has gone", async () => {
    const gone = new AbortController();
    let disposed = 0;
    const asked = open().ask(["local"], { ...admin, signal: gone.signal }, async () => {
      gone.abort(new Error("gone"));
      return { [Symbol.dispose]: () => disposed++ };
    });
    let thrown: unknown;
    await asked.catch((error: unknown) => {
      thrown = error;
    });

    expect(thrown).to.equal(gone.signal.reason);
    expect(disposed).to.equal(1);
  });
});
