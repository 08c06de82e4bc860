import { Token, User } from "@drover/crds";
import { extTokenSelector } from "@drover/platform";
import { type Controller, onDelete, related, Throttle } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { ownerOf, ownerOfExt } from "./desired.ts";
import { controllerNames, tokensByUser } from "./names.ts";
import { keep, keepExt } from "./reconcile.ts";

const listed = (owner: string | undefined): readonly string[] =>
  owner === undefined ? [] : [owner];
const tokenUser = (token: Token): readonly string[] => listed(ownerOf(token));
const secretUser = (secret: Secret): readonly string[] => listed(ownerOfExt(secret));

/** Deletes tokens of users that are no more. */
export function tokenOwner(): Controller<Token> {
  const pace = new Throttle();
  return {
    name: controllerNames.v3,
    watches: Token,
    indexes: { [tokensByUser]: tokenUser },
    related: [
      related(User, {
        when: onDelete,
        map: ({ metadata }, cache) => cache(Token).keysByIndex(tokensByUser, metadata.name),
      }),
    ],
    reconcile: (token, context) => keep(token, context, pace),
  };
}

/** Deletes ext tokens of users that are no more. */
export function extTokenOwner(): Controller<Secret> {
  const pace = new Throttle();
  return {
    name: controllerNames.ext,
    watches: Secret,
    select: extTokenSelector,
    indexes: { [tokensByUser]: secretUser },
    related: [
      related(User, {
        when: onDelete,
        map: ({ metadata }, cache) => cache(Secret).keysByIndex(tokensByUser, metadata.name),
      }),
    ],
    reconcile: (secret, context) => keepExt(secret, context, pace),
  };
}
