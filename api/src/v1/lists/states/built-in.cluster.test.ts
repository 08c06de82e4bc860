import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { goesOn } from "../../summary/cases.test.support.ts";
import { aKind, crdOf } from "../../types/testing.test.support.ts";
import { StateBed, stateLike, stateOf, type Tree } from "./bed.test.support.ts";
import { type BuiltIn, builtIns } from "./built-in.test.support.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const crds = "apiextensions.k8s.io.customresourcedefinitions";

describe("states of built-in kinds, of a real API server", function () {
  this.timeout(120_000);

  let plane: ControlPlane;
  let bed: StateBed;

  before(async () => {
    // Of its own, without controllers: they would write statuses of theirs.
    plane = await startControlPlane({ name: "states", controllerManager: false });
    bed = await StateBed.start(plane);
    const account = { metadata: { name: "default" } };
    await bed.make(`/api/v1/namespaces/${bed.namespace}/serviceaccounts`, account); // Pods need it
  });
  after(async () => {
    await bed?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  const pathOf = ({ api, plural, isClusterScoped }: BuiltIn): string =>
    isClusterScoped === true ? `${api}/${plural}` : `${api}/namespaces/${bed.namespace}/${plural}`;
  const listOf = ({ list, isClusterScoped }: BuiltIn): string =>
    isClusterScoped === true ? list : `${list}/${bed.namespace}`;

  for (const kind of builtIns) {
    describe(kind.list, () => {
      for (const [index, { title, object = kind.base, status, expected }] of kind.rows.entries()) {
        it(`${title} is ${expected.state}`, async () => {
          const name = `state-${index}`;
          const path = pathOf(kind);
          await bed.make(path, { ...object, metadata: { name } }, status);
          const wanted = stateLike(expected);
          const item = await bed.itemWhere(listOf(kind), name, (found) =>
            isLike(stateOf(found), wanted),
          );

          expect(stateOf(item)).to.deep.include(wanted);
        });
      }
    });
  }

  it("namespaces are active, and terminating until nothing is in them", async () => {
    const name = "state-namespace";
    await bed.make("/api/v1/namespaces", { metadata: { name } });
    const stateIs = (wanted: string) => async () =>
      stateOf(await bed.itemWhere("namespaces", name, (found) => stateOf(found)?.name === wanted));

    expect(await stateIs("active")()).to.include({ name: "active", error: false });
    await bed.send("DELETE", `/api/v1/namespaces/${name}`);
    expect(await stateIs("terminating")()).to.include({ name: "terminating" });
  });

  it("pods are terminating while something keeps them", async () => {
    const [path, name] = [`/api/v1/namespaces/${bed.namespace}/pods`, "state-going"];
    const [{ base } = { base: {} }] = builtIns.filter(({ list }) => list === "pods");
    await bed.make(path, { ...base, metadata: { name, finalizers: ["example.com/held"] } });
    await bed.send("DELETE", `${path}/${name}`);
    const item = await bed.itemWhere(
      `pods/${bed.namespace}`,
      name,
      (found) => stateOf(found)?.name === "terminating",
    );

    expect(stateOf(item)).to.include({ name: "terminating" });
    await bed.send("PATCH", `${path}/${name}`, { metadata: { finalizers: null } });
  });

  it("other objects are removing while something keeps them", async () => {
    const [path, name] = [`/api/v1/namespaces/${bed.namespace}/configmaps`, "state-going"];
    await bed.make(path, { metadata: { name, finalizers: ["example.com/held"] } });
    await bed.send("DELETE", `${path}/${name}`);
    const item = await bed.itemWhere(
      `configmaps/${bed.namespace}`,
      name,
      (found) => stateOf(found)?.name === "removing",
    );

    expect(stateOf(item)).to.deep.include(
      stateLike(goesOn("removing", "Resource scheduled for deletion")),
    );
    await bed.send("PATCH", `${path}/${name}`, { metadata: { finalizers: null } });
  });

  it("definitions of kinds are active when they are established, failed when others have their names", async () => {
    const first = aKind("state");
    const second = { ...first, plural: "statements", crd: `statements.${first.group}` };
    for (const kind of [first, second]) {
      await bed.make(definitions, crdOf(kind, {}) as unknown as Tree);
    }
    const stateNow = async ({ crd }: typeof first, wanted: string) =>
      stateOf(await bed.itemWhere(crds, crd, (found) => stateOf(found)?.name === wanted));

    expect(await stateNow(first, "active")).to.include({ message: "CRD is established" });
    const taken = await stateNow(second, "failed");
    expect(taken).to.include({ error: true });
    expect(taken.message).to.contain("already in use");
  });
});

/** Whether a state has what is wanted of it. */
function isLike(state: Tree | undefined, wanted: Tree): boolean {
  return Object.entries(wanted).every(([key, value]) => state?.[key] === value);
}
