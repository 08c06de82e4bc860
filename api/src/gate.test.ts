import { expect } from "chai";
import { BusyError, Gate } from "./gate.ts";

/** Works that end once they are told, and which of them have begun. */
function works(gate: Gate) {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const endOf = (name: string): PromiseWithResolvers<void> => {
    const known = ends.get(name) ?? Promise.withResolvers<void>();
    ends.set(name, known);
    return known;
  };
  const begin = (name: string, signal?: AbortSignal): Promise<string> =>
    gate.run(async () => {
      begun.push(name);
      await endOf(name).promise;
      return name;
    }, signal);
  return { begun, begin, end: (name: string): void => endOf(name).resolve() };
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe("Gate", () => {
  it("lets some run, some wait in order, and turns the rest away", async () => {
    const { begun, begin, end } = works(new Gate({ atOnce: 2, waiting: 2 }));

    const all = ["a", "b", "c", "d"].map((name) => begin(name));
    const refused = await failure(begin("e"));
    const first = [...begun];
    for (const name of ["a", "b", "c", "d"]) {
      end(name);
      await all.shift();
    }

    expect(refused).to.be.instanceOf(BusyError);
    expect(first).to.deep.equal(["a", "b"]);
    expect(begun).to.deep.equal(["a", "b", "c", "d"]);
  });

  it("forgets whoever leaves before their turn", async () => {
    const { begun, begin, end } = works(new Gate({ atOnce: 1, waiting: 1 }));
    const leaving = new AbortController();
    const first = begin("a");
    const left = failure(begin("b", leaving.signal));

    leaving.abort("gone");
    const third = begin("c");
    end("a");
    await first;
    end("c");

    expect(await left).to.equal("gone");
    expect(await third).to.equal("c");
    expect(begun).to.deep.equal(["a", "c"]);
  });

  it("passes failures on and goes on", async () => {
    const gate = new Gate({ atOnce: 1, waiting: 0 });

    const failed = await failure(gate.run(() => Promise.reject(new Error("no"))));

    expect(String(failed)).to.equal("Error: no");
    expect(await gate.run(() => Promise.resolve(1))).to.equal(1);
  });
});
