import { expect } from "chai";
import { errorMappingOf } from "./api.ts";

describe("which conditions mean an error", () => {
  const mappingOf = (text: string) => {
    const warned: string[] = [];
    const env = { CATTLE_WRANGLER_CHECK_GVK_ERROR_MAPPING: text };
    const warn = (_message: string, fields?: object): void => {
      warned.push(JSON.stringify(fields));
    };
    return { mapping: errorMappingOf(env, { warn }), warned };
  };

  it("is read from the environment", () => {
    const conditions = [{ type: "Odd", status: ["True"] }];
    const kind = { gvk: "example.com/v1, Kind=Thing", conditionMappings: conditions };

    const { mapping, warned } = mappingOf(JSON.stringify([kind]));

    expect(mapping?.get("example.com/v1/Thing")).to.deep.equal({ Odd: ["True"] });
    expect(warned).to.deep.equal([]);
  });

  it("is as always, with a warning, where that cannot be read", () => {
    const { mapping, warned } = mappingOf("nonsense");

    expect(mapping).to.equal(undefined);
    expect(warned.join()).to.contain("CATTLE_WRANGLER_CHECK_GVK_ERROR_MAPPING is no JSON");
  });
});
