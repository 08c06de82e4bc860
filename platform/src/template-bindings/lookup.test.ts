import { RoleTemplate } from "@drover/crds";
import { aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import { type CacheAccess, type Client, type KubeObject, refTo, TemporaryError } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { completeBinding } from "./complete.ts";
import { confirmed, isOpenIn } from "./lookup.ts";

const template = aRoleTemplate({ metadata: { name: "rt" } });
const showing = (...objects: readonly KubeObject[]): CacheAccess =>
  (() => ({
    get: (key: string) => objects.find(({ metadata }) => metadata.name === key),
  })) as unknown as CacheAccess;
const serving = (object: KubeObject | undefined): Client =>
  ({ find: () => Promise.resolve(object) }) as unknown as Client;
const silent = {} as Client; // every request would throw

describe("confirmed", () => {
  it("is what the cache shows, without asking", async () => {
    const lookup = { cache: showing(template), client: silent };

    expect(await confirmed(RoleTemplate, { name: "rt" }, lookup)).to.equal(template);
  });

  it("is nothing once the server says so", async () => {
    const lookup = { cache: showing(), client: serving(undefined) };

    expect(await confirmed(RoleTemplate, { name: "rt" }, lookup)).to.equal(undefined);
  });

  it("is nothing for no name, without asking", async () => {
    const lookup = { cache: showing(), client: silent };

    expect(await confirmed(RoleTemplate, { name: "" }, lookup)).to.equal(undefined);
  });

  it("asks for another run where the cache lacks what the server has", async () => {
    const lookup = { cache: showing(), client: serving(template) };

    const error = await confirmed(RoleTemplate, { name: "rt" }, lookup).catch((thrown) => thrown);

    expect(error).to.be.instanceOf(TemporaryError);
    expect(error.message).to.equal("the cache does not show RoleTemplate rt yet");
  });
});

describe("isOpenIn", () => {
  const leaving = {
    ...refTo(Namespace, "leaving"),
    metadata: { name: "leaving", deletionTimestamp: "2026-01-01T00:00:00Z" },
  };
  const isOpen = isOpenIn(showing(refTo(Namespace, "there"), leaving));

  for (const { name, expected } of [
    { name: "there", expected: true },
    { name: "leaving", expected: false },
    { name: "missing", expected: false },
  ]) {
    it(`is ${expected} for one that is ${name}`, () => expect(isOpen(name)).to.equal(expected));
  }
});

describe("completeBinding", () => {
  const label = { "management.cattle.io/roletemplate-aggregation": "true" };
  const bindingWith = (labels?: Readonly<Record<string, string>>): KubeObject => ({
    ...refTo(RoleTemplate, "x"),
    metadata: { name: "x", resourceVersion: "7", ...(labels && { labels }) },
  });
  /** A client that answers with the patch. */
  const echo = {
    patch: (_: KubeObject, { merge }: { readonly merge: unknown }) => Promise.resolve(merge),
  } as unknown as Client;

  it("is the very binding when nothing is missing", async () => {
    const binding = bindingWith(label);

    expect(await completeBinding(binding, {}, silent)).to.equal(binding);
  });

  for (const { name, labels, fields, expected } of [
    {
      name: "all at once",
      labels: undefined,
      fields: { userName: "u-1" },
      expected: { userName: "u-1", metadata: { resourceVersion: "7", labels: label } },
    },
    {
      name: "the label alone",
      labels: { other: "true" },
      fields: {},
      expected: { metadata: { resourceVersion: "7", labels: label } },
    },
    {
      name: "a field alone",
      labels: label,
      fields: { userPrincipalName: "local://u-1" },
      expected: { userPrincipalName: "local://u-1", metadata: { resourceVersion: "7" } },
    },
  ]) {
    it(`fills in ${name}, in the version that was looked at`, async () => {
      expect(await completeBinding(bindingWith(labels), fields, echo)).to.deep.equal(expected);
    });
  }
});
