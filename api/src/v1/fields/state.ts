/** What stands in metadata.state, made from the object alone. */

import type { Clock } from "kopf-ts";
import { podState } from "../items/state.ts";
import { summarize } from "../summary/summary.ts";
import type { ResourceType } from "../types/resource-type.ts";

/** metadata.state as texts and truths; the message is all messages joined by `:`. */
export interface State {
  readonly name: string;
  readonly error: boolean;
  readonly transitioning: boolean;
  readonly message: string;
}

/** Makes the state of a type's objects; once for several questions about the same object. */
export function statesOf(type: ResourceType, clock: Clock): (object: unknown) => State {
  const states = new WeakMap<object, State>();
  return (object) => {
    if (typeof object !== "object" || object === null) return made(type, object, clock.now());
    const state = states.get(object) ?? made(type, object, clock.now());
    states.set(object, state);
    return state;
  };
}

/** The column of a Pod's table that names its state. */
const status = 2;

function made(type: ResourceType, object: unknown, now: number): State {
  const { observesGeneration, errorStatuses, kind, cells } = type;
  const options = { now, observesGeneration, errorStatuses };
  const { state, error, transitioning, messages } = summarize(object, options);
  const shown = kind.group === "" && kind.kind === "Pod" ? cells?.(object)[status] : undefined;
  const name = typeof shown === "string" && shown !== "" ? podState(shown) : state;
  return { name, error, transitioning, message: messages.join(":") };
}
