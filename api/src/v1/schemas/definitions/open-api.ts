import { ApiError, type Client, type Clock, type Kind } from "kopf-ts";
import { parseJson } from "kopf-ts/kube";
import { LRUCache } from "lru-cache";
import { mapAt, textAt } from "../../tree.ts";
import { Models } from "./models.ts";
import { pauses } from "./pause.ts";

/** Milliseconds for which the list of documents is believed; a server publishes a new CRD within about a second. */
const FRESH = 2_000;
/** Bytes of documents that are kept. */
const KEPT = 16 * 1024 * 1024;
/** Bytes of one document at most. */
const LARGEST = 64 * 1024 * 1024;

/** Documents by where they are; the place of one that changes changes with it. */
type Places = Readonly<Record<string, unknown>>;

interface Asked {
  readonly at: number;
  readonly places: Promise<Places>;
}

/** The OpenAPI v3 documents of an API server, asked for when they are needed and kept until they change. Errors: ApiErrors, a SyntaxError for what is no JSON. */
export class OpenApi {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #documents = new LRUCache<string, Models>({
    maxSize: KEPT,
    sizeCalculation: ({ size }) => size + 1,
  });
  readonly #reading = new Map<string, Promise<Models>>();
  #asked: Asked | undefined;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Where the document of a kind's group and version is now; undefined while none is published. */
  async placeOf({ group, version }: Pick<Kind, "group" | "version">): Promise<string | undefined> {
    const places = await this.#places();
    const name = group === "" ? `api/${version}` : `apis/${group}/${version}`;
    return textAt(places[name], "serverRelativeURL") || undefined;
  }

  /** The models of a document, without keeping it. */
  async glance(place: string, signal: AbortSignal): Promise<Models> {
    return this.#documents.get(place) ?? (await this.#fetch(place, signal));
  }

  /** The models of a document. */
  models(place: string): Promise<Models> {
    const known = this.#documents.get(place);
    if (known !== undefined) return Promise.resolve(known);
    let reading = this.#reading.get(place);
    if (reading === undefined) {
      reading = this.#read(place).finally(() => this.#reading.delete(place));
      this.#reading.set(place, reading);
    }
    return reading;
  }

  async #read(place: string): Promise<Models> {
    const models = await this.#fetch(place);
    this.#documents.set(place, models);
    return models;
  }

  async #fetch(place: string, signal?: AbortSignal): Promise<Models> {
    const { body } = await this.#client.request({
      ...{ method: "GET", path: place, answerLimit: LARGEST, ...(signal && { signal }) },
    });
    return Models.read(body, pauses(this.#clock));
  }

  #places(): Promise<Places> {
    const at = this.#clock.monotonic();
    if (this.#asked !== undefined && at - this.#asked.at < FRESH) return this.#asked.places;
    const asked = { at, places: this.#ask() };
    this.#asked = asked;
    asked.places.catch(() => {
      if (this.#asked === asked) this.#asked = undefined;
    });
    return asked.places;
  }

  async #ask(): Promise<Places> {
    const { body } = await this.#client.request({ method: "GET", path: "/openapi/v3" });
    return mapAt(parseJson(body.toString("utf8")), "paths") ?? {};
  }
}

/** Whether a server did not tell what it was asked, rather than we failed to understand ourselves. */
export function isUntold(thrown: unknown): boolean {
  return thrown instanceof ApiError || thrown instanceof SyntaxError;
}
