import { expect } from "chai";
import { essenceOf, eventName, isAboutEvent, namespaceFor, toMicroTime } from "./event.ts";

const token = {
  apiVersion: "management.cattle.io/v3",
  kind: "Token",
  metadata: { name: "token-abcde", uid: "u-1", resourceVersion: "7" },
};
const reporting = { controller: "drover", instance: "host-1" };
const input = { type: "Normal", reason: "Purged", message: "gone" } as const;

describe("essenceOf", () => {
  it("says who reports what about which object", () => {
    expect(essenceOf(token, input, reporting)).to.deep.equal({
      type: "Normal",
      reason: "Purged",
      action: "Reconcile",
      note: "gone",
      reportingController: "drover",
      reportingInstance: "host-1",
      regarding: {
        apiVersion: "management.cattle.io/v3",
        kind: "Token",
        name: "token-abcde",
        uid: "u-1",
      },
    });
  });

  it("is the same for the next version of the object, so that repetitions are counted", () => {
    const next = { ...token, metadata: { ...token.metadata, resourceVersion: "8" } };

    expect(essenceOf(next, input, reporting)).to.deep.equal(essenceOf(token, input, reporting));
  });

  it("lets a controller report under its own name and name another object", () => {
    const more = { ...input, reportingController: "drover-x", related: token };

    const essence = essenceOf(token, more, reporting);

    expect(essence.reportingController).to.equal("drover-x");
    expect(essence.related?.name).to.equal("token-abcde");
  });

  it("cuts the name of a controller behind its domain, and keeps both its ends", () => {
    const controller = `operators.example.com/${"a".repeat(40)}-${"b".repeat(40)}`;

    const essence = essenceOf(token, input, { controller, instance: "host-1" });

    expect(essence.reportingController).to.equal(
      `operators.example.com/${"a".repeat(30)}...${"b".repeat(30)}`,
    );
  });

  it("cuts every value to what the server accepts", () => {
    const long = "x".repeat(2000);
    const words = { type: "Normal", reason: long, action: long, message: long } as const;

    const essence = essenceOf(token, words, { controller: long, instance: long });

    expect(essence.reportingController).to.match(/^x{30}\.{3}x{30}$/);
    expect(Buffer.byteLength(essence.note)).to.be.at.most(1024);
    for (const value of [essence.reason, essence.action, essence.reportingInstance]) {
      expect(Buffer.byteLength(value)).to.be.at.most(128);
    }
  });
});

describe("namespaceFor", () => {
  it("is the object's own, or default", () => {
    const inside = { ...token, metadata: { ...token.metadata, namespace: "c-1" } };

    expect(namespaceFor(essenceOf(inside, input, reporting))).to.equal("c-1");
    expect(namespaceFor(essenceOf(token, input, reporting))).to.equal("default");
  });
});

describe("isAboutEvent", () => {
  for (const { apiVersion, kind, expected } of [
    { apiVersion: "v1", kind: "Event", expected: true },
    { apiVersion: "events.k8s.io/v1", kind: "Event", expected: true },
    { apiVersion: "calendar.example.com/v1", kind: "Event", expected: false },
    { apiVersion: "v1", kind: "Pod", expected: false },
  ]) {
    it(`${apiVersion} ${kind}: ${expected}`, () => {
      expect(isAboutEvent({ apiVersion, kind })).to.equal(expected);
    });
  }
});

describe("eventName", () => {
  for (const { object, expected } of [
    { object: "token-abcde", expected: "token-abcde.1f" },
    { object: "a.b-c", expected: "a.b-c.1f" },
    { object: "system:node", expected: "event.1f" },
    { object: "With-Capitals", expected: "event.1f" },
    { object: "-x", expected: "event.1f" },
    { object: "x-", expected: "event.1f" },
    { object: "x".repeat(250), expected: `${"x".repeat(250)}.1f` },
    { object: "x".repeat(251), expected: "event.1f" },
  ]) {
    it(`${object.slice(0, 20)} becomes ${expected.slice(0, 20)}`, () => {
      expect(eventName(object, "1f")).to.equal(expected);
    });
  }
});

describe("toMicroTime", () => {
  it("has six digits after the point", () => {
    expect(toMicroTime(Date.UTC(2026, 0, 1, 0, 0, 0, 5))).to.equal("2026-01-01T00:00:00.005000Z");
  });
});
