import { expect } from "chai";
import { toAddress } from "./address.ts";

const inOrder = [
  ...["0.0.0.0", "9.255.255.255", "10.0.0.2", "10.0.0.10", "192.168.0.1", "255.255.255.255"],
  ...["::", "::1", "64:ff9b::10.0.0.1", "2001:db8::1", "2001:db8::a", "2001:db8:0:1::"],
  ...["fd00::1", "fe80:1:2:3:4:5:6:7", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
];

describe("toAddress", () => {
  it("sorts addresses by their numbers, v4 before v6", () => {
    const sorted = inOrder.toReversed().toSorted((a, b) => {
      return (toAddress(a) ?? "") < (toAddress(b) ?? "") ? -1 : 1;
    });

    expect(sorted).to.deep.equal(inOrder);
  });

  it("takes every way to write an address for the same", () => {
    expect(toAddress("2001:DB8:0:0::1")).to.equal(toAddress("2001:db8::1"));
    expect(toAddress("::ffff:10.0.0.1")).to.equal(toAddress("10.0.0.1"));
    expect(toAddress("::ffff:a00:1")).to.equal(toAddress("10.0.0.1"));
  });

  for (const value of ["", "None", "10.0.0", "10.0.0.01", "1.2.3.4/8", "fe80::1%eth0", ":::", 7]) {
    it(`finds no address in ${JSON.stringify(value)}`, () => {
      expect(toAddress(value)).to.equal(undefined);
    });
  }
});
