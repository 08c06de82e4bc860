import { expect } from "chai";
import { Tape } from "./tape.ts";

const line = (revision: number, type = "MODIFIED"): Buffer =>
  Buffer.from(
    `{"type":"${type}","object":{"kind":"Pod","metadata":{"resourceVersion":"${revision}"}}}`,
  );

const taped = (...revisions: number[]): Tape => {
  const tape = new Tape();
  for (const revision of revisions) tape.keep("json", line(revision));
  return tape;
};

/** What comes of a watch until it has told so many. */
async function told(lines: AsyncGenerator<Buffer>, count: number): Promise<readonly string[]> {
  const all: string[] = [];
  while (all.length < count) {
    const { value, done } = await lines.next();
    if (done === true) break;
    all.push(/resourceVersion":"(\d+)/.exec(String(value))?.[1] ?? "");
  }
  return all;
}

describe("Tape", () => {
  const { signal } = new AbortController();

  it("tells what was played, each change once and in order", async () => {
    const tape = taped(5, 6, 7);

    const count = tape.hold();
    const watch = tape.follow("json", 0, signal);
    const played = [tape.play(), tape.play()];
    const before = await told(watch, 2);
    const next = told(watch, 1);
    played.push(tape.play(), tape.play());

    expect([count, before, await next]).to.deep.equal([3, ["5", "6"], ["7"]]);
    expect(played).to.deep.equal([5, 6, 7, undefined]);
  });

  it("begins after the revision of the watch, and anew when it is wound back", async () => {
    const tape = taped(5, 6);
    tape.hold();
    tape.play();
    tape.play();

    const late = await told(tape.follow("json", 5, signal), 1);
    tape.rewind();

    expect(late).to.deep.equal(["6"]);
    expect(tape.play()).to.equal(5);
  });

  it("keeps changes alone, and those of a second watch once", () => {
    const tape = taped(5, 6, 5, 6);
    tape.keep("json", line(7, "BOOKMARK"));

    expect(tape.hold()).to.equal(2);
  });

  it("ends when the watch is gone", async () => {
    const tape = taped(5);
    tape.hold();
    const gone = new AbortController();

    const next = tape.follow("json", 5, gone.signal).next();
    gone.abort();

    expect((await next).done).to.equal(true);
  });

  it("refuses what was not recorded, or not evenly", async () => {
    const [uneven, even] = [taped(5, 6), taped(5)];
    uneven.keep("table", line(5));
    even.hold();

    expect(() => uneven.hold()).to.throw("recorded unevenly: 2,1");
    expect(() => new Tape().hold()).to.throw("unevenly");
    const failed = await even.follow("table", 0, signal).next().catch(String);
    expect(failed).to.include("no watch was recorded as table");
  });
});
