/** Fields that no object has. */

import type { Field, Source } from "./fields.ts";

/** The field as it is where no object has it. */
export function absentOf({ name, label, order }: Field): Field {
  return {
    ...{ name, label: label === undefined ? undefined : "", copied: undefined },
    ...{ texts: nowhere, numbers: never, addresses: nowhere },
    order: order.length > 1 ? [never, nowhere] : [nowhere],
  };
}

const nowhere: Source = {
  column: "v1:nowhere",
  spec: { name: "v1:nowhere", type: "keyword", from: () => undefined },
};

/** Infinite, as of every field that is no number. */
const never: Source = {
  column: "v1:never",
  spec: { name: "v1:never", type: "number", from: () => Number.POSITIVE_INFINITY },
};
