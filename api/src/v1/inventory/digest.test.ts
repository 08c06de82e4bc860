import { expect } from "chai";
import { DigestReader, digestOf, imagesOf } from "./digest.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const reader = new DigestReader();
const read = (object: unknown) => reader.read(digestOf(object, { now }));
const pod = (fields: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "ns", ...metadata },
  ...fields,
});

describe("digestOf", () => {
  for (const { name, object, expected } of [
    {
      name: "an object about which nothing is to be said",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      expected: { state: "active", error: false, transitioning: false },
    },
    {
      name: "an error",
      object: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "a" },
        status: {
          conditions: [
            {
              type: "Progressing",
              status: "False",
              reason: "ProgressDeadlineExceeded",
              message: "line one\nline two",
            },
          ],
        },
      },
      expected: { error: true, message: "line one\nline two" },
    },
    {
      name: "what goes on",
      object: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/y"] },
      },
      expected: { state: "removing", transitioning: true },
    },
    { name: "nonsense", object: "nonsense", expected: { state: "active", error: false } },
  ]) {
    it(`keeps the state of ${name}`, () => {
      expect(read(object).standing).to.include(expected);
    });
  }

  it("keeps relationships with what has a name", () => {
    const object = pod(
      {
        spec: {
          serviceAccountName: "runner",
          volumes: [{ configMap: { name: "settings" } }],
          containers: [{ envFrom: [{ secretRef: { name: "keys" } }] }],
        },
      },
      { ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1" }] },
    );

    const named = read(object).named.map(({ rel, towards, typeId, name }) => [
      rel,
      towards,
      typeId,
      name,
    ]);

    expect(named).to.have.deep.members([
      ["uses", false, "configmap", "settings"],
      ["uses", false, "secret", "keys"],
      ["uses", false, "serviceaccount", "runner"],
      ["owner", true, "apps.replicaset", "web-1"],
    ]);
  });

  it("is the same for replicas, and not for objects of another namespace", () => {
    const [one, other] = ["a", "b"].map((name) => digestOf(pod({}, { name }), { now }));

    expect(one).to.equal(other);
    expect(digestOf(pod({}, { namespace: "other" }), { now })).to.not.equal(one);
    expect(read(pod({}, { namespace: "other" })).namespace).to.equal("other");
    expect(read({ kind: "Node", metadata: { name: "n" } }).namespace).to.equal("");
  });

  it("leaves out what selectors find", () => {
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "a", namespace: "ns" },
      spec: { selector: { app: "a" } },
    };

    expect(read(service).named).to.deep.equal([]);
  });

  it("keeps names that hold anything", () => {
    const odd = 'a"\n\t\u2028b';
    const annotations = {
      "objectset.rio.cattle.io/owner-gvk": "apps/v1, Kind=Deployment",
      "objectset.rio.cattle.io/owner-name": odd,
      "objectset.rio.cattle.io/owner-namespace": "other",
    };

    expect(read(pod({}, { annotations })).named).to.deep.include({
      ...{ rel: "applies", towards: true, typeId: "apps.deployment" },
      ...{ namespace: "other", name: odd },
    });
  });

  it("can be read as far as it goes when it was cut", () => {
    const ownerReferences = ["a", "b"].map((name) => ({ apiVersion: "v1", kind: "Node", name }));
    const text = digestOf(pod({}, { ownerReferences }), { now });

    const { named } = reader.read(text.slice(0, -3));

    expect(named.map(({ name }) => name)).to.deep.equal(["a"]);
    expect(reader.read("").standing.state).to.equal("active");
  });
});

describe("imagesOf", () => {
  const containers = [{ image: "a:1" }, { image: "b:1" }, { image: "a:1" }, {}];

  for (const { name, object, expected } of [
    { name: "a Pod", object: { spec: { containers } }, expected: ["a:1", "b:1"] },
    {
      name: "a Pod with containers of all sorts",
      object: {
        spec: {
          initContainers: [{ image: "i:1" }],
          containers,
          ephemeralContainers: [{ image: "e:1" }],
        },
      },
      expected: ["i:1", "a:1", "b:1", "e:1"],
    },
    {
      name: "a Deployment",
      object: { spec: { template: { spec: { containers } } } },
      expected: ["a:1", "b:1"],
    },
    {
      name: "a CronJob",
      object: { spec: { jobTemplate: { spec: { template: { spec: { containers } } } } } },
      expected: ["a:1", "b:1"],
    },
    { name: "anything else", object: { spec: "x" }, expected: undefined },
  ]) {
    it(`finds those of ${name}`, () => {
      expect(imagesOf(object)).to.deep.equal(expected);
    });
  }
});
