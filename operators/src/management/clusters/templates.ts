import { RoleTemplate } from "@drover/crds";
import type { Context } from "kopf-ts";
import type { Templates } from "./projects.ts";

/**
 * All role templates as the server has them, asked for once. What a creator gets is decided only once in the life of a cluster, so a cache that is behind will
 * not do.
 */
export function allTemplates({ client, signal }: Pick<Context, "client" | "signal">): Templates {
  let asked: Promise<readonly RoleTemplate[]> | undefined;
  return () => {
    asked ??= client.list(RoleTemplate, { signal }).then(({ items }) => items);
    return asked;
  };
}
