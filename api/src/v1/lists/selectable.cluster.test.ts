import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { listAt, textAt } from "../tree.ts";
import { send } from "../types/testing.test.support.ts";
import { GizmoLists } from "./gizmos.test.support.ts";

const label = uniqueName("selectable");
const labels = { [label]: "" };

const kinds = {
  node: { v1: "nodes", path: "/api/v1/nodes" },
  pod: { v1: "pods", path: "/api/v1/pods" },
  job: { v1: "batch.jobs", path: "/apis/batch/v1/jobs" },
  event: { v1: "events", path: "/api/v1/events" },
} as const;

const rows: readonly (readonly [kind: keyof typeof kinds, field: string, ...string[]])[] = [
  ["node", "spec.unschedulable", "true", "false", "", "x"],
  ["pod", "spec.hostNetwork", "true", "false", "", "x"],
  ["pod", "spec.host", "one", "", "x"],
  ["pod", "spec.nodeName", "one", "", "x"],
  ["job", "status.successful", "0", "1", "", "x"],
  ["event", "source", "both", "old", "new", "other", "", "x"],
  ["event", "reportingComponent", "new", "other", "", "x"],
];

describe("field selectors that mean more than a field, as the API server has them", function () {
  this.timeout(60_000);

  let lists: GizmoLists;

  before(async () => {
    lists = await GizmoLists.start();
    const namespace = await freshNamespace(await testEnv(), "selectable");
    const made = (path: string, name: string, object: object) =>
      send(lists.client, "POST", path, { ...object, metadata: { name, labels, namespace } });
    const core = `/api/v1/namespaces/${namespace}`;
    const accounts = async () =>
      listAt(await send(lists.client, "GET", `${core}/serviceaccounts`), "items");
    await eventually(async () => (await accounts()).length > 0, { within: 20_000 });
    for (const [name, spec] of [
      ["cordoned", { unschedulable: true }],
      ["open", {}],
    ] as const)
      await send(lists.client, "POST", "/api/v1/nodes", {
        ...{ metadata: { name: `${label}-${name}`, labels }, spec },
      });
    const containers = [{ name: "c", image: "scratch" }];
    await made(`${core}/pods`, "on-host", { spec: { containers, hostNetwork: true } });
    await made(`${core}/pods`, "apart", { spec: { containers, nodeName: "one" } });
    const template = { spec: { containers, restartPolicy: "Never" } };
    const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    for (const name of ["done", "waiting"])
      await made(jobs, name, { spec: { suspend: true, template } });
    const status = { succeeded: 1 };
    await send(lists.client, "PATCH", `${jobs}/done/status`, { status });
    for (const [name, more] of Object.entries({
      both: { source: { component: "both" }, reportingComponent: "other" },
      old: { source: { component: "old" } },
      new: { reportingComponent: "new", reportingInstance: "x" },
      neither: {},
    }))
      await made(`${core}/events`, name, {
        ...{ involvedObject: { namespace }, reason: "R", message: "m", ...more },
      });
  });
  after(async () => {
    for (const name of ["cordoned", "open"])
      await send(lists.client, "DELETE", `/api/v1/nodes/${label}-${name}`);
    await lists[Symbol.asyncDispose]();
  });

  for (const [kind, field, ...values] of rows)
    for (const op of ["=", "!="])
      it(`of ${kind}s by ${field}${op}`, async () => {
        const { v1, path } = kinds[kind];
        const found: Record<string, readonly string[]> = {};
        const expected: Record<string, readonly string[]> = {};
        for (const value of values) {
          const query = `labelSelector=${label}&fieldSelector=${field}${encodeURIComponent(op + value)}`;
          const items = listAt(await send(lists.client, "GET", `${path}?${query}`), "items");
          expected[value] = items.map((item) => textAt(item, "metadata", "name")).toSorted();
          const ids = await lists.ids(`${v1}?${query}`);
          found[value] = ids.map((id) => id.slice(id.indexOf("/") + 1)).toSorted();
        }

        expect(found).to.deep.equal(expected);
        expect(Object.values(expected).flat(), "found at all").to.not.be.empty;
      });

  it("of many exclusions of one field", async () => {
    const others = Array.from({ length: 48 }, (_, index) => `source!=x${index}`);
    const query = `labelSelector=${label}&fieldSelector=${["source!=old", ...others, "source!="]}`;
    const items = listAt(await send(lists.client, "GET", `/api/v1/events?${query}`), "items");

    const ids = await lists.ids(`events?${query}`);

    const names = ids.map((id) => id.slice(id.indexOf("/") + 1)).toSorted();
    expect(names).to.deep.equal(["both", "new"]);
    expect(items.map((item) => textAt(item, "metadata", "name")).toSorted()).to.deep.equal(names);
  });
});
