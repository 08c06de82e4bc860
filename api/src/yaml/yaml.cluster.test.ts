import { freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, loadConfig, systemClock } from "kopf-ts";
import { seededRandom } from "kopf-ts/testing";
import { listAt, textAt } from "../v1/tree.ts";
import { aKind, crdOf, install, type TestKind } from "../v1/types/testing.test.support.ts";
import { YamlReader } from "./index.ts";

/** What may make a number, a truth or nothing. */
const letters = "00112789__..xXbBoOeE++--~yYnNsStTaAfFuUlLrR";

const texts = [
  ..."0644 0400 010 00 0 -0 +0 0o17 0O17 -017 08 0899 0789 0b11 -0b11 +0B1 0b2 0b 0b_1".split(" "),
  ..."1_000 _1 1_ -_1 1__0 0x1F 0X1f -0x1f 0xG 0x 0x1p4 0x_f 1e3 1E-3 1.5 1. .5 +.5 -.5e2".split(
    " ",
  ),
  ...".5_0 1.5_0 . .. .e3 1e400 -1e400 1e 1.2.3 1e3.5 9223372036854775807".split(" "),
  ..."9223372036854775808 -9223372036854775809 18446744073709551615 18446744073709551616".split(
    " ",
  ),
  ..."+18446744073709551615 0xffffffffffffffff 0x1ffffffffffffffff -0xffffffffffffffff".split(" "),
  ..."0777777777777777777777 07777777777777777777777777 1:20 190:20:30 12:30:45.5".split(" "),
  ..."2001-01-01 2001-1-1 2001-12-14T21:59:43.1Z 2001-13-45 y Y yes Yes YES yEs on ON oN".split(
    " ",
  ),
  ..."true TRUE tRUE n N no No NO nO off OFF false False ~ ~~ null Null NULL nULL <<".split(" "),
  ..."inf nan .NAn .in +- 'on' \"0644\" 'a\"b' 1a é".split(" "),
  ...[
    "!!str 0644",
    '!!int "0x10"',
    "!!float 1",
    "!!bool on",
    "!!null ~",
    "!foo 12",
    "!!binary aGk=",
  ],
  ...[
    "!!timestamp 2001-01-01",
    "|\n   0644",
    ">-\n   on",
    "",
    "a 1",
    "1 2",
    "on # comment",
    "0644 ",
  ],
];

/** Plain scalars of a few letters; the same in every run. */
function plainScalars(count: number): readonly string[] {
  const random = seededRandom(7);
  const one = (): string =>
    Array.from({ length: 1 + random.below(5) }, () => letters[random.below(letters.length)]).join(
      "",
    );
  return Array.from({ length: count }, one);
}

describe("YAML, on an API server", function () {
  this.timeout(60_000);

  let client: Client;
  let namespace: string;
  const kind: TestKind = aKind("yaml");
  const reader = new YamlReader(systemClock);
  const { signal } = new AbortController();

  before(async () => {
    const plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    namespace = await freshNamespace(plane, "yaml");
    await install(client, crdOf(kind, {}));
  });
  after(async () => {
    await client?.[Symbol.asyncDispose]();
  });

  const documentOf = (spec: string): string =>
    `apiVersion: ${kind.group}/v1\nkind: ${kind.kind}\nmetadata: {name: a}\n${spec}`;

  /** The spec that the API server reads. */
  async function asItReads(spec: string): Promise<unknown> {
    const path = `/apis/${kind.group}/v1/namespaces/${namespace}/${kind.plural}?dryRun=All`;
    const headers = { "Content-Type": "application/yaml" };
    const { body } = await client.request({
      ...{ method: "POST", path, headers, body: documentOf(spec) },
    });
    return JSON.parse(body.toString()).spec;
  }
  const asWeRead = async (spec: string): Promise<unknown> =>
    JSON.parse(await reader.toJson(documentOf(spec), signal)).spec;

  it("means the same by every scalar", async () => {
    const all = [...texts, ...plainScalars(5_000).filter((text) => !/^[-.]+$/.test(text))];
    const spec = `spec:\n  values:\n${all.map((text) => `  - ${text}\n`).join("")}`;

    const [theirs, ours] = [await asItReads(spec), await asWeRead(spec)];

    const [expected, found] = [listAt(theirs, "values"), listAt(ours, "values")];
    expect(found).to.have.length(all.length);
    expect(found.filter((value) => typeof value !== "string").length).to.be.greaterThan(400);
    const differing = found.flatMap((value, at) =>
      value === expected[at] ? [] : [{ text: all[at], value, expected: expected[at] }],
    );
    expect(differing).to.deep.equal([]);
  });

  for (const spec of [
    "spec: {on: a, 1: b, 1.50: c, 0644: d, -0.25: e, 'on ': f, 0x10: g}",
    "spec: &x {a: 1}\nstatus: *x",
    "spec: {a: &x {b: 1}, c: {<<: *x, d: 2}, e: {<<: [*x, {b: 3, f: 4}]}, g: {<<: *x, b: 5}}",
    'spec: {"<<": 1}',
    "spec: {a: &k on, *k : 1}",
    "spec: !!map {a: !!seq [1, !!set {b, c}]}",
    "spec: {__proto__: {a: 1}, constructor: 2}",
  ]) {
    it(`reads the same of ${spec}`, async () => {
      expect(await asWeRead(spec)).to.deep.equal(await asItReads(spec));
    });
  }

  for (const spec of [
    "spec: {a: .inf}",
    "spec: {a: .nan}",
    "spec: {~: 1}",
    "spec: {[a]: 1}",
    "spec: {a: !!int x}",
    "spec: {a: !!binary '='}",
    "spec: {a: *b}",
    "spec: {<<: 1}",
    "spec: [",
  ]) {
    it(`refuses ${spec} as well`, async () => {
      const theirs = await asItReads(spec).catch((thrown: object) => thrown);
      const ours = await asWeRead(spec).catch((thrown: object) => thrown);

      expect(theirs).to.include({ code: 400 });
      expect(ours).to.include({ status: 422, code: "InvalidBodyContent" });
      expect(textAt(ours, "message")).to.match(/^Failed to parse body: /);
    });
  }
});
