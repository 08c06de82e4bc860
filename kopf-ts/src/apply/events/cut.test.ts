import { expect } from "chai";
import { cutMiddle } from "./cut.ts";

describe("cutMiddle", () => {
  it("leaves a text that fits", () => {
    expect(cutMiddle("x".repeat(1024), 1024)).to.equal("x".repeat(1024));
  });

  it("keeps the start and the end of a text that is too long", () => {
    const cut = cutMiddle(`start ${"x".repeat(2000)} end`, 1024);

    expect(cut).to.match(/^start x+ … x+ end$/);
    expect(Buffer.byteLength(cut)).to.be.within(1020, 1024);
  });

  for (const character of ["ä", "字", "😀"]) {
    it(`counts bytes and breaks no character (${character})`, () => {
      const cut = cutMiddle(character.repeat(1000), 1024);

      expect(Buffer.byteLength(cut)).to.be.within(1015, 1024);
      expect(cut.replaceAll(character, "")).to.equal(" … ");
    });
  }

  it("is quick for a very long text", () => {
    expect(Buffer.byteLength(cutMiddle("😀".repeat(300_000), 1024))).to.be.at.most(1024);
  });
});
