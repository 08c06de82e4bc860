/** Which changes are worth a run. Predicates are pure and see one change; combine them with `and`, `or` and `not`. */

import type { KubeObject, ObjectMeta } from "../kube/index.ts";

/** One change to an object; each state is parsed only if somebody looks at it. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** Undefined for ADDED. */
  readonly previous: T | undefined;
  /** Undefined for DELETED. */
  readonly current: T | undefined;
}

/** Whether a change is worth a run. It must not throw and must not depend on anything but the change. */
export type Predicate<T extends KubeObject = KubeObject> = (change: Change<T>) => boolean;

/** A predicate about both states; what has only one counts as changed. */
function between(
  differ: (previous: ObjectMeta, current: ObjectMeta) => boolean,
): Predicate<KubeObject> {
  return ({ previous, current }) =>
    previous === undefined || current === undefined || differ(previous.metadata, current.metadata);
}

/**
 * The generation changed: somebody changed the spec. Kinds whose objects have no generation (ConfigMaps, Secrets, ...) pass whenever their
 * resourceVersion changed, since nothing else tells (controller-runtime: predicate.GenerationChangedPredicate never passes for them).
 */
export const generationChanged: Predicate<KubeObject> = between((previous, current) =>
  current.generation === undefined || previous.generation === undefined
    ? previous.resourceVersion !== current.resourceVersion
    : previous.generation !== current.generation,
);

/** Labels changed. */
export const labelsChanged: Predicate<KubeObject> = between(
  (previous, current) => !sameEntries(previous.labels, current.labels),
);

/** Annotations changed. */
export const annotationsChanged: Predicate<KubeObject> = between(
  (previous, current) => !sameEntries(previous.annotations, current.annotations),
);

/** One of these annotations changed. */
export function annotationChanged(...names: readonly string[]): Predicate<KubeObject> {
  return between((previous, current) =>
    names.some((name) => previous.annotations?.[name] !== current.annotations?.[name]),
  );
}

/** One of these labels changed. */
export function labelChanged(...names: readonly string[]): Predicate<KubeObject> {
  return between((previous, current) =>
    names.some((name) => previous.labels?.[name] !== current.labels?.[name]),
  );
}

/** Anything changed: a list that was repeated does not count. */
export const resourceVersionChanged: Predicate<KubeObject> = between(
  (previous, current) => previous.resourceVersion !== current.resourceVersion,
);

/** The object is new, also to a process that has just started. */
export const onCreate: Predicate<KubeObject> = ({ type }) => type === "ADDED";

/** The object was there before and still is. */
export const onUpdate: Predicate<KubeObject> = ({ type }) => type === "MODIFIED";

/** The object is gone. */
export const onDelete: Predicate<KubeObject> = ({ type }) => type === "DELETED";

/** The object as it is now (or was last) satisfies `condition`. */
export function where<T extends KubeObject>(condition: (object: T) => boolean): Predicate<T> {
  return ({ current, previous }) => {
    const object = current ?? previous;
    return object !== undefined && condition(object);
  };
}

/** `read` finds another value in the two states, compared as JSON. */
export function changed<T extends KubeObject>(read: (object: T) => unknown): Predicate<T> {
  return ({ previous, current }) =>
    previous === undefined ||
    current === undefined ||
    JSON.stringify(read(previous)) !== JSON.stringify(read(current));
}

/** All of them. */
export function and<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.every((predicate) => predicate(change));
}

/** Any of them. */
export function or<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

/** The opposite. */
export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return (change) => !predicate(change);
}

type Entries = Readonly<Record<string, string>>;

function sameEntries(a: Entries = {}, b: Entries = {}): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
