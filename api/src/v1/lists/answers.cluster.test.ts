import { gunzipSync } from "node:zlib";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { eventually, seededRandom } from "kopf-ts/testing";
import { parse } from "yaml";
import { anyQuery } from "../query/fuzz.test.support.ts";
import { at, listAt, textAt } from "../tree.ts";
import { crdOf, install, send, uninstall } from "../types/testing.test.support.ts";
import {
  a,
  b,
  bodyOf,
  c,
  GizmoLists,
  gizmos,
  id,
  idsOf,
  kind,
  plural,
  where,
} from "./gizmos.test.support.ts";

const seed = Number(process.env.LIST_SEED ?? 1);
const cases = Number(process.env.LIST_CASES ?? 400);

describe("answers to lists, of a real API server", function () {
  this.timeout(60_000);

  let lists: GizmoLists;

  before(async () => {
    lists = await GizmoLists.start();
  });
  after(() => lists?.[Symbol.asyncDispose]());

  describe("what is wrong", () => {
    const rows: readonly (readonly [query: string, status: number, code: string, field: string])[] =
      [
        ["filter=spec.nothing=1", 422, "InvalidBodyContent", "filter"],
        ["sort=metadata.fields[9]", 422, "InvalidBodyContent", "sort"],
        ["summary=spec.any.nothing", 422, "InvalidBodyContent", "summary"],
        ["fieldSelector=type%3Dx", 422, "InvalidBodyContent", "fieldSelector"],
        ["filter=a%3D", 422, "InvalidFormat", "filter"],
        ["filter=spec.color==a==b", 422, "InvalidFormat", "filter"],
        ["filter=!spec.color=a", 422, "InvalidFormat", "filter"],
        ["filter=!spec.color", 422, "InvalidFormat", "filter"],
        ["filter=spec.color=a||spec.size=1", 422, "InvalidFormat", "filter"],
        ["filter=spec.size<a", 422, "InvalidFormat", "filter"],
        ["filter=spec.size>1.5", 422, "InvalidFormat", "filter"],
        ["filter=spec.size LT 5", 422, "InvalidFormat", "filter"],
        ["filter=spec.color in ('red')", 422, "InvalidFormat", "filter"],
        ["summary=spec.size&summary=spec.color", 422, "InvalidFormat", "summary"],
        ["summarynamespaced", 422, "InvalidFormat", "summarynamespaced"],
        ["filter=spec.size", 422, "InvalidFormat", "filter"],
        ["sort=-", 422, "InvalidFormat", "sort"],
        ["page=x", 422, "InvalidFormat", "page"],
        ["pagesize=1e99", 422, "InvalidFormat", "pagesize"],
        ["limit=x", 422, "InvalidFormat", "limit"],
        ["continue=x", 422, "InvalidFormat", "continue"],
        ["labelSelector=a in", 422, "InvalidFormat", "labelSelector"],
        ["summaryonly", 422, "InvalidFormat", "summaryonly"],
        ["revision=x", 400, "invalid revision query param", "revision"],
        ["truncate=x", 422, "InvalidOption", "truncate"],
      ];
    for (const [query, status, code, field] of rows) {
      it(`is told of ?${query}`, async () => {
        const answer = await lists.get(`${plural}?${query}`);

        expect(answer.status).to.equal(status);
        expect(bodyOf(answer)).to.deep.include({ type: "error", status, code, fieldName: field });
      });
    }

    for (const [parameter, query] of [
      ["filter", "filter=spec.size%3D1&".repeat(51)],
      ["fieldSelector", `fieldSelector=${"spec.size%3D1,".repeat(51)}`],
    ] as const) {
      it(`is told of more requirements than 50 in ${parameter}`, async () => {
        const answer = await lists.get(`${plural}?${query}`);

        expect(answer.status).to.equal(422);
        expect(bodyOf(answer)).to.include({
          ...{ code: "InvalidFormat", message: "more than 50 requirements", fieldName: parameter },
        });
      });
    }

    it("is told of a field as Steve tells it", async () => {
      expect(bodyOf(await lists.get(`${plural}?filter=spec.nothing=1`)).message).to.equal(
        "column is invalid [spec.nothing]: supplied column is invalid",
      );
    });

    it("is told of a cursor from the future", async () => {
      const cursor = Buffer.from(JSON.stringify({ v: 1, after: "a", revision: "9999999999999" }));
      const answer = await lists.get(`${plural}?limit=1&continue=${cursor.toString("base64url")}`);

      expect(answer.status).to.equal(410);
      expect(bodyOf(answer)).to.deep.include({ code: "Expired", fieldName: "continue" });
    });

    it("is told of more tests than anybody needs, but not of many values", async () => {
      const many = Array.from({ length: 500 }, (_, index) => `metadata.name=g-${index}`).join();
      const none = Array.from({ length: 200 }, (_, index) => `filter=metadata.name!=h-${index}`);
      const parts = Array.from({ length: 51 }, (_, index) => `metadata.name~g-${index}`).join();

      expect(await lists.ids(`${plural}?filter=${many}`)).to.have.length(gizmos.length);
      expect(await lists.ids(`${plural}?${none.join("&")}`)).to.have.length(gizmos.length);
      expect((await lists.get(`${plural}?filter=${parts}`)).status).to.equal(422);
    });

    it(`is told, or nothing is, in ${cases} queries of anything, seed ${seed}`, async () => {
      const random = seededRandom(seed);
      const statuses = new Map<number, number>();
      for (let index = 0; index < cases; index++) {
        const query = anyQuery(random);
        query.delete("revision"); // is waited for
        const { status, text } = await lists.get(`${plural}?${query}`);
        expect(status, `case ${index}: ${query}: ${text.slice(0, 300)}`).to.be.oneOf([200, 422]);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }

      for (const status of [200, 422]) expect(statuses.get(status)).to.be.above(cases / 20);
    });

    it("is told of a type that cannot be listed", async () => {
      const answer = await lists.get("authorization.k8s.io.subjectaccessreviews");

      expect(answer.status).to.equal(405);
      expect(bodyOf(answer)).to.deep.include({
        code: "MethodNotAllowed",
        message: "resource authorization.k8s.io.subjectaccessreview is not a listable resource",
      });
    });
  });

  describe("callers with few rights", () => {
    const nobody = { "X-User": uniqueName("nobody") };
    const user = { "X-User": uniqueName("somebody") };

    before(async () => {
      const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces";
      const rule = (verbs: readonly string[], ...resourceNames: readonly string[]): object => ({
        ...{ verbs, apiGroups: [kind.group], resources: ["gizmos"], resourceNames },
      });
      for (const [namespace, ...rules] of [
        [a, rule(["list"])],
        [b, rule(["get"], "g-1", "g-7", "g-99"), rule(["watch"])],
      ] as const) {
        await send(lists.client, "POST", `${rbac}/${namespace}/roles`, {
          metadata: { name: "some" },
          rules,
        });
        await send(lists.client, "POST", `${rbac}/${namespace}/rolebindings`, {
          metadata: { name: "some" },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "some" },
          subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user["X-User"] }],
        });
      }
      await eventually(async () => (await lists.ids(`${plural}/${b}`, user)).length === 2, {
        within: 20_000,
      });
      await eventually(async () => (await lists.ids(`${plural}/${a}`, user)).length === 12, {
        within: 20_000,
      });
    });
    const seen = where(
      ({ namespace, name }) =>
        namespace === a || (namespace === b && ["g-1", "g-7"].includes(name)),
    );

    it("see what they may list, and what they may get by name", async () => {
      const answer = await lists.body(plural, user);

      expect(idsOf(answer)).to.deep.equal(seen);
      expect(answer).to.deep.include({ count: seen.length });
      expect(answer).not.to.have.property("createTypes");
    });

    it("get pages, totals and summaries of that alone", async () => {
      const answer = await lists.body(
        `${plural}?pagesize=5&page=2&summary=metadata.namespace`,
        user,
      );
      const all = await lists.body(`${plural}?summary=metadata.namespace&summaryonly`, user);

      expect(idsOf(answer)).to.deep.equal(seen.slice(5, 10));
      expect(answer).to.deep.include({ count: seen.length, continue: "10" });
      expect(at(listAt(all, "summary")[0], "counts")).to.deep.equal({
        [a]: { total: 12 },
        [b]: { total: 2 },
      });
    });

    it("get an empty list without any right, and no error", async () => {
      const answer = await lists.get(plural, nobody);

      expect(answer.status).to.equal(200);
      expect(bodyOf(answer)).to.deep.include({ type: "collection", data: [], actions: {} });
      expect(bodyOf(answer)).not.to.have.property("count");
      expect(await lists.ids(`${plural}/${c}`, user)).to.deep.equal([]);
    });

    it("get it at any revision without any right, and are told none", async () => {
      const asked = `${plural}?revision=9999999999999`;
      const answer = await lists.get(asked, nobody);

      expect(answer.status).to.equal(200);
      expect(bodyOf(answer)).to.deep.include({ type: "collection", data: [] });
      expect(bodyOf(answer)).not.to.have.property("revision");
      expect((await lists.get(asked, user)).status).to.equal(400);
      expect((await lists.get(`${plural}?revision=x`, nobody)).status).to.equal(400);
    });

    it("cannot find out which fields others' objects have", async () => {
      const [owner] = gizmos.filter(({ spec }) => at(spec, "any", "weight") === 7);
      const asked = `${plural}?filter=spec.any.weight=7`;

      expect(owner?.namespace).to.equal(c);
      expect((await lists.get(asked)).status).to.equal(200);
      expect((await lists.get(asked, user)).status).to.equal(422);
      expect((await lists.get(asked, nobody)).status).to.equal(422);
      expect((await lists.get(`${plural}?filter=spec.size=7`, nobody)).status).to.equal(200);
    });
  });

  it("show tokens and kubeconfigs to those whose they are", async () => {
    const of = {
      group: "ext.cattle.io",
      kind: "Kubeconfig",
      plural: "kubeconfigs",
      crd: "kubeconfigs.ext.cattle.io",
    };
    const user = { "X-User": uniqueName("owner") };
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const role = { metadata: { name: user["X-User"] } };
    await install(lists.client, crdOf(of, {}));
    await send(lists.client, "POST", `${rbac}/clusterroles`, {
      ...role,
      rules: [{ verbs: ["list"], apiGroups: [of.group], resources: [of.plural] }],
    });
    await send(lists.client, "POST", `${rbac}/clusterrolebindings`, {
      ...role,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: user["X-User"] },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user["X-User"] }],
    });
    for (const [name, owner] of [
      ["mine", user["X-User"]],
      ["theirs", "somebody-else"],
    ]) {
      await send(lists.client, "POST", `/apis/${of.group}/v1/namespaces/${a}/kubeconfigs`, {
        ...{ apiVersion: `${of.group}/v1`, kind: of.kind },
        metadata: { name, labels: { "cattle.io/user-id": owner } },
      });
    }
    const path = `${of.group}.kubeconfigs/${a}`;
    await eventually(() => lists.type("ext.cattle.io.kubeconfig") !== undefined, {
      within: 20_000,
    });

    await eventually(async () => (await lists.ids(path)).length === 2, { within: 20_000 });
    await eventually(async () => (await lists.ids(path, user)).length > 0, { within: 20_000 });
    expect(await lists.ids(path, user)).to.deep.equal([`${a}/mine`]);
    expect(await lists.body(path, user)).to.deep.include({ count: 1 });
    await uninstall(lists.client, of);
  });

  describe("bytes", () => {
    it("have the members of a collection in Steve's order", async () => {
      const { text: json } = await lists.get(`${plural}?pagesize=1&summary=spec.color`);

      expect(Object.keys(JSON.parse(json))).to.deep.equal([
        ...["type", "links", "createTypes", "actions", "resourceType", "pagination", "revision"],
        ...["continue", "count", "data", "summary"],
      ]);
    });

    it("name the list itself, without its query", async () => {
      const answer = await lists.body(`${plural}/${a}?pagesize=1`);

      expect(textAt(answer, "links", "self")).to.match(new RegExp(`/v1/${plural}/${a}$`));
      expect(answer.resourceType).to.equal(id);
    });

    it("come as lines", async () => {
      for (const headers of [{ Accept: "application/jsonl" }, {}]) {
        const query = "Accept" in headers ? "" : "&_format=jsonl";
        const answer = await lists.get(
          `${plural}?pagesize=2&summary=metadata.namespace${query}`,
          headers,
        );
        const lines = answer.text.split("\n");

        expect(answer.headers.get("content-type")).to.equal("application/jsonl");
        expect(lines.slice(4)).to.deep.equal(["", ""]);
        const [first, ...rest] = lines.slice(0, 4).map((line) => JSON.parse(line));
        expect(first).to.deep.include({ type: "collection", count: gizmos.length });
        expect(first).not.to.have.property("data");
        expect(rest.map((line) => line.id ?? line.property)).to.deep.equal([
          ...(await lists.ids(`${plural}?pagesize=2`)),
          "metadata.namespace",
        ]);
      }
    });

    it("come as YAML", async () => {
      for (const query of [
        "filter=metadata.name~g-1&summary=spec.color",
        "filter=metadata.name=nothing",
      ]) {
        const answer = await lists.get(`${plural}?${query}&_format=yaml&exclude=metadata.fields`);
        const { revision, ...told } = parse(answer.text);
        const { revision: _, ...body } = await lists.body(
          `${plural}?${query}&exclude=metadata.fields`,
        );

        expect(answer.headers.get("content-type")).to.equal("application/yaml");
        expect(told).to.deep.equal(body);
        expect(revision).to.be.a("string").that.matches(/^\d+$/); // may go on between the two
      }
    });

    it("say what every answer says", async () => {
      const { headers } = await lists.get(plural);

      expect(headers.get("x-api-schemas")).to.match(/\/v1\/schemas$/);
      expect(headers.get("expires")).to.equal("Wed 24 Feb 1982 18:42:00 GMT");
      expect(headers.get("vary")).to.equal("Accept-Encoding");
    });

    it("are told to be the same by their tag, when somebody asks", async () => {
      const asked = `${plural}?exclude=metadata.fields`;
      const [tag, again] = await eventually(
        async () => {
          const first = await lists.get(asked, { "If-None-Match": '""' });
          const found = first.headers.get("etag") ?? "";
          const second = await lists.get(asked, { "If-None-Match": `"x", ${found}` });
          return second.status === 304 && ([found, second] as const);
        },
        { within: 20_000 }, // the revision may go on between the two
      );

      expect((await lists.get(asked)).headers.get("etag")).to.equal(null);
      expect(tag).to.match(/^W\/"[\w-]+"$/);
      expect(again).to.deep.include({ status: 304, text: "" });
    });

    it("are compressed for those who want it", async () => {
      const plain = await lists.raw(plural, {});
      const packed = await lists.raw(plural, { "Accept-Encoding": "br, gzip" });
      const refused = await lists.raw(plural, { "Accept-Encoding": "gzip;q=0, identity" });

      expect(plain.encoding).to.equal(undefined);
      expect(refused.encoding).to.equal(undefined);
      expect(packed.encoding).to.equal("gzip");
      expect(packed.body.length).to.be.below(plain.body.length / 2);
      expect(listAt(JSON.parse(gunzipSync(packed.body).toString()), "data")).to.have.length(
        gizmos.length,
      );
    });
  });
});
