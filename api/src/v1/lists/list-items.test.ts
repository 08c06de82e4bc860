import { expect } from "chai";
import { systemClock } from "kopf-ts";
import { formats } from "../answers/formats.ts";
import { type Run, RunMaker } from "../answers/run.ts";
import { CachedItems, keptPieces } from "../items/items.ts";
import {
  aContext,
  allTypes,
  metadata,
  noon,
  pod,
  pods,
  ServedCache,
} from "../items/testing.test.support.ts";
import { Slices } from "../slices.ts";
import { ListItems } from "./list-items.ts";

describe("ListItems", () => {
  const { signal } = new AbortController();

  for (const [what, room] of [
    ["kept", {}],
    ["not kept, for want of room", { bytes: 4000 }],
  ] as const) {
    it(`tell where ages stand in items that are ${what}`, async () => {
      const sent = ["a", "b"].map((name) => ({ ...pod, metadata: { ...metadata, name } }));
      await using served = await ServedCache.start(pods, sent);
      const { collection } = served;
      const items = new CachedItems({ types: allTypes, pieces: keptPieces(room) });
      const runAt = async (now: number): Promise<Run> => {
        const maker = new RunMaker({ isPacked: false, expected: 0, now });
        const count = await new ListItems({
          ...{ collection, keys: ["ns/a", "ns/b"], format: formats.json, packs: false, now },
          makeWriter: () => items.writer({ ...aContext(pods), now }),
          ...{ slices: new Slices(systemClock, signal), signal },
        }).writeTo(maker);
        return maker.take({ items: count, until: now });
      };
      const textOf = (run: Run | undefined): string | undefined =>
        run && String(Buffer.concat(run.chunks.map(({ bytes }) => bytes)));
      for (let time = 0; time < 3; time++) {
        const [run, later] = [await runAt(noon), textOf(await runAt(noon + 600_000))];

        expect(textOf(run)).to.not.equal(later);
        expect(textOf(run.at(noon + 600_000))).to.equal(later);
      }
    });
  }
});
