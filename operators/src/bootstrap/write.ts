/** Brings about what a look at the server asks for, beside replicas that do the same at the same time. */

import {
  exponential,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeObject,
  type TaskContext,
} from "kopf-ts";

/** What is to be written; all empty when everything is as it should be. */
export interface Changes {
  /** The first before all others. */
  readonly create: readonly KubeObject[];
  /** What refers to others that are created: comes after them. */
  readonly createLast?: readonly KubeObject[];
  /** With the resourceVersions that they were decided on. */
  readonly update: readonly KubeObject[];
  readonly remove?: readonly KubeObject[];
}

/** Who writes here, on behalf of no controller. */
export const fieldManager = "drover-bootstrap";

type Write = () => Promise<unknown>;

const attempts = 10;
const pause = { min: 20, max: 1_000 };
const concurrency = 8;

/**
 * Looks and writes, again whenever somebody else was faster; resolves with how much was written. Sends no write when the look asks for none. Throws
 * when others were faster ten times in a row, and what a write throws otherwise.
 */
export async function bringAbout(
  context: TaskContext,
  look: () => Promise<Changes>,
): Promise<number> {
  const { clock, signal } = context;
  let written = 0;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const outcomes: boolean[] = [];
    for (const stage of inOrder(await look(), context)) outcomes.push(...(await sendAll(stage)));
    written += outcomes.filter((stored) => stored).length;
    if (!outcomes.includes(false)) return written;
    await clock.sleep(exponential(attempt, pause) * (0.5 + Math.random()), signal);
  }
  throw new Error("other writers were faster every time");
}

/** What goes first, what goes with the rest, what goes last. */
function inOrder(
  { create, createLast = [], update, remove = [] }: Changes,
  { client, signal }: TaskContext,
): readonly (readonly Write[])[] {
  const options = { fieldManager, signal };
  const creating = (object: KubeObject) => () => client.create(object, options);
  const creations = create.map(creating);
  const updates = update.map((object) => () => client.update(object, options));
  const removals = remove.map((object) => () => client.delete(object, { signal }));
  const rest = [...creations.slice(1), ...updates, ...removals];
  return [creations.slice(0, 1), rest, createLast.map(creating)];
}

/** Which were stored; false where somebody else was faster. Nothing is on its way any more when it ends, however it ends. */
async function sendAll(writes: readonly Write[]): Promise<readonly boolean[]> {
  const left = writes.values();
  const outcomes: boolean[] = [];
  const worker = async (): Promise<void> => {
    for (const write of left) outcomes.push(await send(write));
  };
  const workers = Array.from({ length: Math.min(concurrency, writes.length) }, worker);
  for (const ended of await Promise.allSettled(workers)) {
    if (ended.status === "rejected") throw ended.reason;
  }
  return outcomes;
}

async function send(write: Write): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isAlreadyExists(error) || isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
}
