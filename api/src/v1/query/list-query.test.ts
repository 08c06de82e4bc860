import { expect } from "chai";
import { QueryError } from "./errors.ts";
import { type ListQuery, parseListQuery } from "./list-query.ts";

const nothing: ListQuery = {
  filters: [],
  sort: [],
  page: 1,
  pageSize: undefined,
  revision: undefined,
  places: undefined,
  summary: undefined,
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
  ["page=3&pagesize=100", { page: 3, pageSize: 100 }],
  ["page=0&pagesize=-1", { page: 1, pageSize: undefined }],
  ["page=&pagesize=", {}],
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

const refused: readonly (readonly [text: string, parameter: string, why: string])[] = [
  ["filter=a", "filter", "only labels"],
  ["sort=-", "sort", "nothing to sort by in '-'"],
  ["sort=ip(-)", "sort", "nothing to sort by"],
  ["sort=a..b", "sort", "no path of a field"],
  [`sort=${"a,".repeat(17)}`, "sort", "more than 16 keys"],
  ["page=x", "page", "page must be a whole number, not 'x'"],
  ["page=1e3", "page", "whole number"],
  ["pagesize=99999999999999999999", "pagesize", "whole number"],
  ["revision=abc", "revision", "value abc for revision query param is not valid"],
  ["summary=", "summary", "no path of a field"],
  ["summary=a,,b", "summary", "no path of a field"],
  ["summary=a&summary=b", "summary", "at most one"],
  ["summaryonly", "summaryonly", "needs summary"],
  ["summary=a&summaryonly=1", "summaryonly", "must be true or false, not '1'"],
  ["summarynamespaced=true", "summarynamespaced", "needs summary"],
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
});
