/** The models of one OpenAPI v3 document, parsed one by one as they are asked for. */

import type { Kind } from "kopf-ts";
import { parseJson } from "kopf-ts/kube";
import { listAt, textAt } from "../../tree.ts";
import type { Pause } from "./pause.ts";
import { members } from "./scan.ts";

/** Where a model stands in its document. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The model of a kind. */
interface KindModel {
  readonly name: string;
  readonly description: string;
}

const extension = "x-kubernetes-group-version-kind";

/** The models of a document by name. */
export class Models {
  readonly #json: Buffer;
  readonly #spans: ReadonlyMap<string, Span>;
  readonly #kinds: ReadonlyMap<string, KindModel>;

  private constructor(
    json: Buffer,
    spans: ReadonlyMap<string, Span>,
    kinds: ReadonlyMap<string, KindModel>,
  ) {
    this.#json = json;
    this.#spans = spans;
    this.#kinds = kinds;
  }

  /** Looks through a document, a few milliseconds at a time. Rejects with a SyntaxError when it breaks off. */
  static async read(json: Buffer, pause: Pause): Promise<Models> {
    const spans = await spansIn(json, pause);
    const kinds = new Map<string, KindModel>();
    for (const [name, span] of spans) {
      const { names, description } = kindsIn(json, span);
      for (const kind of names) kinds.set(kind, { name, description });
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
    return this.#kinds.get(kindName({ group, version, kind }))?.name;
  }

  /** What the author of a kind says that it is; empty for kinds that are not here. */
  descriptionOf(kind: Pick<Kind, "group" | "version" | "kind">): string {
    return this.#kinds.get(kindName(kind))?.description ?? "";
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
function kindsIn(
  json: Buffer,
  { start, end }: Span,
): { readonly names: readonly string[]; readonly description: string } {
  if (json.subarray(start, end).indexOf(extension) < 0) return { names: [], description: "" };
  const model = parseJson(json.toString("utf8", start, end));
  const names = listAt(model, extension).map((each) =>
    kindName({
      group: textAt(each, "group"),
      version: textAt(each, "version"),
      kind: textAt(each, "kind"),
    }),
  );
  return { names, description: textAt(model, "description") };
}

function kindName({ group, version, kind }: Pick<Kind, "group" | "version" | "kind">): string {
  return `${group}/${version} ${kind}`;
}
