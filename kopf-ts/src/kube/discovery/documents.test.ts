import { expect } from "chai";
import { aggregatedKinds, isAggregated, legacyKinds, legacyVersions } from "./documents.ts";

const resource = (kind: string, more: object = {}) => ({
  resource: `${kind.toLowerCase()}s`,
  responseKind: { group: "", version: "", kind },
  scope: "Namespaced",
  ...more,
});

describe("aggregated discovery", () => {
  const kinds = (items: readonly object[] | null) =>
    aggregatedKinds({ kind: "APIGroupDiscoveryList", items } as Parameters<
      typeof aggregatedKinds
    >[0]);

  it("names every kind with all that is said of it", () => {
    const found = kinds([
      {
        metadata: { name: "apps" },
        versions: [
          {
            version: "v1",
            freshness: "Current",
            resources: [
              resource("Deployment", {
                singularResource: "deployment",
                verbs: ["get", "list"],
                shortNames: ["deploy"],
                categories: ["all"],
                subresources: [{ subresource: "status" }, { subresource: "scale" }],
              }),
            ],
          },
        ],
      },
    ]);

    expect(found).to.deep.equal({
      failures: [],
      kinds: [
        {
          group: "apps",
          version: "v1",
          plural: "deployments",
          kind: "Deployment",
          scope: "Namespaced",
          verbs: ["get", "list"],
          singular: "deployment",
          shortNames: ["deploy"],
          categories: ["all"],
          subresources: ["status", "scale"],
          preferred: true,
        },
      ],
    });
  });

  it("takes the first version of a group as the preferred one", () => {
    const versions = ["v2", "v1"].map((version) => ({ version, resources: [resource("A")] }));

    const { kinds: found } = kinds([{ metadata: { name: "g" }, versions }]);

    expect(found.map(({ version, preferred }) => [version, preferred])).to.deep.equal([
      ["v2", true],
      ["v1", false],
    ]);
  });

  it("reports what is stale, with what is still known of it", () => {
    const versions = [{ version: "v1", freshness: "Stale", resources: [resource("A")] }];

    const found = kinds([{ metadata: { name: "g" }, versions }]);

    expect(found.failures).to.deep.equal([
      { apiVersion: "g/v1", message: "g/v1 does not answer, what is known of it may be old" },
    ]);
    expect(found.kinds).to.have.length(1);
  });

  it("leaves out what has no kind, and survives what is missing", () => {
    const versions = [
      { version: "v1", resources: [{ resource: "a", subresources: [] }, resource("", {})] },
      { version: "v2", resources: null },
    ];

    expect(
      kinds([{ metadata: { name: "g" }, versions }, {}, { metadata: {}, versions: null }]),
    ).to.deep.equal({ kinds: [], failures: [] });
    expect(kinds(null)).to.deep.equal({ kinds: [], failures: [] });
  });
});

describe("older discovery", () => {
  it("lists the versions of the core and of groups", () => {
    const group = { versions: [{ groupVersion: "g/v2" }, { groupVersion: "g/v1" }] };

    expect(legacyVersions({ kind: "APIVersions", versions: ["v1"] })).to.deep.equal([
      { apiVersion: "v1", preferred: true },
    ]);
    expect(
      legacyVersions({
        kind: "APIGroupList",
        groups: [{ ...group, preferredVersion: { groupVersion: "g/v1" } }],
      }),
    ).to.deep.equal([
      { apiVersion: "g/v2", preferred: false },
      { apiVersion: "g/v1", preferred: true },
    ]);
  });

  it("names the kinds of a version; subresources belong to their resource", () => {
    const found = legacyKinds("g/v1", {
      kind: "APIResourceList",
      resources: [
        {
          name: "as",
          kind: "A",
          namespaced: true,
          singularName: "a",
          verbs: ["get"],
          shortNames: ["x"],
        },
        { name: "as/status", kind: "A", namespaced: true, verbs: ["get"] },
        { name: "asides", kind: "Aside", namespaced: false },
      ],
    });

    expect(
      found.map(({ plural, scope, subresources }) => [plural, scope, subresources]),
    ).to.deep.equal([
      ["as", "Namespaced", ["status"]],
      ["asides", "Cluster", []],
    ]);
    expect(found[0]).to.include({ group: "g", version: "v1", kind: "A", singular: "a" });
  });

  it("knows the core group", () => {
    const [pod] = legacyKinds("v1", {
      kind: "APIResourceList",
      resources: [{ name: "pods", kind: "Pod", namespaced: true }],
    });

    expect(pod).to.include({ group: "", version: "v1" });
  });
});

for (const document of [undefined, null, 7, "x", [], {}, { kind: "Status" }]) {
  it(`discovery finds nothing in ${JSON.stringify(document)}`, () => {
    expect(isAggregated(document)).to.equal(false);
    expect(legacyVersions(document)).to.deep.equal([]);
    expect(legacyKinds("v1", document)).to.deep.equal([]);
  });
}
