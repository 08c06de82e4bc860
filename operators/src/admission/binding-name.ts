/** Names of role template bindings that are created with generateName. */

import { type Denied, deny } from "kopf-ts/admission";
import { bindingName, subjectOf } from "./role-subjects.ts";
import type { TemplateBinding } from "./template-grants.ts";

interface Naming<T> {
  /** Cluster or project. */
  readonly place: (binding: T) => string;
  /** Used when there is neither a name nor a generateName; without it such a binding is refused. */
  readonly prefix?: string;
}

/** The binding under a name that follows from what it says; undefined for one that has a name. */
export function named<T extends TemplateBinding>(
  binding: T,
  { place, prefix }: Naming<T>,
): T | Denied | undefined {
  const { name, generateName, ...metadata } = binding.metadata;
  if (name) return undefined;
  const start = generateName || prefix;
  if (!start) return deny(400, "metadata.name or metadata.generateName must be set");

  const subject = subjectOf(binding);
  if (subject === undefined) {
    return deny(400, "metadata.name cannot follow from generateName: the binding names no subject");
  }
  const made = bindingName(start, subject, binding.roleTemplateName, place(binding));
  return { ...binding, metadata: { ...metadata, name: made } };
}
