import type { Feature } from "@drover/crds";
import { aFeature } from "@drover/crds/testing";
import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { FeatureListError, parseFeatures } from "./defaults.ts";
import { type FeatureName, featureNames, features, isFeatureName } from "./table.ts";
import { desiredFeatures, effectOfChange, featureProblem, featureValue } from "./value.ts";

const defaults = parseFeatures("");

const feature = (name: string, value: boolean | null, lockedValue?: boolean | null): Feature =>
  aFeature({
    metadata: { name },
    spec: { value },
    status: { default: false, ...(lockedValue === undefined ? {} : { lockedValue }) },
  });

/** The name of a feature that is dynamic or is not, for tests that need one of each. */
const dynamic: FeatureName = "crt-token-ttl-rotation";
const still: FeatureName = "multi-cluster-management";

const dynamicNames =
  `legacy token-hashing aggregated-roletemplates crt-token-ttl-rotation hide-local-auth-provider
  unsupported-storage-drivers istio-virtual-service-ui harvester harvester-baremetal-container-workload
  cluster-agent-scheduling-customization`.split(/\s+/);

const stillNames =
  `multi-cluster-management multi-cluster-management-agent fleet continuous-delivery rke2 provisioningv2
  managed-system-upgrade-controller turtles cluster-autoscaling clean-stale-secrets consistent-hashing-cluster-ownership
  uiextension v3-public cluster-shell node-shell pod-shell imported-day-2-ops oidc-provider scim provisioningprebootstrap
  provisioningv2-fleet-workspace-back-population v2prov-etcd-snapshot-backpopulate
  rancher-scc-registration-extension`.split(/\s+/);

describe("the table of features", () => {
  it("has every feature, dynamic where upstream's is", () => {
    const of = (wanted: boolean) =>
      featureNames.filter((name) => features[name].dynamic === wanted);

    expect(of(true)).to.have.members(dynamicNames);
    expect(of(false)).to.have.members(stillNames);
  });

  it("has what we are about on, and what we lack off", () => {
    const on =
      "multi-cluster-management aggregated-roletemplates crt-token-ttl-rotation clean-stale-secrets";

    expect(on.split(" ").filter((name) => !isFeatureName(name) || !defaults[name])).to.deep.equal(
      [],
    );
    expect(
      ["fleet", "rke2", "provisioningv2", "legacy", "token-hashing"].filter(
        (name) => !isFeatureName(name) || defaults[name],
      ),
    ).to.deep.equal([]);
  });

  it("says upstream's default only where ours differs", () => {
    expect(
      featureNames.filter((name) => features[name].upstream === features[name].default),
    ).to.deep.equal([]);
  });
});

describe("parseFeatures", () => {
  it("changes the defaults it names", () => {
    expect(parseFeatures("fleet=true, legacy = 1,v3-public=F")).to.deep.equal({
      ...defaults,
      fleet: true,
      legacy: true,
      "v3-public": false,
    });
  });

  it("lets the last of a name count", () => {
    expect(parseFeatures("fleet=true,fleet=false").fleet).to.equal(false);
  });

  for (const { text, message } of [
    { text: "fleet", message: '"fleet" must be of the form name=true or name=false' },
    { text: "fleet=yes", message: '"fleet=yes" must be of the form' },
    { text: "fleet=", message: '"fleet=" must be of the form' },
    { text: "fleet=true=false", message: '"fleet=true=false" must be of the form' },
    { text: "fleet=true,", message: '"" must be of the form' },
    { text: "float=true", message: '"float" is not a feature' },
    { text: "toString=true", message: '"toString" is not a feature' },
    { text: "__proto__=true", message: '"__proto__" is not a feature' },
    { text: "=true", message: '"" is not a feature' },
  ]) {
    it(`refuses ${text}`, () => {
      expect(() => parseFeatures(text)).to.throw(FeatureListError, message);
    });
  }
});

describe("featureValue", () => {
  for (const { title, object, expected } of [
    { title: "takes the default without an object", object: undefined, expected: true },
    { title: "takes the default without a value", object: feature(dynamic, null), expected: true },
    { title: "takes the spec's value", object: feature(dynamic, false), expected: false },
    { title: "prefers the locked value", object: feature(dynamic, true, false), expected: false },
    { title: "takes null for no lock", object: feature(dynamic, false, null), expected: false },
  ]) {
    it(title, () => expect(featureValue(dynamic, { defaults, object })).to.equal(expected));
  }
});

describe("effectOfChange, conformance case 89", () => {
  it("asks for a restart when a feature that is not dynamic changes", () => {
    expect(effectOfChange(still, feature(still, null), feature(still, false), defaults)).to.equal(
      "restart",
    );
    expect(effectOfChange(still, feature(still, false), undefined, defaults)).to.equal("restart");
  });

  it("asks for none when a dynamic one changes", () => {
    expect(effectOfChange(dynamic, undefined, feature(dynamic, false), defaults)).to.equal("apply");
  });

  it("lets a locked value win over the spec", () => {
    const locked = feature(still, true, true);

    expect(effectOfChange(still, locked, feature(still, false, true), defaults)).to.equal("none");
    expect(effectOfChange(still, locked, feature(still, true, false), defaults)).to.equal(
      "restart",
    );
  });

  it("asks for nothing when the value in force stays", () => {
    expect(effectOfChange(still, feature(still, null), feature(still, true), defaults)).to.equal(
      "none",
    );
    expect(effectOfChange(still, undefined, undefined, defaults)).to.equal("none");
    const other = { ...feature(still, null), status: { default: true } };
    expect(effectOfChange(still, feature(still, null), other, defaults)).to.equal("none");
  });
});

describe("featureProblem", () => {
  it("refuses a change away from the locked value", () => {
    const problem = featureProblem(
      feature("token-hashing", true, true),
      feature("token-hashing", false, true),
    );

    expect(problem).to.equal("spec.value of feature token-hashing is locked to true");
  });

  for (const { title, before, after } of [
    { title: "no lock", before: feature(still, true), after: feature(still, false) },
    {
      title: "the locked value",
      before: feature(still, null, true),
      after: feature(still, true, true),
    },
    { title: "no value", before: feature(still, true, true), after: feature(still, null, true) },
    {
      title: "an old value",
      before: feature(still, false, true),
      after: feature(still, false, true),
    },
  ]) {
    it(`allows ${title}`, () => expect(featureProblem(before, after)).to.equal(undefined));
  }
});

describe("desiredFeatures", () => {
  const written = (existing: readonly Feature[], list: string): readonly Feature[] => {
    const { create, update } = desiredFeatures(existing, parseFeatures(list));
    const names = new Set(update.map(({ metadata }) => metadata.name));
    return [...existing.filter(({ metadata }) => !names.has(metadata.name)), ...update, ...create];
  };

  it("creates every feature without a value", () => {
    const { create, update } = desiredFeatures([], defaults);

    expect(create.map(({ metadata }) => metadata.name)).to.deep.equal([...featureNames]);
    expect(create.filter(({ spec }) => spec?.value !== null)).to.deep.equal([]);
    expect(update).to.deep.equal([]);
  });

  it("refreshes what the server says and keeps the rest", () => {
    const metadata = { name: still, resourceVersion: "7" };
    const stale = aFeature({
      metadata,
      spec: { value: false },
      status: { default: false, prime: true },
    });

    const [update] = desiredFeatures([stale], defaults).update;

    const { default: on, dynamic: atOnce, description } = features[still];
    expect(update).to.deep.equal({
      ...stale,
      status: { ...stale.status, default: on, dynamic: atOnce, description },
    });
  });

  it("locks token hashing as soon as it is on, and never unlocks it", () => {
    const on = written([feature("token-hashing", true)], "");
    const off = on.map((object) => ({ ...object, spec: { value: false } }));

    const find = (objects: readonly Feature[]) =>
      objects.find(({ metadata }) => metadata.name === "token-hashing");
    expect(find(on)?.status?.lockedValue).to.equal(true);
    expect(desiredFeatures(off, defaults).update).to.deep.equal([]);
    expect(featureValue("token-hashing", { defaults, object: find(off) })).to.equal(true);
    expect(find(written([], ""))?.status).not.to.have.property("lockedValue");
  });

  it("locks what there is no alternative to, whatever was stored", () => {
    const name = "aggregated-roletemplates";
    const [stored] = desiredFeatures([feature(name, false)], defaults).update;

    expect(stored?.status?.lockedValue).to.equal(true);
    expect(featureValue(name, { defaults, object: stored })).to.equal(true);
    expect(desiredFeatures(stored ? [stored] : [], defaults).update).to.deep.equal([]);
  });

  it("leaves unknown features alone", () => {
    const { update } = desiredFeatures([feature("of-long-ago", true)], defaults);

    expect(update).to.deep.equal([]);
  });

  it("wants nothing more once its changes are written, whatever was there before", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = seededRandom(seed);
      const existing = [...featureNames, "unknown"]
        .filter(() => random.chance(0.6))
        .map((name) =>
          feature(
            name,
            random.pick([true, false, null]),
            random.pick([true, false, null, undefined]),
          ),
        );
      const list = random.pick(["", "fleet=true", "token-hashing=true,legacy=true"]);

      const again = desiredFeatures(written(existing, list), parseFeatures(list));

      expect(again, `seed ${seed}`).to.deep.equal({ create: [], update: [] });
    }
  });
});
