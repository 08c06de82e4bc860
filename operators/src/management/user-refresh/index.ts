import { Setting, User, UserAttribute } from "@drover/crds";
import { type Environment, Rounds, type RoundsOptions } from "@drover/platform";
import { type Controller, changed, done, onCreate, related, where } from "kopf-ts";
import { cronSetting, refreshName, resyncName } from "./names.ts";
import { type GroupProvider, localProvider } from "./provider.ts";
import { refresh } from "./refresh.ts";
import { resync } from "./resync.ts";
import { tokenReads } from "./tokens.ts";

/** Options of userRefresh. */
export interface UserRefreshOptions {
  /** The local one alone unless told. */
  readonly providers?: readonly GroupProvider[];
}

/** Reads the groups of users anew whose UserAttribute asks for it. */
export function userRefresh({
  providers = [localProvider],
}: UserRefreshOptions = {}): Controller<UserAttribute> {
  return {
    name: refreshName,
    watches: UserAttribute,
    when: changed(({ NeedsRefresh }) => NeedsRefresh),
    related: [related(User, { when: onCreate, map: ({ metadata }) => [metadata.name] })],
    reads: tokenReads,
    reconcile: (attribute, context) => refresh(attribute, context, providers),
  };
}

/** Options of userResync. */
export interface UserResyncOptions {
  /** Overrides settings. */
  readonly env: Environment;
  readonly pace?: RoundsOptions;
}

/** Asks for a refresh of all users from time to time. Its one object is the setting that says when. */
export function userResync({ env, pace }: UserResyncOptions): Controller<Setting> {
  const shared = { env, rounds: new Rounds(pace) };
  return {
    name: resyncName,
    watches: Setting,
    when: where(isCron),
    reads: [User, UserAttribute],
    reconcile: async (setting, context) => (isCron(setting) ? resync(context, shared) : done),
  };
}

function isCron({ metadata }: Setting): boolean {
  return metadata.name === cronSetting;
}
