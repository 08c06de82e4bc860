import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { Metrics } from "kopf-ts";
import { eventually, fakeClock } from "kopf-ts/testing";
import { deflated, GzipBody } from "../pieces/gzip.ts";
import { Body } from "./body.ts";
import { Chunks } from "./chunks.ts";
import type { Freshness } from "./kept-answers.ts";
import { ResponseCache, type ResponseKey } from "./response-cache.ts";
import { type Run, RunMaker } from "./run.ts";

const kib = 1024;
/** So many times items are sent before they are packed anew. */
const often = 32;
const counter = "drover_api_response_cache_repacked_total";

describe("items that are sent again and again", () => {
  let responses: ResponseCache;
  let fresh: Freshness;
  let run: Run;
  let body: Body;
  const [items, list] = ["items", "list"].map(keyOf) as [ResponseKey, ResponseKey];

  beforeEach(async () => {
    const clock = fakeClock();
    fresh = { from: clock.now(), until: clock.now() + 60_000, isStill: () => true };
    responses = new ResponseCache({ clock, bytes: 8 * 1024 * kib });
    run = await keep(items);
    body = keepAround(run);
  });

  function keyOf(question: string): ResponseKey {
    return { source: {}, state: "1", question };
  }

  /** Each item has some KiB that all others have as well, and perhaps some of its own. The cache alone holds them. */
  async function keep(
    key: ResponseKey,
    how: { count?: number; isPacked?: boolean; behind?: number; own?: number } = {},
  ): Promise<Run> {
    const { count = 100, isPacked = true, behind = 0, own = 0 } = how;
    const alike = randomBytes(2 * kib).toString("hex");
    const nulls = Buffer.alloc(behind);
    const maker = new RunMaker({ isPacked, expected: 5 * kib * count, now: fresh.from });
    for (let index = 0; index < count; index++) {
      const bytes = Buffer.concat([Buffer.from(`${index} ${alike}`), randomBytes(own), nulls]);
      if (isPacked) maker.addDeflated(deflated(bytes));
      else maker.add(bytes);
    }
    using made = await maker.take({ items: count, until: fresh.until });
    responses.find(key);
    responses.keep(key, made, fresh);
    return made;
  }

  /** A list of the items, which the cache alone holds. */
  function keepAround(of: Run): Body {
    of.hold();
    const made = new Body(of.chunks, true);
    responses.find(list);
    responses.keep(list, made, fresh, of);
    made.release();
    return made;
  }

  function found(key = items): Run | undefined {
    const run = responses.findRun(key, () => undefined);
    run?.release();
    return run;
  }

  /** What is found in its place, after it was found so many times, and not once more. */
  async function packed(key = items, times = often): Promise<Run> {
    const { size } = responses;
    for (let index = 0; index < times; index++) found(key);
    await eventually(() => responses.size < size);
    const run = found(key);
    if (run === undefined) throw new Error("nothing is found");
    return run;
  }

  /** Something else was packed meanwhile: one is behind the other. */
  async function packAnother(): Promise<void> {
    const key = keyOf("another");
    const before = await keep(key);
    await eventually(() => {
      for (let times = 0; times < often; times++) found(key);
      return found(key) !== before;
    });
  }

  async function textOf({ deflated }: Run): Promise<string> {
    const body = new GzipBody();
    if (deflated !== undefined) body.addDeflated(deflated);
    return gunzipSync(Buffer.concat(await body.end())).toString();
  }

  it("are the same in less than a quarter of the bytes", async () => {
    const wanted = await textOf(run);
    const dense = await packed();

    expect(dense.length).to.be.lessThan(run.length / 4);
    expect(await textOf(dense)).to.equal(wanted);
    expect([dense.items, dense.from, dense.until]).to.deep.equal([100, fresh.from, fresh.until]);
  });

  it("leave their room to others, with the list around them", async () => {
    const [room] = run.chunks.map(({ bytes }) => bytes.buffer);
    const { size } = await packed();
    expect(responses.size).to.equal(size + items.question.length + 200);

    const next = new Chunks();
    next.expect(run.size);
    next.add("x");
    expect(next.take()[0]?.bytes.buffer).to.equal(room);
  });

  it("count where the list around them is sent", async () => {
    for (let times = 0; times < often; times++) expect(responses.find(list)).to.equal(body);
    const dense = await packed(items, 0); // it is packed when others have their turn

    expect(responses.find(list)).to.equal(undefined);
    body = keepAround(dense);
    expect(responses.find(list)).to.equal(body);
  });

  it("are packed once", async () => {
    const key = keyOf("others");
    await keep(key, { own: 2 * kib });
    const dense = await packed(key);
    expect(dense.length).to.be.greaterThan(128 * kib);
    for (let times = 0; times < 2 * often; times++) found(key);
    await packAnother();

    expect(found(key)).to.equal(dense);
  });

  it("stay as they were until then", async () => {
    for (let times = 1; times < often; times++) found();
    await packAnother();
    const [bytes] = run.chunks.map(({ bytes }) => bytes);

    expect(found()?.chunks[0]?.bytes).to.equal(bytes);
  });

  it("are not kept where others came meanwhile", async () => {
    for (let times = 0; times < often; times++) found();
    const next = { ...items, state: "2" };
    const others = await keep(next);
    await packAnother();

    expect(found(next)).to.equal(others);
  });

  it("are counted, also where they cannot be packed", async () => {
    const metrics = new Metrics();
    responses = new ResponseCache({ clock: fakeClock(), bytes: 8 * 1024 * kib, metrics });
    const key = keyOf("others");
    const others = await keep(key);
    await packAnother();
    for (const block of others.deflated?.blocks ?? []) block.fill(0xff); // which nobody can unpack
    for (let times = 0; times < often; times++) found(key);
    await eventually(async () => (await metrics.text()).includes(`${counter}{result="failed"} 1`));

    expect(await metrics.text()).to.contain(`${counter}{result="done"} 1\n`);
    expect(found(key)).to.equal(others);
  });

  for (const [what, how] of [
    ["are few", { count: 20 }],
    ["are very large without gzip", { behind: 200 * kib }],
    ["are as they are", { isPacked: false }],
  ] as const) {
    it(`stay as they were where they ${what}`, async () => {
      const key = keyOf("others");
      const others = await keep(key, how);
      for (let times = 0; times < 2 * often; times++) found(key);
      await packAnother();

      expect(found(key)).to.equal(others);
    });
  }
});
