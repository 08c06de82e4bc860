import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { at, listAt, textAt } from "../tree.ts";
import {
  a,
  b,
  compareRanks,
  type Gizmo,
  GizmoLists,
  gizmos,
  idOf,
  idsOf,
  plural,
  where,
} from "./gizmos.test.support.ts";
import { naive, randomList } from "./random-lists.test.support.ts";

const seed = Number(process.env.LIST_SEED ?? 1);
const cases = Number(process.env.LIST_CASES ?? 400);

/** When a gizmo was sold, in milliseconds since 1970; NaN for one that was not. */
const soldAt = ({ spec }: Gizmo): number => Date.parse(String(spec.sold));
const newYear = Date.UTC(2024, 0, 1);
const bySale = (gizmo: Gizmo): readonly number[] => {
  const time = soldAt(gizmo);
  return [Number.isNaN(time) ? Number.POSITIVE_INFINITY : time];
};

describe("filters and orders of lists, of a real API server", function () {
  this.timeout(60_000);

  let lists: GizmoLists;

  before(async () => {
    lists = await GizmoLists.start();
  });
  after(() => lists?.[Symbol.asyncDispose]());

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
      ['metadata.name="g-7"', ({ name }) => name === "g-7"],
      ["metadata.name IN (g-1,g-2)", ({ name }) => name === "g-1" || name === "g-2"],
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
      ["metadata.managedFields.manager=x", () => false],
      ["metadata.selfLink!=x", () => true],
      ["metadata.labels=x", () => false],
      ["metadata.annotations=''", () => true],
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
      ['spec.color="50%_\\\\"', (each) => color(each) === "50%_\\"],
      ["spec.color='gr\\een'", () => false],
      ["spec.color='Gre\\'en'", () => false],
      ["spec.color!='50%_\\\\'", (each) => color(each) !== "50%_\\"],
      ["spec.color~'%_'", (each) => color(each).includes("%_")],
      ["spec.color=''", (each) => color(each) === ""],
      ["spec.color!=''", (each) => color(each) !== ""],
      ["spec.color in (,red)", (each) => color(each) === "" || color(each) === "red"],
      ["spec.color notin (red,blue)", (each) => color(each) !== "red" && color(each) !== "blue"],
      ["spec.color~''", () => true],
      ["spec.memory=1Gi", ({ spec }) => spec.memory === "1Gi"],
      ["spec.memory>1000", ({ spec }) => ["1Gi", "900Mi"].includes(String(spec.memory))],
      [`spec.sold>${newYear}`, (each) => soldAt(each) > newYear],
      [`spec.sold>${newYear - 1}`, (each) => soldAt(each) >= newYear],
      [`spec.sold<${newYear}`, (each) => soldAt(each) < newYear],
      ["spec.sold lt 0", (each) => soldAt(each) < 0],
      ["spec.sold='2024-01-01T00:00:00Z'", ({ spec }) => spec.sold === "2024-01-01T00:00:00Z"],
      ["spec.sold~'+14:00'", ({ spec }) => String(spec.sold).endsWith("+14:00")],
      [`metadata.fields[4]>${newYear}`, (each) => soldAt(each) > newYear],
      [`metadata.fields[4]<${newYear}`, (each) => soldAt(each) < newYear],
      ["spec.tags contains x", (each) => tags(each).includes("x")],
      ["spec.tags contains 'x y'", (each) => tags(each).includes("x y")],
      ["spec.tags contains 'z|w'", (each) => tags(each).includes("z|w")],
      ["spec.tags contains z", () => false],
      ["spec.tags CONTAINS x", (each) => tags(each).includes("x")],
      ["spec.tags NotContains x", (each) => !tags(each).includes("x")],
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

        expect((await lists.ids(asked)).toSorted()).to.deep.equal(where(test));
      });
    }

    it("all hold when there are several", async () => {
      const found = await lists.ids(
        `${plural}?filter=spec.size>5&filter=spec.size<10,spec.size=20`,
      );

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
      ["spec.sold", bySale],
      ["-spec.sold", bySale, true],
      ["metadata.fields[4]", bySale],
      ["-metadata.fields[4]", bySale, true],
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

        expect(await lists.ids(`${plural}?sort=${encodeURIComponent(sort)}`)).to.deep.equal(sorted);
      });
    }

    it("are by id when there is none", async () => {
      expect(await lists.ids(plural)).to.deep.equal(where(() => true));
    });

    it("come by the time of creation, the newest first", async () => {
      const all = await lists.body(`${plural}?sort=-metadata.creationTimestamp`);
      const times = listAt(all, "data").map((item) =>
        textAt(item, "metadata", "creationTimestamp"),
      );

      expect(times).to.deep.equal(times.toSorted().toReversed());
      expect(times).to.have.length(gizmos.length);
    });
  });

  it(`find what a naive search finds, in ${cases} random queries of seed ${seed}`, async () => {
    const random = seededRandom(seed);
    for (let index = 0; index < cases; index++) {
      const asked = randomList(random);
      const query = new URLSearchParams(
        asked.query.map(([name, value]): [string, string] => [name, value]),
      );
      const answer = await lists.body(`${plural}?${query}`);
      const found = naive(asked);

      expect(idsOf(answer), `case ${index}: ${query}`).to.deep.equal(found.page);
      expect(answer.count ?? 0, `case ${index}: ${query}`).to.equal(found.total);
    }
  });
});
