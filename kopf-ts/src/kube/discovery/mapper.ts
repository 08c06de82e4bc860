import type { Client } from "../client.ts";
import { ApiError } from "../errors.ts";
import type { Kind } from "../kind.ts";
import { kindsOfVersion } from "./discover.ts";

export async function discoverKind(
  client: Client,
  apiVersion: string,
  kind: string,
): Promise<Kind> {
  const kinds = (await kindsOfVersion(client, apiVersion)) ?? [];
  const found = kinds.find((each) => each.kind === kind);
  if (found !== undefined) return found;
  throw new ApiError({
    message: `${client.server} serves no ${kind} in ${apiVersion}; is its CustomResourceDefinition installed?`,
    code: 0,
    reason: "UnknownKind",
    method: "GET",
    path: apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`,
  });
}
