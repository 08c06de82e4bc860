/** The models of one OpenAPI v3 document, parsed one by one as they are asked for. */

import { parseJson } from "kopf-ts/kube";
import { listAt, textAt } from "../../tree.ts";
import type { Pause } from "./pause.ts";
import { members } from "./scan.ts";

/** Where a model stands in its document. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const extension = "x-kubernetes-group-version-kind";

/** The models of a document by name. */
export class Models {
  readonly #json: Buffer;
  readonly #spans: ReadonlyMap<string, Span>;
  /** Names of the models of kinds. */
  readonly #kinds: ReadonlyMap<string, string>;

  private constructor(
    json: Buffer,
    spans: ReadonlyMap<string, Span>,
    kinds: ReadonlyMap<string, string>,
  ) {
    this.#json = json;
    this.#spans = spans;
    this.#kinds = kinds;
  }

  /** Looks through a document, a few milliseconds at a time. Rejects with a SyntaxError when it breaks off. */
  static async read(json: Buffer, pause: Pause): Promise<Models> {
    const spans = await spansIn(json, pause);
    const kinds = new Map<string, string>();
    for (const [name, span] of spans) {
      for (const kind of kindsIn(json, span)) kinds.set(kind, name);
      await pause();
    }
    return new Models(json, spans, kinds);
  }

  /** Bytes that it holds. */
  get size(): number {
    return this.#json.length;
  }

  /** The name of the model of a kind. */
  nameOf(group: string, version: string, kind: string): string | undefined {
    return this.#kinds.get(`${group}/${version} ${kind}`);
  }

  /** A model; undefined when there is none of that name. */
  get(name: string): unknown {
    const span = this.#spans.get(name);
    return span && parseJson(this.#json.toString("utf8", span.start, span.end));
  }
}

/** `components.schemas`; the paths before are most of the document. */
async function spansIn(json: Buffer, pause: Pause): Promise<ReadonlyMap<string, Span>> {
  const spans = new Map<string, Span>();
  for (const { key, start } of members(json, 0)) {
    await pause();
    if (key !== "components") continue;
    for (const part of members(json, start)) {
      if (part.key !== "schemas") continue;
      for (const { key: name, ...span } of members(json, part.start)) {
        spans.set(name, span);
        await pause();
      }
    }
  }
  return spans;
}

/** The kinds that a model is of: mostly one, or none. */
function kindsIn(json: Buffer, { start, end }: Span): readonly string[] {
  if (json.subarray(start, end).indexOf(extension) < 0) return [];
  const model = parseJson(json.toString("utf8", start, end));
  return listAt(model, extension).map((each) => {
    return `${textAt(each, "group")}/${textAt(each, "version")} ${textAt(each, "kind")}`;
  });
}
