import { expect } from "chai";
import { expectedGroups } from "./drift/groups.ts";
import {
  changed,
  deleted,
  failures,
  plantTwins,
  relabelled,
  type Specimen,
  specimensOf,
  untouched,
} from "./drift/specimen.ts";
import { declareTenant } from "./drift/tenant.ts";
import { Pair, sides } from "./pair.ts";

describe("what a server made in a hub and a cluster", function () {
  this.timeout(180_000);

  let pair: Pair;
  let specimens: readonly Specimen[];
  let twins: readonly Specimen[];

  before(async () => {
    pair = await Pair.start();
    await declareTenant(pair);
    await pair.rests();
    const found = await Promise.all(sides.map((side) => specimensOf(side, pair[side].client)));
    specimens = found.flat();
    twins = await plantTwins(specimens);
  });
  after(() => pair?.[Symbol.asyncDispose]());

  for (const side of sides) {
    it(`is found, of every group (${side})`, () => {
      const groups = specimens.filter((each) => each.side === side).map(({ group }) => group);

      expect(groups).to.include.members([...expectedGroups[side]]);
    });
  }

  it("is put back when it is changed", async () => {
    expect(await failures(specimens, changed)).to.equal("");
  });

  it("is put back when it is relabelled", async () => {
    expect(await failures(specimens, relabelled)).to.equal("");
  });

  it("is put back when it is deleted", async () => {
    // what people have in a namespace would go with it
    const others = specimens.filter(({ object }) => object.kind !== "Namespace");

    expect(await failures(others, deleted)).to.equal("");
  });

  it("is not what looks like it, also for a server that starts anew", async () => {
    await pair.rests();
    expect(await failures(twins, untouched)).to.equal("");

    await pair.kill();
    pair.start();
    await pair.leads();
    await pair.rests();

    expect(await failures(twins, untouched)).to.equal("");
  });
});
