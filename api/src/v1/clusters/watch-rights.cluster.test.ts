import { uniqueName } from "@drover/env";
import { expect } from "chai";
import type { Client } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { send } from "../types/testing.test.support.ts";
import { course, errorsOf, names, severalBed, within } from "./watch-bed.test.support.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";

describe("subscriptions of somebody with few rights to several clusters", function () {
  this.timeout(120_000);

  const bed = severalBed();

  /** Binds a user in a namespace of one of the clusters to the ClusterRole of their name. */
  async function bindElsewhere(client: Client, name: string, namespace: string): Promise<void> {
    const apiGroup = "rbac.authorization.k8s.io";
    await send(client, "POST", `${rbac}/namespaces/${namespace}/rolebindings`, {
      ...{ metadata: { name }, roleRef: { apiGroup, kind: "ClusterRole", name } },
      subjects: [{ apiGroup, kind: "User", name }],
    });
  }

  /** Binds a user in one of the clusters, in the namespace or everywhere. */
  async function grant(client: Client, user: string, rule: object, everywhere = false) {
    const path = everywhere ? `${rbac}/clusterroles` : `${rbac}/namespaces/${bed.namespace}/roles`;
    await send(client, "POST", path, { metadata: { name: user }, rules: [rule] });
    await bind(client, user, everywhere);
  }

  async function bind(client: Client, user: string, everywhere: boolean): Promise<void> {
    const path = everywhere
      ? `${rbac}/clusterrolebindings`
      : `${rbac}/namespaces/${bed.namespace}/rolebindings`;
    const kind = everywhere ? "ClusterRole" : "Role";
    const apiGroup = "rbac.authorization.k8s.io";
    await send(client, "POST", path, {
      ...{ metadata: { name: user }, roleRef: { apiGroup, kind, name: user } },
      subjects: [{ apiGroup, kind: "User", name: user }],
    });
  }

  const lists = { verbs: ["list"], apiGroups: [""], resources: ["configmaps"] };
  const knows = (): object => ({
    ...{ verbs: ["get"], apiGroups: ["management.cattle.io"], resources: ["clusters"] },
    resourceNames: [bed.two.managed],
  });

  it("each cluster's own rights count there, and as they change", async () => {
    const [a = "", b = "", c = ""] = names(3);
    const user = uniqueName("guest");
    await grant(bed.two.own, user, knows(), true);
    await grant(bed.two.other, user, lists);
    const guest = await bed.two.subscriber(user);
    const seen = async (): Promise<boolean> =>
      (await bed.two.ask(`configmaps/${bed.namespace}?clusters=${bed.two.managed}`, user))
        .warnings === "";
    await eventually(seen, within);
    await guest.watch(bed.configMaps());
    await bed.make(bed.two.own, a);
    await bed.make(bed.two.other, b);
    await guest.heard("resource.create", b);
    await grant(bed.two.own, user, lists);
    await bed.joined(guest, "local");
    await bed.make(bed.two.own, c);

    await guest.heard("resource.create", c);
    expect(errorsOf(guest, "local")).to.deep.equal(["failed to find schema configmap"]);
    expect(course(guest, [a, b, c])).to.deep.equal([`create ${b}*`, `create ${c}`]);

    const path = `${rbac}/namespaces/${bed.namespace}/rolebindings/${user}`;
    await send(bed.two.other, "DELETE", path);
    await guest.until(() => errorsOf(guest, bed.two.managed).length > 0, "that it may not be seen");
    expect(course(guest, [b]).at(-1)).to.equal(`remove ${b}*`);
    expect(errorsOf(guest, bed.two.managed)).to.deep.equal(["failed to find schema configmap"]);
    await bind(bed.two.other, user, false);
    await bed.joined(guest, bed.two.managed);
    expect(guest.named("resource.stop")).to.deep.equal([]);
  });

  it("what can no longer be seen of a cluster is told where it matches the selector", async () => {
    const [a = "", b = ""] = names(2);
    const user = uniqueName("guest");
    await grant(bed.two.own, user, knows(), true);
    await grant(bed.two.other, user, lists);
    const list = `configmaps/${bed.namespace}?clusters=${bed.two.managed}`;
    await eventually(async () => (await bed.two.ask(list, user)).warnings === "", within);
    const guest = await bed.two.subscriber(user);
    await guest.watch(bed.configMaps({ selector: "tier=front" }));
    await bed.make(bed.two.other, b);
    await bed.make(bed.two.other, a, { tier: "front" });
    await guest.heard("resource.create", a);

    const path = `${rbac}/namespaces/${bed.namespace}/rolebindings/${user}`;
    await send(bed.two.other, "DELETE", path);

    await guest.until(() => errorsOf(guest, bed.two.managed).length > 0, "that it may not be seen");
    expect(guest.named("resource.remove").map(({ data }) => data.metadata.name)).to.deep.equal([a]);
    expect(course(guest, [a, b])).to.deep.equal([`create ${a}*`, `remove ${a}*`]);
  });

  it("rights in other namespaces of a cluster leave what is watched there as it is", async () => {
    const [a = "", b = ""] = names(2);
    const [user, elsewhere] = [uniqueName("guest"), uniqueName("elsewhere")];
    await send(bed.two.other, "POST", "/api/v1/namespaces", { metadata: { name: elsewhere } });
    const there = `/api/v1/namespaces/${elsewhere}/configmaps`;
    await send(bed.two.other, "POST", there, { metadata: { name: a } });
    await send(bed.two.other, "POST", `${rbac}/clusterroles`, {
      ...{ metadata: { name: user }, rules: [lists] },
    });
    await grant(bed.two.own, user, knows(), true);
    await grant(bed.two.other, user, lists);
    const list = (namespace: string): string =>
      `configmaps/${namespace}?clusters=${bed.two.managed}`;
    const total = async (namespace: string): Promise<unknown> =>
      (await bed.two.ask(list(namespace), user)).body.count;
    await eventually(
      async () => (await bed.two.ask(list(bed.namespace), user)).warnings === "",
      within,
    );
    const guest = await bed.two.subscriber(user);
    await guest.watch(bed.configMaps());
    await bed.make(bed.two.other, a);
    await guest.heard("resource.create", a);

    await bindElsewhere(bed.two.other, user, elsewhere);
    await eventually(async () => Number(await total(elsewhere)) > 0, within);
    await bed.make(bed.two.other, b);

    await guest.heard("resource.create", b);
    expect(course(guest, [a, b])).to.deep.equal([`create ${a}*`, `create ${b}*`]);
    expect(guest.named("resource.changes")).to.deep.equal([]);
    expect(errorsOf(guest, bed.two.managed)).to.deep.equal([]);
  });

  it("a cluster that they may get no more is as one that is not there", async () => {
    const [a = "", b = "", c = ""] = names(3);
    const user = uniqueName("guest");
    for (const client of [bed.two.own, bed.two.other]) await grant(client, user, lists);
    await grant(bed.two.own, user, knows(), true);
    const list = `configmaps/${bed.namespace}?clusters=all`;
    const known = async (): Promise<boolean> =>
      bed.two.managed in Object((await bed.two.ask(list, user)).body.clusters);
    await eventually(known, within);
    const guest = await bed.two.subscriber(user);
    await guest.watch(bed.configMaps({ clusters: "all" }));
    await bed.make(bed.two.other, a);
    await guest.heard("resource.create", a);

    await send(bed.two.own, "DELETE", `${rbac}/clusterrolebindings/${user}`);
    await guest.until(() => errorsOf(guest, bed.two.managed).length > 0, "that it is not there");
    await bed.make(bed.two.other, b);
    await bed.make(bed.two.own, c);

    await guest.heard("resource.create", c);
    expect(errorsOf(guest, bed.two.managed)).to.deep.equal(["there is no such cluster"]);
    expect(course(guest, [b])).to.deep.equal([]);
  });
});
