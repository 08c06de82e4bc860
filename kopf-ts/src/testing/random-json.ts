/** JSON of Kubernetes objects as nobody would write it but everybody may: input for differential tests against JSON.parse. */

import type { Random } from "./random.ts";

const KEYS = [
  "spec",
  "status",
  "metadata",
  "name",
  "labels",
  "items",
  "a",
  "b",
  "0",
  "é",
  "",
] as const;
const SPACES = ["", "", "", "", " ", "\n", "\t ", "\r\n "] as const;
const CHARACTERS = [
  "a",
  "Z",
  "-",
  "/",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "é",
  "東",
  "😀",
  "\u007f",
] as const;
const ESCAPES = ['\\"', "\\\\", "\\/", "\\n", "\\u0041", "\\ud83d\\ude00", "\\udead"] as const;
const NUMBERS = [
  "0",
  "-1",
  "1.0",
  "9007199254740993",
  "1e400",
  "-0",
  "2.50E-3",
  "18446744073709551615",
] as const;
const BROKEN_UTF8 = [
  Buffer.of(0xff),
  Buffer.of(0xc3),
  Buffer.of(0xe2, 0x82),
  Buffer.of(0xed, 0xa0, 0x80),
] as const;

/** Stands for bytes that no JavaScript string can hold; replaced when the text becomes bytes. */
const BROKEN = "\uf8ff";

/** The bytes of one object: mostly like an API server's, with any of the oddities JSON allows and, rarely, invalid UTF-8. */
export function randomObject(random: Random): Buffer {
  const oddity = random.pick([0, 0, 0.02, 0.1, 0.3]);
  return toBytes(new Writer(random, oddity).object(), random);
}

/** The bytes of an object of about `size` bytes whose nesting goes `depth` deep. */
export function hugeObject(random: Random, size: number, depth: number): Buffer {
  const deep = `${'{"d":['.repeat(depth / 2)}1${"]}".repeat(depth / 2)}`;
  const filler = new Writer(random, 0).text(64);
  const values = `[${`${filler},`.repeat(Math.max(1, size / Buffer.byteLength(filler)))}0]`;
  return toBytes(`{"metadata":{"name":"huge","uid":"u"},"data":${values},"deep":${deep}}`, random);
}

function toBytes(text: string, random: Random): Buffer {
  const pieces = text.split(BROKEN);
  if (pieces.length === 1) return Buffer.from(text);
  return Buffer.concat(
    pieces.flatMap((piece, i) =>
      i === 0 ? [Buffer.from(piece)] : [random.pick(BROKEN_UTF8), Buffer.from(piece)],
    ),
  );
}

class Writer {
  readonly #random: Random;
  /** How likely each odd choice is. */
  readonly #oddity: number;

  constructor(random: Random, oddity: number) {
    this.#random = random;
    this.#oddity = oddity;
  }

  object(): string {
    const { chance } = this.#random;
    const members: [string, string][] = [
      ["kind", this.#odd() ? this.#value(1) : '"Pod"'],
      ["apiVersion", '"v1"'],
      ["metadata", this.#odd() ? this.#value(2) : this.#metadata()],
      ["spec", this.#value(3)],
      ["status", this.#value(3)],
    ];
    if (chance(0.2)) members.splice(0, 2);
    return this.#braces(this.#mixed(members, this.#metadata()));
  }

  /** A string with its quotes, of up to `length` characters. */
  text(length: number): string {
    const { below, pick } = this.#random;
    const characters = Array.from({ length: below(length + 1) }, () => {
      if (!this.#odd()) return pick(CHARACTERS);
      return pick([pick(ESCAPES), pick(ESCAPES), BROKEN]);
    });
    return `"${characters.join("")}"`;
  }

  #metadata(): string {
    const { below, chance } = this.#random;
    const members: [string, string][] = [
      ["name", `"pod-${below(1000)}"`],
      ["namespace", '"default"'],
      ["uid", this.text(12)],
      ["resourceVersion", `"${below(100_000)}"`],
      ["creationTimestamp", chance(0.1) ? "null" : '"2025-01-02T03:04:05Z"'],
      [
        "labels",
        this.#braces([
          ["app", this.text(6)],
          ["b", '"c"'],
        ]),
      ],
      ["annotations", this.#value(1)],
      ["managedFields", `[${this.#value(3)}]`],
    ];
    return this.#braces(this.#mixed(members, this.#value(1)));
  }

  /** Leaves out, reorders and repeats members. */
  #mixed(members: [string, string][], repeated: string): [string, string][] {
    const { below, chance } = this.#random;
    const kept = members.filter(() => !chance(0.1));
    if (chance(0.3)) kept.sort(() => this.#random.next() - 0.5);
    if (this.#odd())
      kept.splice(below(kept.length + 1), 0, [members[below(members.length)]?.[0] ?? "", repeated]);
    return this.#odd()
      ? kept.map(([key, value]) => [key, this.#odd() ? this.#value(1) : value])
      : kept;
  }

  #value(depth: number): string {
    const { below, pick } = this.#random;
    const kind = below(depth > 0 ? 7 : 4);
    if (kind === 0) return this.text(10);
    if (kind === 1) return pick(NUMBERS);
    if (kind === 2) return pick(["true", "false", "null", "{}", "[]", '""']);
    if (kind === 3) return this.text(40);
    if (kind === 4)
      return this.#brackets(Array.from({ length: below(4) }, () => this.#value(depth - 1)));
    return this.#braces(
      Array.from({ length: below(5) }, () => [pick(KEYS), this.#value(depth - 1)]),
    );
  }

  #braces(members: readonly (readonly [string, string])[]): string {
    const written = members.map(
      ([key, value]) => `${this.#key(key)}${this.#space()}:${this.#space()}${value}`,
    );
    return `{${this.#space()}${written.join(`${this.#space()},${this.#space()}`)}${this.#space()}}`;
  }

  #brackets(values: readonly string[]): string {
    return `[${this.#space()}${values.join(`${this.#space()},${this.#space()}`)}${this.#space()}]`;
  }

  /** The key as it is, or with one of its characters escaped. */
  #key(key: string): string {
    if (!this.#odd() || key === "") return `"${key}"`;
    const at = this.#random.below(key.length);
    const code = key.charCodeAt(at).toString(16).padStart(4, "0");
    return `"${key.slice(0, at)}\\u${code}${key.slice(at + 1)}"`;
  }

  #space(): string {
    return this.#odd() ? this.#random.pick(SPACES) : "";
  }

  #odd(): boolean {
    return this.#random.chance(this.#oddity);
  }
}
