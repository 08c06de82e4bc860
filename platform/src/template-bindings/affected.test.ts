import type { RoleTemplate } from "@drover/crds";
import { aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import { type CacheAccess, refTo } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";
import { affectedTemplates, inheritsIndex, templatesOf } from "./affected.ts";

const template = (name: string, roleTemplateNames: readonly string[] = [], external = false) =>
  aRoleTemplate({ metadata: { name }, roleTemplateNames, external });

/** A cache of these templates. */
const knowing = (...templates: readonly RoleTemplate[]): CacheAccess =>
  (() => ({
    get: (name: string) => templates.find(({ metadata }) => metadata.name === name),
    keysByIndex: (_: string, value: string) =>
      templates
        .filter((each) => inheritsIndex.of(each).includes(value))
        .map(({ metadata }) => metadata.name),
  })) as unknown as CacheAccess;

describe("affectedTemplates", () => {
  it("are the template and all that inherit it, directly or not, also in circles", () => {
    const cache = knowing(template("a", ["c"]), template("b", ["a"]), template("c", ["b"]));

    expect(affectedTemplates("a", cache).toSorted()).to.deep.equal(["a", "b", "c"]);
  });

  it("are named as labels name them", () => {
    const long = "x".repeat(100);

    expect(affectedTemplates(long, knowing())[0]).to.have.length(63);
  });
});

describe("templatesOf", () => {
  const role = (name: string, owner?: string): ClusterRole => ({
    ...refTo(ClusterRole, name),
    metadata: {
      name,
      ...(owner && { labels: { "authz.cluster.cattle.io/clusterrole-owner": owner } }),
    },
  });
  const cache = knowing(template("view", [], true), template("reader", ["view"]), template("a"));

  for (const { name, object, expected } of [
    { name: "the owner", object: role("a-aggregator", "a"), expected: ["a"] },
    {
      name: "those that an external template's rules reach",
      object: role("view"),
      expected: ["view", "reader"],
    },
    { name: "none of a stranger's role", object: role("a"), expected: [] },
  ]) {
    it(`are ${name}`, () => expect(templatesOf(object, cache)).to.deep.equal(expected));
  }
});
