export { type ElectionCallbacks, LeaderElection } from "./election.ts";
export { type Leadership, LeaseLost } from "./leadership.ts";
export { Lease, type LeaseObject } from "./lease.ts";
export { Members, type MembersListener } from "./members.ts";
export { type MembersOptions, type MembersTiming, membersLabel } from "./members-options.ts";
export type { ElectionOptions, ElectionTiming, LeaseEvents } from "./options.ts";
