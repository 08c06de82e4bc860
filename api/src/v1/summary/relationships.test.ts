import { expect } from "chai";
import { type Relationship, relationshipsOf } from "./relationships.ts";

const rel = (
  type: string,
  kind: string,
  name: string,
  more: Partial<Relationship> = {},
): Relationship => ({
  ...{ type, kind, name, apiVersion: "v1", namespace: "", inbound: false, controlled: false },
  ...more,
});

const template = {
  spec: {
    serviceAccountName: "robot",
    imagePullSecrets: [{ name: "registry" }, {}],
    volumes: [
      { configMap: { name: "settings" } },
      { secret: { secretName: "keys" } },
      { projected: { sources: [{ secret: { name: "inner" } }, { configMap: { name: "ca" } }] } },
    ],
    containers: [
      {
        envFrom: [{ configMapRef: { name: "settings" } }, { secretRef: { name: "env" } }],
        env: [
          { valueFrom: { secretKeyRef: { name: "keys" } } },
          { valueFrom: { configMapKeyRef: { name: "more" } } },
        ],
      },
    ],
  },
};

const used = [
  rel("uses", "ConfigMap", "settings"),
  rel("uses", "ConfigMap", "more"),
  rel("uses", "Secret", "keys"),
  rel("uses", "Secret", "env"),
  rel("uses", "ServiceAccount", "robot"),
  rel("uses", "Secret", "inner"),
  rel("uses", "ConfigMap", "ca"),
  rel("uses", "Secret", "registry"),
];

const cases: readonly (readonly [
  title: string,
  object: unknown,
  found: readonly Relationship[],
])[] = [
  ["nothing of nothing", {}, []],
  ["nothing of odd shapes", { apiVersion: 1, metadata: { ownerReferences: "x" }, spec: [] }, []],
  ["what a Pod uses", { apiVersion: "v1", kind: "Pod", ...template }, used],
  [
    "what Pods of a template use",
    { apiVersion: "batch/v1", kind: "Job", spec: { template } },
    used,
  ],
  [
    "nothing of another's template",
    { apiVersion: "x.io/v1", kind: "Job", spec: { template, selector: { a: "b" } } },
    [],
  ],
  [
    "what a Service selects",
    { apiVersion: "v1", kind: "Service", spec: { selector: { app: "web", port: 80 } } },
    [rel("selects", "Pod", "", { selector: { matchLabels: { app: "web", port: "80" } } })],
  ],
  [
    "what a Deployment creates",
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      spec: { selector: { matchLabels: {}, matchExpressions: [{ key: "a", operator: "Exists" }] } },
    },
    [
      rel("creates", "Pod", "", {
        selector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
      }),
    ],
  ],
  [
    "owners, before who applied it",
    {
      metadata: {
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", controller: true },
          { apiVersion: "v1", kind: "Thing", name: "x" },
        ],
        annotations: { "objectset.rio.cattle.io/owner-gvk": "v1, Kind=Foo" },
      },
    },
    [
      rel("owner", "ReplicaSet", "web-1", {
        apiVersion: "apps/v1",
        inbound: true,
        controlled: true,
      }),
      rel("owner", "Thing", "x", { inbound: true }),
    ],
  ],
  [
    "who applied it",
    {
      metadata: {
        annotations: {
          "objectset.rio.cattle.io/owner-gvk": "catalog.cattle.io/v1, Kind=App",
          "objectset.rio.cattle.io/owner-name": "web",
          "objectset.rio.cattle.io/owner-namespace": "shop",
        },
      },
    },
    [
      rel("applies", "App", "web", {
        apiVersion: "catalog.cattle.io/v1",
        namespace: "shop",
        inbound: true,
      }),
    ],
  ],
  [
    "what a chart brought along",
    {
      ...{
        apiVersion: "catalog.cattle.io/v1",
        kind: "App",
        status: { summary: { state: "deployed" } },
      },
      spec: {
        resources: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop" }],
      },
    },
    [rel("helmresource", "Deployment", "web", { apiVersion: "apps/v1", namespace: "shop" })],
  ],
  [
    "nothing of a chart that is not deployed",
    { apiVersion: "catalog.cattle.io/v1", kind: "App", spec: { resources: [{ name: "x" }] } },
    [],
  ],
];

describe("relationshipsOf", () => {
  for (const [title, object, found] of cases) {
    it(`finds ${title}`, () => {
      expect(relationshipsOf(object)).to.deep.equal(found);
    });
  }
});
