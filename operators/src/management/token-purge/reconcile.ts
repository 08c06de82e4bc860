import type { SamlToken, Token } from "@drover/crds";
import { extKeys, extText, extTokenExpiry, tokenExpiry } from "@drover/platform";
import { type Context, done, hasFinalizer, type Result, removeFinalizer } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { fillingPatch, samlExpiry, shownUser } from "./desired.ts";
import { expire, orEvent, type Shared, type Told } from "./expire.ts";
import { legacyFinalizer } from "./names.ts";

export type { Shared } from "./expire.ts";

/** Deletes the token once it has expired; until then fills in what it lacks. One that is being deleted is let go. */
export async function purge(token: Token, context: Context, shared: Shared): Promise<Result> {
  if (token.metadata.deletionTimestamp !== undefined) return letGo(token, context);
  const expiry = orEvent(context, () => tokenExpiry(token));
  const isOver = expiry !== undefined && context.clock.now() >= expiry;
  if (!isOver) await fillIn(token, expiry, context);
  if (expiry === undefined) return done;
  return expire(token, { expiry, told: ownedBy(token.userId, "token") }, context, shared);
}

/** Deletes the Secret of an ext token once that has expired. Kubeconfigs made for it go with it, by their ownerReferences. */
export async function purgeExt(secret: Secret, context: Context, shared: Shared): Promise<Result> {
  const expiry = orEvent(context, () => extTokenExpiry(secret));
  if (expiry === undefined) return done;
  const told = ownedBy(extText(secret, extKeys.userId), "ext token");
  return expire(secret, { expiry, told }, context, shared);
}

/** Deletes a SAML token a quarter of an hour after its creation. */
export async function purgeSaml(
  token: SamlToken,
  context: Context,
  shared: Shared,
): Promise<Result> {
  const expiry = samlExpiry(token);
  return expire(token, { expiry, told: { what: "the SAML token" } }, context, shared);
}

function ownedBy(userId: unknown, kind: string): Told {
  const user = shownUser({ userId });
  return { what: `the ${kind} of user ${user ?? "unknown"}`, user };
}

/** Nobody else removes the finalizer any more, so the token would stay for ever; those of others are theirs. */
async function letGo(token: Token, { client, log }: Context): Promise<Result> {
  if (!hasFinalizer(token, legacyFinalizer)) return done;
  await removeFinalizer(client, token, legacyFinalizer);
  log.info("removed a legacy finalizer", { finalizer: legacyFinalizer });
  return done;
}

/** In one patch. The uid keeps a token of the same name that was made meanwhile from getting this one's expiry and user. */
async function fillIn(
  token: Token,
  expiry: number | undefined,
  { client }: Context,
): Promise<void> {
  const merge = fillingPatch(token, expiry);
  if (merge === undefined) return;
  const { apiVersion, kind, metadata } = token;
  await client.patch({ apiVersion, kind, metadata: { name: metadata.name } }, { merge });
}
