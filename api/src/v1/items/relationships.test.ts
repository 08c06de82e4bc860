import { expect } from "chai";
import type { Inbound, Standing } from "../inventory/inventory.ts";
import { at } from "../tree.ts";
import { edgesOf, edgeText, inboundText } from "./edges.ts";
import { allTypes, aType, itemOf, nodes, type Sent } from "./testing.test.support.ts";

const metadata = { name: "thing", namespace: "ns" };
const things = aType({ group: "x.io", kind: "Thing", plural: "things" });

const told = (object: Sent, type = things): unknown =>
  at(itemOf({ metadata, ...object }, type), "metadata", "relationships");

const pod = (spec: object): Sent => ({
  apiVersion: "v1",
  kind: "Pod",
  spec: { serviceAccountName: "a", ...spec },
});
const uses = (kind: string, name: string) => ({ toId: `ns/${name}`, toType: kind, rel: "uses" });
const usesAccount = uses("serviceaccount", "a");
const template = { spec: { serviceAccountName: "a", volumes: [{ configMap: { name: "c" } }] } };
const ofTemplate = [uses("configmap", "c"), usesAccount];
const owner = (apiVersion: string, kind: string, more: object = {}) => ({
  metadata: { ...metadata, ownerReferences: [{ apiVersion, kind, name: "o", uid: "u", ...more }] },
});
const applied = (annotations: Readonly<Record<string, string>>) => ({
  metadata: {
    ...metadata,
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, text]) => [`objectset.rio.cattle.io/${key}`, text]),
    ),
  },
});

describe("metadata.relationships", () => {
  for (const { title, object, expected } of [
    { title: "nothing", object: {}, expected: null },
    {
      title: "an owner in its namespace",
      object: owner("apps/v1", "ReplicaSet", { controller: true }),
      expected: [{ fromId: "ns/o", fromType: "apps.replicaset", rel: "owner" }],
    },
    {
      title: "an owner outside of namespaces",
      object: owner("v1", "Node"),
      expected: [{ fromId: "o", fromType: "node", rel: "owner" }],
    },
    {
      title: "an owner of a type that nobody knows",
      object: owner("who.knows/v3", "What"),
      expected: [{ fromId: "o", fromType: "who.knows.what", rel: "owner" }],
    },
    {
      title: "an owner of an odd type",
      object: owner("a/b/c", "What"),
      expected: [{ fromId: "o", fromType: "what", rel: "owner" }],
    },
    {
      title: "who applied it",
      object: applied({
        "owner-gvk": "apps/v1, Kind=Deployment",
        "owner-name": "d",
        "owner-namespace": "other",
      }),
      expected: [{ fromId: "other/d", fromType: "apps.deployment", rel: "applies" }],
    },
    {
      title: "who applied it, in its own namespace",
      object: applied({ "owner-gvk": "apps/v1, Kind=Deployment", "owner-name": "d" }),
      expected: [{ fromId: "ns/d", fromType: "apps.deployment", rel: "applies" }],
    },
    {
      title: "what a Service selects",
      object: { apiVersion: "v1", kind: "Service", spec: { selector: { b: "2", a: "1" } } },
      expected: [{ toType: "pod", toNamespace: "ns", rel: "selects", selector: "a=1,b=2" }],
    },
    {
      title: "what a Service without labels selects",
      object: { apiVersion: "v1", kind: "Service", spec: { selector: {} } },
      expected: [{ toType: "pod", toNamespace: "ns", rel: "selects" }],
    },
    ...[
      ["apps/v1", "Deployment"],
      ["apps/v1", "DaemonSet"],
      ["apps/v1", "StatefulSet"],
      ["apps/v1", "ReplicaSet"],
      ["batch/v1", "Job"],
    ].map(([apiVersion, kind]) => ({
      title: `what a ${kind} creates and uses`,
      object: {
        ...{ apiVersion, kind },
        spec: {
          selector: {
            matchLabels: { b: "2" },
            matchExpressions: [
              { key: "c", operator: "In", values: ["y", "x"] },
              { key: "a", operator: "Exists" },
              { key: "d", operator: "DoesNotExist" },
              { key: "e", operator: "NotIn", values: ["z"] },
            ],
          },
          template,
        },
      },
      expected: [
        {
          toType: "pod",
          toNamespace: "ns",
          rel: "creates",
          selector: "a,b=2,c in (x,y),!d,e notin (z)",
        },
        ...ofTemplate,
      ],
    })),
    {
      title: "nothing of what only looks like a workload",
      object: {
        apiVersion: "x.io/v1",
        kind: "Deployment",
        spec: { selector: { matchLabels: { a: "1" } }, template },
      },
      expected: null,
    },
    {
      title: "what a Pod mounts",
      object: pod({
        volumes: [
          { configMap: { name: "c" } },
          { secret: { secretName: "s" } },
          { configMap: { name: "c" } },
        ],
      }),
      expected: [uses("configmap", "c"), uses("secret", "s"), usesAccount],
    },
    {
      title: "what is projected into a Pod",
      object: pod({
        volumes: [
          { projected: { sources: [{ secret: { name: "s" } }, { configMap: { name: "c" } }, {}] } },
        ],
      }),
      expected: [usesAccount, uses("secret", "s"), uses("configmap", "c")],
    },
    {
      title: "what a Pod's environment is of",
      object: pod({
        containers: [
          {
            envFrom: [{ configMapRef: { name: "c" } }, { secretRef: { name: "s" } }],
            env: [
              { name: "A", valueFrom: { configMapKeyRef: { name: "c2", key: "k" } } },
              { name: "B", valueFrom: { secretKeyRef: { name: "s2", key: "k" } } },
              { name: "C", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
            ],
          },
        ],
      }),
      expected: [
        ...[uses("configmap", "c"), uses("configmap", "c2"), uses("secret", "s")],
        ...[uses("secret", "s2"), usesAccount],
      ],
    },
    {
      title: "the secrets that images are pulled with",
      object: pod({ imagePullSecrets: [{ name: "s" }] }),
      expected: [usesAccount, uses("secret", "s")],
    },
    {
      title: "what a chart that is deployed brought",
      object: {
        ...{ apiVersion: "catalog.cattle.io/v1", kind: "App" },
        spec: {
          resources: [
            { apiVersion: "apps/v1", kind: "Deployment", name: "d", namespace: "other" },
            { apiVersion: "v1", kind: "Node", name: "n" },
          ],
        },
        status: { summary: { state: "deployed" } },
      },
      expected: [
        { toId: "other/d", toType: "apps.deployment", rel: "helmresource" },
        { toId: "n", toType: "node", rel: "helmresource" },
      ],
    },
    {
      title: "nothing of a chart that is not deployed",
      object: {
        apiVersion: "catalog.cattle.io/v1",
        kind: "App",
        spec: { resources: [{ name: "d" }] },
      },
      expected: null,
    },
  ]) {
    it(`tells ${title}`, () => {
      expect(told(object)).to.deep.equal(expected);
    });
  }

  it("are outside of namespaces for an object that is", () => {
    const object = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };

    expect(at(itemOf(object, nodes), "metadata", "relationships")).to.equal(null);
  });
});

const known: Standing = { state: "active", error: false, transitioning: false, message: "" };

describe("the other end of a relationship", () => {
  const edge = edgesOf(
    [
      {
        ...{ type: "uses", apiVersion: "v1", kind: "Secret", name: "s", namespace: "" },
        ...{ inbound: false, controlled: false },
      },
    ],
    "ns",
    allTypes,
  )[0];

  for (const { title, standing, expected } of [
    { title: "nothing where it is not known", standing: undefined, expected: {} },
    { title: "its state", standing: known, expected: { state: "active" } },
    {
      title: "what is wrong with it",
      standing: { state: "error", error: true, transitioning: true, message: 'a "b"; c' },
      expected: { state: "error", error: true, transitioning: true, message: 'a "b"; c' },
    },
    { title: "no state that is empty", standing: { ...known, state: "" }, expected: {} },
  ]) {
    it(`is told with ${title}`, () => {
      const text = edge === undefined ? "" : edgeText(edge, standing);

      expect(JSON.parse(text)).to.deep.equal({ ...uses("secret", "s"), ...expected });
    });
  }

  const inbound: Inbound = {
    ...{ typeId: "pod", namespace: "ns", name: "p", rel: "uses", towards: false },
    standing: known,
  };

  for (const { title, other, expected } of [
    {
      title: "of what it is used by",
      other: inbound,
      expected: { fromId: "ns/p", fromType: "pod", rel: "uses", state: "active" },
    },
    {
      title: "of what it owns",
      other: { ...inbound, rel: "owner", towards: true },
      expected: { toId: "ns/p", toType: "pod", rel: "owner", state: "active" },
    },
    {
      title: "outside of namespaces",
      other: { ...inbound, typeId: "node", namespace: "" },
      expected: { fromId: "p", fromType: "node", rel: "uses", state: "active" },
    },
  ]) {
    it(`tells ${title}`, () => {
      expect(JSON.parse(inboundText(other))).to.deep.equal(expected);
    });
  }
});
