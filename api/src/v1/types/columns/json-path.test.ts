import { inspect } from "node:util";
import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { printed } from "./compare.ts";
import { crdTable } from "./crd-columns.ts";
import { valuesAt } from "./find.ts";
import { parsePath } from "./json-path.ts";

const object = {
  metadata: { name: "one", labels: { "app.kubernetes.io/name": "web", plain: "x" } },
  spec: {
    empty: "",
    nothing: null,
    list: ["a", "b", "c"],
    numbers: [3, 1, 2],
    long: [9007199254740992n, 9007199254740993n, 9007199254740994n],
    nested: [[1, 2], [3]],
    ports: [
      { name: "http", port: 80, open: true },
      { name: "https", port: 443, open: false },
      { port: 9 },
    ],
  },
  status: {
    conditions: [
      { type: "Ready", status: "True", reason: "it's (so)" },
      { type: "Synced", status: "False" },
    ],
  },
};

describe("parsePath and valuesAt", () => {
  for (const { name, path } of [
    { name: "blanks in a union", path: `.spec[0,1${" ".repeat(64_000)}1]` },
    { name: "operators in a filter", path: `.spec[?(@.a${"=".repeat(64_000)}\r)]` },
    { name: "a number", path: `.spec[?(@.a==${"1".repeat(64_000)}.1.)]` },
  ]) {
    it(`takes time in proportion to ${name}`, () => {
      const began = performance.now();

      parsePath(path);

      expect(performance.now() - began).to.be.below(500);
    });
  }

  for (const { path, values } of [
    { path: ".metadata.name", values: ["one"] },
    { path: ".", values: [] },
    { path: ".spec.list..", values: [["a", "b", "c"], "a", "b", "c"] },
    { path: ".$.metadata.name", values: [] },
    { path: "$.metadata.name", values: ["one"] },
    { path: "@.metadata.name", values: ["one"] },
    { path: ".metadata .name", values: ["one"] },
    { path: ".metadata.missing.deeper", values: [] },
    { path: ".metadata.name.deeper", values: [] },
    { path: ".metadata.labels.app\\.kubernetes\\.io/name", values: ["web"] },
    { path: ".metadata.labels['app\\.kubernetes\\.io/name']", values: ["web"] },
    { path: ".metadata.labels['app.kubernetes.io/name']", values: [] },
    { path: ".metadata.labels['plain']", values: ["x"] },
    { path: '.metadata.labels["plain"]', values: "no path" },
    { path: ".spec.empty", values: [""] },
    { path: ".spec.nothing", values: [null] },
    { path: ".spec.nothing.deeper", values: [] },
    { path: ".spec.list", values: [["a", "b", "c"]] },
    { path: ".spec.list[0]", values: ["a"] },
    { path: ".spec.list[-1]", values: ["c"] },
    { path: ".spec.list[-1:]", values: ["c"] },
    { path: ".spec.list[3]", values: undefined },
    { path: ".spec.list[-4]", values: undefined },
    { path: ".spec.list[1:]", values: ["b", "c"] },
    { path: ".spec.list[:2]", values: ["a", "b"] },
    { path: ".spec.list[:-1]", values: ["a", "b"] },
    { path: ".spec.list[0:3:2]", values: ["a", "c"] },
    { path: ".spec.list[0:3:0]", values: undefined },
    { path: ".spec.list[2:1]", values: undefined },
    { path: ".spec.list[1:1]", values: [] },
    { path: ".spec.list[0:4]", values: undefined },
    { path: ".spec.list[*]", values: ["a", "b", "c"] },
    { path: ".spec.list.*", values: ["a", "b", "c"] },
    { path: ".spec.list[0,2]", values: ["a", "c"] },
    { path: ".spec.list[0, 9]", values: undefined },
    { path: ".spec.list[x]", values: "no path" },
    { path: ".spec.list[-]", values: "no path" },
    { path: ".spec.list[0", values: "no path" },
    { path: ".spec.empty[0]", values: undefined },
    { path: ".spec.nothing[0]", values: [] },
    { path: ".spec.missing[0]", values: [] },
    { path: ".spec.nested[*][0]", values: [1, 3] },
    { path: ".spec.ports[*].name", values: ["http", "https"] },
    { path: ".spec.ports[*]['name','port']", values: ["http", "https", 80, 443, 9] },
    { path: ".spec..port", values: [80, 443, 9] },
    { path: "..port", values: [80, 443, 9] },
    { path: ".spec.. ..port", values: "no path" },
    { path: '.spec.ports[?(@.name=="http")].port', values: [80] },
    { path: ".spec.ports[?(@.name=='https')].port", values: [443] },
    { path: '.spec.ports[?(@.name != "http")].port', values: [443] },
    { path: ".spec.ports[?(@.port>80)].port", values: [443] },
    { path: ".spec.ports[?(@.port>=80)].port", values: [80, 443] },
    { path: ".spec.ports[?(@.port<80)].port", values: [9] },
    { path: ".spec.ports[?(@.port <= 80)].port", values: [80, 9] },
    { path: ".spec.ports[?(@.port==80.5)].port", values: undefined },
    { path: ".spec.long[?(@==9007199254740993)]", values: [9007199254740993n] },
    { path: ".spec.long[?(@>9007199254740993)]", values: [9007199254740994n] },
    { path: ".spec.long[?(@<9007199254740993)]", values: [9007199254740992n] },
    { path: ".spec.long[?(@>1)]", values: object.spec.long },
    { path: '.spec.ports[?(@.port=="80")].port', values: undefined },
    { path: ".spec.ports[?(@.open==true)].port", values: [80] },
    { path: ".spec.ports[?(@.open<true)].port", values: undefined },
    { path: ".spec.ports[?(@.name)].port", values: [80, 443] },
    { path: ".spec.ports[?(@.name=~'x')].port", values: "no path" },
    { path: ".spec.ports[?(@.name='x')].port", values: undefined },
    { path: ".spec.numbers[?(@>1)]", values: [3, 2] },
    { path: ".spec.ports[?(@.name==@.name)].port", values: [80, 443] },
    { path: '.status.conditions[?(@.type=="Ready")].status', values: ["True"] },
    { path: '.status.conditions[?(@.reason=="it\'s (so)")].type', values: ["Ready"] },
    { path: ".status.conditions[?(@.reason=='it\\'s (so)')].type", values: ["Ready"] },
    { path: ".status[?(@.type)]", values: undefined },
    { path: ".missing[?(@.type)]", values: [] },
    { path: ".status.conditions[?(@.type", values: "no path" },
    { path: ".status.conditions[?(@.type)x]", values: "no path" },
    { path: ".metadata.name}{.spec.empty", values: ["one"] },
    { path: ".metadata\nname", values: "no path" },
    { path: ".metadata#name", values: [] },
    { path: ".metadata.name 'x'", values: ["x"] },
    { path: ".metadata.name '\\x41\\u0042\\101\\n'", values: ["ABA\n"] },
    { path: ".metadata.name '\\q'", values: "no path" },
    { path: ".metadata.name 'x", values: "no path" },
    { path: ".metadata.name 5", values: [5] },
    { path: ".metadata.name -1.5", values: [-1.5] },
    { path: ".metadata.name 1.2.3", values: "no path" },
    { path: ".metadata.name true", values: [true] },
    { path: ".spec.list[*] range", values: undefined },
  ]) {
    it(`${JSON.stringify(path)} leads to ${values === undefined ? "nowhere" : inspect(values)}`, () => {
      const parsed = parsePath(path);

      const found = parsed === undefined ? "no path" : valuesAt(object, parsed);

      expect(found).to.deep.equal(values);
    });
  }
});

describe("parsePath and valuesAt, of whatever somebody writes", () => {
  const random = seededRandom(Number(process.env.JSON_PATH_SEED ?? 1));
  const parts: readonly [string, ...string[]] = [
    ".",
    ...["..", "[", "]", "[?(", ")]", "(", ")", "'", '"', "\\", "@", "$", "*", ",", ":", " "],
    ...["==", "!=", "<", ">=", "-", "+", "0", "1", "9999999999999999999", "true", "range", "end"],
    ...["spec", "list", "ports", "name", "status", "{", "}", "\n", "\t", "é", "\u0000", "\\x41"],
  ];

  it("come to an end, without an error", () => {
    for (let count = 0; count < 20_000; count++) {
      const path = `.${Array.from({ length: random.below(12) }, () => random.pick(parts)).join("")}`;
      const parsed = parsePath(path);
      if (parsed !== undefined) valuesAt(object, parsed)?.map(printed);
    }
  });

  it("are not led astray by objects that are deep or long", () => {
    const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
    const long = Array.from({ length: 300_000 }, (_, index) => index);
    const { cells } = crdTable({
      additionalPrinterColumns: [
        { name: "Deep", type: "string", jsonPath: ".deep" },
        { name: "Wander", type: "string", jsonPath: ".deep..x" },
        { name: "Long", type: "integer", jsonPath: ".long[*]" },
      ],
    });

    const row = cells({ metadata: { name: "n" }, deep, long });

    expect(row).to.have.length(4);
    expect(row.at(-1)).to.equal(0);
  });
});

describe("printed", () => {
  for (const { value, text } of [
    { value: "text", text: "text" },
    { value: "", text: "" },
    { value: true, text: "true" },
    { value: null, text: "<no value>" },
    { value: 1_000_000, text: "1000000" },
    { value: 0.5, text: "0.5" },
    { value: 123_456.75, text: "123456.75" },
    { value: 1_234_567.5, text: "1.2345675e+06" },
    { value: 0.0001, text: "0.0001" },
    { value: 0.00001, text: "1e-05" },
    { value: 1e21, text: "1e+21" },
    { value: [1, "a"], text: '[1,"a"]' },
    {
      value: { b: 1, a: { d: null, c: "<&>" } },
      text: '{"a":{"c":"\\u003c\\u0026\\u003e","d":null},"b":1}',
    },
    { value: { 10: "x", 9: "y" }, text: '{"10":"x","9":"y"}' },
    { value: 9007199254740993n, text: "9007199254740993" },
    { value: { a: [9007199254740993n] }, text: '{"a":[9007199254740993]}' },
  ]) {
    it(`writes ${inspect(value)} as ${text}`, () => {
      expect(printed(value)).to.equal(text);
    });
  }
});
