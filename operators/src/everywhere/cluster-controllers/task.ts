import type { Task } from "kopf-ts";
import { aborted } from "kopf-ts/base";
import type { Members } from "kopf-ts/election";
import type { Fleet } from "./fleet.ts";

/**
 * Keeps this replica among the members, and its clusters engaged, until it stops: then the clusters' controllers end beside those of the server's own, and only
 * after them the membership, so that no other replica begins too early.
 */
export function fleetTask(fleet: Fleet, members: Members | undefined): Task {
  return {
    name: "clusters",
    on: "everywhere",
    run: async ({ signal }) => {
      const leave = new AbortController();
      const membership = members?.run(leave.signal);
      await aborted(signal);
      await fleet[Symbol.asyncDispose]();
      leave.abort(new DOMException("the server stops", "AbortError"));
      await membership;
    },
  };
}
