import { expect } from "chai";
import { createLogger } from "kopf-ts";
import { type FakeClock, fakeClock } from "kopf-ts/testing";
import { type Login, type LoginStanding, nobody } from "./caller.ts";
import { Tenures } from "./tenures.ts";

describe("Tenures", () => {
  const [ann, bob]: readonly [Login, Login] = [{ ...nobody }, { ...nobody }];
  let clock: FakeClock;
  let standings: Map<Login, LoginStanding>;
  let ended: string[];
  let told: string[];
  let tenures: Tenures;

  beforeEach(() => {
    clock = fakeClock();
    standings = new Map();
    ended = [];
    told = [];
    tenures = tenuresOf((login) => standings.get(login) ?? "counts");
  });

  function tenuresOf(standingOf: (login: Login) => LoginStanding): Tenures {
    const log = createLogger({ output: { write: (line: string) => void told.push(line) } });
    return new Tenures({ clock, log, standingOf });
  }

  const hold = (login: Login, name: string): Disposable =>
    tenures.hold(login, (ending) => ended.push(`${name} ${ending}`));

  for (const standing of ["ended", "changed"] as const) {
    it(`end, once, what began with a login that has ${standing}, and nothing else`, async () => {
      for (const name of ["one", "two"]) hold(ann, name);
      hold(bob, "other");
      await clock.advance(500);
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
    tenures = tenuresOf(() => {
      looks++;
      return "counts";
    });
    hold(ann, "one")[Symbol.dispose]();
    await clock.advance(10_000);
    expect(looks).to.equal(0);

    hold(ann, "two");
    await clock.advance(500);
    expect(looks).to.equal(1);
  });

  it("end all others when the end of one throws", async () => {
    tenures.hold(ann, () => {
      throw new Error("gone");
    });
    hold(ann, "two");
    standings.set(ann, "ended");
    await clock.advance(4_000);

    expect(ended).to.deep.equal(["two ended"]);
    expect(told.join(""))
      .to.match(/"reason":"gone"/)
      .and.match(/"level":"error"/);
    expect([tenures.size, told.length]).to.deep.equal([0, 1]);
  });

  it("end what cannot be judged, which would not be let in either", async () => {
    tenures = tenuresOf((login) => {
      if (login === ann) throw new TypeError("no list");
      return "counts";
    });
    hold(ann, "one");
    hold(bob, "two");
    await clock.advance(500);

    expect(ended).to.deep.equal(["one ended"]);
    expect([tenures.size, told.length]).to.deep.equal([1, 1]);
  });

  it("end nothing that the end of another has let go of", async () => {
    const held: Disposable[] = [];
    for (const name of ["one", "two"]) {
      held.push(
        tenures.hold(ann, () => {
          ended.push(name);
          for (const each of held) each[Symbol.dispose]();
        }),
      );
    }
    standings.set(ann, "ended");
    await clock.advance(500);

    expect(ended).to.deep.equal(["one"]);
  });

  it("hold nothing, and look at nobody, once they are disposed", async () => {
    hold(ann, "one");
    standings.set(ann, "ended");
    tenures[Symbol.dispose]();
    await clock.advance(4_000);

    expect([ended, tenures.size]).to.deep.equal([[], 0]);
  });
});
