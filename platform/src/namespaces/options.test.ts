import { expect } from "chai";
import { NamespaceOptionsError, namespaceMetadata } from "./options.ts";

const from = (text: string | undefined) =>
  namespaceMetadata(text === undefined ? {} : { RANCHER_NAMESPACE_OPTIONS: text });
const managed = { "cattle.io/managed-namespace": "true" };

describe("namespaceMetadata", () => {
  for (const { name, text, expected } of [
    { name: "nothing without the variable", text: undefined, expected: {} },
    { name: "nothing of an empty one", text: "", expected: {} },
    { name: "nothing unless enabled", text: '{"labels":{"a":"b"}}', expected: {} },
    {
      name: "a mark where nothing else is asked for",
      text: '{"enabled":true}',
      expected: { annotations: managed },
    },
    {
      name: "labels and annotations",
      text: '{"enabled":true,"labels":{"a":"b"},"annotations":{"c":"d"}}',
      expected: { labels: { a: "b" }, annotations: { ...managed, c: "d" } },
    },
  ]) {
    it(`finds ${name}`, () => {
      expect(from(text)).to.deep.equal({ labels: {}, annotations: {}, ...expected });
    });
  }

  for (const { text, message } of [
    { text: "{", message: "it is no JSON" },
    { text: "[]", message: "it is no JSON object" },
    { text: '{"enabled":"yes"}', message: "enabled must be true or false" },
    { text: '{"enabled":true,"labels":{"a":1}}', message: "labels must be an object of texts" },
    { text: '{"annotations":[]}', message: "annotations must be an object of texts" },
  ]) {
    it(`refuses ${text}`, () => {
      expect(() => from(text)).to.throw(
        NamespaceOptionsError,
        `cannot read RANCHER_NAMESPACE_OPTIONS: ${message}`,
      );
    });
  }
});
