/** What was typed after `drover can`, as something that a cluster can be asked. Pure. */

import type { ResourceWish } from "@drover/platform";
import { resourceName, type ServedKind } from "kopf-ts";

/** Why a question makes no sense, in one sentence. */
export class QuestionError extends Error {
  override readonly name = "QuestionError";
}

/** A question that makes sense in this cluster. */
export interface Question {
  readonly wish: ResourceWish;
  readonly kind: ServedKind;
}

/**
 * Reads `pods`, `po`, `pod`, `deployments.apps` or `pods/exec`, as kubectl does: where several groups serve a name, the first that the server prefers
 * counts. Throws a QuestionError for what the cluster does not serve.
 */
export function readQuestion(
  verb: string,
  text: string,
  name: string | undefined,
  served: readonly ServedKind[],
): Question {
  const [resource = "", subresource, ...more] = text.split("/");
  if (resource === "" || subresource === "" || more.length > 0) {
    throw new QuestionError(
      `write ${JSON.stringify(text)} as a resource such as pods, deployments.apps or pods/exec`,
    );
  }
  const kind = kindOf(resource.toLowerCase(), served);
  if (kind === undefined) {
    throw new QuestionError(
      `the cluster serves no resource "${resource}"; name it as \`kubectl api-resources\` does`,
    );
  }
  const path = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`;
  const wish = { verb: verb.toLowerCase(), apiGroup: kind.group, resource: path };
  return { kind, wish: name === undefined ? wish : { ...wish, name } };
}

function kindOf(text: string, served: readonly ServedKind[]): ServedKind | undefined {
  const ways: readonly ((kind: ServedKind) => boolean)[] = [
    (kind) => resourceName(kind) === text,
    ({ plural }) => plural === text,
    ({ singular, kind }) => singular === text || kind.toLowerCase() === text,
    ({ shortNames }) => shortNames.includes(text),
  ];
  for (const fits of ways) {
    const found = served.filter(fits);
    const best = found.find(({ preferred }) => preferred) ?? found[0];
    if (best !== undefined) return best;
  }
  return undefined;
}
