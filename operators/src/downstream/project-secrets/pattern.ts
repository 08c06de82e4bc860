/**
 * Regular expressions that anybody may write: matched by sets of positions instead of by trying, so that no pattern takes longer than its length times that of
 * the text, squared. Go's syntax, as far as names of namespaces need it. Pure.
 */

/** Finds the pattern anywhere in a text. */
export type Finder = (text: string) => boolean;

/** Texts and patterns that are longer are not meant. */
const longest = 256;
/** Repetitions beyond this are not meant either; a name has 63 characters. */
const most = 64;

type Node =
  | { readonly is: "one"; readonly accepts: (character: string) => boolean }
  | { readonly is: "start" | "end" }
  | { readonly is: "sequence" | "choice"; readonly parts: readonly Node[] }
  | { readonly is: "repeat"; readonly part: Node; readonly least: number; readonly most: number };

/** Undefined for what is no regular expression, or one of a kind that is not known here. */
export function finderOf(pattern: string): Finder | undefined {
  if (pattern.length > longest) return undefined;
  try {
    const root = new Parser(pattern).parse();
    return (text) => text.length <= longest && isFound(root, text);
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}

class PatternError extends Error {}

function isFound(root: Node, text: string): boolean {
  const matcher = new Matcher(text);
  return Array.from({ length: text.length + 1 }).some(
    (_, start) => matcher.endsOf(root, start).size > 0,
  );
}

/** Where a node that begins at a position may end; worked out once for each. */
class Matcher {
  readonly #text: string;
  readonly #known = new Map<Node, Map<number, ReadonlySet<number>>>();

  constructor(text: string) {
    this.#text = text;
  }

  endsOf(node: Node, start: number): ReadonlySet<number> {
    const known = this.#known.get(node) ?? new Map<number, ReadonlySet<number>>();
    this.#known.set(node, known);
    const ends = known.get(start) ?? this.#find(node, start);
    known.set(start, ends);
    return ends;
  }

  #find(node: Node, start: number): ReadonlySet<number> {
    const here = new Set([start]);
    switch (node.is) {
      case "one": {
        const character = this.#text[start];
        return character !== undefined && node.accepts(character)
          ? new Set([start + 1])
          : new Set();
      }
      case "start":
        return start === 0 ? here : new Set();
      case "end":
        return start === this.#text.length ? here : new Set();
      case "choice":
        return new Set(node.parts.flatMap((part) => [...this.endsOf(part, start)]));
      case "sequence":
        return node.parts.reduce<ReadonlySet<number>>(
          (from, part) => this.#after(part, from),
          here,
        );
      case "repeat":
        return this.#repeated(node, here);
    }
  }

  #after(node: Node, starts: ReadonlySet<number>): ReadonlySet<number> {
    return new Set([...starts].flatMap((start) => [...this.endsOf(node, start)]));
  }

  #repeated(
    node: Node & { readonly is: "repeat" },
    from: ReadonlySet<number>,
  ): ReadonlySet<number> {
    let at = from;
    for (let count = 0; count < node.least; count++) at = this.#after(node.part, at);
    const ends = new Set(at);
    for (let count = node.least; count < node.most && at.size > 0; count++) {
      at = new Set([...this.#after(node.part, at)].filter((end) => !ends.has(end)));
      for (const end of at) ends.add(end);
    }
    return ends;
  }
}

const classes: Readonly<Record<string, RegExp>> = {
  d: /\d/,
  D: /\D/,
  w: /\w/,
  W: /\W/,
  s: /\s/,
  S: /\S/,
};

class Parser {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  parse(): Node {
    const root = this.#choice();
    if (this.#at < this.#pattern.length) throw new PatternError("a ) too many");
    return root;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return { is: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#pattern.length && !this.#sees("|") && !this.#sees(")")) {
      parts.push(this.#quantified(this.#atom()));
    }
    return { is: "sequence", parts };
  }

  #atom(): Node {
    const character = this.#next();
    if (character === "(") return this.#group();
    if (character === "[") return this.#set();
    if (character === "^") return { is: "start" };
    if (character === "$") return { is: "end" };
    if (character === ".") return one((each) => each !== "\n");
    if (character === "\\") return this.#escape();
    if ("*+?".includes(character)) throw new PatternError("nothing to repeat");
    return one((each) => each === character);
  }

  #group(): Node {
    if (this.#take("?") && !this.#take(":")) throw new PatternError("groups with flags");
    const inside = this.#choice();
    if (!this.#take(")")) throw new PatternError("a ) is missing");
    return inside;
  }

  #escape(): Node {
    const character = this.#next();
    const known = classes[character];
    if (known !== undefined) return one((each) => known.test(each));
    if (/[a-zA-Z0-9]/.test(character)) throw new PatternError("an unknown escape");
    return one((each) => each === character);
  }

  #set(): Node {
    const isNegated = this.#take("^");
    const tests: ((character: string) => boolean)[] = [];
    do tests.push(this.#member());
    while (!this.#take("]"));
    return one((each) => tests.some((test) => test(each)) !== isNegated);
  }

  #member(): (character: string) => boolean {
    const low = this.#next();
    if (low === "\\") {
      const escaped = this.#escape();
      if (escaped.is === "one") return escaped.accepts;
    }
    if (low === "[" && this.#sees(":")) throw new PatternError("named classes");
    const isRange = this.#sees("-") && this.#pattern[this.#at + 1] !== "]";
    if (!isRange) return (each) => each === low;
    this.#next();
    const high = this.#next();
    if (high < low || high === "\\") throw new PatternError("a range the wrong way round");
    return (each) => each >= low && each <= high;
  }

  #quantified(part: Node): Node {
    const repeat = (least: number, upTo: number): Node => {
      this.#take("?"); // a lazy one finds the same
      if ("*+?".includes(this.#pattern[this.#at] ?? " ")) throw new PatternError("repeated twice");
      return { is: "repeat", part, least, most: upTo };
    };
    if (this.#take("*")) return repeat(0, Number.POSITIVE_INFINITY);
    if (this.#take("+")) return repeat(1, Number.POSITIVE_INFINITY);
    if (this.#take("?")) return repeat(0, 1);
    const counted = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#pattern.slice(this.#at));
    if (counted === null) return part;
    const [whole, low = "", comma, high = ""] = counted;
    this.#at += whole.length;
    const least = Number(low);
    const upTo =
      comma === undefined ? least : high === "" ? Number.POSITIVE_INFINITY : Number(high);
    if (least > most || (upTo > most && upTo !== Number.POSITIVE_INFINITY) || upTo < least) {
      throw new PatternError("a repetition that is not meant");
    }
    return repeat(least, upTo);
  }

  #next(): string {
    const character = this.#pattern[this.#at];
    if (character === undefined) throw new PatternError("it ends too early");
    this.#at += 1;
    return character;
  }

  #sees(character: string): boolean {
    return this.#pattern[this.#at] === character;
  }

  #take(character: string): boolean {
    const isThere = this.#sees(character);
    if (isThere) this.#at += 1;
    return isThere;
  }
}

function one(accepts: (character: string) => boolean): Node {
  return { is: "one", accepts };
}
