import { expect } from "chai";
import type { Collection } from "../collections/collection.ts";
import { OtherTypes } from "./other-types.ts";

/** A type whose objects have changed so often, and what ends it. */
function typeAt(revision: number): { readonly type: Collection; readonly end: () => void } {
  const gone = new AbortController();
  const type = { cache: { revision }, gone: gone.signal } as unknown as Collection;
  return { type, end: () => gone.abort() };
}

describe("OtherTypes", () => {
  let others: OtherTypes;

  beforeEach(() => {
    others = new OtherTypes();
  });

  it("are the same where there are none", () => {
    expect(others.areSame).to.equal(true);
  });

  it("are others once an object of any has changed", () => {
    const [first, second] = [typeAt(1), typeAt(1)];
    for (const { type } of [first, second]) others.add(type);
    expect(others.areSame).to.equal(true);

    Object.assign(second.type.cache, { revision: 2 });
    expect(others.areSame).to.equal(false);
  });

  it("are others when an object changed between two looks", () => {
    const { type } = typeAt(1);
    others.add(type);
    Object.assign(type.cache, { revision: 2 });
    others.add(type);

    expect(others.areSame).to.equal(false);
  });

  it("are others when a cache that nobody fills any more was looked at", () => {
    const { type, end } = typeAt(1);
    others.add(type);
    end();

    expect(others.areSame).to.equal(false);
  });
});
