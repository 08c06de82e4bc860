import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { connect, loadConfig } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { type Desk, desk, startOurs } from "../bench/v1-peers.ts";
import { comparable } from "./differences.ts";
import { createObjects, sees, Widget } from "./objects.ts";
import { askedTypes, fixedRequests, type PeerRequest, requests } from "./requests.ts";
import { statedKinds, statedTypes } from "./states.ts";
import { type Answer, ask, type Peer, startSteve } from "./steve.ts";

const seed = Number(process.env.STEVE_SEED ?? 1);
const count = Number(process.env.STEVE_REQUESTS ?? 400);

/** Those who see something, but not everything. */
const limitedUsers: readonly string[] = ["tenant", "pod-reader", "named"];

/** An answer in which both were equal. */
interface Compared {
  readonly user: string;
  readonly status: number;
}

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
    const [theirs, own] = await Promise.all([ask(steve, asked), ask(ours, asked)]);
    const visible = (type: string, id: string): boolean => sees(asked.user, type, id);
    return [
      { ...theirs, body: comparable(theirs.body, { base: steve.base, sees: visible }) },
      { ...own, body: comparable(own.body, { base: ours.base }) },
    ];
  }

  /** What both answered; undefined where Steve failed, and there is nothing to compare with but the status that is meant. */
  async function expectEqual(
    asked: PeerRequest,
    statusOfErrors: number,
  ): Promise<Compared | undefined> {
    const [theirs, own] = await both(asked);
    const title = `${asked.user}: ${decodeURIComponent(asked.path)}`;
    if (theirs.status >= 500) {
      expect(own.status, title).to.equal(statusOfErrors);
      return undefined;
    }
    expect(own, title).to.deep.equal(theirs);
    return { user: asked.user, status: own.status };
  }

  async function expectAllEqual(
    asked: readonly PeerRequest[],
    statusOfErrors: number,
  ): Promise<readonly Compared[]> {
    const compared: Compared[] = [];
    for (const each of asked) {
      const answered = await expectEqual(each, statusOfErrors);
      if (answered !== undefined) compared.push(answered);
    }
    return compared;
  }

  const all = requests(seed, count);
  const compared: Compared[] = [];
  for (let from = 0; from < all.length; from += perTest) {
    const some = all.slice(from, from + perTest);
    it(`are equal for requests ${from + 1} to ${from + some.length} of seed ${seed}`, async () => {
      compared.push(...(await expectAllEqual(some, 200)));
    });
  }

  it("are compared for nine of ten requests, and for one of four by somebody of few rights who is answered", () => {
    const isOfFewRights = ({ user, status }: Compared): boolean =>
      limitedUsers.includes(user) && status === 200;
    expect(compared.length).to.be.at.least(count * 0.9);
    expect(compared.filter(isOfFewRights).length).to.be.at.least(count * 0.25);
  });

  for (const type of statedTypes) {
    it(`are equal for the states of ${type}`, async () => {
      const asked = [
        "",
        "?filter=metadata.state.name=unavailable",
        "?sort=-metadata.state.name,metadata.name",
      ].map((query) => ({ user: "admin", path: `/v1/${type}${query}` }));
      expect(await expectAllEqual(asked, 200)).to.have.length(asked.length);
    });
  }

  it("are equal for counts, schemas and mistakes, and where Steve answers 500 to a mistake ours is 422", async () => {
    const asked = fixedRequests();
    const compared = await expectAllEqual(asked, 422);
    expect(compared.length).to.be.at.least(asked.length * 0.75);
  });
});
