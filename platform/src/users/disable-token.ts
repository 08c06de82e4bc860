import type { Token } from "@drover/crds";
import { type Client, isNotFound } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { extData, extKeys } from "../tokens/index.ts";

/**
 * Makes a token of either store (for ext.cattle.io its Secret) let nobody in any more, without deleting it. One that is gone is fine; one that was
 * replaced by another of its name is refused by the server.
 */
export async function disableToken(
  client: Pick<Client, "patch">,
  { apiVersion, kind, metadata: { name, namespace, uid } }: Token | Secret,
): Promise<void> {
  const ref = { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } };
  const off =
    kind === "Secret" ? { data: extData({ [extKeys.enabled]: "false" }) } : { enabled: false };
  try {
    await client.patch<Token | Secret>(ref, { merge: { metadata: { uid }, ...off } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
