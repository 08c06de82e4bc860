import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { send } from "../types/testing.test.support.ts";
import { ListServer } from "./harness.test.support.ts";

const tries = 7;
const within = { within: 20_000 };
const apiGroup = "rbac.authorization.k8s.io";

describe("a change of rights, in lists of a real API server", function () {
  this.timeout(120_000);

  let lists: ListServer;
  let namespace: string;
  const user = uniqueName("somebody");

  before(async () => {
    lists = await ListServer.start();
    namespace = await freshNamespace(await testEnv());
    const metadata = { name: "seen" };
    await send(lists.client, "POST", `/api/v1/namespaces/${namespace}/configmaps`, { metadata });
    const rules = [{ verbs: ["list"], apiGroups: [""], resources: ["configmaps"] }];
    await send(lists.client, "POST", rbac("roles"), { metadata, rules });
    await eventually(() => sees("admin"), within);
  });
  after(() => lists?.[Symbol.asyncDispose]());

  const rbac = (what: string): string => `/apis/${apiGroup}/v1/namespaces/${namespace}/${what}`;
  const bind = (): Promise<unknown> =>
    send(lists.client, "POST", rbac("rolebindings"), {
      ...{ metadata: { name: "seen" }, roleRef: { apiGroup, kind: "Role", name: "seen" } },
      subjects: [{ apiGroup, kind: "User", name: user }],
    });
  const unbind = (): Promise<unknown> => send(lists.client, "DELETE", rbac("rolebindings/seen"));

  async function sees(who: string): Promise<boolean> {
    const headers = who === "admin" ? undefined : { "X-User": who };
    const { text } = await lists.get(`configmaps/${namespace}`, headers);
    return text.includes(`"id":"${namespace}/seen"`);
  }

  /** Milliseconds from the answer to a change until lists show it. */
  async function timeOf(change: () => Promise<unknown>, shown: boolean): Promise<number> {
    await change();
    const changed = systemClock.monotonic();
    await eventually(async () => (await sees(user)) === shown, within);
    return systemClock.monotonic() - changed;
  }

  it(`is there within a second, by the median of ${tries} tries`, async () => {
    const [granted, taken]: [number[], number[]] = [[], []];
    for (let left = tries; left > 0; left--) {
      granted.push(await timeOf(bind, true));
      taken.push(await timeOf(unbind, false));
    }

    expect(median(granted), `granted after ${granted} ms`).to.be.below(1000);
    expect(median(taken), `taken after ${taken} ms`).to.be.below(1000);
  });
});

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}
