import { expect } from "chai";
import type { KubeObject } from "kopf-ts";
import {
  affectedProjects,
  annotationsPatch,
  countedAnnotations,
  outsideAnnotations,
  requestOf,
  uncountedAnnotations,
} from "./requests.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const project = "field.cattle.io/projectId";
const counted = "field.cattle.io/resourceQuotaProjectId";
const quota = "field.cattle.io/resourceQuota";
const status = "cattle.io/status";
const aNamespace = (annotations: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop", resourceVersion: "7", annotations },
});
const roles = { Type: "InitialRolesPopulated", Status: "True", Message: "", LastUpdateTime: "x" };
const conditions = (text: string | undefined) =>
  Object.fromEntries(
    JSON.parse(text ?? '{"Conditions":[]}').Conditions.map(
      ({ Type, Status }: { readonly Type: string; readonly Status: string }) => [Type, Status],
    ),
  );

describe("affectedProjects", () => {
  for (const { name, annotations, expected } of [
    { name: "never in a project", annotations: {}, expected: [] },
    { name: "just assigned", annotations: { [project]: "c-1:p-1" }, expected: ["c-1/p-1"] },
    {
      name: "the same project",
      annotations: { [project]: "c-1:p-1", [counted]: "c-1:p-1" },
      expected: ["c-1/p-1"],
    },
    {
      name: "moved",
      annotations: { [project]: "c-1:p-2", [counted]: "c-1:p-1" },
      expected: ["c-1/p-2", "c-1/p-1"],
    },
    { name: "unassigned", annotations: { [counted]: "c-1:p-1" }, expected: ["c-1/p-1"] },
    {
      name: "a project of another cluster, as of another hub",
      annotations: { [project]: "c-2:p-1", [counted]: "c-11:p-1" },
      expected: [],
    },
    { name: "no project's id", annotations: { [project]: "p-1" }, expected: [] },
  ]) {
    it(`case 48: touches exactly the affected projects of a namespace: ${name}`, () => {
      expect(affectedProjects(aNamespace(annotations), "c-1")).to.deep.equal(expected);
    });
  }
});

describe("requestOf", () => {
  for (const { text, isMade, isReadable, limit = {} } of [
    { text: undefined, isMade: false, isReadable: true },
    { text: "", isMade: false, isReadable: true },
    { text: "null", isMade: false, isReadable: true },
    { text: "{}", isMade: true, isReadable: true },
    { text: '{"limit":{"pods":"4"}}', isMade: true, isReadable: true, limit: { pods: "4" } },
    {
      text: '{"limit":{"extended":{"count/jobs.batch":"1"}}}',
      isMade: true,
      isReadable: true,
      limit: { "count/jobs.batch": "1" },
    },
    { text: "{", isMade: true, isReadable: false },
    { text: "7", isMade: true, isReadable: false },
    { text: '{"limit":[]}', isMade: true, isReadable: false },
    { text: '{"limit":{"pods":4}}', isMade: true, isReadable: false },
    { text: '{"limit":{"extended":{"a":1}}}', isMade: true, isReadable: false },
  ]) {
    it(`reads ${text ?? "nothing"}`, () => {
      const found = requestOf(aNamespace(text === undefined ? {} : { [quota]: text }));

      expect({ ...found, limit: Object.fromEntries(found.limit) }).to.deep.equal({
        isMade,
        isReadable,
        limit,
      });
    });
  }
});

describe("countedAnnotations", () => {
  const wanted = new Map([["limits.cpu", "200m"]]);

  it("tell a namespace that asks for nothing its share", () => {
    const found = countedAnnotations(aNamespace(), "c-1:p-1", { wanted, message: "" }, now);

    expect(found).to.include({ [quota]: '{"limit":{"limitsCpu":"200m"}}', [counted]: "c-1:p-1" });
    expect(conditions(found[status])).to.deep.equal({
      ResourceQuotaInit: "True",
      ResourceQuotaValidated: "True",
    });
  });

  it("leave what people wrote, and say why it is refused", () => {
    const asking = aNamespace({ [quota]: '{ "limit": {} }' });

    const found = countedAnnotations(asking, "c-1:p-1", { wanted, message: "no" }, now);

    expect(found).not.to.have.property(quota);
    expect(JSON.parse(found[status] ?? "").Conditions[1]).to.include({
      Type: "ResourceQuotaValidated",
      Status: "False",
      Message: "no",
    });
  });
});

describe("annotations of a namespace without quota", () => {
  const all = {
    [quota]: "{}",
    [counted]: "c-1:p-1",
    [status]: JSON.stringify({
      Conditions: [
        roles,
        { ...roles, Type: "ResourceQuotaInit" },
        { ...roles, Type: "ResourceQuotaValidated" },
      ],
    }),
  };

  it("forget the quota that the project had", () => {
    const found = uncountedAnnotations(aNamespace(all), now);

    expect(found).to.include({ [quota]: undefined, [counted]: undefined });
    expect(conditions(found[status])).to.deep.equal({
      InitialRolesPopulated: "True",
      ResourceQuotaInit: "True",
    });
  });

  it("leave a request that nobody ever counted", () => {
    expect(uncountedAnnotations(aNamespace({ [quota]: "{}" }), now)).not.to.have.property(quota);
  });

  it("say nothing of quotas outside of projects", () => {
    const found = outsideAnnotations(aNamespace(all));

    expect(found).to.include({ [quota]: undefined, [counted]: undefined });
    expect(conditions(found[status])).to.deep.equal({ InitialRolesPopulated: "True" });
  });

  it("are as they should be then", () => {
    const { [status]: said = "" } = uncountedAnnotations(aNamespace(all), now);
    const settled = aNamespace({ [status]: said });

    expect(annotationsPatch(settled, uncountedAnnotations(settled, now + 5_000))).to.equal(
      undefined,
    );
    expect(annotationsPatch(aNamespace(), outsideAnnotations(aNamespace()))).to.equal(undefined);
  });
});

describe("annotationsPatch", () => {
  it("sends what differs, in the version that was looked at", () => {
    const namespace = aNamespace({ a: "1", b: "2" });

    expect(annotationsPatch(namespace, { a: "1", b: undefined, c: "3" })).to.deep.equal({
      metadata: { resourceVersion: "7", annotations: { b: null, c: "3" } },
    });
  });
});
