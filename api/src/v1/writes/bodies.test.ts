import { expect } from "chai";
import { systemClock } from "kopf-ts";
import { YamlReader } from "../../yaml/index.ts";
import { writeExact } from "../json.ts";
import { Problem } from "../problem.ts";
import { jsonOf } from "./content.ts";
import { deleteOptions, optionsQuery } from "./options.ts";
import { patchForm } from "./patch.ts";
import { upstreamPath } from "./place.ts";
import { type Rework, rework } from "./rework.ts";
import { rowIn } from "./table.ts";

/** The status, code and parameter of the Problem that something throws. */
function problemIn(act: () => unknown): object {
  try {
    act();
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    return { status: thrown.status, code: thrown.code, fieldName: thrown.fieldName };
  }
  return {};
}

const patch: Rework = { verb: "patch", typeId: "secret" };

describe("jsonOf", () => {
  const reading = { yaml: new YamlReader(systemClock), signal: new AbortController().signal };
  const read = async (text: string, type?: string): Promise<string> =>
    rework(patch, await jsonOf(Buffer.from(text), type, reading)).body;
  const refused = (text: string, type: string): Promise<Problem> =>
    read(text, type).then(
      () => expect.fail("it was read"),
      (thrown: Problem) => thrown,
    );

  for (const [title, text, type, written] of [
    ["reads JSON", '{"a":[1]}', "application/json; charset=utf-8", '{"a":[1]}'],
    ["takes no content type for JSON", '{"a":1}', undefined, '{"a":1}'],
    ["reads YAML", "a: {b: [1, x]}\n", "application/yaml", '{"a":{"b":[1,"x"]}}'],
    [
      "keeps numbers as they are",
      '{"a":12345678901234567890,"b":1.0,"c":1e2}',
      "",
      '{"a":12345678901234567890,"b":1.0,"c":1e2}',
    ],
    [
      "keeps integers of YAML",
      "a: 12345678901234567890",
      "application/yaml",
      '{"a":12345678901234567890}',
    ],
    [
      "reads YAML as Kubernetes does",
      "{a: 0644, on: y}",
      "application/yaml",
      '{"a":420,"true":true}',
    ],
    ["merges YAML", "a: &x {b: 1}\nc: {<<: *x}", "application/yaml", '{"a":{"b":1},"c":{"b":1}}'],
  ] as const) {
    it(title, async () => {
      expect(await read(text, type)).to.equal(written);
    });
  }

  for (const [title, text, type, code] of [
    ["nothing", "", "application/json", "InvalidBodyContent"],
    ["broken JSON", '{"a":', "application/json", "InvalidBodyContent"],
    ["a list", "[]", "application/json", "InvalidBodyContent"],
    ["null", "null", "application/json", "InvalidBodyContent"],
    ["a text", '"x"', "application/json", "InvalidBodyContent"],
    ["broken YAML", "a: [", "application/yaml", "InvalidBodyContent"],
    [
      "a key of YAML that is there twice",
      "{1: a, '1': b}",
      "application/yaml",
      "InvalidBodyContent",
    ],
    ["a number of YAML that JSON has not", "a: .inf", "application/yaml", "InvalidBodyContent"],
    ["several documents", "a: 1\n---\nb: 2", "application/yaml", "InvalidBodyContent"],
    [
      "aliases that grow",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghi"
        .split("")
        .map((key, i) => `${key}: &${key} [${Array(9).fill(`*${"abcdefgh"[i]}`)}]`)
        .join("\n")}`,
      "application/yaml",
      "InvalidBodyContent",
    ],
    ["a form", "a=b", "application/x-www-form-urlencoded", "UnsupportedMediaType"],
    ["plain text", "{}", "text/plain", "UnsupportedMediaType"],
    ["another YAML", "a: 1", "text/yaml", "UnsupportedMediaType"],
  ] as const) {
    it(`refuses ${title} with ${code}`, async () => {
      expect(await refused(text, type)).to.include({ code });
    });
  }

  it("says nothing of what it could not read", async () => {
    for (const [text, type] of [
      ['{"password":"hunter2"', "application/json"],
      ["password: [hunter2", "application/yaml"],
    ] as const) {
      expect((await refused(text, type)).message).not.to.contain("hunter2");
    }
  });

  it("leaves texts alone that look like numbers", async () => {
    const text = String.raw`{"a":"1.0","b\"1.0":"\\","c":1.50,"1.0":[-0.0,1E5,"x"]}`;

    expect(await read(text)).to.equal(text);
  });
});

describe("patchForm", () => {
  const strategic = "application/strategic-merge-patch+json";

  for (const [title, told, text, type, body] of [
    ["is strategic unless told", undefined, '{"a":1}', strategic, '{"a":1}'],
    [
      "passes bytes on",
      "application/merge-patch+json",
      ' {"a":1.0}',
      "application/merge-patch+json",
      ' {"a":1.0}',
    ],
    [
      "maps names back",
      strategic,
      '{"_type":"x","type":"secret","id":"y"}',
      strategic,
      '{"type":"x"}',
    ],
    [
      "leaves JSON patches alone",
      "application/json-patch+json",
      '[{"op":"remove","path":"/type"}]',
      "application/json-patch+json",
      '[{"op":"remove","path":"/type"}]',
    ],
    [
      "leaves YAML alone",
      "application/apply-patch+yaml",
      "type: x",
      "application/apply-patch+yaml",
      "type: x",
    ],
  ] as const) {
    it(title, () => {
      const { contentType, isReworked } = patchForm(Buffer.from(text), told);

      expect(contentType).to.equal(type);
      expect(isReworked ? rework(patch, Buffer.from(text)).body : text).to.equal(body);
    });
  }

  it("refuses what is no patch", () => {
    const refused = problemIn(() => patchForm(Buffer.from("{}"), "application/json"));

    expect(refused).to.deep.equal({
      ...{ status: 415, code: "UnsupportedMediaType", fieldName: "Content-Type" },
    });
  });
});

describe("options of writes", () => {
  it("passes on those that the verb has", () => {
    const query = new URLSearchParams("dryRun=All&fieldManager=me&force=true&exclude=a&filter=b");

    expect(optionsQuery("patch", query)).to.equal("?dryRun=All&fieldManager=me&force=true");
    expect(optionsQuery("update", query)).to.equal("?dryRun=All&fieldManager=me");
    expect(optionsQuery("get", query)).to.equal("");
    expect(optionsQuery("get", new URLSearchParams("resourceVersion=7"))).to.equal(
      "?resourceVersion=7",
    );
  });

  for (const text of ["x", "-5", "1.5", "1e3", "9".repeat(20)]) {
    it(`refuses ${text} for a revision, where Steve has a 500`, () => {
      const query = new URLSearchParams({ resourceVersion: text });

      expect(problemIn(() => optionsQuery("get", query))).to.include({
        ...{ status: 422, code: "InvalidFormat", fieldName: "resourceVersion" },
      });
    });
  }

  it("names what is malformed", () => {
    const force = new URLSearchParams("force=perhaps");
    const grace = new URLSearchParams("gracePeriodSeconds=-1");

    expect(problemIn(() => optionsQuery("patch", force))).to.include({
      ...{ status: 422, code: "InvalidFormat", fieldName: "force" },
    });
    expect(problemIn(() => deleteOptions(grace, {}))).to.include({
      ...{ status: 422, fieldName: "gracePeriodSeconds" },
    });
    expect(problemIn(() => deleteOptions(grace, { kind: "Pod" }))).to.include({
      fieldName: "kind",
    });
  });

  for (const [title, query, body, expected] of [
    ["has none", "exclude=a", {}, undefined],
    [
      "takes those of the URL",
      "gracePeriodSeconds=0&propagationPolicy=Orphan&dryRun=All&orphanDependents=false&uid=u",
      {},
      {
        ...{ gracePeriodSeconds: 0, propagationPolicy: "Orphan", orphanDependents: false },
        ...{ dryRun: ["All"], preconditions: { uid: "u" } },
      },
    ],
    [
      "takes those of the body, which Steve ignores",
      "",
      { kind: "DeleteOptions", propagationPolicy: "Foreground" },
      { propagationPolicy: "Foreground" },
    ],
    [
      "takes the body's where both tell",
      "propagationPolicy=Orphan&uid=u",
      { propagationPolicy: "Foreground", preconditions: { resourceVersion: "7" } },
      { propagationPolicy: "Foreground", preconditions: { uid: "u", resourceVersion: "7" } },
    ],
  ] as const) {
    it(`of a delete: ${title}`, () => {
      const found = deleteOptions(new URLSearchParams(query), body);

      const whole = expected && { apiVersion: "v1", kind: "DeleteOptions", ...expected };
      expect(found).to.deep.equal(whole);
    });
  }
});

describe("upstreamPath", () => {
  const deployments = {
    ...{ group: "apps", version: "v1", plural: "deployments", kind: "Deployment" },
    scope: "Namespaced",
  } as const;

  it("leads to objects and collections", () => {
    expect(upstreamPath(deployments, "ns", "a")).to.equal(
      "/apis/apps/v1/namespaces/ns/deployments/a",
    );
    expect(upstreamPath(deployments, undefined)).to.equal("/apis/apps/v1/deployments");
    expect(upstreamPath({ ...deployments, group: "", scope: "Cluster" }, "ns", "a:b")).to.equal(
      "/api/v1/deployments/a%3Ab",
    );
  });

  for (const name of ["", ".", "..", "a/b", "a%2Fb", "\ud800", "x".repeat(2_000)]) {
    it(`refuses the name ${JSON.stringify(name.slice(0, 20))}`, () => {
      expect(problemIn(() => upstreamPath(deployments, "ns", name))).to.include({
        ...{ status: 422, fieldName: "name" },
      });
      expect(problemIn(() => upstreamPath(deployments, name, "a"))).to.include({
        fieldName: "namespace",
      });
    });
  }
});

describe("rowIn", () => {
  it("cuts the object out of a table as it stands", () => {
    const object = '{"metadata":{"name":"a\\"}"},"n":12345678901234567890, "rows":[{"object":1}]}';
    const table = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"x"}],"rows":[ {"cells":["a", 3,null,9007199254740993],"object":${object} }]}`;

    const row = rowIn(Buffer.from(table));

    expect(row.object.toString()).to.equal(object);
    expect(writeExact(row.cells)).to.equal('["a",3,null,9007199254740993]');
  });

  for (const text of [
    '{"kind":"ConfigMap","apiVersion":"v1"}',
    '{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}',
    '{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":[],"object":null}]}',
    '{"kind":"Table","apiVersion":"furniture/v1","rows":[{"object":{}}]}',
  ]) {
    it(`takes the answer itself: ${text.slice(0, 60)}`, () => {
      expect(rowIn(Buffer.from(text))).to.deep.equal({
        object: Buffer.from(text),
        cells: undefined,
      });
    });
  }
});
