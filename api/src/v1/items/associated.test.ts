import { expect } from "chai";
import { at } from "../tree.ts";
import { associatedType } from "./associated.ts";
import {
  accessOf,
  allTypes,
  deployments,
  itemOf,
  metadata,
  pod,
  pods,
  type Sent,
  ServedCache,
  shape,
} from "./testing.test.support.ts";

describe("associatedData", () => {
  const labelled = (name: string, labels: object): Sent => ({
    ...pod,
    metadata: { ...metadata, name, labels },
  });
  const workload = (selector: object, kind = "Deployment"): Sent => ({
    ...{ apiVersion: "apps/v1", kind, metadata },
    spec: { selector, template: { spec: {} } },
  });
  const state = {
    ...{ error: "false", message: "", name: "crashLoopBackOff", transitioning: "false" },
  };

  async function told(
    object: Sent,
    held: Readonly<Record<string, readonly string[]>>,
    query: string,
  ): Promise<unknown> {
    const others = [
      labelled("b", { a: "1", b: "2" }),
      labelled("a", { a: "1" }),
      labelled("c", {}),
    ];
    await using served = await ServedCache.start(pods, [
      ...others,
      { ...pod, metadata: { ...metadata, name: "d", namespace: "other", labels: { a: "1" } } },
    ]);
    const more = { associated: served.collection, access: accessOf(held), ...shape(query) };
    return at(itemOf(object, deployments, more), "metadata", "associatedData");
  }

  const gvk = { group: "", version: "v1", kind: "Pod" };
  const everything = { "": ["* *"] };
  const query = "includeAssociatedData=true";

  for (const { title, selector, held, asked, expected } of [
    {
      title: "the Pods that a workload selects",
      selector: { matchLabels: { a: "1" } },
      held: everything,
      asked: query,
      expected: ["a", "b"],
    },
    {
      title: "none but those",
      selector: { matchLabels: { a: "1", b: "2" } },
      held: everything,
      asked: query,
      expected: ["b"],
    },
    {
      title: "those of expressions",
      selector: {
        matchExpressions: [
          { key: "b", operator: "DoesNotExist" },
          { key: "a", operator: "Exists" },
        ],
      },
      ...{ held: everything, asked: query, expected: ["a"] },
    },
    {
      title: "those that the caller may read",
      selector: { matchLabels: { a: "1" } },
      held: { ns: ["get pods/b"] },
      asked: query,
      expected: ["b"],
    },
    {
      title: "nothing to somebody who may read none",
      selector: { matchLabels: { a: "1" } },
      held: { "": ["list deployments"] },
      asked: query,
      expected: undefined,
    },
    {
      title: "nothing where none are selected",
      selector: { matchLabels: { a: "2" } },
      held: everything,
      asked: query,
      expected: undefined,
    },
    {
      title: "nothing where everything is selected",
      selector: {},
      held: everything,
      asked: query,
      expected: undefined,
    },
    {
      title: "nothing where nobody asks",
      selector: { matchLabels: { a: "1" } },
      held: everything,
      asked: "",
      expected: undefined,
    },
  ]) {
    it(`tells ${title}`, async () => {
      const data = expected?.map((childName) => ({ childName, state }));

      expect(await told(workload(selector), held, asked)).to.deep.equal(data && [{ gvk, data }]);
    });
  }

  it("tells the caller of what they may read behind any number of Pods that they may not", async () => {
    const hidden = Array.from({ length: 600 }, (_, index) => labelled(`a${index}`, { a: "1" }));
    await using served = await ServedCache.start(pods, [...hidden, labelled("z", { a: "1" })]);
    const held = accessOf({ ns: ["get pods/z"] });
    const more = { associated: served.collection, access: held, ...shape(query) };

    const item = itemOf(workload({ matchLabels: { a: "1" } }), deployments, more);

    const data = [{ childName: "z", state }];
    expect(at(item, "metadata", "associatedData")).to.deep.equal([{ gvk, data }]);
  });

  for (const [id, child] of [
    ["apps.deployment", "pod"],
    ["apps.daemonset", "pod"],
    ["apps.replicaset", "pod"],
    ["apps.statefulset", "pod"],
    ["batch.job", "pod"],
    ["batch.cronjob", "batch.job"],
    ["pod", undefined],
    ["constructor", undefined],
  ] as const) {
    it(`has ${child ?? "nothing"} with ${id}`, () => {
      expect(associatedType({ id }, allTypes)?.id).to.equal(child);
    });
  }
});
