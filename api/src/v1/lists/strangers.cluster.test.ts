import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { listAt, mapAt, textAt } from "../tree.ts";
import { send } from "../types/testing.test.support.ts";
import { type Answer, ListServer } from "./harness.test.support.ts";

const within = { within: 30_000 };
const [one, two] = [uniqueName("a"), uniqueName("b")];
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const project = uniqueName("p");

describe("namespaces of which somebody sees no more than the name, on a real API server", function () {
  this.timeout(60_000);

  let lists: ListServer;
  let uid = "";

  before(async () => {
    lists = await ListServer.start();
    lists.followOwners();
    const owner = await make(two, { labels: { team: "blue", tier: "1" } });
    uid = textAt(owner, "metadata", "uid");
    await make(one, {
      labels: {
        ...{ team: "red", tier: "2", "fleet.cattle.io/managed": "true" },
        "field.cattle.io/projectId": project,
      },
      annotations: {
        ...{ "field.cattle.io/projectId": `local:${project}`, note: "secret" },
        "management.cattle.io/system-namespace": "true",
      },
      ownerReferences: [{ apiVersion: "v1", kind: "Namespace", name: two, uid }],
    });
    await bind("stranger", ["pods"]);
    await bind("reader", ["namespaces"]);
    for (const user of ["stranger", "reader"]) {
      await eventually(async () => (await names("", user)).length === 2, within);
    }
    await eventually(async () => (await names(`owner=namespace/${two}`, "reader")).length, within);
  });
  after(async () => {
    for (const name of [one, two]) await send(lists.client, "DELETE", `/api/v1/namespaces/${name}`);
    await lists[Symbol.asyncDispose]();
  });

  const make = (name: string, metadata: object): Promise<unknown> =>
    send(lists.client, "POST", "/api/v1/namespaces", { metadata: { name, ...metadata } });

  /** Gives somebody rights in both namespaces. */
  async function bind(name: string, resources: readonly string[]): Promise<void> {
    for (const namespace of [one, two]) {
      const inNamespace = `${rbac}/namespaces/${namespace}`;
      await send(lists.client, "POST", `${inNamespace}/roles`, {
        metadata: { name },
        rules: [{ verbs: ["get", "list"], apiGroups: [""], resources }],
      });
      await send(lists.client, "POST", `${inNamespace}/rolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: userOf(name) }],
      });
    }
  }

  const userOf = (name: string): string => `${name}-of-${one}`;

  const ask = (query: string, user: string): Promise<Answer> =>
    lists.get(`namespaces?${query}`, { "X-User": userOf(user) });

  async function names(query: string, user: string): Promise<readonly string[]> {
    const { status, text } = await ask(query, user);
    expect(status, text).to.equal(200);
    return listAt(JSON.parse(text), "data").map((each) => textAt(each, "metadata", "name"));
  }

  const rows: readonly (readonly [query: string, stranger: string[], reader: string[]])[] = [
    ["filter=metadata.labels.team=red", [], [one]],
    ["filter=metadata.labels.team", [], [one, two]],
    ["filter=!metadata.labels.team", [one, two], []],
    ["filter=metadata.labels.team!=red", [one, two], [two]],
    ["filter=metadata.labels.team notin (red)", [one, two], [two]],
    ["filter=metadata.labels.team~re", [], [one]],
    ["filter=metadata.labels.team!~re", [one, two], [two]],
    ["filter=metadata.labels.team contains red", [], [one]],
    ["filter=metadata.labels.tier>1", [], [one]],
    ["filter=metadata.state.name=active", [], [one, two]],
    ["filter=metadata.fields[1]=Active", [], [one, two]],
    ["filter=metadata.creationTimestamp>0", [], [one, two]],
    ["filter=metadata.ownerReferences.name=two", [], [one]],
    ["labelSelector=team=red", [], [one]],
    ["labelSelector=team in (red,white)", [], [one]],
    ["labelSelector=team", [], [one, two]],
    ["labelSelector=!team", [one, two], []],
    ["labelSelector=team!=red,tier notin (3,4)", [one, two], [two]],
    ["labelSelector=tier>1", [], [one]],
    ["labelSelector=team!=blue,fleet.cattle.io/managed=true", [one], [one]],
    ["labelSelector=team=red,fleet.cattle.io/managed=true", [], [one]],
    ["fieldSelector=metadata.uid=uid", [], [two]],
    ["fieldSelector=metadata.uid!=uid", [one, two], [one]],
    ["sort=metadata.labels.team", [one, two], [two, one]],
    ["sort=-metadata.labels.tier,-metadata.uid", [one, two], [one, two]],
    ["owner=namespace/two", [], [one]],
    ["filter=metadata.name=two", [two], [two]],
    ["sort=-metadata.name", [two, one], [two, one]],
    ["filter=id=two", [two], [two]],
    ["filter=status.phase=Active", [one, two], [one, two]],
    ["filter=metadata.labels[fleet.cattle.io/managed]=true", [one], [one]],
    ["filter=metadata.annotations[field.cattle.io/projectId]=local:p", [one], [one]],
    ["filter=metadata.annotations[management.cattle.io/system-namespace]=true", [one], [one]],
    ["projectsornamespaces=p", [one], [one]],
  ];
  for (const [query, stranger, reader] of rows) {
    it(`are asked for nothing else: ?${query}`, async () => {
      const [name = "", ...value] = query.split("=");
      const text = value
        .join("=")
        .replace(/\btwo\b/, two)
        .replace(/=uid$/, `=${uid}`)
        .replace(/\bp$/, project);
      const asked = `${name}=${encodeURIComponent(text)}`;

      expect(await names(asked, "stranger"), "a stranger").to.deep.equal(stranger);
      expect(await names(asked, "reader"), "a reader").to.deep.equal(reader);
    });
  }

  it("show a label and two annotations of all that they have", async () => {
    const shown = async (user: string): Promise<unknown> => {
      const { text } = await ask(`filter=metadata.name=${one}`, user);
      const { labels, annotations } = listAt(JSON.parse(text), "data").map((each) =>
        mapAt(each, "metadata"),
      )[0] as Readonly<Record<string, unknown>>;
      return { labels, annotations };
    };

    expect(await shown("stranger")).to.deep.equal({
      labels: { "fleet.cattle.io/managed": "true" },
      annotations: {
        "field.cattle.io/projectId": `local:${project}`,
        "management.cattle.io/system-namespace": "true",
      },
    });
    expect(await shown("reader")).to.have.nested.property("labels.team", "red");
  });

  it("count in summaries by what they show", async () => {
    const query = "summary=metadata.labels.team,metadata.uid,metadata.state.name,status.phase";
    const { text } = await ask(query, "stranger");

    expect(JSON.parse(text).summary).to.deep.equal([
      { property: "status.phase", counts: { Active: { total: 2 } } },
    ]);
  });

  it("do not tell which fields they have", async () => {
    const asked = (key: string): Promise<Answer> =>
      ask(`summary=metadata.annotations[${key}]`, "stranger");
    const [there, missing] = [await asked("note"), await asked("miss")];

    expect(there.status).to.equal(200);
    expect(there.text).to.equal(missing.text.replaceAll("miss", "note"));
    expect((await ask("summary=metadata.annotations[note]", "reader")).text).to.contain("secret");
  });
});
