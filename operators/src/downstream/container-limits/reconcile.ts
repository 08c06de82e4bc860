import { isDeepStrictEqual } from "node:util";
import { Project } from "@drover/crds";
import { settleDefault } from "@drover/platform";
import { type Context, done, type Result } from "kopf-ts";
import { LimitRange, type Namespace } from "kopf-ts/kinds";
import { limitRangeItem, memberOf, ownLimits } from "./desired.ts";
import { reasons } from "./names.ts";

/** Makes the namespace's LimitRange say what it and its project ask for, or removes it where neither does. */
export async function reconcile(namespace: Namespace, context: Context): Promise<Result> {
  const project = projectOf(namespace, context);
  if (project === "unknown") return done;
  const { limits, fault } = ownLimits(namespace);
  const item = limitRangeItem(limits, project?.spec?.containerDefaultResourceLimit ?? {});
  const hasSurplus = ({ spec }: LimitRange): boolean => !isDeepStrictEqual(spec?.limits, [item]);
  const content = item && { spec: { limits: [item] }, hasSurplus };
  const refused = await settleDefault(LimitRange, namespace, content, context);
  for (const told of [fault, refused]) {
    if (told !== undefined) context.events.warning(reasons.invalid, told);
  }
  return done;
}

/** A project that nobody knows is no reason to touch a namespace: another hub may look after it. */
function projectOf(namespace: Namespace, { hub }: Context): Project | undefined | "unknown" {
  const [key] = memberOf(namespace);
  if (key === undefined) return undefined;
  return hub.cache(Project).get(key) ?? "unknown";
}
