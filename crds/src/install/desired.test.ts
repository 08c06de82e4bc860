import { expect } from "chai";
import { Token } from "../auth/token.ts";
import { desiredCrd, obstacle, outdated, unready } from "./desired.ts";
import { type CrdVersion, type CustomResourceDefinition, readManifest } from "./manifest.ts";

const manifest = await readManifest(Token);
const [v3] = manifest.spec.versions;

function version(name: string, fields: Partial<CrdVersion> = {}): CrdVersion {
  return {
    name,
    served: true,
    storage: false,
    schema: { openAPIV3Schema: { type: "object" } },
    ...fields,
  };
}

/** The manifest as a server that has accepted it shows it, with changes. */
function live({
  labels,
  status,
  ...spec
}: Partial<CustomResourceDefinition["spec"]> & {
  readonly labels?: Readonly<Record<string, string>>;
  readonly status?: CustomResourceDefinition["status"];
} = {}): CustomResourceDefinition {
  return {
    ...manifest,
    metadata: { ...manifest.metadata, resourceVersion: "7", ...(labels && { labels }) },
    spec: { ...manifest.spec, ...spec },
    ...(status && { status }),
  };
}

const managedBy = (owner: string): Readonly<Record<string, string>> => ({
  "app.kubernetes.io/managed-by": owner,
});

describe("obstacle", () => {
  for (const { name, crd, words } of [
    { name: "is none for a CRD that does not exist", crd: undefined, words: undefined },
    { name: "is none for a CRD without an owner", crd: live(), words: undefined },
    {
      name: "is none for upstream's",
      crd: live({ labels: managedBy("rancher") }),
      words: undefined,
    },
    { name: "is none for our own", crd: live({ labels: managedBy("drover") }), words: undefined },
    {
      name: "is somebody else's label",
      crd: live({ labels: managedBy("Helm") }),
      words: /^it belongs to Helm .*; remove the label to hand it over$/,
    },
    {
      name: "is another scope",
      crd: live({ scope: "Namespaced" }),
      words:
        /^its spec.scope is "Namespaced", not "Cluster", and that cannot be changed; save its objects/,
    },
    {
      name: "is another kind",
      crd: live({ names: { ...manifest.spec.names, kind: "Chip" } }),
      words: /^its spec.names.kind is "Chip", not "Token"/,
    },
  ]) {
    it(name, () => {
      const found = obstacle(manifest, crd);

      if (words === undefined) expect(found).to.equal(undefined);
      else expect(found).to.match(words);
    });
  }
});

describe("desiredCrd", () => {
  it("is the manifest where there is nothing", () => {
    const desired = desiredCrd(manifest, undefined);

    expect(desired.spec.versions).to.deep.equal([v3]);
    expect(desired.metadata).to.deep.equal(manifest.metadata);
  });

  it("holds only as long as the CRD stays as it was read", () => {
    expect(desiredCrd(manifest, live()).metadata.resourceVersion).to.equal("7");
  });

  for (const { name, old, stored, kept } of [
    {
      name: "keeps a version that is served",
      old: version("v2"),
      stored: ["v3"],
      kept: ["v3", "v2"],
    },
    {
      name: "keeps a version that objects may be stored in",
      old: version("v2", { served: false, storage: true }),
      stored: ["v2"],
      kept: ["v3", "v2"],
    },
    {
      name: "drops a version that is neither",
      old: version("v2", { served: false }),
      stored: ["v3"],
      kept: ["v3"],
    },
  ]) {
    it(name, () => {
      const crd = live({ versions: [old], status: { storedVersions: stored } });

      const { versions } = desiredCrd(manifest, crd).spec;

      expect(versions.map((one) => one.name)).to.deep.equal(kept);
      expect(versions.filter((one) => one.storage).map((one) => one.name)).to.deep.equal(["v3"]);
    });
  }
});

describe("outdated", () => {
  const withLabel: CustomResourceDefinition = {
    ...manifest,
    metadata: { ...manifest.metadata, labels: managedBy("rancher") },
  };
  for (const { name, wanted = manifest, crd, words } of [
    { name: "is nothing when all is as it should be", crd: live(), words: undefined },
    { name: "ignores further labels", crd: live({ labels: { team: "a" } }), words: undefined },
    {
      name: "is a missing label",
      wanted: withLabel,
      crd: live(),
      words: /^metadata.labels is absent/,
    },
    {
      name: "is a missing version",
      crd: live({ versions: [] }),
      words: /^spec.versions has 0 items, not 1/,
    },
    {
      name: "is a changed schema",
      crd: live({ versions: [version("v3", { storage: true })] }),
      words: /^spec.versions.0.schema.openAPIV3Schema.description is absent/,
    },
    {
      name: "is a column that the manifest no longer has",
      crd: live({
        versions: manifest.spec.versions.map((one) => ({
          ...one,
          additionalPrinterColumns: [{ name: "TTL", type: "integer", jsonPath: ".ttl" }],
        })),
      }),
      words: /^the manifest's spec.versions.0.additionalPrinterColumns is absent/,
    },
    {
      name: "is the keeping of every unknown field",
      crd: live({ preserveUnknownFields: true }),
      words: /^spec.preserveUnknownFields is true/,
    },
  ]) {
    it(name, () => {
      const found = outdated(desiredCrd(wanted, crd), crd);

      if (words === undefined) expect(found).to.equal(undefined);
      else expect(found).to.match(words);
    });
  }
});

describe("unready", () => {
  const accepted = { type: "NamesAccepted", status: "True" } as const;
  const established = { type: "Established", status: "True" } as const;
  for (const { name, conditions, words } of [
    { name: "is nothing once established", conditions: [accepted, established], words: undefined },
    { name: "says when nothing was decided yet", conditions: [], words: "NamesAccepted is absent" },
    {
      name: "gives the server's reason and message",
      conditions: [
        {
          type: "NamesAccepted",
          status: "False",
          reason: "PluralConflict",
          message: '"tokens" is already in use',
        } as const,
      ],
      words: 'NamesAccepted is False: PluralConflict: "tokens" is already in use',
    },
    {
      name: "waits for both conditions",
      conditions: [accepted, { ...established, status: "False" } as const],
      words: "Established is False",
    },
  ]) {
    it(name, () => expect(unready(live({ status: { conditions } }))).to.equal(words));
  }
});
