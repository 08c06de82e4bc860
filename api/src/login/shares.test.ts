import { expect } from "chai";
import { BusyError } from "../gate.ts";
import { Shares } from "./shares.ts";

describe("Shares", () => {
  it("leave room for other addresses, and for the same one later", async () => {
    const shares = new Shares();
    const release = Promise.withResolvers<void>();
    const works = Array.from({ length: 16 }, () => shares.run("10.0.0.1", () => release.promise));

    const refused = await shares.run("10.0.0.1", async () => "done").catch((thrown) => thrown);
    expect(refused).to.be.instanceOf(BusyError);
    expect(await shares.run("10.0.0.2", async () => "done")).to.equal("done");
    release.resolve();
    await Promise.all(works);
    expect(await shares.run("10.0.0.1", async () => "done")).to.equal("done");
  });

  it("take the addresses of one IPv6 network for one", async () => {
    const shares = new Shares();
    const never = new Promise(() => undefined);
    for (let n = 0; n < 16; n++) void shares.run(`2001:db8:0:1::${n}`, () => never);

    const refused = await shares.run("2001:db8:0:1::ff", async () => 1).catch((thrown) => thrown);

    expect(refused).to.be.instanceOf(BusyError);
    expect(await shares.run("2001:db8:0:2::1", async () => 1)).to.equal(1);
  });
});
