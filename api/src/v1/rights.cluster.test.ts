import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { loadConfig, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { ServedV1 } from "./served-v1.test.support.ts";
import { at, listAt, textAt } from "./tree.ts";
import { send } from "./types/testing.test.support.ts";

const tries = 7;
/** Milliseconds. */
const most = 1_000;
const within = { within: 20_000 };
const apiGroup = "rbac.authorization.k8s.io";

describe("a change of rights, in /v1 of a real API server", function () {
  this.timeout(120_000);

  let v1: ServedV1;
  let namespace: string;
  const user = uniqueName("somebody");
  const name = "seen";

  before(async () => {
    const { kubeconfigPath } = await testEnv();
    v1 = await ServedV1.start(await loadConfig({ kubeconfig: kubeconfigPath }));
    namespace = await freshNamespace(await testEnv());
    for (const plural of ["configmaps", "secrets"]) {
      const path = `/api/v1/namespaces/${namespace}/${plural}`;
      await send(v1.client, "POST", path, { metadata: { name } });
    }
    await role(name, { resources: ["configmaps", "secrets"] });
    await role("always", { resources: ["configmaps"], resourceNames: ["another"] }); // with which a watch may begin
    await bind("always");
    await eventually(async () => (await v1.get("schemas/configmap", user)) && isStocked(), within);
  });
  after(() => v1?.[Symbol.asyncDispose]());

  async function isStocked(): Promise<boolean> {
    const counts = at(await v1.get("counts/count"), "counts");
    return at(counts, "secret", "namespaces", namespace, "count") === 1;
  }

  const rbac = (what: string): string => `/apis/${apiGroup}/v1/namespaces/${namespace}/${what}`;
  const role = (of: string, rule: object): Promise<unknown> => {
    const rules = [{ verbs: ["list"], apiGroups: [""], ...rule }];
    return send(v1.client, "POST", rbac("roles"), { metadata: { name: of }, rules });
  };
  const bind = (of = name): Promise<unknown> =>
    send(v1.client, "POST", rbac("rolebindings"), {
      ...{ metadata: { name: of }, roleRef: { apiGroup, kind: "Role", name: of } },
      subjects: [{ apiGroup, kind: "User", name: user }],
    });
  const unbind = (): Promise<unknown> => send(v1.client, "DELETE", rbac(`rolebindings/${name}`));

  /** Milliseconds from the answer to a change until it shows. */
  async function timeOf(
    change: () => Promise<unknown>,
    shows: () => boolean | Promise<boolean>,
  ): Promise<number> {
    await change();
    const changed = systemClock.monotonic();
    await eventually(shows, within);
    return systemClock.monotonic() - changed;
  }

  /** Grants and takes the right some times; expects that either is soon seen. */
  async function expectSoon(
    time: (change: () => Promise<unknown>, granted: boolean) => Promise<number>,
  ) {
    const [granted, taken]: [number[], number[]] = [[], []];
    for (let left = tries; left > 0; left--) {
      granted.push(await time(bind, true));
      taken.push(await time(unbind, false));
    }
    expect(median(granted), `granted after ${granted} ms`).to.be.below(most);
    expect(median(taken), `taken after ${taken} ms`).to.be.below(most);
  }

  for (const { what, sees } of [
    {
      what: "counts",
      sees: async () =>
        at(await v1.get("counts", user), "data", "0", "counts", "secret") !== undefined,
    },
    {
      what: "schemas",
      sees: async () =>
        listAt(await v1.get("schemas", user), "data").some(
          (each) => textAt(each, "id") === "secret",
        ),
    },
  ]) {
    it(`shows in ${what} within a second, by the median of ${tries} tries`, async () => {
      await expectSoon((change, granted) => timeOf(change, async () => (await sees()) === granted));
    });
  }

  it(`ends watches within a second, by the median of ${tries} tries, and those that begin then show what may be seen`, async () => {
    const watcher = await v1.subscriber(user);
    const count = (event: string): number => watcher.named(event).length;
    const told = (event: string): number =>
      watcher.named(event).filter(({ data }) => data.id === `${namespace}/${name}`).length;
    const touch = (): Promise<unknown> => {
      const data = { n: uniqueName("n") };
      return send(v1.client, "PATCH", `/api/v1/namespaces/${namespace}/configmaps/${name}`, {
        data,
      });
    };
    await watcher.watch({ resourceType: "configmap" });

    await expectSoon(async (change, granted) => {
      const [stops, removed] = [count("resource.stop"), told("resource.remove")];
      const time = await timeOf(change, () => count("resource.stop") > stops);
      expect(told("resource.remove") - removed).to.equal(granted ? 0 : 1);
      await watcher.watch({ resourceType: "configmap" });
      const changes = told("resource.change");
      if (granted) await touch();
      if (granted) await eventually(() => told("resource.change") > changes, within);
      return time;
    });
  });

  it(`is told to watches of schemas within a second, by the median of ${tries} tries`, async () => {
    const watcher = await v1.subscriber(user);
    await watcher.watch({ resourceType: "schemas" });
    const told = (): readonly string[] =>
      watcher.told.filter(({ data }) => data.id === "secret").map((each) => each.name);

    await expectSoon((change, granted) => {
      const before = told().length;
      return timeOf(change, () => told().length > before && told().at(-1) === eventOf(granted));
    });
    const pair = [eventOf(true), eventOf(false)];
    expect(told()).to.deep.equal(Array.from({ length: tries }, () => pair).flat());
  });
});

function eventOf(granted: boolean): string {
  return granted ? "resource.create" : "resource.remove";
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}
