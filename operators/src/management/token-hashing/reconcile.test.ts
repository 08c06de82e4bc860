import { Feature, installCrds, kinds, Token } from "@drover/crds";
import { aFeature, aToken } from "@drover/crds/testing";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { parseFeatures, parseTokenValue, verifyToken } from "@drover/platform";
import { expect } from "chai";
import { type Client, connect, intercept, loadConfig, refTo, silentLogger } from "kopf-ts";
import { eventually, fakeClock } from "kopf-ts/testing";
import { RunningConcern } from "../../testing/concern.ts";
import { tokenHashing } from "./index.ts";

const second = 1_000;
const key = "kzfn8wqvtb2lxj5hs9cdm4rgpkzfn8wqvtb2lxj5hs9cdm4rgpkzfn";
const features = parseFeatures("");
const series = 'controller_runtime_reconcile_total{controller="token-hashing"';

const patches = ({ sent }: RunningConcern) => sent.filter(({ verb }) => verb === "patch");

async function runs(concern: RunningConcern, count: number): Promise<boolean> {
  const again = await concern.metric(`${series},result="requeue_after"}`);
  return again + (await concern.metric(`${series},result="success"}`)) >= count;
}

async function isHashed(concern: RunningConcern, token: Token): Promise<Token | undefined> {
  const found = await concern.find(Token, token);
  return found?.token?.startsWith("$3:1:") ? found : undefined;
}

async function fits(token: Token, text: string): Promise<boolean> {
  const value = parseTokenValue(`${token.metadata.name}:${text}`);
  return value !== undefined && (await verifyToken(token, value));
}

describe("token-hashing on an API server", function () {
  this.timeout(60_000);
  let plane: ControlPlane;
  let client: Client;

  before(async () => {
    plane = await startControlPlane({ name: "hashing" });
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }), { kinds });
    await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
    await client.create(aFeature({ metadata: { name: "token-hashing" } }));
  });

  beforeEach(() => turn(false));

  after(async () => {
    await client[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  const turn = (value: boolean): Promise<Feature> =>
    client.patch(refTo(Feature, "token-hashing"), { merge: { spec: { value } } });

  const open = (options: object = {}): Promise<RunningConcern> =>
    RunningConcern.open({ controlPlane: plane, ...options });

  it("leaves tokens alone while the feature is off", async () => {
    await using concern = await open();
    await concern.run(tokenHashing({ features }));

    const token = await concern.create(aToken({ token: key }));
    await eventually(() => runs(concern, 1));

    expect((await concern.find(Token, token))?.token).to.equal(key);
    expect(patches(concern)).to.deep.equal([]);
  });

  it("hashes existing tokens ten seconds after the feature is turned on; their keys still fit", async () => {
    const clock = fakeClock(Date.now());
    await using concern = await open({ clock });
    const tokens = [
      await concern.create(aToken({ token: key })),
      await concern.create(aToken({ token: key, isDerived: true })),
    ];
    await concern.run(tokenHashing({ features, metrics: concern.metrics }));
    await eventually(() => runs(concern, 2));

    await turn(true);
    await eventually(() => runs(concern, 4));
    await clock.advance(9 * second);
    const before = patches(concern).length;
    await clock.advance(2 * second);

    expect(before).to.equal(0);
    for (const token of tokens) {
      const hashed = await eventually(() => isHashed(concern, token));
      expect(hashed.metadata.annotations).to.include({
        "authn.management.cattle.io/token-hashed": "true",
      });
      expect(await fits(hashed, key)).to.equal(true);
      expect(await fits(hashed, "x")).to.equal(false);
    }
    await eventually(async () => (await concern.metric("drover_tokens_hashed_total")) === 2);
  });

  it("hashes at once what arrives plain later, and touches nothing twice", async () => {
    const clock = fakeClock(Date.now());
    await using concern = await open({ clock });
    await turn(true);
    await concern.run(tokenHashing({ features }));
    const first = await concern.create(aToken({ token: key }));
    await eventually(() => runs(concern, 1));
    await clock.advance(11 * second);
    await eventually(() => isHashed(concern, first));

    await clock.advance(second); // its pace
    const later = await concern.create(aToken({ token: key }));
    await eventually(() => isHashed(concern, later));
    await concern.client.patch(first, { merge: { description: "touched" } });
    await clock.advance(second); // its pace
    const last = await concern.create(aToken({ token: key }));
    await eventually(() => isHashed(concern, last));

    await eventually(() => patches(concern).length === 3);
  });

  it("never puts the hash of an old key over a new one", async () => {
    const clock = fakeClock(Date.now());
    let changed = 0;
    const through = (own: Client): Client =>
      intercept(own, {
        beforeWrite: async (_, ref) => {
          if (ref === undefined || changed > 0) return;
          changed += 1;
          const { name } = ref.metadata;
          await client.patch(refTo(Token, name), { merge: { token: "changed-meanwhile" } });
        },
      });
    await using concern = await open({ clock, through });
    await turn(true);
    await concern.run(tokenHashing({ features }));
    const token = await concern.create(aToken({ token: key }));
    await eventually(() => runs(concern, 1));

    await clock.advance(11 * second);

    const hashed = await eventually(() => isHashed(concern, token));
    expect(changed).to.equal(1);
    expect(await fits(hashed, "changed-meanwhile")).to.equal(true);
    await eventually(() => patches(concern).length === 2);
    expect(patches(concern).map(({ code }) => code)).to.deep.equal([409, 200]);
  });

  it("keeps its pace, and stops when the feature is turned off again", async () => {
    const clock = fakeClock(Date.now());
    await using concern = await open({ clock });
    await turn(true);
    for (let count = 0; count < 5; count += 1) await concern.create(aToken({ token: key }));
    await concern.run(tokenHashing({ features, pace: { perSecond: 1 } }));
    await eventually(() => runs(concern, 5));

    await clock.advance(10 * second);
    await eventually(() => patches(concern).length === 1);
    await clock.advance(1 * second);
    await eventually(() => patches(concern).length === 2);
    const before = await concern.metric(`${series},result="success"}`);
    await turn(false);
    await eventually(
      async () => (await concern.metric(`${series},result="success"}`)) >= before + 3,
    );
    await clock.advance(30 * second);

    expect(patches(concern)).to.have.length(2);
  });

  it("shows no key in logs and metrics", async () => {
    const clock = fakeClock(Date.now());
    await using concern = await open({ clock });
    await turn(true);
    await concern.run(tokenHashing({ features, metrics: concern.metrics }));
    const token = await concern.create(aToken({ token: key }));
    await eventually(() => runs(concern, 1));
    await clock.advance(11 * second);
    await eventually(() => isHashed(concern, token));

    await eventually(async () => (await concern.metric("drover_tokens_hashed_total")) === 1);
    const told = JSON.stringify([...concern.lines, await concern.metrics.text()]);

    expect(told).to.contain(token.metadata.name);
    expect(told).to.not.contain(key.slice(0, 12));
  });
});
