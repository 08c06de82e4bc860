import { User } from "@drover/crds";
import type { Cache, Client, Clock } from "kopf-ts";

/** Index of users by the name they log in with. */
export const usernameIndex = "admission/username";

/** For the index. */
export function usernameOf({ username }: User): readonly string[] {
  return username ? [username] : [];
}

/** Milliseconds for which a username that was let through is remembered; no cache is behind for longer. */
const memory = 30_000;
/** Milliseconds after which a user who was let through but is not there never will be. */
const flight = 5_000;

interface Claim {
  /** Name of the User. */
  readonly by: string;
  /** Monotonic time. */
  readonly at: number;
}

/** What claiming a username takes. */
export interface ClaimContext {
  readonly cache: Pick<Cache<User>, "byIndex">;
  readonly client: Pick<Client, "find">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Looks, and claims nothing. */
  readonly dryRun: boolean;
}

/**
 * Gives each username to one user. A cache shows who has it, a moment late; so those that were let through just now are remembered, and of two requests
 * at once one gets it. That guards what goes through one process: between replicas, the time remains that a cache is behind.
 */
export class Usernames {
  readonly #claims = new Map<string, Claim>();

  /** Name of the user who has it; undefined when it is the claimant's now. The same claimant may ask again. */
  async claim(username: string, by: string, context: ClaimContext): Promise<string | undefined> {
    const at = context.clock.monotonic();
    this.#forget(at - memory);
    const claim = this.#claims.get(username);
    if (claim !== undefined && claim.by !== by) {
      if (at - claim.at < flight || (await holds(claim.by, username, context))) return claim.by;
      this.#claims.delete(username);
    }
    if (!context.dryRun) this.#claims.set(username, { by, at });
    const holder = await holderOf(username, by, context);
    if (holder !== undefined && !context.dryRun) this.#claims.delete(username);
    return holder;
  }

  /** The user goes, or lets its name go. */
  release(by: string): void {
    for (const [username, claim] of this.#claims) {
      if (claim.by === by) this.#claims.delete(username);
    }
  }

  #forget(before: number): void {
    for (const [username, { at }] of this.#claims) {
      if (at < before) this.#claims.delete(username);
    }
  }
}

/** Asks the server about those that the cache shows: one that was deleted a moment ago is in nobody's way. */
async function holderOf(
  username: string,
  by: string,
  context: ClaimContext,
): Promise<string | undefined> {
  for (const { metadata } of context.cache.byIndex(usernameIndex, username)) {
    if (metadata.name !== by && (await holds(metadata.name, username, context))) {
      return metadata.name;
    }
  }
  return undefined;
}

async function holds(
  name: string,
  username: string,
  { client, signal }: ClaimContext,
): Promise<boolean> {
  return (await client.find(User, name, { signal }))?.username === username;
}
