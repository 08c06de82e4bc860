import { Latch, type Logger, messageOf } from "kopf-ts";
import { typeId } from "./names.ts";
import type { ResourceType, Types } from "./resource-type.ts";

type Listener = (ids: ReadonlySet<string>) => void;

/** Types by their names, replaced as a whole. Guarantees: readers see all of one state or all of the next; a type that did not change stays the same object. */
export class KnownTypes implements Types {
  readonly #log: Logger;
  readonly #listeners = new Set<Listener>();
  readonly #first = new Latch();
  #byId: ReadonlyMap<string, ResourceType> = new Map();
  /** By id, and by plural name where that is nobody's id; in lower case. */
  #byLooseName: ReadonlyMap<string, ResourceType> = new Map();
  #revision = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  get revision(): number {
    return this.#revision;
  }

  find(text: string): ResourceType | undefined {
    return this.#byId.get(text) ?? this.#byLooseName.get(text.toLowerCase());
  }

  ofKind(apiVersion: string, kind: string): ResourceType | undefined {
    const slash = apiVersion.indexOf("/");
    return this.#byId.get(typeId(slash < 0 ? "" : apiVersion.slice(0, slash), kind));
  }

  all(): Iterable<ResourceType> {
    return this.#byId.values();
  }

  onChange(listener: Listener): Disposable {
    const entry: Listener = (ids) => listener(ids);
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  /** Rejects with the signal's reason. */
  ready(signal: AbortSignal): Promise<void> {
    return this.#first.wait(signal);
  }

  /** From now on these are the types; tells who listens, when there is something to tell. */
  replace(types: readonly ResourceType[]): void {
    const before = this.#byId;
    const after = new Map(types.map((type) => [type.id, type]));
    const changed = differing(before, after);
    if (changed.size === 0 && this.#revision > 0) return;
    this.#byId = after;
    this.#byLooseName = looseNames(types);
    this.#revision++;
    this.#first.open();
    for (const listener of [...this.#listeners]) this.#tell(listener, changed);
  }

  #tell(listener: Listener, changed: ReadonlySet<string>): void {
    try {
      listener(changed);
    } catch (thrown) {
      this.#log.error("a listener to types failed", { error: messageOf(thrown) });
    }
  }
}

function differing(
  before: ReadonlyMap<string, ResourceType>,
  after: ReadonlyMap<string, ResourceType>,
): ReadonlySet<string> {
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  return new Set(ids.filter((id) => before.get(id) !== after.get(id)));
}

function looseNames(types: readonly ResourceType[]): ReadonlyMap<string, ResourceType> {
  const plurals = types.map((type) => [type.pluralName.toLowerCase(), type] as const);
  return new Map([...plurals, ...types.map((type) => [type.id, type] as const)]);
}
