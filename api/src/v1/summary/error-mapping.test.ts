import { expect } from "chai";
import { additionTo } from "../items/state.ts";
import { aType, bytesOf, itemOf } from "../items/testing.test.support.ts";
import { parseErrorMapping } from "./error-mapping.ts";
import { summarize } from "./summary.ts";

const told = parseErrorMapping(
  JSON.stringify([
    {
      gvk: "helm.cattle.io/v1, Kind=HelmChart",
      conditionMappings: [
        { type: "Failed", status: ["False"] },
        { type: "Ready", status: ["False", "Unknown"] },
      ],
    },
    { gvk: "/v1, Kind=Node", conditionMappings: [{ type: "OutOfDisk" }] },
    {
      gvk: "example.com/v1, Kind=Thing",
      conditionMappings: [{ type: "Odd", status: ["True"] }],
    },
  ]),
);

describe("what the environment says of conditions that mean an error", () => {
  for (const { kind, condition, isError } of [
    { kind: "helm.cattle.io/v1/HelmChart", condition: "Failed=False", isError: true },
    { kind: "helm.cattle.io/v1/HelmChart", condition: "Failed=True", isError: false },
    { kind: "helm.cattle.io/v1/HelmChart", condition: "Ready=Unknown", isError: true },
    { kind: "helm.cattle.io/v1/HelmChart", condition: "JobCreated=True", isError: false },
    { kind: "/v1/Node", condition: "OutOfDisk=True", isError: false },
    { kind: "/v1/Node", condition: "DiskPressure=True", isError: true },
    { kind: "example.com/v1/Thing", condition: "Odd=True", isError: true },
    { kind: "example.com/v1/Thing", condition: "Failed=True", isError: false },
  ]) {
    it(`${isError ? "makes" : "does not make"} ${condition} an error of ${kind}`, () => {
      const [type, status] = condition.split("=");
      const slash = kind.lastIndexOf("/");
      const conditions = [{ type, status, reason: "Why" }];
      const apiVersion = kind.slice(0, slash).replace(/^\//, "");
      const object = { apiVersion, kind: kind.slice(slash + 1), status: { conditions } };
      const options = { now: 0, errorStatuses: told.get(kind) };

      expect(summarize(object, options).error).to.equal(isError);
      expect(additionTo(object, conditions[0], options).error).to.equal(isError);
    });
  }

  it("shows in items of the type", () => {
    const errorStatuses = told.get("example.com/v1/Thing");
    const kind = { group: "example.com", kind: "Thing", plural: "things" };
    const object = {
      ...{ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a", namespace: "b" } },
      status: { conditions: [{ type: "Odd", status: "True" }] },
    };
    const states = [aType(kind), aType(kind, { errorStatuses })].map(
      (type) => JSON.parse(String(bytesOf(itemOf(object, type)))).metadata.state.name,
    );

    expect(states).to.deep.equal(["active", "error"]);
  });

  it("is nothing unless it is told", () => {
    for (const text of [undefined, "", "[]"]) expect(parseErrorMapping(text).size).to.equal(0);
  });

  for (const [text, why] of [
    ["{", "is no JSON"],
    ["{}", "is no list"],
    ['[{"gvk":"Thing"}]', '"Thing" is not of the form group/version, Kind=kind'],
    ["[1]", "is not of the form"],
  ] as const) {
    it(`is refused when it ${why}: ${text}`, () => {
      expect(() => parseErrorMapping(text)).to.throw(why);
    });
  }
});
