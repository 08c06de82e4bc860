/** Finds values in JSON of megabytes without parsing it. Pure. */

/** A member of an object: where its value begins, and the first place behind it. */
export interface Member {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const brace = { open: 0x7b, close: 0x7d };
const bracket = { open: 0x5b, close: 0x5d };

/** The members of the object that begins at `at`, one by one; none of what is no object. Throws for JSON that breaks off. */
export function* members(json: Buffer, at: number): Generator<Member> {
  let place = skipBlank(json, at);
  if (json[place] !== brace.open) return;
  for (place = skipBlank(json, place + 1); json[place] === quote; ) {
    const keyEnd = afterString(json, place);
    const key: unknown = JSON.parse(json.toString("utf8", place, keyEnd));
    const start = skipBlank(json, skipBlank(json, keyEnd) + 1); // behind the colon
    const end = afterValue(json, start);
    yield { key: String(key), start, end };
    place = skipBlank(json, end);
    if (json[place] === comma) place = skipBlank(json, place + 1);
  }
}

function skipBlank(json: Buffer, at: number): number {
  let place = at;
  while (isBlank(json[place])) place++;
  return place;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function afterString(json: Buffer, at: number): number {
  for (let end = json.indexOf(quote, at + 1); end >= 0; end = json.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (json[end - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  throw new SyntaxError("a text in JSON does not end");
}

function afterValue(json: Buffer, at: number): number {
  const first = json[at];
  if (first === quote) return afterString(json, at);
  if (first === brace.open || first === bracket.open) return afterNested(json, at);
  let place = at;
  while (place < json.length && !endsScalar(json[place])) place++;
  return place;
}

function endsScalar(byte: number | undefined): boolean {
  return byte === comma || byte === brace.close || byte === bracket.close || isBlank(byte);
}

function afterNested(json: Buffer, at: number): number {
  let depth = 0;
  for (let place = at; place < json.length; ) {
    const byte = json[place];
    if (byte === quote) {
      place = afterString(json, place);
      continue;
    }
    place++;
    if (byte === brace.open || byte === bracket.open) depth++;
    else if (byte === brace.close || byte === bracket.close) depth--;
    if (depth === 0) return place;
  }
  throw new SyntaxError("a value in JSON does not end");
}
