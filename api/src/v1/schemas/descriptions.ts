import { type Clock, type Kind, type Logger, messageOf } from "kopf-ts";
import { Refresh, type RefreshTiming } from "kopf-ts/kube";
import type { ResourceType, Types } from "../types/resource-type.ts";
import type { OpenApi } from "./definitions/open-api.ts";

/** What Descriptions work with. */
export interface DescriptionsParts {
  readonly types: Types;
  readonly openApi: OpenApi;
  /** What is waited for before each document; nothing unless told. */
  readonly calm?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Types that a new product brings are gathered; nobody waits for their descriptions. */
const timing: Partial<RefreshTiming> = {
  gather: 1_000,
  spacing: 5_000,
  lag: 30_000,
  retry: 30_000,
};

/**
 * What the authors of kinds that are built in, or served by other API servers, say that they are: out of the documents of OpenAPI v3, in the
 * background, one after the other. A document is read again only when it changed.
 */
export class Descriptions {
  readonly #parts: DescriptionsParts;
  /** By version and kind. */
  readonly #texts = new Map<string, string>();
  /** Where the document of a group and version was when it was read. */
  readonly #read = new Map<string, string>();
  #revision = 0;

  constructor(parts: DescriptionsParts) {
    this.#parts = parts;
  }

  /** Grows whenever a description comes or changes. */
  get revision(): number {
    return this.#revision;
  }

  /** What a type is; empty while nobody knows. */
  of({ description, kind }: Pick<ResourceType, "description" | "kind">): string {
    return description || (this.#texts.get(nameOf(kind)) ?? "");
  }

  /** Learns until the signal aborts; never rejects. */
  async start(signal: AbortSignal): Promise<void> {
    const { types, clock } = this.#parts;
    const refresh = new Refresh(clock, () => this.#learn(signal), signal, timing);
    using _ = types.onChange(() => refresh.request());
    if (types.revision > 0) refresh.request();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await refresh.settled;
  }

  /** Whether everything could be read. */
  async #learn(signal: AbortSignal): Promise<boolean> {
    let worked = true;
    for (const kinds of documentsOf(this.#parts.types)) {
      await this.#parts.calm?.(signal);
      worked = (await this.#learnOne(kinds, signal)) && worked;
      if (signal.aborted) return false;
    }
    return worked;
  }

  async #learnOne(kinds: readonly Kind[], signal: AbortSignal): Promise<boolean> {
    const { openApi, log } = this.#parts;
    const [{ group, version } = { group: "", version: "" }] = kinds;
    const name = `${group}/${version}`;
    try {
      const place = await openApi.placeOf({ group, version });
      if (place === undefined || this.#read.get(name) === place) return true;
      const models = await openApi.glance(place, signal);
      for (const kind of kinds) this.#keep(kind, models.descriptionOf(kind));
      this.#read.set(name, place);
      return true;
    } catch (thrown) {
      log.debug("descriptions cannot be read", { group, version, error: messageOf(thrown) });
      return false;
    }
  }

  #keep(kind: Kind, text: string): void {
    const name = nameOf(kind);
    if (this.#texts.get(name) === text) return;
    this.#texts.set(name, text);
    this.#revision++;
  }
}

/** The kinds that are not described by CustomResourceDefinitions, by group and version. */
function documentsOf(types: Types): Iterable<readonly Kind[]> {
  const kinds = [...types.all()].filter(({ crd }) => !crd).map(({ kind }) => kind);
  return Map.groupBy(kinds, ({ group, version }) => `${group}/${version}`).values();
}

function nameOf({ group, version, kind }: Kind): string {
  return `${group}/${version} ${kind}`;
}
