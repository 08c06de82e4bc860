import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { connect, loadConfig } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { type Desk, desk, startOurs } from "../bench/v1-peers.ts";
import { comparable } from "./differences.ts";
import { createObjects, Widget } from "./objects.ts";
import { askedTypes, fixedRequests, type PeerRequest, requests } from "./requests.ts";
import { statedKinds, statedTypes } from "./states.ts";
import { type Answer, ask, type Peer, startSteve } from "./steve.ts";

const seed = Number(process.env.STEVE_SEED ?? 1);
const count = Number(process.env.STEVE_REQUESTS ?? 400);

/** Requests per test, so that a failure shows a few of them. */
const perTest = 50;

describe("answers beside Steve's", function () {
  // Building Steve takes some minutes where it never was.
  this.timeout(600_000);

  let plane: ControlPlane;
  let place: Desk;
  let ours: Peer;
  let steve: Peer;

  before(async () => {
    plane = await startControlPlane({ name: "steve" });
    const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
    await using client = connect(config, { kinds: [Widget, ...statedKinds] });
    await createObjects(client);
    place = await desk();
    steve = await startSteve(plane.kubeconfigPath);
    ours = await startOurs(plane, place);
    for (const type of [...askedTypes, ...statedTypes]) await equalTotals(type);
  });

  after(async () => {
    await ours?.[Symbol.asyncDispose]();
    await steve?.[Symbol.asyncDispose]();
    place?.[Symbol.dispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  /** Waits until both have seen everything that controllers still make, and know how objects relate. */
  async function equalTotals(type: string): Promise<void> {
    const everything = { user: "admin", path: `/v1/${type}` };
    const shown = async (): Promise<readonly string[]> =>
      (await both(everything)).map((answer) => JSON.stringify(answer));
    await eventually(
      async () => {
        const [theirs, own] = await shown();
        return theirs === own && theirs?.includes('"data"');
      },
      { within: 120_000 },
    );
  }

  /** Steve's answer and ours, made comparable. */
  async function both(asked: PeerRequest): Promise<readonly [theirs: Answer, own: Answer]> {
    const seesAll = asked.user === "admin";
    const [theirs, own] = await Promise.all([ask(steve, asked), ask(ours, asked)]);
    return [
      { ...theirs, body: comparable(theirs.body, { base: steve.base, seesAll }) },
      { ...own, body: comparable(own.body, { base: ours.base, seesAll }) },
    ];
  }

  async function expectEqual(asked: PeerRequest, statusOfErrors: number): Promise<void> {
    const [theirs, own] = await both(asked);
    const title = `${asked.user}: ${decodeURIComponent(asked.path)}`;
    if (theirs.status >= 500) expect(own.status, title).to.equal(statusOfErrors);
    else expect(own, title).to.deep.equal(theirs);
  }

  const all = requests(seed, count);
  for (let from = 0; from < all.length; from += perTest) {
    const some = all.slice(from, from + perTest);
    it(`are equal for requests ${from + 1} to ${from + some.length} of seed ${seed}`, async () => {
      for (const asked of some) await expectEqual(asked, 200);
    });
  }

  for (const type of statedTypes) {
    it(`are equal for the states of ${type}`, async () => {
      for (const query of [
        "",
        "?filter=metadata.state.name=unavailable",
        "?sort=-metadata.state.name,metadata.name",
      ]) {
        await expectEqual({ user: "admin", path: `/v1/${type}${query}` }, 200);
      }
    });
  }

  it("are equal for counts, schemas and mistakes, and where Steve answers 500 to a mistake ours is 422", async () => {
    for (const asked of fixedRequests()) await expectEqual(asked, 422);
  });
});
