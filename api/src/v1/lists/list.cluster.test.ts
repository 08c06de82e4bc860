import { gunzipSync } from "node:zlib";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { compareResourceVersions } from "kopf-ts";
import { eventually, type Random, seededRandom } from "kopf-ts/testing";
import { parse } from "yaml";
import { at, listAt, textAt } from "../tree.ts";
import { aKind, crdOf, install, send, uninstall } from "../types/testing.test.support.ts";
import { type Answer, ListServer } from "./harness.test.support.ts";

const seed = Number(process.env.LIST_SEED ?? 1);
const cases = Number(process.env.LIST_CASES ?? 400);

const kind = aKind("gizmo");
const id = `${kind.group}.gizmo`;
const plural = `${kind.group}.gizmos`;
const namespaces = ["a", "b", "c"].map((letter) => uniqueName(`lists-${letter}`));
const [a = "", b = "", c = ""] = namespaces;
const project = uniqueName("p");

const text = { type: "string" };
const properties = {
  spec: {
    type: "object",
    properties: {
      size: { type: "integer" },
      color: text,
      memory: { "x-kubernetes-int-or-string": true, pattern: "KMGTP|.*" },
      address: text,
      sold: { type: "string", format: "date-time" },
      tags: { type: "array", items: text },
      parts: { type: "array", items: { type: "object", properties: { name: text } } },
      any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  },
};
const columns = [
  { name: "Size", type: "integer", jsonPath: ".spec.size" },
  { name: "Color", type: "string", jsonPath: ".spec.color" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

interface Gizmo {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

const colors = ["red", "Green", "blue", "50%_\\", "", undefined];
const memories = ["1Gi", "900Mi", "2", "100m", undefined];
const addresses = ["10.0.0.9", "10.0.0.10", "9.9.9.9", "fd00::1", undefined];

/** The same ones in every run. */
const gizmos: readonly Gizmo[] = Array.from({ length: 36 }, (_, index) => ({
  namespace: namespaces[index % 3] ?? "",
  name: `g-${(index * 7) % 36}`,
  labels: {
    ...(index % 4 > 0 && { "app.kubernetes.io/name": ["web", "API", "db"][index % 3] }),
    ...(index % 5 === 0 && { tier: String(index % 7) }),
  } as Readonly<Record<string, string>>,
  spec: {
    ...(index % 6 > 0 && { size: (index * 5) % 23 }),
    ...defined({ color: colors[index % 6], memory: memories[index % 5] }),
    ...defined({ address: addresses[(index * 2) % 5] }),
    tags: ["x", "y", "x y", "z|w"].slice(index % 3, 1 + (index % 4)),
    parts: [{ name: `p${index % 4}` }, {}, { name: "last" }].slice(0, index % 4),
    any: index === 8 ? { weight: 7 } : {},
  },
}));

function defined(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** What an answer is: its collection, or its error. */
function bodyOf({ text: json }: Answer): Readonly<Record<string, unknown>> {
  return JSON.parse(json);
}

function idsIn(answer: Answer): readonly string[] {
  expect(answer.status, answer.text.slice(0, 300)).to.equal(200);
  return listAt(bodyOf(answer), "data").map((item) => textAt(item, "id"));
}

describe("lists, of a real API server", function () {
  this.timeout(60_000);

  let server: ListServer;

  before(async () => {
    server = await ListServer.start();
    const { client } = server;
    const crd = crdOf(kind, { columns, properties });
    await install(client, crd);
    for (const [index, name] of namespaces.entries()) {
      const labels =
        index === 0 ? {} : { "field.cattle.io/projectId": index === 1 ? project : "other" };
      await send(client, "POST", "/api/v1/namespaces", { metadata: { name, labels } });
    }
    for (const { namespace, name, labels, spec } of gizmos) {
      const path = `/apis/${kind.group}/v1/namespaces/${namespace}/gizmos`;
      await send(client, "POST", path, {
        ...{ apiVersion: `${kind.group}/v1`, kind: kind.kind, metadata: { name, labels }, spec },
      });
    }
    await eventually(() => server.type(id) !== undefined, { within: 20_000 });
    await eventually(async () => idsIn(await server.get(plural)).length === gizmos.length, {
      within: 20_000,
    });
  });
  after(async () => {
    if (server === undefined) return;
    await uninstall(server.client, kind);
    await server[Symbol.asyncDispose]();
  });

  /** What a naive filter or order says of the objects. */
  const where = (test: (gizmo: Gizmo) => boolean): readonly string[] =>
    gizmos.filter(test).map(idOf).toSorted();

  describe("filters", () => {
    const label = "metadata.labels[app.kubernetes.io/name]";
    const labelOf = ({ labels }: Gizmo): string | undefined => labels["app.kubernetes.io/name"];
    const color = ({ spec }: Gizmo): string => String(spec.color ?? "");
    const size = ({ spec }: Gizmo): number => Number(spec.size ?? Number.NaN);
    const tags = ({ spec }: Gizmo): readonly unknown[] => listAt(spec, "tags");
    const rows: readonly (readonly [filter: string, test: (gizmo: Gizmo) => boolean])[] = [
      ["metadata.name=g-7", ({ name }) => name === "g-7"],
      ["metadata.name==g-7", ({ name }) => name === "g-7"],
      ["metadata.name!=g-7", ({ name }) => name !== "g-7"],
      ["metadata.name~G-1", ({ name }) => name.includes("g-1")],
      ["metadata.name!~g-1", ({ name }) => !name.includes("g-1")],
      ["metadata.name in (g-1,g-2)", ({ name }) => name === "g-1" || name === "g-2"],
      ["metadata.name NOTIN (g-1,g-2)", ({ name }) => name !== "g-1" && name !== "g-2"],
      [
        "metadata.name=g-1,metadata.name=g-2,spec.size>20",
        (each) => each.name === "g-1" || each.name === "g-2" || size(each) > 20,
      ],
      [`id=${a}/g-0`, (each) => idOf(each) === `${a}/g-0`],
      [`metadata.namespace=${b}`, ({ namespace }) => namespace === b],
      ["metadata.state.name=active", () => true],
      ["metadata.state.name!=active", () => false],
      ["metadata.state.error=false", () => true],
      ["metadata.fields[0]~g-2", ({ name }) => name.includes("g-2")],
      ["metadata.fields[1]>10", (each) => size(each) > 10],
      ["metadata.fields[2]=red", (each) => color(each) === "red"],
      ["spec.size=5", (each) => size(each) === 5],
      ["spec.size<5", (each) => size(each) < 5],
      ["spec.size lt 5", (each) => size(each) < 5],
      ["spec.size gt '-1'", (each) => size(each) > -1],
      ["spec.size>'20'", (each) => size(each) > 20],
      ["spec.size in ()", (each) => Number.isNaN(size(each))],
      ["spec.color=Green", (each) => color(each) === "Green"],
      ["spec.color=green", () => false],
      ["spec.color~GREEN", (each) => color(each) === "Green"],
      ["spec.color='50%_\\\\'", (each) => color(each) === "50%_\\"],
      ["spec.color!='50%_\\\\'", (each) => color(each) !== "50%_\\"],
      ["spec.color~'%_'", (each) => color(each).includes("%_")],
      ["spec.color=''", (each) => color(each) === ""],
      ["spec.color!=''", (each) => color(each) !== ""],
      ["spec.color in (,red)", (each) => color(each) === "" || color(each) === "red"],
      ["spec.color notin (red,blue)", (each) => color(each) !== "red" && color(each) !== "blue"],
      ["spec.color~''", () => true],
      ["spec.memory=1Gi", ({ spec }) => spec.memory === "1Gi"],
      ["spec.memory>1000", ({ spec }) => ["1Gi", "900Mi"].includes(String(spec.memory))],
      ["spec.tags contains x", (each) => tags(each).includes("x")],
      ["spec.tags contains 'x y'", (each) => tags(each).includes("x y")],
      ["spec.tags contains 'z|w'", (each) => tags(each).includes("z|w")],
      ["spec.tags contains z", () => false],
      ["spec.tags notcontains x", (each) => !tags(each).includes("x")],
      ["spec.tags[0]=y", (each) => tags(each)[0] === "y"],
      ["spec.parts.name contains last", ({ spec }) => listAt(spec, "parts").length === 3],
      ["spec.parts.name[0]=p1", ({ spec }) => textAt(listAt(spec, "parts")[0], "name") === "p1"],
      ["spec.parts.0.name=p1", ({ spec }) => textAt(listAt(spec, "parts")[0], "name") === "p1"],
      ["spec.any.weight=7", ({ spec }) => at(spec, "any", "weight") === 7],
      [label, (each) => labelOf(each) !== undefined],
      [`!${label}`, (each) => labelOf(each) === undefined],
      [`${label}=web`, (each) => labelOf(each) === "web"],
      [`${label}!=web`, (each) => labelOf(each) !== "web"],
      [`${label}~ap`, (each) => labelOf(each) === "API"],
      [`${label}!~ap`, (each) => labelOf(each) !== "API"],
      [`${label} in (web,db)`, (each) => ["web", "db"].includes(labelOf(each) ?? "")],
      [`${label} notin (web,db)`, (each) => !["web", "db"].includes(labelOf(each) ?? "")],
      [`${label} contains web`, (each) => labelOf(each) === "web"],
      [`${label} notcontains web`, (each) => labelOf(each) !== "web"],
      ["metadata.labels.tier>2", ({ labels }) => Number(labels.tier ?? 0) > 2],
      ["metadata.labels.tier<2", ({ labels }) => Number(labels.tier ?? 2) < 2],
    ];
    for (const [filter, test] of rows) {
      it(`has those for which ${filter.replaceAll(a, "a").replaceAll(b, "b")}`, async () => {
        const asked = `${plural}?filter=${encodeURIComponent(filter)}`;

        expect((await ids(asked)).toSorted()).to.deep.equal(where(test));
      });
    }

    it("all hold when there are several", async () => {
      const found = await ids(`${plural}?filter=spec.size>5&filter=spec.size<10,spec.size=20`);

      expect(found.toSorted()).to.deep.equal(
        where((each) => size(each) > 5 && (size(each) < 10 || size(each) === 20)),
      );
    });
  });

  describe("sort orders", () => {
    const rows: readonly (readonly [
      sort: string,
      rank: (gizmo: Gizmo) => readonly (string | number)[],
      descending?: true,
    ])[] = [
      ["metadata.name", ({ name }) => [name]],
      ["-metadata.name", ({ name }) => [name], true],
      ["spec.size", ({ spec }) => [Number(spec.size ?? Number.POSITIVE_INFINITY)]],
      ["-spec.size", ({ spec }) => [Number(spec.size ?? Number.POSITIVE_INFINITY)], true],
      ["metadata.fields[1]", ({ spec }) => [Number(spec.size ?? Number.POSITIVE_INFINITY)]],
      ["spec.color", ({ spec }) => [String(spec.color ?? "").toLowerCase()]],
      ["-spec.color", ({ spec }) => [String(spec.color ?? "").toLowerCase()], true],
      [
        "spec.color,spec.size",
        ({ spec }) => [
          String(spec.color ?? "").toLowerCase(),
          Number(spec.size ?? Number.POSITIVE_INFINITY),
        ],
      ],
      [
        "spec.memory",
        ({ spec }) => [["100m", "2", "900Mi", "1Gi", undefined].indexOf(spec.memory as string)],
      ],
      [
        "ip(spec.address)",
        ({ spec }) => [
          [undefined, "9.9.9.9", "10.0.0.9", "10.0.0.10", "fd00::1"].indexOf(
            spec.address as string,
          ),
        ],
      ],
      [
        "ip(-spec.address)",
        ({ spec }) => [
          [undefined, "9.9.9.9", "10.0.0.9", "10.0.0.10", "fd00::1"].indexOf(
            spec.address as string,
          ),
        ],
        true,
      ],
      [
        "metadata.labels[app.kubernetes.io/name]",
        ({ labels }) => [(labels["app.kubernetes.io/name"] ?? "\uffff").toLowerCase()],
      ],
      [
        "-metadata.labels[app.kubernetes.io/name]",
        ({ labels }) => [(labels["app.kubernetes.io/name"] ?? "\uffff").toLowerCase()],
        true,
      ],
      ["spec.tags[0]", ({ spec }) => [String(listAt(spec, "tags")[0] ?? "")]],
    ];
    for (const [sort, rank, descending] of rows) {
      it(`come by ${sort}`, async () => {
        const sign = descending === true ? -1 : 1;
        const sorted = [...gizmos]
          .toSorted(
            (x, y) => sign * compareRanks(rank(x), rank(y)) || compareRanks([idOf(x)], [idOf(y)]),
          )
          .map(idOf);

        expect(await ids(`${plural}?sort=${encodeURIComponent(sort)}`)).to.deep.equal(sorted);
      });
    }

    it("are by id when there is none", async () => {
      expect(await ids(plural)).to.deep.equal(where(() => true));
    });

    it("come by the time of creation, the newest first", async () => {
      const all = await body(`${plural}?sort=-metadata.creationTimestamp`);
      const times = listAt(all, "data").map((item) =>
        textAt(item, "metadata", "creationTimestamp"),
      );

      expect(times).to.deep.equal(times.toSorted().toReversed());
      expect(times).to.have.length(gizmos.length);
    });
  });

  describe("pages", () => {
    it("are numbered from 1, with the number of all", async () => {
      const all = await ids(plural);
      for (const [page, size, found] of [
        [1, 10, all.slice(0, 10)],
        [2, 10, all.slice(10, 20)],
        [4, 10, all.slice(30)],
        [5, 10, []],
        [0, 10, all.slice(0, 10)],
        [1, 0, all],
        [1, -1, all],
      ] as const) {
        const answer = await body(`${plural}?page=${page}&pagesize=${size}`);

        expect(listAt(answer, "data").map((item) => textAt(item, "id"))).to.deep.equal(found);
        expect(answer.count).to.equal(gizmos.length);
        expect(answer).not.to.have.property("pages");
      }
    });

    it("tell where the list goes on, as a number that is taken back", async () => {
      const first = await body(`${plural}?pagesize=20`);
      const next = new URL(textAt(first, "pagination", "next"));
      const second = await body(`${plural}${next.search}`);

      expect(first).to.deep.include({ continue: "20" });
      expect(at(first, "pagination")).to.deep.include({ limit: 20, partial: true });
      expect(second).not.to.have.property("continue");
      expect([...idsOf(first), ...idsOf(second)]).to.deep.equal(await ids(plural));
    });

    it("go on from cursors, as Kubernetes' do", async () => {
      for (const sort of ["", "&sort=-spec.color"]) {
        const seen: string[] = [];
        let next = "";
        do {
          const page = await body(`${plural}?limit=10${sort}${next && `&continue=${next}`}`);
          seen.push(...idsOf(page));
          expect(page.count).to.equal(gizmos.length);
          next = textAt(page, "continue");
        } while (next !== "" && seen.length < 100);

        expect(seen).to.deep.equal(await ids(`${plural}?${sort}`));
      }
    });

    it("begin behind an object that has gone", async () => {
      const page = await body(`${plural}?limit=1`);
      const cursor = JSON.parse(Buffer.from(textAt(page, "continue"), "base64url").toString());
      const gone = { ...cursor, after: `${a}/g-1+` };
      const text = Buffer.from(JSON.stringify(gone)).toString("base64url");
      const [first] = await ids(`${plural}?limit=1&continue=${text}`);

      expect(first).to.equal((await ids(plural)).find((each) => each > `${a}/g-1+`));
    });
  });

  describe("Kubernetes' own parameters", () => {
    const rows: readonly (readonly [query: string, test: (gizmo: Gizmo) => boolean])[] = [
      ["labelSelector=tier", ({ labels }) => "tier" in labels],
      ["labelSelector=tier in (0,5),!x", ({ labels }) => ["0", "5"].includes(labels.tier ?? "")],
      ["fieldSelector=metadata.name=g-3", ({ name }) => name === "g-3"],
      [
        `fieldSelector=metadata.namespace!=${a},spec.color=red`,
        ({ namespace, spec }) => namespace !== a && spec.color === "red",
      ],
      ["fieldSelector=spec.color=", ({ spec }) => (spec.color ?? "") === ""],
    ];
    for (const [query, test] of rows) {
      it(`work: ${query.replaceAll(a, "a")}`, async () => {
        const [name = "", ...value] = query.split("=");
        const asked = `${plural}?${name}=${encodeURIComponent(value.join("="))}`;

        expect((await ids(asked)).toSorted()).to.deep.equal(where(test));
      });
    }
  });

  describe("projects and namespaces", () => {
    const rows: readonly (readonly [query: string, found: readonly string[]])[] = [
      [`projectsornamespaces=${a}`, [a]],
      [`projectsornamespaces=${project}`, [b]],
      [`projectsornamespaces=${project},${c}`, [b, c]],
      [`projectsornamespaces!=${project}`, [a, c]],
      [`projectsornamespaces!=${a},${project}`, [c]],
      ["projectsornamespaces=nothing", []],
    ];
    for (const [query, found] of rows) {
      it(`limit lists: ${query.replaceAll(a, "a").replaceAll(c, "c").replaceAll(project, "p")}`, async () => {
        const [name = "", value = ""] = query.split(/(?<=s!?)=/);
        const asked = `?${name}=${value}`;

        expect((await ids(plural + asked)).toSorted()).to.deep.equal(
          where(({ namespace }) => found.includes(namespace)),
        );
        const own = (await ids(`namespaces${asked}`)).filter((each) => namespaces.includes(each));
        expect(own.toSorted()).to.deep.equal([...found].toSorted());
      });
    }

    it("leave nothing of what is in no namespace", async () => {
      expect(
        await ids(`rbac.authorization.k8s.io.clusterroles?projectsornamespaces=${a}`),
      ).to.deep.equal([]);
      expect(
        await ids(`rbac.authorization.k8s.io.clusterroles?projectsornamespaces!=${a}`),
      ).not.to.deep.equal([]);
    });

    it("are in the path", async () => {
      expect(await ids(`${plural}/${b}`)).to.deep.equal(where(({ namespace }) => namespace === b));
    });
  });

  describe("summaries", () => {
    const counts = (values: readonly string[]): object => {
      const found = new Map<string, number>();
      for (const value of values) if (value !== "") found.set(value, (found.get(value) ?? 0) + 1);
      return Object.fromEntries([...found].map(([value, total]) => [value, { total }]));
    };
    const ofColor = counts(gizmos.map(({ spec }) => String(spec.color ?? "")));
    const ofTier = counts(gizmos.map(({ labels }) => labels.tier ?? ""));

    it("count values of fields and labels, in the order of their names", async () => {
      const answer = await body(
        `${plural}?summary=spec.color,metadata.labels.tier,spec.any.weight`,
      );

      expect(answer.summary).to.deep.equal([
        { property: "metadata.labels.tier", counts: ofTier },
        { property: "spec.any.weight", counts: { 7: { total: 1 } } },
        { property: "spec.color", counts: ofColor },
      ]);
      expect(idsOf(answer)).to.have.length(gizmos.length);
    });

    it("come alone", async () => {
      for (const only of ["summaryonly", "summaryonly=", "summaryonly=true"]) {
        const answer = await body(`${plural}?summary=spec.color&${only}`);

        expect(answer).to.deep.include({ data: [], count: gizmos.length });
        expect(answer.summary).to.deep.equal([{ property: "spec.color", counts: ofColor }]);
      }
    });

    it("count by namespace", async () => {
      const answer = await body(`${plural}?summary=spec.color&summarynamespaced&summaryonly`);
      const red = at(listAt(answer, "summary")[0], "counts", "red");
      const reds = gizmos.filter(({ spec }) => spec.color === "red");

      expect(at(red, "total")).to.equal(reds.length);
      for (const name of namespaces) {
        const inside = reds.filter(({ namespace }) => namespace === name).length;
        expect(at(red, "namespace", name)).to.equal(inside === 0 ? undefined : inside);
      }
    });

    it("are of the page", async () => {
      const answer = await body(`${plural}?summary=metadata.namespace&pagesize=13`);

      expect(at(listAt(answer, "summary")[0], "counts")).to.deep.equal({
        [a]: { total: 12 },
        [b]: { total: 1 },
      });
    });
  });

  describe("revisions", () => {
    it("are told, and are those of the cache", async () => {
      expect(textAt(await body(plural), "revision")).to.match(/^\d+$/);
    });

    it("are waited for", async () => {
      const path = `/apis/${kind.group}/v1/namespaces/${a}/gizmos/g-0`;
      const changed = await send(server.client, "PATCH", path, {
        metadata: { annotations: { x: uniqueName("v") } },
      });
      const revision = textAt(changed, "metadata", "resourceVersion");
      const answer = await body(`${plural}?revision=${revision}`);

      expect(compareResourceVersions(textAt(answer, "revision"), revision)).to.be.at.least(0);
    });

    it("that nobody knows are refused", async () => {
      const answer = await server.get(`${plural}?revision=9999999999999`);

      expect(answer.status).to.equal(400);
      expect(bodyOf(answer)).to.deep.include({
        code: "unknown revision",
        message: "unknown revision",
      });
    });

    it("of long ago are served", async () => {
      for (const revision of ["1", "0", "-1"]) {
        expect(await ids(`${plural}?revision=${revision}`)).to.have.length(gizmos.length);
      }
    });
  });

  describe("what is wrong", () => {
    const rows: readonly (readonly [query: string, status: number, code: string, field: string])[] =
      [
        ["filter=spec.nothing=1", 422, "InvalidBodyContent", "filter"],
        ["filter=metadata.annotations[a/b]=1", 422, "InvalidBodyContent", "filter"],
        ["sort=metadata.fields[9]", 422, "InvalidBodyContent", "sort"],
        ["summary=spec.any.nothing", 422, "InvalidBodyContent", "summary"],
        ["fieldSelector=type%3Dx", 422, "InvalidBodyContent", "filter"],
        ["filter=a%3D", 422, "InvalidFormat", "filter"],
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
        const answer = await server.get(`${plural}?${query}`);

        expect(answer.status).to.equal(status);
        expect(bodyOf(answer)).to.deep.include({ type: "error", status, code, fieldName: field });
      });
    }

    it("is told of a field as Steve tells it", async () => {
      expect(bodyOf(await server.get(`${plural}?filter=spec.nothing=1`)).message).to.equal(
        "column is invalid [spec.nothing]: supplied column is invalid",
      );
    });

    it("is told of a cursor from the future", async () => {
      const cursor = Buffer.from(JSON.stringify({ v: 1, after: "a", revision: "9999999999999" }));
      const answer = await server.get(`${plural}?limit=1&continue=${cursor.toString("base64url")}`);

      expect(answer.status).to.equal(410);
      expect(bodyOf(answer)).to.deep.include({ code: "Expired", fieldName: "continue" });
    });

    it("is told of more tests than anybody needs, but not of many values", async () => {
      const many = Array.from({ length: 500 }, (_, index) => `metadata.name=g-${index}`).join();
      const parts = Array.from({ length: 101 }, (_, index) => `metadata.name~g-${index}`).join();

      expect(await ids(`${plural}?filter=${many}`)).to.have.length(gizmos.length);
      expect((await server.get(`${plural}?filter=${parts}`)).status).to.equal(422);
    });

    it("is told of a type that cannot be listed", async () => {
      const answer = await server.get("authorization.k8s.io.subjectaccessreviews");

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
        await send(server.client, "POST", `${rbac}/${namespace}/roles`, {
          metadata: { name: "some" },
          rules,
        });
        await send(server.client, "POST", `${rbac}/${namespace}/rolebindings`, {
          metadata: { name: "some" },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "some" },
          subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user["X-User"] }],
        });
      }
      await eventually(async () => (await ids(`${plural}/${b}`, user)).length === 2, {
        within: 20_000,
      });
      await eventually(async () => (await ids(`${plural}/${a}`, user)).length === 12, {
        within: 20_000,
      });
    });
    const seen = where(
      ({ namespace, name }) =>
        namespace === a || (namespace === b && ["g-1", "g-7"].includes(name)),
    );

    it("see what they may list, and what they may get by name", async () => {
      const answer = await body(plural, user);

      expect(idsOf(answer)).to.deep.equal(seen);
      expect(answer).to.deep.include({ count: seen.length });
      expect(answer).not.to.have.property("createTypes");
    });

    it("get pages, totals and summaries of that alone", async () => {
      const answer = await body(`${plural}?pagesize=5&page=2&summary=metadata.namespace`, user);
      const all = await body(`${plural}?summary=metadata.namespace&summaryonly`, user);

      expect(idsOf(answer)).to.deep.equal(seen.slice(5, 10));
      expect(answer).to.deep.include({ count: seen.length, continue: "10" });
      expect(at(listAt(all, "summary")[0], "counts")).to.deep.equal({
        [a]: { total: 12 },
        [b]: { total: 2 },
      });
    });

    it("get an empty list without any right, and no error", async () => {
      const answer = await server.get(plural, nobody);

      expect(answer.status).to.equal(200);
      expect(bodyOf(answer)).to.deep.include({ type: "collection", data: [], actions: {} });
      expect(bodyOf(answer)).not.to.have.property("count");
      expect(await ids(`${plural}/${c}`, user)).to.deep.equal([]);
    });

    it("cannot find out which fields others' objects have", async () => {
      const [owner] = gizmos.filter(({ spec }) => at(spec, "any", "weight") === 7);
      const asked = `${plural}?filter=spec.any.weight=7`;

      expect(owner?.namespace).to.equal(c);
      expect((await server.get(asked)).status).to.equal(200);
      expect((await server.get(asked, user)).status).to.equal(422);
      expect((await server.get(asked, nobody)).status).to.equal(422);
      expect((await server.get(`${plural}?filter=spec.size=7`, nobody)).status).to.equal(200);
    });
  });

  describe("bytes", () => {
    it("have the members of a collection in Steve's order", async () => {
      const { text: json } = await server.get(`${plural}?pagesize=1&summary=spec.color`);

      expect(Object.keys(JSON.parse(json))).to.deep.equal([
        ...["type", "links", "createTypes", "actions", "resourceType", "pagination", "revision"],
        ...["continue", "count", "data", "summary"],
      ]);
    });

    it("name the list itself, without its query", async () => {
      const answer = await body(`${plural}/${a}?pagesize=1`);

      expect(textAt(answer, "links", "self")).to.match(new RegExp(`/v1/${plural}/${a}$`));
      expect(answer.resourceType).to.equal(id);
    });

    it("come as lines", async () => {
      for (const headers of [{ Accept: "application/jsonl" }, {}]) {
        const query = "Accept" in headers ? "" : "&_format=jsonl";
        const answer = await server.get(
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
          ...(await ids(`${plural}?pagesize=2`)),
          "metadata.namespace",
        ]);
      }
    });

    it("come as YAML", async () => {
      for (const query of [
        "filter=metadata.name~g-1&summary=spec.color",
        "filter=metadata.name=nothing",
      ]) {
        const answer = await server.get(`${plural}?${query}&_format=yaml&exclude=metadata.fields`);

        expect(answer.headers.get("content-type")).to.equal("application/yaml");
        expect(parse(answer.text)).to.deep.equal(
          await stable(`${plural}?${query}&exclude=metadata.fields`),
        );
      }
    });

    it("say what every answer says", async () => {
      const { headers } = await server.get(plural);

      expect(headers.get("x-api-schemas")).to.match(/\/v1\/schemas$/);
      expect(headers.get("expires")).to.equal("Wed 24 Feb 1982 18:42:00 GMT");
      expect(headers.get("vary")).to.equal("Accept-Encoding");
    });

    it("are told to be the same by their tag, when somebody asks", async () => {
      const asked = `${plural}?exclude=metadata.fields`;
      const first = await server.get(asked, { "If-None-Match": '""' });
      const tag = first.headers.get("etag") ?? "";
      const again = await server.get(asked, { "If-None-Match": `"x", ${tag}` });

      expect((await server.get(asked)).headers.get("etag")).to.equal(null);
      expect(tag).to.match(/^W\/"[\w-]+"$/);
      expect(again).to.deep.include({ status: 304, text: "" });
    });

    it("are compressed for those who want it", async () => {
      const plain = await raw(plural, {});
      const packed = await raw(plural, { "Accept-Encoding": "br, gzip" });
      const refused = await raw(plural, { "Accept-Encoding": "gzip;q=0, identity" });

      expect(plain.encoding).to.equal(undefined);
      expect(refused.encoding).to.equal(undefined);
      expect(packed.encoding).to.equal("gzip");
      expect(packed.body.length).to.be.below(plain.body.length / 3);
      expect(listAt(JSON.parse(gunzipSync(packed.body).toString()), "data")).to.have.length(
        gizmos.length,
      );
    });
  });

  it(`finds what a naive search finds, in ${cases} random queries of seed ${seed}`, async () => {
    const random = seededRandom(seed);
    for (let index = 0; index < cases; index++) {
      const asked = randomList(random);
      const query = new URLSearchParams(
        asked.query.map(([name, value]): [string, string] => [name, value]),
      );
      const answer = await body(`${plural}?${query}`);
      const found = naive(asked);

      expect(idsOf(answer), `case ${index}: ${query}`).to.deep.equal(found.page);
      expect(answer.count ?? 0, `case ${index}: ${query}`).to.equal(found.total);
    }
  });

  async function body(path: string, headers?: Readonly<Record<string, string>>) {
    const answer = await server.get(path, headers);
    expect(answer.status, `${path}: ${answer.text.slice(0, 300)}`).to.equal(200);
    return bodyOf(answer);
  }

  async function ids(path: string, headers?: Readonly<Record<string, string>>) {
    return idsOf(await body(path, headers));
  }

  /** An answer whose links are of no interest. */
  async function stable(path: string): Promise<unknown> {
    return body(path);
  }

  /** An answer as it was sent. */
  function raw(path: string, headers: Readonly<Record<string, string>>) {
    return server.raw(path, headers);
  }
});

function idOf({ namespace, name }: Pick<Gizmo, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

function idsOf(answer: unknown): readonly string[] {
  return listAt(answer, "data").map((item) => textAt(item, "id"));
}

type Rank = readonly (string | number)[];

function compareRanks(x: Rank, y: Rank): number {
  for (const [index, value] of x.entries()) {
    const other = y[index] ?? "";
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}

/** A list that somebody may ask for, and what it means. */
interface RandomList {
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly tests: readonly (readonly Test[])[];
  readonly sort: readonly { readonly field: RandomField; readonly descending: boolean }[];
  readonly page: number;
  readonly size: number;
}

type Test = (gizmo: Gizmo) => boolean;

/** A field as the naive search reads it: its values as texts, and what it is ordered by. */
interface RandomField {
  readonly name: string;
  readonly values: (gizmo: Gizmo) => readonly string[] | undefined;
  readonly rank: (gizmo: Gizmo) => string | number;
  readonly isLabel?: true;
}

function textField(name: string, read: (gizmo: Gizmo) => unknown): RandomField {
  const value = (gizmo: Gizmo): string => String(read(gizmo) ?? "");
  return { name, values: (gizmo) => [value(gizmo)], rank: (gizmo) => value(gizmo).toLowerCase() };
}

const fields: readonly RandomField[] = [
  textField("metadata.name", ({ name }) => name),
  textField("metadata.namespace", ({ namespace }) => namespace),
  textField("id", idOf),
  textField("spec.color", ({ spec }) => spec.color),
  textField("metadata.fields[2]", ({ spec }) => spec.color),
  {
    ...textField("spec.size", ({ spec }) => spec.size),
    rank: ({ spec }) => Number(spec.size ?? Number.POSITIVE_INFINITY),
  },
  {
    name: "spec.tags",
    values: ({ spec }) => listAt(spec, "tags").map(String),
    rank: ({ spec }) => listAt(spec, "tags").join("|"),
  },
  {
    name: "metadata.labels.tier",
    values: ({ labels }) => (labels.tier === undefined ? undefined : [labels.tier]),
    rank: ({ labels }) => labels.tier ?? "\uffff",
    isLabel: true,
  },
];

const values = [
  "g-1",
  "g-2",
  "1",
  "0",
  "5",
  "red",
  "green",
  "Green",
  "x",
  "x y",
  "z|w",
  "",
  "%",
  "lists",
  "50%_\\",
];

function pick<T>(random: Random, from: readonly T[]): T {
  const found = from[random.below(from.length)];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
}

function randomList(random: Random): RandomList {
  const groups = Array.from({ length: random.below(3) }, () =>
    Array.from({ length: 1 + random.below(3) }, () => randomTest(random)),
  );
  const sort = Array.from({ length: random.below(3) }, () => ({
    ...{ field: pick(random, fields), descending: random.chance(0.5) },
  }));
  const [page, size] = [1 + random.below(4), random.below(12)];
  const order = sort.map(({ field, descending }) => `${descending ? "-" : ""}${field.name}`).join();
  return {
    query: [
      ...groups.map((group) => ["filter", group.map(({ written }) => written).join()] as const),
      ...(order === "" ? [] : [["sort", order] as const]),
      ...[["page", String(page)] as const, ["pagesize", String(size)] as const],
    ],
    tests: groups.map((group) => group.map(({ test }) => test)),
    ...{ sort, page, size },
  };
}

function randomTest(random: Random): { readonly written: string; readonly test: Test } {
  const field = pick(random, fields);
  const [value, other] = [pick(random, values), pick(random, ["1", "g-1", "red", "x"])];
  const quoted = `'${value.replaceAll("\\", "\\\\")}'`;
  const is = (gizmo: Gizmo, ...wanted: readonly string[]): boolean => {
    const found = field.values(gizmo);
    return found !== undefined && wanted.includes(found.join("|"));
  };
  const has = (gizmo: Gizmo): boolean => membersOf(field, gizmo).includes(value);
  const contains = (gizmo: Gizmo): boolean =>
    field.values(gizmo)?.join("|").toLowerCase().includes(value.toLowerCase()) ?? false;
  const { name } = field;
  return pick<{ readonly written: string; readonly test: Test }>(random, [
    { written: `${name}=${quoted}`, test: (gizmo) => is(gizmo, value) },
    { written: `${name} != ${quoted}`, test: (gizmo) => !is(gizmo, value) },
    { written: `${name}~${quoted}`, test: contains },
    { written: `${name}!~${quoted}`, test: (gizmo) => !contains(gizmo) },
    { written: `${name} in (${other},5)`, test: (gizmo) => is(gizmo, other, "5") },
    { written: `${name} notin (${other},5)`, test: (gizmo) => !is(gizmo, other, "5") },
    ...(value === ""
      ? []
      : [
          { written: `${name} contains ${quoted}`, test: has },
          { written: `${name} notcontains ${quoted}`, test: (gizmo: Gizmo) => !has(gizmo) },
        ]),
  ]);
}

function membersOf({ values: read }: RandomField, gizmo: Gizmo): readonly string[] {
  return read(gizmo) ?? [];
}

function naive({ tests, sort, page, size }: RandomList) {
  const found = gizmos
    .filter((gizmo) => tests.every((group) => group.some((test) => test(gizmo))))
    .toSorted((x, y) => {
      for (const { field, descending } of sort) {
        const order = compareRanks([field.rank(x)], [field.rank(y)]);
        if (order !== 0) return descending ? -order : order;
      }
      return compareRanks([idOf(x)], [idOf(y)]);
    })
    .map(idOf);
  const start = (page - 1) * size;
  return { total: found.length, page: size === 0 ? found : found.slice(start, start + size) };
}
