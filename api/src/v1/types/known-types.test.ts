import { expect } from "chai";
import { silentLogger } from "kopf-ts";
import { leftBehind } from "kopf-ts/testing";
import { aType } from "./a-type.test.support.ts";
import { KnownTypes } from "./known-types.ts";
import type { ResourceType } from "./resource-type.ts";

const pod = aType({ kind: "Pod" });
const deployment = aType({ group: "apps", kind: "Deployment" });
const oddId = aType({ group: "example.com", kind: "Things", plural: "stuff" });
const oddPlural = aType({ group: "example.com", kind: "Thing" });

const { signal } = new AbortController();

function known(...types: readonly ResourceType[]): KnownTypes {
  const all = new KnownTypes(silentLogger);
  all.replace(types);
  return all;
}

describe("KnownTypes", () => {
  for (const { text, expected } of [
    { text: "pod", expected: pod },
    { text: "pods", expected: pod },
    { text: "Pod", expected: pod },
    { text: "PODS", expected: pod },
    { text: "apps.deployment", expected: deployment },
    { text: "apps.deployments", expected: deployment },
    { text: "Apps.Deployments", expected: deployment },
    { text: "deployment", expected: undefined },
    { text: "apps.v1.deployment", expected: undefined },
    { text: "", expected: undefined },
    { text: "constructor", expected: undefined },
    { text: "__proto__", expected: undefined },
    { text: "example.com.thing", expected: oddPlural },
    { text: "example.com.things", expected: oddId },
    { text: "example.com.Things", expected: oddId },
    { text: "example.com.stuff", expected: oddId },
  ]) {
    it(`finds ${expected?.id ?? "nothing"} by ${JSON.stringify(text)}`, () => {
      const types = known(pod, deployment, oddId, oddPlural);

      expect(types.find(text)).to.equal(expected);
    });
  }

  for (const { apiVersion, kind, expected } of [
    { apiVersion: "v1", kind: "Pod", expected: pod },
    { apiVersion: "apps/v1", kind: "Deployment", expected: deployment },
    { apiVersion: "apps/v1beta2", kind: "Deployment", expected: deployment },
    { apiVersion: "extensions/v1beta1", kind: "Deployment", expected: undefined },
    { apiVersion: "", kind: "", expected: undefined },
  ]) {
    it(`finds ${expected?.id ?? "nothing"} of ${apiVersion} ${kind}`, () => {
      expect(known(pod, deployment).ofKind(apiVersion, kind)).to.equal(expected);
    });
  }

  it("tells which types came, went and changed, once each, with a later revision", () => {
    const types = known(pod, deployment);
    const told: (readonly string[])[] = [];
    using _ = types.onChange((ids) => told.push([...ids].toSorted()));
    const { revision } = types;

    types.replace([{ ...pod }, oddId]);

    expect(told).to.deep.equal([["apps.deployment", "example.com.things", "pod"]]);
    expect(types.revision).to.be.greaterThan(revision);
  });

  it("tells nothing while nothing changes, nor to those who left", () => {
    const types = known(pod);
    const told: unknown[] = [];
    const { revision } = types;
    const leaving = types.onChange(() => told.push("left"));
    using _ = types.onChange((ids) => told.push(ids));
    leaving[Symbol.dispose]();

    types.replace([pod]);

    expect(types.revision).to.equal(revision);
    expect(told).to.deep.equal([]);
  });

  it("tells the others when one of them throws", () => {
    const types = known(pod);
    const told: unknown[] = [];
    using _ = types.onChange(() => {
      throw new Error("a defect");
    });
    using __ = types.onChange((ids) => told.push([...ids]));

    types.replace([]);

    expect(told).to.deep.equal([["pod"]]);
  });

  it("is ready with the first types, even when there are none", async () => {
    const types = new KnownTypes(silentLogger);
    let isReady = false;
    const ready = types.ready(signal).then(() => {
      isReady = true;
    });
    await Promise.resolve();
    expect(isReady).to.equal(false);

    types.replace([]);

    await ready;
    await types.ready(signal);
  });

  it("keeps nothing of those who gave up waiting", async () => {
    const types = new KnownTypes(silentLogger);

    expect(await leftBehind((each) => types.ready(each))).to.be.lessThan(200);
  });

  it("rejects a wait with the reason of its signal", async () => {
    const types = new KnownTypes(silentLogger);
    const stop = new AbortController();
    const waiting = types.ready(stop.signal).catch((reason: unknown) => reason);

    stop.abort("enough");

    expect(await waiting).to.equal("enough");
    const late = await types.ready(stop.signal).catch((reason: unknown) => reason);
    expect(late).to.equal("enough");
  });
});
