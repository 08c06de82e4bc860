/**
 * What scalars of YAML mean in Kubernetes: YAML 1.1 as go-yaml v2 has it (sigs.k8s.io/yaml: goyaml.v2/resolve.go). `0644` is octal and `on` is true; dates and
 * sexagesimal numbers are texts.
 */

import type { ScalarTag, Tags } from "yaml";

/** A scalar as JSON has it, but for NaN and infinities; integers keep all their digits. */
export type Meaning = string | bigint | number | boolean | null;

const words = new Map<string, Meaning>([
  ...meaning(true, "y Y yes Yes YES true True TRUE on On ON"),
  ...meaning(false, "n N no No NO false False FALSE off Off OFF"),
  ...[["", null] as const, ...meaning(null, "~ null Null NULL")],
  ...meaning(Number.NaN, ".nan .NaN .NAN"),
  ...meaning(Number.POSITIVE_INFINITY, ".inf .Inf .INF +.inf +.Inf +.INF"),
  ...meaning(Number.NEGATIVE_INFINITY, "-.inf -.Inf -.INF"),
]);

/** Plain scalars that may be more than a text, and those whose tag says what they are. */
export const scalarTags: Tags = [
  { ...tagged("str", () => true), default: true, test: /^(?:[-+.\dyYnNtTfFoO~]|$)/ },
  tagged("null", (found) => found === null),
  tagged("bool", (found) => typeof found === "boolean"),
  tagged("int", (found) => typeof found === "bigint"),
  tagged("float", (found) => typeof found === "number" || typeof found === "bigint"),
  { tag: "tag:yaml.org,2002:binary", resolve: decoded },
];

/** What a plain scalar means. */
export function meaningOf(text: string): Meaning {
  const word = words.get(text);
  if (word !== undefined) return word;
  const underscores = text.startsWith(".") ? /(?<=\d)_(?=\d)/g : /_/g;
  const digits = /^[-+.\d]/.test(text) ? text.replaceAll(underscores, "") : text;
  return integerIn(digits) ?? fractionIn(digits) ?? text;
}

function meaning(value: Meaning, texts: string): (readonly [string, Meaning])[] {
  return texts.split(" ").map((text) => [text, value]);
}

/** As Go's ParseInt of any base; only decimal ones may have more than 64 bits. */
function integerIn(text: string): bigint | undefined {
  const [, sign, digits = ""] = integer.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const size = BigInt(digits.replace(/^0(?=\d)/, "0o"));
  const found = sign === "-" ? -size : size;
  const isDecimal = !/^0./.test(digits);
  const fits = BigInt.asIntN(64, found) === found || (sign === "" && size < 2n ** 64n);
  return isDecimal || fits ? found : undefined;
}

const integer = /^([-+]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/;

function fractionIn(text: string): number | undefined {
  if (!/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text)) return undefined;
  const found = Number(text);
  return Number.isFinite(found) ? found : undefined;
}

function tagged(name: string, isOne: (found: Meaning) => boolean): ScalarTag {
  return {
    tag: `tag:yaml.org,2002:${name}`,
    resolve(text, onError) {
      const found = meaningOf(text);
      if (!isOne(found)) onError(`no ${name}`);
      if (typeof found === "number" && !Number.isFinite(found)) onError("no number of JSON");
      return found;
    },
  };
}

/** Texts of others in base64; what is none is refused (sigs.k8s.io/yaml: goyaml.v2/decode.go). */
function decoded(text: string, onError: (message: string) => void): string {
  const letters = text.replaceAll(/[\r\n]/g, "");
  const bytes = Buffer.from(letters, "base64");
  if (bytes.toString("base64") !== letters) onError("no base64");
  return bytes.toString();
}
