import { expect } from "chai";
import { silentLogger } from "kopf-ts";
import { fakeClock } from "kopf-ts/testing";
import { everything } from "../access/held-access.ts";
import { problem } from "../problem.ts";
import { WatchShares } from "../subscribe/index.ts";
import { KnownTypes } from "../types/index.ts";
import type { ClusterSource } from "./cluster-source.ts";
import { type Answers, Clusters } from "./clusters.ts";
import { Members } from "./members.ts";

/** Sources are told apart only: what is asked of them is up to each test. */
const source: ClusterSource = {
  list: () => Promise.reject(new Error("nobody asks")),
  search: () => Promise.reject(new Error("nobody asks")),
  watch: () => Promise.reject(new Error("nobody asks")),
  onChange: () => ({ [Symbol.dispose]: () => undefined }),
};
const unused = { use: () => Promise.reject(new Error("nobody lists")) };

const shares = new WatchShares({ log: silentLogger });

function open(clock = fakeClock()): Clusters {
  const parts = { clock, log: silentLogger };
  const members = new Members({ ...parts, managed: undefined, memory: undefined, shares });
  const types = new KnownTypes(silentLogger);
  return new Clusters({ ...parts, own: source, members, types, collections: unused });
}

const caller = { username: "u", groups: [] };
const { signal } = new AbortController();
const admin = { caller, access: everything, base: "https://drover", signal };

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
