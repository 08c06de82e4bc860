import { UserAttribute } from "@drover/crds";
import { toTimestamp } from "@drover/platform";
import { apiVersionOf, type Client, isAlreadyExists, isNotFound, ownerReference } from "kopf-ts";
import type { Person, Provider } from "./provider.ts";

/**
 * Writes down what a login told of a user: groups and names at the provider, and when it was. What other providers told stays
 * (rancher: pkg/user/manager.go, UserAttributeCreateOrUpdate).
 */
export async function noteLogin(
  client: Pick<Client, "patch" | "create">,
  person: Person,
  { name: provider }: Pick<Provider, "name">,
  now: number,
): Promise<void> {
  const { user, groups, extra } = person;
  const { name } = user.metadata;
  const told = {
    GroupPrincipals: { [provider]: { Items: groups } },
    ExtraByProvider: { [provider]: extra },
    lastLogin: toTimestamp(now),
  };
  const ref = {
    apiVersion: apiVersionOf(UserAttribute),
    kind: UserAttribute.kind,
    metadata: { name },
  };
  const patch = (): Promise<unknown> => client.patch<UserAttribute>(ref, { merge: told });
  const whole: UserAttribute = {
    ...ref,
    metadata: { name, ownerReferences: [ownerReference(user, references)] },
    ...{ UserName: name, LastRefresh: "", NeedsRefresh: false, ...told },
  };
  try {
    await patch();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await client.create(whole).catch((thrown: unknown) => {
      if (!isAlreadyExists(thrown)) throw thrown;
      return patch(); // another login was faster
    });
  }
}

const references = { controller: false, blockOwnerDeletion: false } as const;
