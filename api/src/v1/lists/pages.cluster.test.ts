import { uniqueName } from "@drover/env";
import { expect } from "chai";
import { compareResourceVersions } from "kopf-ts";
import { at, listAt, textAt } from "../tree.ts";
import { send } from "../types/testing.test.support.ts";
import {
  a,
  b,
  bodyOf,
  c,
  type Gizmo,
  GizmoLists,
  gizmos,
  idsOf,
  kind,
  namespaces,
  plural,
  project,
  where,
} from "./gizmos.test.support.ts";

describe("pages and summaries of lists, of a real API server", function () {
  this.timeout(60_000);

  let lists: GizmoLists;

  before(async () => {
    lists = await GizmoLists.start();
  });
  after(() => lists?.[Symbol.asyncDispose]());

  describe("pages", () => {
    it("are numbered from 1, with the number of all", async () => {
      const all = await lists.ids(plural);
      for (const [page, size, found] of [
        [1, 10, all.slice(0, 10)],
        [2, 10, all.slice(10, 20)],
        [4, 10, all.slice(30)],
        [5, 10, []],
        [0, 10, all.slice(0, 10)],
        [1, 0, all],
        [1, -1, all],
      ] as const) {
        const answer = await lists.body(`${plural}?page=${page}&pagesize=${size}`);

        expect(listAt(answer, "data").map((item) => textAt(item, "id"))).to.deep.equal(found);
        expect(answer.count).to.equal(gizmos.length);
        expect(answer).not.to.have.property("pages");
      }
    });

    it("tell where the list goes on, as a number that is taken back", async () => {
      const first = await lists.body(`${plural}?pagesize=20`);
      const next = new URL(textAt(first, "pagination", "next"));
      const second = await lists.body(`${plural}${next.search}`);

      expect(first).to.deep.include({ continue: "20" });
      expect(at(first, "pagination")).to.deep.include({ limit: 20, partial: true });
      expect(second).not.to.have.property("continue");
      expect([...idsOf(first), ...idsOf(second)]).to.deep.equal(await lists.ids(plural));
    });

    it("go on from cursors, as Kubernetes' do", async () => {
      for (const sort of ["", "&sort=-spec.color"]) {
        const seen: string[] = [];
        let next = "";
        do {
          const page = await lists.body(`${plural}?limit=10${sort}${next && `&continue=${next}`}`);
          seen.push(...idsOf(page));
          expect(page.count).to.equal(gizmos.length);
          next = textAt(page, "continue");
        } while (next !== "" && seen.length < 100);

        expect(seen).to.deep.equal(await lists.ids(`${plural}?${sort}`));
      }
    });

    it("go on to the end from a cursor without a limit", async () => {
      const cursor = textAt(await lists.body(`${plural}?limit=10`), "continue");
      const rest = await lists.body(`${plural}?continue=${cursor}`);

      expect(idsOf(rest)).to.deep.equal((await lists.ids(plural)).slice(10));
      expect(rest.count).to.equal(gizmos.length);
      expect(rest).not.to.have.property("continue");
    });

    for (const [name, parameter] of [
      ["sort", "limit=10&sort=-metadata.name"],
      ["sort", "sort=metadata.name"],
      ["pagesize", "pagesize=10"],
    ] as const) {
      it(`refuse a cursor that is an object with ${parameter}`, async () => {
        const cursor = textAt(await lists.body(`${plural}?limit=10`), "continue");
        const answer = await lists.get(`${plural}?${parameter}&continue=${cursor}`);

        expect(answer.status).to.equal(422);
        expect(bodyOf(answer)).to.include({
          fieldName: "continue",
          message: `continue is of a list without ${name}`,
        });
      });
    }

    it("begin behind an object that has gone", async () => {
      const page = await lists.body(`${plural}?limit=1`);
      const cursor = JSON.parse(Buffer.from(textAt(page, "continue"), "base64url").toString());
      const gone = { ...cursor, after: `${a}/g-1+` };
      const text = Buffer.from(JSON.stringify(gone)).toString("base64url");
      const [first] = await lists.ids(`${plural}?limit=1&continue=${text}`);

      expect(first).to.equal((await lists.ids(plural)).find((each) => each > `${a}/g-1+`));
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

        expect((await lists.ids(asked)).toSorted()).to.deep.equal(where(test));
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

        expect((await lists.ids(plural + asked)).toSorted()).to.deep.equal(
          where(({ namespace }) => found.includes(namespace)),
        );
        const own = (await lists.ids(`namespaces${asked}`)).filter((each) =>
          namespaces.includes(each),
        );
        expect(own.toSorted()).to.deep.equal([...found].toSorted());
      });
    }

    it("leave nothing of what is in no namespace", async () => {
      expect(
        await lists.ids(`rbac.authorization.k8s.io.clusterroles?projectsornamespaces=${a}`),
      ).to.deep.equal([]);
      expect(
        await lists.ids(`rbac.authorization.k8s.io.clusterroles?projectsornamespaces!=${a}`),
      ).not.to.deep.equal([]);
    });

    it("are in the path", async () => {
      expect(await lists.ids(`${plural}/${b}`)).to.deep.equal(
        where(({ namespace }) => namespace === b),
      );
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
      const answer = await lists.body(
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
        const answer = await lists.body(`${plural}?summary=spec.color&${only}`);

        expect(answer).to.deep.include({ data: [], count: gizmos.length });
        expect(answer.summary).to.deep.equal([{ property: "spec.color", counts: ofColor }]);
      }
    });

    it("count by namespace", async () => {
      const answer = await lists.body(`${plural}?summary=spec.color&summarynamespaced&summaryonly`);
      const red = at(listAt(answer, "summary")[0], "counts", "red");
      const reds = gizmos.filter(({ spec }) => spec.color === "red");

      expect(at(red, "total")).to.equal(reds.length);
      for (const name of namespaces) {
        const inside = reds.filter(({ namespace }) => namespace === name).length;
        expect(at(red, "namespace", name)).to.equal(inside === 0 ? undefined : inside);
      }
    });

    it("are of the page", async () => {
      const answer = await lists.body(`${plural}?summary=metadata.namespace&pagesize=13`);

      expect(at(listAt(answer, "summary")[0], "counts")).to.deep.equal({
        [a]: { total: 12 },
        [b]: { total: 1 },
      });
    });
  });

  describe("revisions", () => {
    it("are told, and are those of the cache", async () => {
      expect(textAt(await lists.body(plural), "revision")).to.match(/^\d+$/);
    });

    it("are waited for", async () => {
      const path = `/apis/${kind.group}/v1/namespaces/${a}/gizmos/g-0`;
      const changed = await send(lists.client, "PATCH", path, {
        metadata: { annotations: { x: uniqueName("v") } },
      });
      const revision = textAt(changed, "metadata", "resourceVersion");
      const answer = await lists.body(`${plural}?revision=${revision}`);

      expect(compareResourceVersions(textAt(answer, "revision"), revision)).to.be.at.least(0);
    });

    it("that nobody knows are refused", async () => {
      const answer = await lists.get(`${plural}?revision=9999999999999`);

      expect(answer.status).to.equal(400);
      expect(bodyOf(answer)).to.deep.include({
        code: "unknown revision",
        message: "unknown revision",
      });
    });

    it("of long ago are served", async () => {
      for (const revision of ["1", "0", "-1", "-999999999999999999"]) {
        expect(await lists.ids(`${plural}?revision=${revision}`)).to.have.length(gizmos.length);
      }
    });
  });
});
