import { inspect } from "node:util";
import { expect } from "chai";
import { defineKind, type Scope } from "kopf-ts";
import { fakeClock } from "kopf-ts/testing";
import type { Cell } from "../printers/cell.ts";
import { parseField } from "../query/field.ts";
import type { ColumnDefinition, ResourceType } from "../types/resource-type.ts";
import { Fields } from "./fields.ts";

/** What is asked of an object: the text that filters see, and what rows are ordered by. */
interface Answer {
  readonly text: unknown;
  readonly order?: unknown;
}

type Case = readonly [field: string, object: object, answer: Answer | "invalid" | "unknown"];

function column(name: string, type = "string", description = ""): ColumnDefinition {
  return { name, type, description, format: "", priority: 0 };
}

function aType(
  [group, kind, plural]: readonly [group: string, kind: string, plural: string],
  more: Partial<ResourceType> = {},
  scope: Scope = "Namespaced",
): ResourceType {
  return {
    id: kind.toLowerCase(),
    pluralName: plural,
    kind: defineKind({ group, version: "v1", kind, plural, scope }),
    verbs: ["list", "watch"],
    preferredVersion: undefined,
    preferredGroup: undefined,
    columns: [],
    cells: undefined,
    crd: false,
    aggregated: false,
    observesGeneration: false,
    table: true,
    columnPaths: undefined,
    description: "",
    schema: undefined,
    ...more,
  };
}

const since = Date.parse("2026-01-01T00:00:00Z");
const podCells: readonly Cell[] = [
  "a",
  "1/1",
  "CrashLoopBackOff",
  { restarts: 4, since },
  { since },
];
const pod = aType(["", "Pod", "pods"], {
  columns: [column("Name"), column("Ready"), column("Status"), column("Restarts"), column("Age")],
  cells: () => podCells,
});
const restedPod = { ...pod, cells: (): readonly Cell[] => ["a", "1/1", "Running", "0", null] };
const secret = aType(["", "Secret", "secrets"], {
  columns: [column("Name"), column("Type"), column("Data")],
  cells: () => ["a", "Opaque", "12"],
});
const account = aType(["", "ServiceAccount", "serviceaccounts"], {
  columns: [column("Name"), column("Secrets"), column("Age")],
  cells: () => ["a", "12", { since }],
});
const youngAccount = aType(["", "ServiceAccount", "serviceaccounts"], {
  columns: [column("Name"), column("Age")],
  cells: () => ["a", { since }],
});
const widget = aType(["example.com", "Widget", "widgets"], {
  crd: true,
  columns: [
    ...[
      column("Name"),
      column("Size", "integer"),
      column("Ready", "string", "The Number of parts"),
    ],
    ...[column("Made", "date"), column("Free", "string", "numbers of")],
  ],
  cells: () => ["a", 7, "2/3", { since }, "x"],
  schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          size: { type: "integer" },
          price: { type: "number" },
          color: { type: "string" },
          sold: { type: "string", format: "date-time" },
          memory: {
            "x-kubernetes-int-or-string": true,
            pattern: "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$",
            anyOf: [{ type: "integer" }, { type: "string" }],
          },
          parts: {
            type: "array",
            items: {
              type: "object",
              properties: {
                name: { type: "string" },
                tags: { type: "array", items: { type: "string" } },
              },
            },
          },
          any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          map: { type: "object", additionalProperties: { type: "integer" } },
        },
      },
    },
  },
});
const cluster = aType(["management.cattle.io", "Cluster", "clusters"], {}, "Cluster");
const user = aType(["management.cattle.io", "User", "users"], {}, "Cluster");

const big = 9007199254740993n;
const infinite = Number.POSITIVE_INFINITY;
const parts = {
  spec: { parts: [{ name: "a", tags: ["x", "y"] }, { tags: ["z"] }, { name: "c" }] },
};
const never = 1e15;

const cases: readonly (readonly [title: string, type: ResourceType, rows: readonly Case[]])[] = [
  [
    "every type",
    widget,
    [
      ["metadata.uid", { metadata: { uid: "u" } }, { text: "u" }],
      ["metadata.generation", { metadata: { generation: 3 } }, { text: 3, order: 3 }],
      ["metadata.deletionTimestamp", {}, { text: undefined, order: infinite }],
      [
        "metadata.deletionTimestamp",
        { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } },
        { text: "2026-01-01T00:00:00Z", order: since },
      ],
      ["metadata.finalizers", { metadata: { finalizers: ["a", "b"] } }, { text: ["a", "b"] }],
      [
        "metadata.ownerReferences.kind",
        { metadata: { ownerReferences: [{ kind: "A" }, {}] } },
        { text: ["A", ""] },
      ],
      [
        "metadata.managedFields.manager",
        { metadata: { managedFields: [{ manager: "kubectl" }] } },
        { text: ["kubectl"] },
      ],
      ["metadata.managedFields", {}, { text: undefined }],
      ["metadata.labels", {}, { text: undefined }],
      ["metadata.annotations", {}, { text: undefined }],
      ["metadata.selfLink", {}, { text: undefined }],
      ["apiVersion", { apiVersion: "v1" }, { text: "v1" }],
      ["metadata.state.name", {}, { text: "active" }],
      [
        "metadata.state.error",
        { status: { conditions: [{ type: "Failed", status: "True", message: "m" }] } },
        { text: true },
      ],
      [
        "metadata.state.message",
        { status: { conditions: [{ type: "Failed", status: "True", message: "m" }] } },
        { text: "m" },
      ],
      ["metadata.state.transitioning", {}, { text: false }],
      ["metadata.state.color", {}, "invalid"],
      ["metadata.state", {}, "invalid"],
      ["metadata.annotations[a/b]", {}, { text: undefined }],
      ["metadata.annotations[a/b]", { metadata: { annotations: { "a/b": "7" } } }, { text: "7" }],
      ["metadata.color", {}, "unknown"],
      ["type", { type: "x" }, "invalid"],
      ["links.self", {}, "invalid"],
      ["_type", { type: "x" }, "unknown"],
    ],
  ],
  [
    "a kind of a CustomResourceDefinition",
    widget,
    [
      ["spec.size", { spec: { size: 3 } }, { text: 3, order: 3 }],
      ["spec.size", { spec: { size: big } }, { text: big, order: big }],
      ["spec.memory", { spec: { memory: big } }, { text: big, order: big }],
      ["spec.size", {}, { text: undefined, order: infinite }],
      ["spec.price", { spec: { price: 1.5 } }, { text: 1.5, order: 1.5 }],
      ["spec.color", { spec: { color: "red" } }, { text: "red" }],
      ["spec.color", { spec: { color: "" } }, { text: undefined }],
      [
        "spec.sold",
        { spec: { sold: "2026-01-01T00:00:00Z" } },
        { text: "2026-01-01T00:00:00Z", order: since },
      ],
      ["spec.memory", { spec: { memory: "1Ki" } }, { text: "1Ki", order: 1024 }],
      ["spec.memory", { spec: { memory: "100m" } }, { text: "100m", order: 0.1 }],
      ["spec.memory", { spec: { memory: "big" } }, { text: "big", order: infinite }],
      ["spec.parts.name", parts, { text: ["a", "", "c"] }],
      ["spec.parts.name[2]", parts, { text: "c" }],
      ["spec.parts.0.name", parts, { text: "a" }],
      ["spec.parts.name[9]", parts, { text: undefined }],
      ["spec.parts.tags", parts, { text: ["x", "y", "z", ""] }],
      ["spec.map.a", { spec: { map: { a: 4 } } }, { text: 4, order: 4 }],
      ["spec.any.thing", {}, "unknown"],
      ["spec.nothing", {}, "unknown"],
      ["metadata.fields[0]", {}, { text: "a" }],
      ["metadata.fields[1]", {}, { text: 7, order: 7 }],
      ["metadata.fields[2]", {}, { text: "2/3", order: infinite }],
      ["metadata.fields[3]", {}, { text: since, order: since }],
      ["metadata.fields[4]", {}, { text: "x" }],
      ["metadata.fields[5]", {}, "invalid"],
      ["metadata.fields[0][0]", {}, "invalid"],
      ["metadata.fields", {}, "invalid"],
    ],
  ],
  [
    "Pod",
    pod,
    [
      ["metadata.state.name", {}, { text: "crashLoopBackOff" }],
      ["metadata.fields[3]", {}, { text: 4, order: 4 }],
      ["metadata.fields[3][0]", {}, { text: 4, order: 4 }],
      ["metadata.fields[3][1]", {}, { text: since, order: never - since }],
      ["metadata.fields[3][2]", {}, "invalid"],
      ["metadata.fields[4]", {}, { text: since, order: since }],
      [
        "spec.containers.image",
        { spec: { containers: [{ image: "a" }, { image: "b" }] } },
        { text: ["a", "b"] },
      ],
      [
        "spec.containers.image[1]",
        { spec: { containers: [{ image: "a" }, { image: "b" }] } },
        { text: "b" },
      ],
      [
        "spec.containers.1.image",
        { spec: { containers: [{ image: "a" }, { image: "b" }] } },
        { text: "b" },
      ],
      ["spec.nodeName", { spec: { nodeName: "n" } }, { text: "n" }],
      ["spec.hostname", {}, "unknown"],
    ],
  ],
  [
    "a Pod that never restarted",
    restedPod,
    [
      ["metadata.fields[3]", {}, { text: 0, order: 0 }],
      ["metadata.fields[3][1]", {}, { text: 0, order: never }],
      ["metadata.fields[4]", {}, { text: null, order: infinite }],
    ],
  ],
  [
    "Secret",
    secret,
    [
      ["_type", { type: "Opaque" }, { text: "Opaque" }],
      ["metadata.fields[2]", {}, { text: "12", order: 12 }],
      [
        "metadata.annotations[management.cattle.io/project-scoped-secret-copy]",
        {
          metadata: { annotations: { "management.cattle.io/project-scoped-secret-copy": "true" } },
        },
        { text: "true" },
      ],
    ],
  ],
  [
    "ServiceAccount of a server that counts its Secrets",
    account,
    [["metadata.fields[1]", {}, { text: "12", order: 12 }]],
  ],
  [
    "ServiceAccount of a server that does not",
    youngAccount,
    [["metadata.fields[1]", {}, { text: since, order: since }]],
  ],
  [
    "management Cluster",
    cluster,
    [
      [
        "status.connected",
        { status: { conditions: [{ type: "Ready", status: "True" }] } },
        { text: true },
      ],
      ["status.connected", {}, { text: false }],
      ["status.allocatable.cpu", { status: { allocatable: { cpu: "2500m" } } }, { text: "2500m" }],
      [
        "status.allocatable.cpuRaw",
        { status: { allocatable: { cpu: "2500m" } } },
        { text: 2.5, order: 2.5 },
      ],
      [
        "status.requested.memoryRaw",
        { status: { requested: { memory: "1Gi" } } },
        { text: 2 ** 30, order: 2 ** 30 },
      ],
      ["status.requested.memoryRaw", {}, { text: undefined, order: infinite }],
      [
        "status.requested.pods",
        { status: { requested: { pods: "11" } } },
        { text: "11", order: 11 },
      ],
      ["metadata.namespace", {}, "invalid"],
    ],
  ],
  [
    "User",
    user,
    [["principalIds", { principalIds: ["local://a", "b"] }, { text: ["local://a", "b"] }]],
  ],
];

function check(field: Asked, object: object, answer: Case[2]): void {
  if (answer === "invalid") expect(field).to.equal("invalid");
  else if (answer === "unknown") expect(field).to.equal(undefined);
  else if (field === undefined || field === "invalid") expect.fail(String(field));
  else {
    const [order] = field.order;
    expect(field.texts.spec?.from?.(object)).to.deep.equal(answer.text);
    if ("order" in answer) expect(order?.spec?.from?.(object)).to.equal(answer.order);
    else expect(order).to.equal(field.texts);
  }
}

type Asked = ReturnType<Fields["of"]>;

describe("Fields", () => {
  for (const [title, type, rows] of cases) {
    describe(`of ${title}`, () => {
      for (const [name, object, answer] of rows) {
        it(`${name} of ${inspect(object)} is ${inspect(answer)}`, () => {
          check(new Fields(fakeClock()).of(type, parseField(name, "filter")), object, answer);
        });
      }
    });
  }

  it("asks every cache for names, ids, namespaces, creation and labels", () => {
    const fields = new Fields(fakeClock());
    const columns = [
      "id",
      "metadata.name",
      "metadata.namespace",
      "metadata.labels.a",
      "metadata.labels[b/c]",
    ].map((name) => {
      const field = fields.of(pod, parseField(name, "filter"));
      return typeof field === "object" ? [field.texts.column, field.texts.spec] : field;
    });
    const created = fields.of(pod, ["metadata", "creationTimestamp"]);

    expect(columns).to.deep.equal([
      ["id", undefined],
      ["metadata.name", undefined],
      ["metadata.namespace", undefined],
      ["metadata.labels[a]", undefined],
      ["metadata.labels[b/c]", undefined],
    ]);
    expect(typeof created === "object" && created.order).to.deep.equal([
      { column: "metadata.creationTimestamp", spec: undefined },
    ]);
  });

  it("gives the same columns for the same question", () => {
    const fields = new Fields(fakeClock());

    expect(fields.of(widget, ["spec", "size"])).to.equal(fields.of(widget, ["spec", "size"]));
  });

  it("asks for integers of objects as they are, and for states that were made before", () => {
    const fields = new Fields(fakeClock());
    const exact = (name: string): unknown => {
      const field = fields.of(widget, parseField(name, "filter"));
      return (
        typeof field === "object" && [field.texts, ...field.order].map(({ spec }) => spec?.exact)
      );
    };

    expect(exact("spec.size")).to.deep.equal([true, true, true]);
    expect(exact("spec.color")).to.deep.equal([true, true]);
    expect(exact("metadata.fields[1]")).to.deep.equal([true, true, true]);
    expect(exact("metadata.state.name")).to.deep.equal([false, false]);
  });

  it("orders what was only seen by what was seen", () => {
    const fields = new Fields(fakeClock());
    const object = { spec: { any: { a: 1, b: "x", c: [2, 3] } } };
    const order = (key: string, value: unknown): unknown =>
      fields
        .seen(widget, ["spec", "any", key], value)
        .order.map(({ spec }) => spec?.from?.(object));

    expect(order("a", 1)).to.deep.equal([1, 1]);
    expect(order("b", "x")).to.deep.equal(["x"]);
    expect(order("c", [2, 3])).to.deep.equal([infinite, [2, 3]]);
  });
});
