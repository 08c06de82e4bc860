/** Names that follow from a declaration, checked before the API server refuses them in the midst of the work. */

import { type Controller, finalizerOf } from "./controller.ts";

/** Bytes (kubernetes: apimachinery pkg/apis/meta/v1/validation/validation.go). */
const LONGEST_FIELD_MANAGER = 128;

/** What Go's unicode.IsPrint passes. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;
const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Throws a TypeError when the API server would refuse the controller's finalizer, or its field manager, which is `prefix` and its name. */
export function checkNames(
  controller: Pick<Controller, "name" | "finalizer"> & {
    readonly hub?: unknown;
    readonly finalize?: unknown;
  },
  prefix: string,
  cluster = "",
): void {
  const who = `controller ${JSON.stringify(controller.name)}`;
  const fieldManager = `${prefix}${controller.name}`;
  if (controller.name === "") throw new TypeError("a controller needs a name");
  if (Buffer.byteLength(fieldManager) > LONGEST_FIELD_MANAGER || !PRINTABLE.test(fieldManager)) {
    throw new TypeError(
      `${who}: its field manager ${JSON.stringify(fieldManager)} must be 1 to ${LONGEST_FIELD_MANAGER} printable bytes`,
    );
  }
  const finalizer = finalizerOf(controller, cluster);
  if (controller.finalize === undefined || isQualifiedName(finalizer)) return;
  throw new TypeError(
    `${who}: its finalizer ${JSON.stringify(finalizer)} must be example.com/name with a name of 1 to 63 letters, digits, - _ or .; declare another one as \`finalizer\``,
  );
}

/** Throws a TypeError when the controller declares sources of a hub, and there is none. */
export function checkHub(
  controller: Pick<Controller, "name" | "owns" | "related" | "reads"> & { readonly hub?: unknown },
  hub: object | undefined,
): void {
  if (hub !== undefined || !declaresHub(controller)) return;
  const who = `controller ${JSON.stringify(controller.name)}`;
  throw new TypeError(`${who} declares objects of the hub, and there is none: give it \`hub\``);
}

/** As checkHub, also for a cluster without a name, which nothing can concern. */
export function checkPlace(
  controller: Parameters<typeof checkHub>[0],
  {
    hub,
    cluster = "",
  }: { readonly hub?: object | undefined; readonly cluster?: string | undefined },
): void {
  checkHub(controller, hub);
  if (cluster !== "" || !declaresHub(controller)) return;
  const who = `controller ${JSON.stringify(controller.name)}`;
  throw new TypeError(
    `${who} declares objects of the hub: its cluster needs a name, give it \`cluster\``,
  );
}

function declaresHub(controller: Parameters<typeof checkHub>[0]): boolean {
  const { owns = [], related = [], reads = [] } = controller;
  const forms: readonly object[] = [controller, ...owns, ...related, ...reads];
  return forms.some((form) => "hub" in form && form.hub !== undefined);
}

/** As the API server asks of label keys, finalizers and the like (kubernetes: apimachinery pkg/util/validation/validation.go, IsQualifiedName). */
function isQualifiedName(text: string): boolean {
  const parts = text.split("/");
  const [prefix, name = ""] = parts.length === 2 ? parts : [undefined, text];
  const prefixed = prefix === undefined || (prefix.length <= 253 && SUBDOMAIN.test(prefix));
  return prefixed && NAME.test(name);
}
