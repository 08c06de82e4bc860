import { expect } from "chai";
import { type FakeClock, fakeClock } from "kopf-ts/testing";
import { type Login, type LoginStanding, nobody } from "./caller.ts";
import { Tenures } from "./tenures.ts";

describe("Tenures", () => {
  const [ann, bob]: readonly [Login, Login] = [{ ...nobody }, { ...nobody }];
  let clock: FakeClock;
  let standings: Map<Login, LoginStanding>;
  let ended: string[];
  let tenures: Tenures;

  beforeEach(() => {
    clock = fakeClock();
    standings = new Map();
    ended = [];
    tenures = new Tenures({ clock, standingOf: (login) => standings.get(login) ?? "counts" });
  });

  const hold = (login: Login, name: string): Disposable =>
    tenures.hold(login, (ending) => ended.push(`${name} ${ending}`));

  for (const standing of ["ended", "changed"] as const) {
    it(`end, once, what began with a login that has ${standing}, and nothing else`, async () => {
      for (const name of ["one", "two"]) hold(ann, name);
      hold(bob, "other");
      await clock.advance(2_000);
      expect(ended).to.deep.equal([]);

      standings.set(ann, standing);
      await clock.advance(6_000);
      expect(ended).to.deep.equal([`one ${standing}`, `two ${standing}`]);
    });
  }

  it("end nothing that has been let go of", async () => {
    const held = hold(ann, "one");
    standings.set(ann, "ended");
    held[Symbol.dispose]();
    await clock.advance(4_000);

    expect(ended).to.deep.equal([]);
  });

  it("look at nobody while nothing is held, and again when something is", async () => {
    let looks = 0;
    tenures = new Tenures({
      clock,
      standingOf: () => {
        looks++;
        return "counts";
      },
    });
    hold(ann, "one")[Symbol.dispose]();
    await clock.advance(10_000);
    expect(looks).to.equal(0);

    hold(ann, "two");
    await clock.advance(2_000);
    expect(looks).to.equal(1);
  });
});
