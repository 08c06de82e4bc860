import { ConfigError } from "./config-error.ts";

/** A mapping out of YAML or JSON. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Whose fields they are, for messages. */
export interface Owner {
  readonly file: string;
  /** `user "a"`. */
  readonly whose: string;
}

/** Whether a value is a mapping. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The fields of one entry of a kubeconfig, each of the type that kubectl wants or a ConfigError that names it. Missing, null and empty
 * ones are undefined, as Go's zero values. Messages never quote values, which may be secrets.
 */
export class Fields {
  readonly #mapping: Mapping;
  readonly #owner: Owner;

  constructor(mapping: Mapping, owner: Owner) {
    this.#mapping = mapping;
    this.#owner = owner;
  }

  text(name: string): string | undefined {
    const value = this.#mapping[name] ?? "";
    if (typeof value !== "string") throw this.#fault(name, "is no text; put it in quotes");
    return value === "" ? undefined : value;
  }

  flag(name: string): boolean | undefined {
    const value = this.#mapping[name] ?? undefined;
    if (value === undefined || typeof value === "boolean") return value;
    throw this.#fault(name, "is neither true nor false; write it without quotes");
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.#mapping[name] ?? undefined;
    if (value === undefined || isTexts(value)) return value;
    throw this.#fault(name, "is no list of texts");
  }

  /** A mapping to lists of texts. */
  extra(name: string): Readonly<Record<string, readonly string[]>> | undefined {
    const fields = this.mapping(name);
    if (fields === undefined) return undefined;
    const entries = Object.entries(fields).map(([key, value]) => {
      if (isTexts(value)) return [key, value] as const;
      throw this.#fault(name, "is no mapping to lists of texts");
    });
    return Object.fromEntries(entries);
  }

  mapping(name: string): Mapping | undefined {
    const value = this.#mapping[name] ?? undefined;
    if (value === undefined || isMapping(value)) return value;
    throw this.#fault(name, "is no mapping");
  }

  /** Fields of each mapping in a list. */
  mappings(name: string): readonly { readonly of: Mapping; readonly fields: Fields }[] {
    const value = this.#mapping[name] ?? [];
    if (!Array.isArray(value) || !value.every(isMapping)) {
      throw this.#fault(name, "is no list of mappings");
    }
    return value.map((of) => ({ of, fields: new Fields(of, part(this.#owner, name)) }));
  }

  #fault(name: string, fault: string): ConfigError {
    return new ConfigError(`${this.#owner.file}: ${name} of ${this.#owner.whose} ${fault}`);
  }
}

/** A field that has fields of its own. */
export function part({ file, whose }: Owner, name: string): Owner {
  return { file, whose: `${name} of ${whose}` };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
