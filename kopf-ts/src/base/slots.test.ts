import { expect } from "chai";
import { Slots } from "./slots.ts";

describe("Slots", () => {
  const { signal } = new AbortController();

  it("gives out as many as there are, then lets others wait in their order", async () => {
    const slots = new Slots(2);
    const order: string[] = [];
    const take = async (name: string): Promise<Disposable | undefined> => {
      const slot = await slots.take(signal);
      order.push(name);
      return slot;
    };
    const first = await take("first");
    const second = await take("second");
    const third = take("third");
    const fourth = take("fourth");
    await new Promise(setImmediate);
    const before = [...order];

    second?.[Symbol.dispose]();
    second?.[Symbol.dispose](); // gives nothing twice
    await third;
    const between = [...order];
    first?.[Symbol.dispose]();
    await fourth;

    expect(before).to.deep.equal(["first", "second"]);
    expect(between).to.deep.equal(["first", "second", "third"]);
    expect(order).to.deep.equal(["first", "second", "third", "fourth"]);
  });

  it("loses none when somebody stops waiting", async () => {
    const slots = new Slots(1);
    const stop = new AbortController();
    const held = await slots.take(signal);
    const impatient = slots.take(stop.signal);
    const patient = slots.take(signal);

    stop.abort();
    const nothing = await impatient;
    held?.[Symbol.dispose]();

    expect(nothing).to.equal(undefined);
    expect(await patient).to.not.equal(undefined);
    expect(await slots.take(AbortSignal.abort())).to.equal(undefined);
  });
});
