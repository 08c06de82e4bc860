/** Which object was typed after `drover explain`. Pure. */

import { kinds } from "@drover/crds";
import { type Kind, resourceName } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";

/** Kinds that concerns of ours look after, by what people call them. */
const explained: readonly Kind[] = [...kinds, Namespace];

/** Shorter words, as Rancher's people use them. */
const aliases: Readonly<Record<string, string>> = {
  crtb: "clusterroletemplatebindings",
  prtb: "projectroletemplatebindings",
  grb: "globalrolebindings",
  gr: "globalroles",
  rt: "roletemplates",
  crt: "clusterregistrationtokens",
  ns: "namespaces",
};

/** What was typed. */
export interface Target {
  readonly kind: Kind;
  readonly name: string;
  readonly namespace?: string;
}

/** Reads `project/p-abc12`. Throws an Error that says how to write it. */
export function readTarget(text: string, namespace: string | undefined): Target {
  const [word = "", name = "", ...more] = text.split("/");
  if (name === "" || more.length > 0) {
    throw new Error(`write ${JSON.stringify(text)} as <kind>/<name>, such as project/p-abc12`);
  }
  const kind = kindOf(word.toLowerCase());
  if (kind.scope === "Cluster") return { kind, name };
  if (namespace === undefined) {
    throw new Error(`a ${kind.kind} is in a namespace: add -n <namespace>`);
  }
  return { kind, name, namespace };
}

function kindOf(word: string): Kind {
  const wanted = aliases[word] ?? word;
  const found = explained.find(
    (kind) =>
      kind.plural === wanted || kind.kind.toLowerCase() === wanted || resourceName(kind) === wanted,
  );
  if (found !== undefined) return found;
  const names = explained.map(({ kind }) => kind.toLowerCase()).join(", ");
  throw new Error(`nothing is known of kind ${JSON.stringify(word)}; there are ${names}`);
}
