import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import { at, listAt, textAt } from "../tree.ts";
import { send } from "../types/testing.test.support.ts";
import { type Answer, ListServer } from "./harness.test.support.ts";

const within = { within: 30_000 };
const namespace = uniqueName("owners");
const rbac = "/apis/rbac.authorization.k8s.io/v1";
/** The Pods' template is as good as any: nothing runs them. */
const labels = { app: "web" };
const template = {
  metadata: { labels },
  spec: { containers: [{ name: "a", image: "example.com/web:1" }] },
};

describe("lists by owner, of a real API server", function () {
  this.timeout(60_000);

  let lists: ListServer;

  before(async () => {
    lists = await ListServer.start();
    lists.followOwners();
    const { client } = lists;
    await send(client, "POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    for (const name of ["web", "other"]) {
      const spec = { replicas: 2, selector: { matchLabels: { app: name } } };
      const own = { ...template, metadata: { labels: { app: name } } };
      await send(client, "POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, {
        metadata: { name },
        spec: { ...spec, template: own },
      });
    }
    await eventually(async () => (await names("pods")).length === 4, within);
    for (const name of ["web", "other"]) {
      const owner = `deployment/${name}`;
      await eventually(async () => (await names("pods", owner)).length === 2, within);
    }
  });
  after(() => lists?.[Symbol.asyncDispose]());

  const ask = (path: string, owner: string, user?: string): Promise<Answer> =>
    lists.get(`${path}/${namespace}?owner=${owner}`, user === undefined ? {} : { "X-User": user });

  /** Names of what belongs to one of `apps`, or of everything. */
  async function names(path: string, owner?: string, user?: string): Promise<readonly string[]> {
    const [kind, name] = owner?.split("/") ?? [];
    const given = kind === undefined ? "" : `apps.${kind}/${namespace}/${name}`;
    return namesIn(await ask(path, given, user));
  }

  function namesIn({ status, text }: Answer): readonly string[] {
    expect(status, text).to.equal(200);
    return listAt(JSON.parse(text), "data").map((each) => textAt(each, "metadata", "name"));
  }

  it("has the Pods of a Deployment, and those of nothing else", async () => {
    const found = await names("pods", "deployment/web");

    expect(found).to.have.length(2);
    for (const name of found) expect(name).to.match(/^web-/);
  });

  it("knows types by their plural name, and owners that are in between", async () => {
    const [replicaSet = ""] = await names("apps.replicasets", "deployments/web");

    expect(replicaSet).to.match(/^web-/);
    expect(await names("pods", `replicaset/${replicaSet}`)).to.deep.equal(
      await names("pods", "deployment/web"),
    );
    expect(await names("apps.deployments", `replicaset/${replicaSet}`)).to.deep.equal([]);
  });

  it("works together with filters, orders, pages and totals", async () => {
    const [first, second] = await names("pods", "deployment/web");
    const owner = `owner=apps.deployment/${namespace}/web`;
    const page = await lists.get(`pods?${owner}&sort=-metadata.name&pagesize=1&page=2`);
    const named = await lists.get(`pods?${owner}&filter=metadata.name=${second}`);
    const others = await lists.get(`pods?${owner}&filter=metadata.labels.app!=web`);

    expect(namesIn(page)).to.deep.equal([first]);
    expect(at(JSON.parse(page.text), "count")).to.equal(2);
    expect(namesIn(named)).to.deep.equal([second]);
    expect(namesIn(others)).to.deep.equal([]);
  });

  it("has nothing of an owner that is not there", async () => {
    expect(await names("pods", "deployment/nobody")).to.deep.equal([]);
  });

  for (const { owner, message } of [
    { owner: "apps.nothing/a/b", message: "there is no type apps.nothing" },
    { owner: "apps.deployment/web", message: "owner must be apps.deployment/<namespace>/<name>" },
    { owner: "node/a/b", message: "owner must be node/<name>" },
    { owner: "pod", message: "owner must be <type>/<namespace>/<name> or <type>/<name>" },
  ]) {
    it(`refuses owner=${owner}`, async () => {
      const { status, text } = await ask("pods", owner);

      expect(status).to.equal(422);
      expect(JSON.parse(text)).to.include({ code: "InvalidFormat", fieldName: "owner" });
      expect(textAt(JSON.parse(text), "message")).to.contain(message);
    });
  }

  describe("for somebody who may", () => {
    const read = { verbs: ["get", "list"], apiGroups: ["", "apps"] };

    /** A user with rules in the namespace; resolves when they count. */
    async function aUser(...rules: readonly object[]): Promise<string> {
      const name = uniqueName("guest");
      const inNamespace = `${rbac}/namespaces/${namespace}`;
      await send(lists.client, "POST", `${inNamespace}/roles`, {
        metadata: { name },
        rules: [{ ...read, resources: ["pods"] }, ...rules],
      });
      await send(lists.client, "POST", `${inNamespace}/rolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
      });
      await eventually(async () => (await names("pods", undefined, name)).length === 4, within);
      return name;
    }

    it("read everything between, there is what belongs to the owner", async () => {
      const user = await aUser({ ...read, resources: ["deployments", "replicasets"] });

      expect(await names("pods", "deployment/web", user)).to.have.length(2);
    });

    it("not read what is between, there is nothing: only that could tell", async () => {
      const user = await aUser({ ...read, resources: ["deployments"] });

      expect(await names("pods", "deployment/web", user)).to.deep.equal([]);
    });

    it("get one owner, the others do not exist", async () => {
      const one = { verbs: ["get"], resources: ["deployments"], resourceNames: ["other"] };
      const user = await aUser(
        { ...read, resources: ["replicasets"] },
        { ...one, apiGroups: ["apps"] },
      );

      expect(await names("pods", "deployment/other", user)).to.have.length(2);
      expect(await names("pods", "deployment/web", user)).to.deep.equal([]);
    });

    it("not know the owner's type, it is as if there were no such type", async () => {
      const user = await aUser();
      const [hidden, missing] = [
        await ask("pods", `apps.deployment/${namespace}/web`, user),
        await ask("pods", `apps.nothing/${namespace}/web`, user),
      ];

      expect(hidden.status).to.equal(422);
      expect(hidden.text).to.equal(missing.text.replace("apps.nothing", "apps.deployment"));
    });
  });
});
