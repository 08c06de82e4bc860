import { inspect } from "node:util";
import { expect } from "chai";
import { createLogger } from "kopf-ts";
import { Confidential } from "./confidential.ts";
import { readExtToken } from "./stored.ts";
import { anExtSecret, anExtToken, aSession, key } from "./testing/samples.ts";
import { parseTokenValue } from "./value.ts";

/** Every way a value usually gets into a log or an error. */
function shownForms(value: object): string {
  const lines: string[] = [];
  const log = createLogger({ output: { write: (line: string) => void lines.push(line) } });
  log.error("failed", { value, error: new Error("failed", { cause: value }) });
  return [
    inspect(value, { depth: 9, showHidden: true }),
    JSON.stringify(value),
    `${Object.values(value)}`,
    String(new Error(JSON.stringify(value), { cause: value }).stack),
    ...lines,
  ].join("\n");
}

describe("Confidential", () => {
  it("is only given to who asks for it", () => {
    expect(new Confidential(key).reveal()).to.equal(key);
  });

  const hash = anExtToken().hash.reveal();
  for (const { name, value } of [
    { name: "itself", value: new Confidential(key) },
    { name: "a token value", value: parseTokenValue(`token-a:${key}`) },
    { name: "a stored token with its key", value: aSession() },
    { name: "a stored ext token", value: readExtToken(anExtSecret()) },
    { name: "an ext token", value: anExtToken() },
    { name: "a list of them", value: [{ deep: { deeper: new Confidential(key) } }] },
  ]) {
    it(`is not shown by ${name}`, () => {
      const shown = shownForms(value ?? {});

      expect(shown).to.not.contain(key);
      expect(shown).to.not.contain("$3:1:");
      expect(shown).to.not.contain(hash);
    });
  }
});
