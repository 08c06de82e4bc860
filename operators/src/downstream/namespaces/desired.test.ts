import { annotations, labels, namespaceAnnotations } from "@drover/crds";
import { expect } from "chai";
import type { Namespace } from "kopf-ts/kinds";
import {
  changeOf,
  isFleet,
  isPopulated,
  projectIdFor,
  type Surroundings,
  type Wanted,
} from "./desired.ts";
import { marks, noTokenAnnotation } from "./names.ts";

type Entries = Readonly<Record<string, string>>;

const around: Surroundings = {
  cluster: "c-x",
  systemNamespaces: ["kube-system", "cattle-system"],
  defaultProject: "p-default",
  systemProject: "p-system",
};
const namespace = (name: string, said: Entries = {}, given: Entries = {}): Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, annotations: said, labels: given },
});
const inside = (id: string): Entries => ({ [annotations.projectId]: id });
const seen = { [marks.created]: "true" };
const managed = { "fleet.cattle.io/managed": "true" };

describe("projectIdFor", () => {
  for (const { name, of, where = around, expected } of [
    { name: "none", of: namespace("shop"), expected: undefined },
    { name: "what it says", of: namespace("shop", inside("c-x:p-1")), expected: "c-x:p-1" },
    {
      name: "the default project for default",
      of: namespace("default"),
      expected: "c-x:p-default",
    },
    {
      name: "what default says",
      of: namespace("default", inside("c-x:p-1")),
      expected: "c-x:p-1",
    },
    {
      name: "none for default once it was seen: somebody took it out",
      of: namespace("default", seen),
      expected: undefined,
    },
    {
      name: "the system project for one of the setting",
      of: namespace("cattle-system"),
      expected: "c-x:p-system",
    },
    {
      name: "none for one of the setting where there is no system project",
      of: namespace("cattle-system"),
      where: { ...around, systemProject: undefined },
      expected: undefined,
    },
    {
      name: "the system project for one of fleet, wherever it is",
      of: namespace("fleet-default", { ...seen, ...inside("c-x:p-1") }),
      expected: "c-x:p-system",
    },
    {
      name: "the system project for one that fleet manages",
      of: namespace("cluster-fleet", seen, managed),
      expected: "c-x:p-system",
    },
    {
      name: "what one of fleet says where there is no system project",
      of: namespace("fleet-default", inside("c-x:p-1")),
      where: { ...around, systemProject: undefined },
      expected: "c-x:p-1",
    },
    {
      name: "what another server says of one of fleet in the local cluster",
      of: namespace("fleet-default", inside("c-host:p-1")),
      where: { ...around, cluster: "local" },
      expected: "c-host:p-1",
    },
    {
      name: "the local system project for one of fleet in the local cluster",
      of: namespace("fleet-default", inside("local:p-1")),
      where: { ...around, cluster: "local" },
      expected: "local:p-system",
    },
  ]) {
    it(`is ${name}`, () => expect(projectIdFor(of, where)).to.equal(expected));
  }
});

describe("isFleet", () => {
  it("goes by name or label", () => {
    expect(
      ["fleet-local", "fleet-default", "cattle-fleet-clusters-system", "fleet-x"].map((name) =>
        isFleet(namespace(name)),
      ),
    ).to.deep.equal([true, true, true, false]);
    expect(isFleet(namespace("x", {}, managed))).to.equal(true);
  });
});

describe("changeOf", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const populated = {
    [namespaceAnnotations.status]: JSON.stringify({
      Conditions: [
        {
          Type: "InitialRolesPopulated",
          Status: "True",
          Message: "",
          LastUpdateTime: "2026-01-01T00:00:00Z",
        },
      ],
    }),
  };
  const change = (of: Namespace, wanted: Partial<Wanted> = {}) =>
    changeOf(
      of,
      {
        projectId: of.metadata.annotations?.[annotations.projectId],
        populated: false,
        now,
        ...wanted,
      },
      around,
    );

  it("is none for a namespace that says everything", () => {
    const of = namespace(
      "shop",
      { ...seen, ...populated, ...inside("c-x:p-1") },
      { [labels.projectId]: "p-1" },
    );

    expect(change(of, { populated: true })).to.equal(undefined);
  });

  for (const { name, of, wanted, expected } of [
    {
      name: "marks one that was never seen",
      of: namespace("shop"),
      expected: { annotations: seen, labels: {} },
    },
    {
      name: "takes one in, by annotation and label",
      of: namespace("shop", seen),
      wanted: { projectId: "c-x:p-1" },
      expected: { annotations: inside("c-x:p-1"), labels: { [labels.projectId]: "p-1" } },
    },
    {
      name: "cuts the name of a project that is too long for a label",
      of: namespace("shop", { ...seen, ...inside(`c-x:${"p".repeat(80)}`) }),
      expected: { annotations: {}, labels: { [labels.projectId]: `${"p".repeat(57)}-a33b4` } },
    },
    {
      name: "lets the label follow the annotation",
      of: namespace("shop", { ...seen, ...inside("c-x:p-2") }, { [labels.projectId]: "p-1" }),
      expected: { annotations: {}, labels: { [labels.projectId]: "p-2" } },
    },
    {
      name: "takes the label away with the annotation",
      of: namespace("shop", seen, { [labels.projectId]: "p-1" }),
      expected: { annotations: {}, labels: { [labels.projectId]: null } },
    },
    {
      name: "takes the label away with the text of the annotation",
      of: namespace("shop", { ...seen, ...inside("") }, { [labels.projectId]: "p-1" }),
      expected: { annotations: {}, labels: { [labels.projectId]: null } },
    },
    {
      name: "says when the roles are there",
      of: namespace("shop", seen),
      wanted: { populated: true },
      expected: { annotations: populated, labels: {} },
    },
    {
      name: "wants no token in one of the setting",
      of: namespace("cattle-system", seen),
      expected: { annotations: { [noTokenAnnotation]: "true" }, labels: {} },
    },
    {
      name: "wants no token in one that is of the system",
      of: namespace("shop", { ...seen, [annotations.systemNamespace]: "true" }),
      expected: { annotations: { [noTokenAnnotation]: "true" }, labels: {} },
    },
    {
      name: "wants no token in one of the system project",
      of: namespace(
        "shop",
        { ...seen, ...inside("c-x:p-system") },
        { [labels.projectId]: "p-system" },
      ),
      expected: { annotations: { [noTokenAnnotation]: "true" }, labels: {} },
    },
    {
      name: "leaves the tokens of kube-system",
      of: namespace("kube-system", seen),
      expected: undefined,
    },
    {
      name: "leaves the tokens of default, also in the system project",
      of: namespace(
        "default",
        { ...seen, ...inside("c-x:p-system") },
        { [labels.projectId]: "p-system" },
      ),
      expected: undefined,
    },
    {
      name: "leaves the label of an annotation that is no project's id",
      of: namespace("shop", { ...seen, ...inside("p-1") }, { [labels.projectId]: "p-0" }),
      expected: undefined,
    },
  ]) {
    it(name, () => expect(change(of, wanted)).to.deep.equal(expected));
  }
});

describe("isPopulated", () => {
  const said = (text: string) => namespace("shop", { [namespaceAnnotations.status]: text });
  for (const { text, expected } of [
    { text: '{"Conditions":[{"Type":"InitialRolesPopulated","Status":"True"}]}', expected: true },
    { text: '{"Conditions":[{"Type":"InitialRolesPopulated","Status":"False"}]}', expected: false },
    { text: '{"Conditions":[{"Type":"ResourceQuotaInit","Status":"True"}]}', expected: false },
    { text: "", expected: false },
    { text: "[", expected: false },
  ]) {
    it(`is ${expected} for ${text}`, () => expect(isPopulated(said(text))).to.equal(expected));
  }
});
