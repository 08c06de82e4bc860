/** What keeps a project from being complete, as a condition tells it. Pure. */

import { annotations } from "@drover/crds";
import { ApplyError, isConflict, isInvalid, type KubeObject, messageOf } from "kopf-ts";
import { reasons } from "./names.ts";

/** Why something is not as it should be. */
export interface Obstacle {
  readonly reason: string;
  readonly message: string;
  /** What to throw so that it is tried again; undefined where an event tells when that makes sense. */
  readonly error?: Error;
}

/** Somebody else's namespace has the name. Changes of it run the project. */
export function taken({ metadata: { name } }: KubeObject): Obstacle {
  const message = `namespace ${name} is not this project's: delete it, or hand it over by annotation ${annotations.systemNamespace}=true`;
  return { reason: reasons.taken, message };
}

/** The name is free once the deletion has ended, which runs the project. */
export function terminating({ metadata: { name } }: KubeObject): Obstacle {
  const message = `namespace ${name} of a former project is being deleted`;
  return { reason: reasons.terminating, message };
}

/** The server did not take it. A conflict is thrown, for it is gone with the next run, at once. */
export function refused(error: unknown): Obstacle {
  const errors = error instanceof ApplyError ? error.errors : [error];
  const conflict = errors.find((each) => isConflict(each));
  if (conflict !== undefined || !(error instanceof Error)) throw conflict ?? error;
  const message = errors.map(messageOf).join("; ").slice(0, longest);
  const isFinal = errors.every((each) => isInvalid(each)); // it stays so until something changes
  return isFinal
    ? { reason: reasons.invalid, message }
    : { reason: reasons.applyFailed, message, error };
}

/** Of messages of the server, which may quote whole objects. */
const longest = 500;
