import { expect } from "chai";
import { cursorText } from "./cursor.ts";
import { QueryError } from "./errors.ts";
import { type ListQuery, parseListQuery } from "./list-query.ts";

const nothing: ListQuery = {
  filters: [],
  fieldSelector: [],
  labelSelector: undefined,
  sort: [],
  page: 1,
  pageSize: undefined,
  limit: undefined,
  cursor: undefined,
  revision: undefined,
  places: undefined,
  summary: undefined,
  owner: undefined,
  associatedData: false,
};
const created = ["metadata", "creationTimestamp"];
const state = ["metadata", "state", "name"];

const read: readonly (readonly [text: string, found: Partial<ListQuery>])[] = [
  ["", {}],
  ["exclude=metadata.managedFields&link=x", {}],
  [
    "filter=a=1,b=2&filter=c=3",
    {
      filters: [
        [
          { field: ["a"], op: "=", value: "1" },
          { field: ["b"], op: "=", value: "2" },
        ],
        [{ field: ["c"], op: "=", value: "3" }],
      ],
    },
  ],
  [
    "sort=-metadata.creationTimestamp",
    { sort: [{ field: created, descending: true, isAddress: false }] },
  ],
  [
    "sort=ip(status.podIP),ip(-status.hostIP)",
    {
      sort: [
        { field: ["status", "podIP"], descending: false, isAddress: true },
        { field: ["status", "hostIP"], descending: true, isAddress: true },
      ],
    },
  ],
  [
    "sort=,metadata.labels[a,b],",
    { sort: [{ field: ["metadata", "labels", "a,b"], descending: false, isAddress: false }] },
  ],
  [
    "sort=metadata.fields[3][0]",
    { sort: [{ field: ["metadata", "fields", "3", "0"], descending: false, isAddress: false }] },
  ],
  ["owner=", {}],
  [
    "owner=apps.deployment/default/web",
    { owner: { type: "apps.deployment", namespace: "default", name: "web" } },
  ],
  ["owner=nodes/worker-1", { owner: { type: "nodes", namespace: undefined, name: "worker-1" } }],
  ["page=3&pagesize=100", { page: 3, pageSize: 100 }],
  ["page=0&pagesize=-1", { page: 1, pageSize: undefined }],
  ["page=&pagesize=", {}],
  ["limit=0&continue=", {}],
  ["limit=5&continue=10", { limit: 5, cursor: { offset: 10 } }],
  [
    `continue=${cursorText({ after: "ns/é", revision: "7" })}`,
    { cursor: { after: "ns/é", revision: "7" } },
  ],
  [
    `continue=${cursorText({ offset: 3, revision: "7" })}`,
    { cursor: { offset: 3, revision: "7" } },
  ],
  ["labelSelector=app in (a,b),!c", { labelSelector: "app in (a,b),!c" }],
  ["labelSelector=a.b-c.d/E_f.9=,x!=1.A_b-2", { labelSelector: "a.b-c.d/E_f.9=,x!=1.A_b-2" }],
  [
    "fieldSelector=status.phase%3DRunning,spec.nodeName!%3Da\\,b\\\\,type%3D%3DOpaque,x%3D",
    {
      fieldSelector: [
        { field: ["status", "phase"], op: "=", value: "Running" },
        { field: ["spec", "nodeName"], op: "!=", value: "a,b\\" },
        { field: ["_type"], op: "=", value: "Opaque" },
        { field: ["x"], op: "=", value: "" },
      ],
    },
  ],
  ["revision=123", { revision: "123" }],
  ["revision=-1", { revision: "-1" }],
  ["revision=", {}],
  ["projectsornamespaces=p-1,default", { places: { op: "in", values: ["p-1", "default"] } }],
  ["projectsornamespaces!=p-1", { places: { op: "notin", values: ["p-1"] } }],
  ["summary=metadata.state.name", { summary: { fields: [state], only: false, namespaced: false } }],
  [
    "summary=metadata.state.name&summaryonly&summarynamespaced=true",
    { summary: { fields: [state], only: true, namespaced: true } },
  ],
  [
    "summary=metadata.state.name&summaryonly=true&summaryonly=false",
    { summary: { fields: [state], only: false, namespaced: false } },
  ],
  ["includeAssociatedData=True", { associatedData: true }],
  ["includeAssociatedData=yes", {}],
];

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

const refused: readonly (readonly [text: string, parameter: string, why: string])[] = [
  ["filter=a", "filter", "only labels"],
  ["sort=-", "sort", "nothing to sort by in '-'"],
  ["sort=ip(-)", "sort", "nothing to sort by"],
  ["sort=a..b", "sort", "no path of a field"],
  [`sort=${"a".repeat(513)}`, "sort", "is longer than 512 characters"],
  [`sort=${"a,".repeat(17)}`, "sort", "more than 16 keys"],
  ["page=x", "page", "page must be a whole number, not 'x'"],
  ["page=1e3", "page", "whole number"],
  ["pagesize=99999999999999999999", "pagesize", "whole number"],
  ["limit=x", "limit", "whole number"],
  ["continue=x", "continue", "not what a list answered"],
  [`continue=${"1".repeat(30)}`, "continue", "not what a list answered"],
  [`sort=a&continue=${cursorText({ after: "a", revision: "7" })}`, "continue", "without sort"],
  [`pagesize=1&continue=${cursorText({ after: "a", revision: "7" })}`, "continue", "pagesize"],
  [`continue=${encoded({ v: 2, after: "a", revision: "1" })}`, "continue", "not what"],
  [`continue=${encoded({ v: 1, after: "", revision: "1" })}`, "continue", "not what"],
  [`continue=${encoded({ v: 1, offset: -1, revision: "1" })}`, "continue", "not what"],
  [`continue=${encoded({ v: 1, after: "a", revision: "x" })}`, "continue", "not what"],
  ["continue=bnVsbA", "continue", "not what a list answered"],
  ["labelSelector=a in", "labelSelector", "'a in' is no label selector: expected ( at 4"],
  ["labelSelector=-a=b", "labelSelector", "'-a' is no key of a label"],
  ["labelSelector=!-a", "labelSelector", "'-a' is no key of a label"],
  ["labelSelector=/a", "labelSelector", "'/a' is no key of a label"],
  ["labelSelector=a/b/c=1", "labelSelector", "'a/b/c' is no key of a label"],
  ["labelSelector=A.b/c", "labelSelector", "'A.b/c' is no key of a label"],
  ["labelSelector=a_/b", "labelSelector", "'a_/b' is no key of a label"],
  [`labelSelector=${"k".repeat(64)}`, "labelSelector", "is no key of a label"],
  [`labelSelector=${"a".repeat(254)}/b`, "labelSelector", "is no key of a label"],
  ["labelSelector=a!=-b", "labelSelector", "'-b' is no value of a label"],
  ["labelSelector=a notin (b,c_)", "labelSelector", "'c_' is no value of a label"],
  ["labelSelector=a=\u00e9", "labelSelector", "'\u00e9' is no value of a label"],
  [`labelSelector=a=${"v".repeat(64)}`, "labelSelector", "is no value of a label"],
  [`labelSelector=${"!a,".repeat(64)}!a`, "labelSelector", "more than 64 requirements"],
  [`labelSelector=a notin (${"b,".repeat(500)}b)`, "labelSelector", "more than 500 values"],
  ["fieldSelector=a", "fieldSelector", "'a' is no requirement of a field"],
  ["fieldSelector=a%3Db%3Dc", "fieldSelector", "no requirement"],
  ["fieldSelector=a..b%3Dc", "fieldSelector", "no path of a field"],
  [`fieldSelector=${"a%3Db,".repeat(65)}`, "fieldSelector", "more than 64"],
  ["revision=abc", "revision", "value abc for revision query param is not valid"],
  ["summary=", "summary", "no path of a field"],
  ["summary=a,,b", "summary", "no path of a field"],
  ["summary=a&summary=b", "summary", "at most one"],
  [`summary=${"a,".repeat(16)}a`, "summary", "more than 16 fields to count"],
  ["summaryonly", "summaryonly", "needs summary"],
  ["summary=a&summaryonly=1", "summaryonly", "must be true or false, not '1'"],
  ["summarynamespaced=true", "summarynamespaced", "needs summary"],
  ["owner=pod", "owner", "not 'pod'"],
  ["owner=/a/b", "owner", "owner must be <type>"],
  ["owner=pod//b", "owner", "owner must be <type>"],
  ["owner=pod/a/b/c", "owner", "owner must be <type>"],
  ["owner=pod/a/b&owner=pod/a/c", "owner", "at most one"],
];

describe("parseListQuery", () => {
  for (const [text, found] of read) {
    it(`reads ?${text}`, () => {
      expect(parseListQuery(new URLSearchParams(text))).to.deep.equal({ ...nothing, ...found });
    });
  }

  for (const [text, parameter, why] of refused) {
    it(`refuses ?${text}`, () => {
      expect(() => parseListQuery(new URLSearchParams(text)))
        .to.throw(QueryError, why)
        .with.property("parameter", parameter);
    });
  }

  for (const parameter of ["sort", "fieldSelector", "labelSelector", "summary"]) {
    for (const piece of [",", "a,", "\\"]) {
      it(`takes time in proportion to ${parameter}, of many '${piece}'`, () => {
        const query = new URLSearchParams({ [parameter]: piece.repeat(64_000 / piece.length) });
        const began = performance.now();

        try {
          parseListQuery(query);
        } catch (thrown) {
          expect(thrown).to.be.instanceOf(QueryError);
        }

        expect(performance.now() - began).to.be.below(500);
      });
    }
  }
});
