import { expect } from "chai";
import { BuildProgress, elapsed, type Output } from "./progress.ts";

/** Back to the start of the line and clear it. */
const rewrite = "\r\x1b[2K";

function recorder(terminal: boolean): Output & { readonly written: string[] } {
  const written: string[] = [];
  return { isTTY: terminal, columns: 40, written, write: (text) => written.push(text) };
}

describe("BuildProgress", () => {
  it("says what Go does and how much of how much", () => {
    const progress = new BuildProgress(recorder(false), "building", 3);
    const states = [progress.state];

    progress.line("go: downloading k8s.io/kubernetes v1.35.4");
    states.push(progress.state);
    progress.expect(2);
    progress.line("internal/goarch");
    progress.line("# a compiler's remark");
    states.push(progress.state);
    progress.line("drover.dev/controlplane");
    states.push(progress.state);

    expect(states).to.deep.equal([
      "looking for what is missing",
      "downloading, 1 of 3 modules",
      "compiling, 1 of 2 packages",
      "linking",
    ]);
  });

  it("keeps to one line on a terminal, never longer than it is wide", () => {
    const output = recorder(true);
    const progress = new BuildProgress(output, "building the control plane of a long name", 1);

    progress.start();
    progress.finish("done");

    expect(output.written).to.have.length(2);
    for (const text of output.written) {
      expect(text.startsWith(rewrite)).to.equal(true);
      expect(text.slice(rewrite.length).trimEnd()).to.have.length.below(40);
    }
    expect(output.written[1]).to.match(/\n$/);
  });

  it("writes whole lines to a file", () => {
    const output = recorder(false);
    const progress = new BuildProgress(output, "building", 1);

    progress.start();
    progress.finish("done");

    expect(output.written).to.deep.equal([
      "building: looking for what is missing, 0 s\n",
      "building: done after 0 s\n",
    ]);
  });
});

describe("elapsed", () => {
  for (const [ms, text] of [
    [0, "0 s"],
    [59_999, "59 s"],
    [60_000, "1 min 0 s"],
    [3_725_000, "62 min 5 s"],
  ] as const) {
    it(`calls ${ms} ms ${text}`, () => expect(elapsed(ms)).to.equal(text));
  }
});
