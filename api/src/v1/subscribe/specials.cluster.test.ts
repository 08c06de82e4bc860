import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { loadConfig } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { ServedV1 } from "../served-v1.test.support.ts";
import { at, listAt, textAt } from "../tree.ts";
import {
  aKind,
  change,
  crdOf,
  install,
  send,
  type TestKind,
  uninstall,
} from "../types/testing.test.support.ts";
import type { Subscriber, Told } from "./websockets.test.support.ts";

const within = { within: 30_000 };
const apiGroup = "rbac.authorization.k8s.io";

describe("subscriptions to what is no resource, on an API server", function () {
  this.timeout(90_000);

  let v1: ServedV1;
  let namespace: string;

  before(async () => {
    const { kubeconfigPath } = await testEnv();
    v1 = await ServedV1.start(await loadConfig({ kubeconfig: kubeconfigPath }));
    namespace = await freshNamespace(await testEnv(), "specials");
    await makeSecret("first");
    await eventually(isStocked, within);
  });
  after(async () => {
    await send(v1.client, "DELETE", `/api/v1/namespaces/${namespace}`);
    await v1[Symbol.asyncDispose]();
  });
  afterEach(() => expect(v1.loud).to.deep.equal([]));

  async function isStocked(): Promise<boolean> {
    const counts = at(await v1.get("counts/count"), "counts");
    return at(counts, "secret", "namespaces", namespace, "count") === 1;
  }

  const makeSecret = (name: string): Promise<unknown> =>
    send(v1.client, "POST", `/api/v1/namespaces/${namespace}/secrets`, { metadata: { name } });
  const rbac = (what: string): string => `/apis/${apiGroup}/v1/namespaces/${namespace}/${what}`;

  /** Somebody with a role in the namespace. */
  async function somebody(...verbs: readonly string[]): Promise<string> {
    const name = uniqueName("somebody");
    await send(v1.client, "POST", rbac("roles"), { metadata: { name }, rules: rulesOf(verbs) });
    await send(v1.client, "POST", rbac("rolebindings"), {
      ...{ metadata: { name }, roleRef: { apiGroup, kind: "Role", name } },
      subjects: [{ apiGroup, kind: "User", name }],
    });
    return name;
  }

  const rulesOf = (verbs: readonly string[]): readonly object[] =>
    verbs.length === 0 ? [] : [{ verbs, apiGroups: [""], resources: ["secrets"] }];
  const give = (name: string, ...verbs: readonly string[]): Promise<unknown> =>
    send(v1.client, "PATCH", rbac(`roles/${name}`), { rules: rulesOf(verbs) });

  describe("to schemas", () => {
    const resourceType = "schemas";

    const ofType = ({ told }: Subscriber, id: string): readonly Told[] =>
      told.filter(({ data }) => data.id === id);

    async function heard(who: Subscriber, id: string, name: string): Promise<Told> {
      const find = (): Told | undefined => ofType(who, id).find((each) => each.name === name);
      await who.until(() => find() !== undefined, `${name} of ${id}`);
      return find() as Told;
    }

    const columnsOf = ({ data }: Told): readonly string[] =>
      listAt(data, "attributes", "columns").map((each) => textAt(each, "name"));

    it("tell of a type that comes, changes and goes, in the form of schemas, and nobody who may not see it", async () => {
      const kind: TestKind = aKind("thing");
      const id = `${kind.group}.thing`;
      const colour = { name: "Colour", type: "string", jsonPath: ".spec.colour" };
      const admin = await v1.subscriber();
      const name = await somebody();
      const user = await v1.subscriber(name);
      for (const each of [admin, user]) await each.watch({ resourceType });

      await install(v1.client, crdOf(kind, {}));
      const made = await heard(admin, id, "resource.create");
      const schema = await v1.get(`schemas/${id}`);
      await change(v1.client, crdOf(kind, { columns: [colour] }));
      await admin.until(
        () => ofType(admin, id).some((each) => columnsOf(each).includes("Colour")),
        "the new column",
      );
      await uninstall(v1.client, kind);
      const gone = await heard(admin, id, "resource.remove");

      expect(made).to.deep.include({ resourceType });
      expect(made.data).to.include({ id, type: "schema", pluralName: `${id}s` });
      expect(at(made.data, "collectionMethods")).to.deep.equal(["GET", "POST"]);
      expect(Object.keys(made.data)).to.have.members(Object.keys(schema as object));
      const told = ofType(admin, id);
      expect(told.at(0)?.name).to.equal("resource.create");
      expect(told.slice(1, -1).map((each) => each.name)).to.satisfy((names: readonly string[]) =>
        names.every((each) => each === "resource.change"),
      );
      expect(told.at(-1)?.name).to.equal("resource.remove");
      expect(gone.data).to.deep.equal({ id, type: "schema", links: {} });
      await give(name, "list");
      await heard(user, "secret", "resource.create");
      expect(ofType(user, id)).to.deep.equal([]);
    });

    it("tell what other rights show, allow and hide", async () => {
      const name = await somebody();
      const user = await v1.subscriber(name);
      await user.watch({ resourceType });

      await give(name, "list");
      const made = await heard(user, "secret", "resource.create");
      await give(name, "list", "delete");
      const changed = await heard(user, "secret", "resource.change");
      await give(name);
      await heard(user, "secret", "resource.remove");

      expect(at(made.data, "resourceMethods")).to.deep.equal(["GET"]);
      expect(at(changed.data, "resourceMethods")).to.deep.equal(["GET", "DELETE"]);
      const told = ofType(user, "secret").map((each) => each.name);
      expect(told).to.deep.equal(["resource.create", "resource.change", "resource.remove"]);
    });
  });

  it("end with an error for who does not read, and the other watches go on", async () => {
    const kind = aKind("large"); // of its own: what is missed of a type is kept as long as few others change
    await install(v1.client, crdOf(kind, {}));
    const make = (index: number): Promise<unknown> =>
      send(v1.client, "POST", `/apis/${kind.group}/v1/namespaces/${namespace}/${kind.plural}`, {
        ...{ apiVersion: `${kind.group}/v1`, kind: kind.kind, metadata: { name: `big-${index}` } },
        spec: { big: "x".repeat(900_000) },
      });
    const resourceType = `${kind.group}.${kind.kind.toLowerCase()}`;
    await eventually(
      async () => textAt(await v1.get(`schemas/${resourceType}`), "id") !== "",
      within,
    );
    const before = await watches();
    const slow = await v1.subscriber(undefined, { perMessageDeflate: false });
    const quick = await v1.subscriber();
    for (const each of [slow, quick]) await each.watch({ resourceType, namespace });
    slow.ws.pause();
    for (let index = 0; index < 24; index++) await make(index);
    await quick.heard("resource.create", "big-23");

    for (const [index, each] of [slow, quick].entries()) {
      each.send({ resourceType: "counts" }); // who does not read hears of changes first
      await eventually(async () => (await watches()) === before + 3 + index, within);
    }
    let secrets = 0;
    await eventually(async () => {
      await makeSecret(`one-${secrets++}`);
      return quick.named("resource.change").length > 0;
    }, within);
    slow.ws.resume();

    await slow.heard("resource.stop");
    const { data, resourceType: refused } = await slow.heard("resource.error");
    expect(refused).to.equal("counts");
    expect(data.error).to.equal("slow reader detected; items missed: too old");
    await slow.heard("resource.create", "big-23");
    const ends = slow.told.filter(({ name }) => /stop|error|change/.test(name));
    expect(ends.map((each) => `${each.name} ${each.resourceType}`)).to.deep.equal([
      ...["resource.error counts", "resource.stop counts"],
    ]);
    expect(quick.named("resource.stop")).to.deep.equal([]);
    await slow.watch({ resourceType: "counts" });
    await uninstall(v1.client, kind);
  });

  const watches = (): Promise<number> => v1.metric("drover_subscribe_watches");
});
