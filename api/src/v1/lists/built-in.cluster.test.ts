import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { listAt } from "../tree.ts";
import { send } from "../types/testing.test.support.ts";
import { GizmoLists } from "./gizmos.test.support.ts";

interface PodOf {
  readonly restarts: number;
  /** Hours ago. */
  readonly last?: number;
  readonly waits?: string;
  readonly images?: readonly string[];
  readonly memory?: string;
}

const pods: Readonly<Record<string, PodOf>> = {
  a: { restarts: 0, memory: "900k" },
  b: { restarts: 12, last: 5, images: ["nginx:1", "busybox"] },
  c: { restarts: 3, last: 1, waits: "CrashLoopBackOff", memory: "1M" },
  d: { restarts: 3, last: 9, images: ["redis"], memory: "1Gi" },
};

/** The status that a kubelet would have written. */
function statusOf({ restarts, last, waits }: PodOf): object {
  const finishedAt = new Date(Date.now() - (last ?? 0) * 3_600_000).toISOString();
  const lastState = last === undefined ? {} : { terminated: { exitCode: 1, finishedAt } };
  const state = waits === undefined ? { running: {} } : { waiting: { reason: waits } };
  const status = { name: "c", image: "x", imageID: "", ready: true, restartCount: restarts };
  return {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [{ ...status, lastState, state }],
  };
}

describe("lists of built-in kinds, of a real API server", function () {
  this.timeout(60_000);

  let lists: GizmoLists;
  let namespace: string;

  before(async () => {
    lists = await GizmoLists.start();
    namespace = await freshNamespace(await testEnv(), "lists-built-in");
    const { client } = lists;
    const path = `/api/v1/namespaces/${namespace}`;
    const made = async (plural: string, object: object) =>
      send(client, "POST", `${path}/${plural}`, object);
    const accounts = async () =>
      listAt(await send(client, "GET", `${path}/serviceaccounts`), "items");
    await eventually(async () => (await accounts()).length > 0, { within: 20_000 });
    for (const [name, pod] of Object.entries(pods)) {
      const images = pod.images ?? ["scratch"];
      const resources = pod.memory === undefined ? {} : { requests: { memory: pod.memory } };
      const containers = images.map((image, at) => ({ name: `c${at}`, image, resources }));
      await made("pods", { metadata: { name }, spec: { containers, nodeName: `node-${name}` } });
      await send(client, "PATCH", `${path}/pods/${name}/status`, { status: statusOf(pod) });
    }
    for (const [name, count] of [
      ["two", 2],
      ["eleven", 11],
      ["none", 0],
    ] as const) {
      const data = Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`k${index}`, ""]),
      );
      await made("configmaps", { metadata: { name }, data });
      await made("secrets", { metadata: { name }, type: `example.com/${name}`, data });
    }
    await eventually(async () => (await names("pods?filter=metadata.fields[3]=12")).length === 1, {
      within: 20_000,
    });
  });
  after(() => lists?.[Symbol.asyncDispose]());

  async function names(path: string): Promise<readonly string[]> {
    const [plural = "", query = ""] = path.split(/\?(.*)/s);
    const ids = await lists.ids(`${plural}/${namespace}?${query}`);
    return ids.map((id) => id.slice(namespace.length + 1));
  }

  const rows: readonly (readonly [path: string, ...found: readonly string[]])[] = [
    ["pods?sort=metadata.fields[3]", "a", "c", "d", "b"],
    ["pods?sort=-metadata.fields[3][0],-metadata.name", "b", "d", "c", "a"],
    ["pods?sort=metadata.fields[3][1]", "c", "b", "d", "a"],
    ["pods?sort=-metadata.fields[3][1]", "a", "d", "b", "c"],
    ["pods?filter=metadata.fields[3]>3", "b"],
    ["pods?filter=metadata.fields[2]=CrashLoopBackOff", "c"],
    ["pods?filter=metadata.state.name=crashLoopBackOff", "c"],
    ["pods?filter=metadata.state.name in (running,pending)", "a", "b", "d"],
    ["pods?filter=metadata.state.error=false&sort=-metadata.name", "d", "c", "b", "a"],
    ["pods?filter=spec.containers.image contains busybox", "b"],
    ["pods?filter=spec.containers.image[1]=busybox", "b"],
    ["pods?filter=spec.containers.image=nginx:1", ""],
    ["pods?filter=spec.containers.image='nginx:1|busybox'", "b"],
    ["pods?filter=spec.containers.image~NGINX", "b"],
    ["pods?filter=spec.nodeName=node-c", "c"],
    ["pods?fieldSelector=spec.nodeName=node-c,status.phase=Running", "c"],
    ["pods?sort=-spec.nodeName&limit=2", "d", "c"],
    ["pods?filter=status.containerStatuses.restartCount>3", "b"],
    ["pods?filter=spec.dnsPolicy=ClusterFirst&filter=spec.nodeName~'-a'", "a"],
    ["pods?filter=spec.hostname=x", ""],
    ["pods?filter=spec.hostname=''&sort=-spec.priority", "a", "b", "c", "d"],
    ["pods?filter=spec.containers.resources.limits.cpu=1", ""],
    ["pods?sort=-spec.containers.resources.requests.memory", "b", "d", "c", "a"],
    ["pods?filter=spec.containers.resources.requests.memory>999999", "c", "d"],
    ["pods?sort=-status.startTime,-spec.terminationGracePeriodSeconds", "a", "b", "c", "d"],
    ["secrets?sort=metadata.fields[2]", "none", "two", "eleven"],
    ["secrets?filter=_type=example.com/two", "two"],
    ["secrets?fieldSelector=type%3Dexample.com/two", "two"],
    [
      "configmaps?sort=-metadata.fields[1]&filter=metadata.name!=kube-root-ca.crt",
      "eleven",
      "two",
      "none",
    ],
    ["configmaps?filter=metadata.fields[1]>2", "eleven"],
    ["serviceaccounts?filter=metadata.fields[1]>1600000000000", "default"],
    ["serviceaccounts?filter=metadata.fields[1]<1600000000000", ""],
  ];
  for (const [path, ...found] of rows) {
    it(`are right: ${path}`, async () => {
      expect(await names(path)).to.deep.equal(found.filter((name) => name !== ""));
    });
  }

  it("know no namespaces of what is in none", async () => {
    const answer = await lists.get("namespaces?filter=metadata.namespace=a");

    expect(answer.status).to.equal(422);
  });

  it("count states", async () => {
    const answer = await lists.body(`pods/${namespace}?summary=metadata.state.name,spec.nodeName`);

    expect(listAt(answer, "summary")[0]).to.deep.equal({
      property: "metadata.state.name",
      counts: { crashLoopBackOff: { total: 1 }, running: { total: 3 } },
    });
  });

  it("do not find what is of nobody", async () => {
    expect((await lists.get(`pods?filter=spec.${uniqueName("x")}=1`)).status).to.equal(422);
    expect((await lists.get("pods?filter=type=1")).status).to.equal(422);
    expect((await lists.get("configmaps?filter=_type=1")).status).to.equal(422);
  });
});
