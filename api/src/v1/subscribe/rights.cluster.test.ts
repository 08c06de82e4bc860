import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { at } from "../tree.ts";
import { crdOf, install, uninstall } from "../types/testing.test.support.ts";
import { lists, subscribeBed, within } from "./bed.test.support.ts";
import type { Subscriber } from "./harness.test.support.ts";

describe("subscribe, on an API server", function () {
  this.timeout(90_000);

  const bed = subscribeBed();

  it("to tokens and kubeconfigs tells people of their own alone", async () => {
    const of = { group: "ext.cattle.io", kind: "Token", plural: "tokens" };
    const kind = { ...of, crd: `${of.plural}.${of.group}` };
    await install(bed.client, crdOf(kind, {}));
    const rule = { apiGroups: [of.group], resources: [of.plural], verbs: ["list"] };
    const one = await bed.somebody([lists, rule]);
    const names = [one, await bed.somebody([lists, rule])];
    const resourceType = "ext.cattle.io.token";
    const columns = (): number => bed.server.types.find(resourceType)?.columns.length ?? 0;
    await eventually(() => columns() > 0, within);
    const people = await Promise.all(names.map((name) => bed.server.subscriber(name)));
    const message = { resourceType, namespace: bed.namespace };
    for (const person of people) await person.watch(message);

    for (const owner of [...names, one]) {
      const labels = { "cattle.io/user-id": owner };
      const metadata = { name: uniqueName("token"), namespace: bed.namespace, labels };
      await bed.client.create({ apiVersion: `${of.group}/v1`, kind: of.kind, metadata });
    }

    const owners = (person: Subscriber | undefined): unknown =>
      person
        ?.named("resource.create")
        .map(({ data }) => at(data, "metadata", "labels", "cattle.io/user-id"));
    await eventually(() => people[0]?.named("resource.create").length === 2, within);
    expect(owners(people[0])).to.deep.equal([one, one]);
    expect(owners(people[1])).to.deep.equal([names[1]]);
    await uninstall(bed.client, kind);
  });

  describe("a change of rights", () => {
    it("that takes objects away tells which, and ends the watch", async () => {
      await bed.make("one");
      await bed.make("two");
      await bed.revisionWith("two");
      const name = await bed.somebody();
      const user = await bed.server.subscriber(name);
      await user.watch({ resourceType: "configmap" });

      await bed.changeRules(name, [{ ...lists, resourceNames: ["two"] }]);

      await user.heard("resource.stop");
      const removed = user.named("resource.remove").map(({ data }) => data.id);
      expect(removed).to.include(`${bed.namespace}/one`);
      expect(removed).not.to.include(`${bed.namespace}/two`);
      expect(user.named("resource.remove")[0]?.data).to.have.keys(
        "id",
        "type",
        "links",
        "metadata",
      );
      await user.watch({ resourceType: "configmap" });
      await bed.change("one", { data: { n: "1" } });
      await bed.change("two", { data: { n: "1" } });
      await user.heard("resource.change", "two");
      expect(user.course).not.to.include("change one");
    });

    it("that gives more ends the watch, so that it is begun anew", async () => {
      await bed.make("one");
      const name = await bed.somebody([{ ...lists, resourceNames: ["two"] }]);
      const user = await bed.server.subscriber(name);
      await user.watch({ resourceType: "configmap" });

      await bed.changeRules(name, [lists]);

      await user.heard("resource.stop");
      expect(user.named("resource.remove")).to.deep.equal([]);
    });

    it("that is about something else leaves nothing out, and tells nothing twice", async () => {
      const name = await bed.somebody();
      const user = await bed.server.subscriber(name);
      const admin = await bed.server.subscriber();
      for (const each of [user, admin]) await each.watch(bed.configMaps());
      await bed.make("one");

      const changeSome = async (): Promise<void> => {
        for (const n of ["1", "2", "3", "4", "5"]) await bed.change("one", { data: { n } });
      };
      const rights = ["delete", "patch", "delete", "patch", "delete", "patch", "delete", "patch"];
      for (const verb of rights) {
        await bed.changeRules(name, [lists, { ...lists, verbs: [verb] }]);
        await changeSome();
      }
      await bed.make("end");

      for (const each of [user, admin]) await each.heard("resource.create", "end");
      const revisions = ({ told }: Subscriber): unknown => told.map(({ revision }) => revision);
      expect(revisions(user)).to.deep.equal(revisions(admin));
    });

    it("that is about something else changes the links, and the watch goes on", async () => {
      const name = await bed.somebody();
      const user = await bed.server.subscriber(name);
      await user.watch({ resourceType: "configmap" });
      const before = bed.server.access.of({ username: name, groups: ["system:authenticated"] });

      await bed.changeRules(name, [lists, { ...lists, verbs: ["delete"] }]);
      const after = (): typeof before =>
        bed.server.access.of({ username: name, groups: ["system:authenticated"] });
      await eventually(() => after().fingerprint !== before.fingerprint, within);
      await bed.make("one");

      await eventually(async () => {
        await bed.change("one", { data: { n: String(Math.random()) } });
        return user.named("resource.change").some(({ data }) => "remove" in data.links);
      }, within);
      expect(user.named("resource.stop")).to.deep.equal([]);
    });
  });
});
