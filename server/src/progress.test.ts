import { expect } from "chai";
import { fakeClock } from "kopf-ts/testing";
import { progressOn } from "./progress.ts";

const output = (isTTY: boolean) => {
  const written: string[] = [];
  return { isTTY, columns: 10, written, write: (text: string) => written.push(text) };
};
const clear = "\r\x1b[2K";

describe("progressOn", () => {
  it("shows a line that changes from 2 s on, and takes it away", async () => {
    const [terminal, clock] = [output(true), fakeClock()];
    const progress = progressOn(terminal, clock);

    progress.tell("first");
    await clock.advance(1999);
    const early = [...terminal.written];
    await clock.advance(1);
    progress.tell("longer than the terminal");
    progress[Symbol.dispose]();

    expect(early).to.deep.equal([]);
    expect(terminal.written).to.deep.equal([`${clear}first`, `${clear}longer th`, clear]);
  });

  it("shows all of a line where the width is not known", async () => {
    const [terminal, clock] = [{ ...output(true), columns: 0 }, fakeClock()];
    using progress = progressOn(terminal, clock);

    progress.tell("longer than the terminal");
    await clock.advance(2000);

    expect(terminal.written).to.deep.equal([`${clear}longer than the terminal`]);
  });

  it("writes nothing for what is over soon", async () => {
    const [terminal, clock] = [output(true), fakeClock()];
    const progress = progressOn(terminal, clock);

    progress.tell("first");
    progress[Symbol.dispose]();
    await clock.advance(5000);

    expect(terminal.written).to.deep.equal([]);
  });

  it("writes nothing but to a terminal", async () => {
    const [file, clock] = [output(false), fakeClock()];
    using progress = progressOn(file, clock);

    progress.tell("first");
    await clock.advance(5000);

    expect(file.written).to.deep.equal([]);
  });
});
