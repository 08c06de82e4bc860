/** The fields that objects of every type may have (apimachinery: pkg/apis/meta/v1/types.go, ObjectMeta, OwnerReference, ManagedFieldsEntry). */

import type { FieldPath } from "../query/field.ts";
import type { Ordered } from "./indexed.ts";
import { orderInSchema } from "./schema.ts";

/** How a field of every type is ordered; undefined for what is not one of these. What /v1 adds is not among them, nor are single labels. */
export function orderInMetadata(path: FieldPath): Ordered | undefined {
  return orderInSchema(schema, path);
}

const text = { type: "string" };
const number = { type: "integer" };
const date = { type: "string", format: "date-time" };

const owner = {
  type: "object",
  properties: {
    apiVersion: text,
    kind: text,
    name: text,
    uid: text,
    controller: text,
    blockOwnerDeletion: text,
  },
};

const texts = { type: "object", additionalProperties: text };

const writer = {
  type: "object",
  properties: {
    apiVersion: text,
    fieldsType: text,
    fieldsV1: { type: "object" },
    manager: text,
    operation: text,
    subresource: text,
    time: date,
  },
};

const schema = {
  type: "object",
  properties: {
    apiVersion: text,
    kind: text,
    metadata: {
      type: "object",
      properties: {
        name: text,
        generateName: text,
        uid: text,
        resourceVersion: number,
        generation: number,
        creationTimestamp: date,
        deletionTimestamp: date,
        deletionGracePeriodSeconds: number,
        finalizers: { type: "array", items: text },
        ownerReferences: { type: "array", items: owner },
        labels: texts,
        annotations: texts,
        managedFields: { type: "array", items: writer },
        selfLink: text,
      },
    },
  },
};
