import { expect } from "chai";
import { type Cache, systemClock } from "kopf-ts";
import { Slices } from "../slices.ts";
import { prefilter } from "./pages.ts";

describe("prefilter", () => {
  it("rests between filters, and between those of which one has to hold", async () => {
    const [asked, prepared]: [unknown[], unknown[]] = [[], []];
    let rests = 0;
    const slices = new Slices(systemClock, new AbortController().signal);
    slices.rest = () => {
      rests++;
      return undefined;
    };
    const cache = {
      size: 10_000,
      prepareFilter: (filter: unknown) => void prepared.push(filter),
      query: ({ filter }: { readonly filter: unknown }) => asked.push(filter),
    } as unknown as Cache;
    const one = { column: "a", op: "=", value: "1" } as const;
    const two = { column: "b", op: "=", value: "2" } as const;

    await prefilter(cache, { filters: [{ any: [one, two] }, one], sort: [] }, slices);

    expect(asked).to.deep.equal([one, two, { any: [one, two] }, one]);
    expect(prepared).to.deep.equal(asked);
    expect(rests).to.equal(4);
  });
});
