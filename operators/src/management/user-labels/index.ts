import { Setting, User, UserAttribute } from "@drover/crds";
import type { Environment, SettingName } from "@drover/platform";
import { type Controller, changed, related, where } from "kopf-ts";
import { controllerName } from "./names.ts";
import { label } from "./reconcile.ts";

/** Options of userLabels. */
export interface UserLabelsOptions {
  /** Overrides settings. */
  readonly env: Environment;
}

const names: readonly SettingName[] = [
  "disable-inactive-user-after",
  "delete-inactive-user-after",
  "user-last-login-default",
];
const settings: ReadonlySet<string> = new Set(names);

/** Labels users with their last login and when retention disables and deletes them. */
export function userLabels({ env }: UserLabelsOptions): Controller<User> {
  return {
    name: controllerName,
    watches: User,
    when: changed(({ metadata, username, principalIds }) => [
      metadata.labels,
      username,
      principalIds,
    ]),
    related: [
      related(UserAttribute, {
        when: changed(({ lastLogin, disableAfter, deleteAfter }) => [
          lastLogin,
          disableAfter,
          deleteAfter,
        ]),
        map: ({ metadata }) => [metadata.name],
      }),
      related(Setting, {
        when: where(({ metadata }) => settings.has(metadata.name)),
        map: (_, cache) => cache(User).keys(),
      }),
    ],
    reconcile: (user, context) => label(user, context, env),
  };
}
