import { expect } from "chai";
import { Problem } from "../problem.ts";
import { parseShape, whole } from "./shape.ts";

const parse = (query: string) => parseShape(new URLSearchParams(query));

describe("parseShape", () => {
  for (const { query, expected } of [
    { query: "", expected: {} },
    { query: "pagesize=5&filter=a=b", expected: {} },
    { query: "include=id&include=metadata.name", expected: { include: ["id", "metadata.name"] } },
    {
      query: "exclude=metadata.managedFields",
      expected: { exclude: ["metadata.managedFields"] },
    },
    {
      query: "exclude=metadata.annotations[a.b/c]",
      expected: { exclude: ["metadata.annotations[a.b/c]"] },
    },
    { query: "excludeValues=data", expected: { excludeValues: ["data"] } },
    { query: "truncate=0", expected: { truncate: 0 } },
    { query: "truncate=500", expected: { truncate: 500 } },
    { query: "includeHelmData=true", expected: { includeHelmData: true } },
    { query: "includeHelmData=false&includeAssociatedData=", expected: {} },
    { query: "includeAssociatedData=true", expected: { associatedData: true } },
    {
      query: "checkPermissions=pod,,apps.deployments",
      expected: { checkPermissions: ["pod", "apps.deployments"] },
    },
  ]) {
    it(`reads ${JSON.stringify(query)}`, () => {
      expect(parse(query)).to.deep.equal({ ...whole, ...expected });
    });
  }

  for (const [query, parameter] of [
    ["include=", "include"],
    ["include=a..b", "include"],
    ["exclude=a.", "exclude"],
    ["exclude=[a]", "exclude"],
    [`exclude=${"a.".repeat(40)}a`, "exclude"],
    ["excludeValues=a[b", "excludeValues"],
    ["truncate=", "truncate"],
    ["truncate=-1", "truncate"],
    ["truncate=1.5", "truncate"],
    ["truncate=1e3", "truncate"],
    ["truncate=99999999999999", "truncate"],
    ["includeHelmData=yes", "includeHelmData"],
    ["includeAssociatedData=1", "includeAssociatedData"],
    [Array.from({ length: 201 }, () => "exclude=a").join("&"), "exclude"],
    [`checkPermissions=${"a,".repeat(201)}`, "checkPermissions"],
  ] as const) {
    it(`refuses ${query.slice(0, 60)} and names the parameter`, () => {
      expect(() => parse(query))
        .to.throw(Problem)
        .that.includes({ status: 422, code: "InvalidOption", fieldName: parameter });
    });
  }
});
