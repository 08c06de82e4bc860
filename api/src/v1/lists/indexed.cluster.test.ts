import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { indexedFields } from "../fields/indexed.ts";
import { at } from "../tree.ts";
import type { TestKind } from "../types/testing.test.support.ts";
import { builtInSamples, customSample, type Sample } from "./samples.test.support.ts";
import { StateBed } from "./states/bed.test.support.ts";

/** Told by other objects: joins.cluster.test.ts has them. */
const joined = [
  "Namespace spec.displayName",
  ...["Secret spec.clusterName", "Secret spec.displayName"],
];

/** A list to which the API server adds a member of its own. */
const grown = ["spec.taints.key"];

const customs = Object.keys(indexedFields).filter((name) => /\.(cattle|x-k8s)\.io\//.test(name));

function kindOf(name: string): TestKind {
  const [group = "", kind = ""] = name.split("/");
  const plural = `${kind.toLowerCase()}s`;
  return { group, kind, plural, crd: `${plural}.${group}` };
}

const samples: Readonly<Record<string, Sample>> = {
  ...builtInSamples,
  ...Object.fromEntries(
    customs.map((name) => [name, customSample(name, "v1", kindOf(name).plural)]),
  ),
};

/** What CRDs say of members that indexed fields begin with. */
function propertiesOf({ fields }: Sample): object {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const tops = Object.keys(fields).filter((field) => !field.startsWith("metadata"));
  return Object.fromEntries(
    tops.map((field) => {
      const [top = ""] = field.split(".");
      return [top, top === field ? { type: "string" } : anything];
    }),
  );
}

describe("fields that Steve indexes, of a real API server", function () {
  this.timeout(120_000);

  let plane: ControlPlane;
  let bed: StateBed;

  before(async () => {
    // Of its own, without controllers: they would write statuses of theirs.
    plane = await startControlPlane({ name: "indexed", controllerManager: false });
    bed = await StateBed.start(plane);
    for (const name of customs) {
      const sample = samples[name];
      if (sample !== undefined)
        await bed.install(kindOf(name), { properties: propertiesOf(sample) });
    }
    const account = { metadata: { name: "default" } };
    await bed.make(`/api/v1/namespaces/${bed.namespace}/serviceaccounts`, account); // Pods need it
    for (const [name, sample] of Object.entries(samples)) await make(name, sample);
  });
  after(async () => {
    await bed?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  async function make(name: string, { path, objects, statuses }: Sample): Promise<void> {
    const { group, kind } = kindOf(name);
    const identity = customs.includes(name) ? { apiVersion: `${group}/v1`, kind } : {};
    for (const index of [0, 1] as const) {
      const metadata = { ...(at(objects[index], "metadata") as object), name: `sample-${index}` };
      const object = { ...objects[index], ...identity, metadata };
      await bed.make(path(bed.namespace), object, statuses?.[index]);
    }
  }

  it("are all here, but for those that other objects tell", () => {
    const tested = Object.entries(samples).flatMap(([name, { fields }]) =>
      Object.keys(fields).map((field) => `${name} ${field}`),
    );
    const known = Object.entries(indexedFields).flatMap(([name, fields]) =>
      Object.keys(fields).map((field) => `${name} ${field}`),
    );

    expect([...tested, ...joined].toSorted()).to.deep.equal(known.toSorted());
  });

  for (const [name, { list, fields }] of Object.entries(samples)) {
    const ordered = indexedFields[name] ?? {};
    for (const [field, values] of Object.entries(fields)) {
      it(`find and order ${name} by ${field}`, async () => {
        const found = async (query: string) => [
          ...(await bed.items(`${list}?filter=metadata.name~sample-&${query}`)).keys(),
        ];
        await eventually(async () => (await found("")).length === 2, { within: 30_000 });
        const operator = grown.includes(field) ? " contains " : "=";
        const holds = (value: unknown) =>
          found(`filter=${encodeURIComponent(`${field}${operator}'${value}'`)}`);
        const isAscending = inOrder(values, ordered[field] === "number");
        const names = isAscending ? ["sample-0", "sample-1"] : ["sample-1", "sample-0"];
        const isKnown = async () => (await holds(values[1])).length > 0; // other objects come later
        await eventually(isKnown, { within: 20_000 }).catch(() => undefined);

        expect(await holds(values[0])).to.deep.equal(["sample-0"]);
        expect(await holds(values[1])).to.deep.equal(["sample-1"]);
        expect(await found(`sort=${field}`)).to.deep.equal(names);
        expect(await found(`sort=-${field}`)).to.deep.equal(names.toReversed());
      });
    }
  }
});

function inOrder([first, second]: readonly [unknown, unknown], isNumber: boolean): boolean {
  return isNumber
    ? Number(first) < Number(second)
    : String(first).toLowerCase() < String(second).toLowerCase();
}
