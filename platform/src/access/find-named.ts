import { ApiError, type Client, type GetOptions, type Kind, type KubeObject } from "kopf-ts";

/**
 * An object by a name that somebody wrote down somewhere: undefined also where no object can have that name (`""`, `a/b`), of which a client says so without a
 * request. Otherwise as `find`.
 */
export async function findNamed<T extends KubeObject>(
  client: Pick<Client, "find">,
  kind: Kind<T>,
  name: string,
  options: GetOptions,
): Promise<T | undefined> {
  try {
    return await client.find(kind, name, options);
  } catch (thrown) {
    if (isUnsent(thrown)) return undefined;
    throw thrown;
  }
}

function isUnsent(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.code === 0 && thrown.reason === "BadRequest";
}
