/** The rows of what people and programs may do (kubernetes: pkg/printers/internalversion/printers.go; pkg/apis/rbac/helpers.go). */

import { at, listAt, mapAt, textAt, wholeAt } from "../tree.ts";
import { age, type Cell } from "./cell.ts";
import { humanDuration } from "./human.ts";
import { labelTexts, nameOf, textOr } from "./texts.ts";

/** Name, Role, Age, Users, Groups, ServiceAccounts; of bindings of both kinds. */
export function roleBinding(object: unknown): readonly Cell[] {
  const subjects = (kind: string): readonly unknown[] =>
    listAt(object, "subjects").filter((each) => textAt(each, "kind") === kind);
  const names = (kind: string): string =>
    subjects(kind)
      .map((each) => textAt(each, "name"))
      .join(", ");
  const accounts = subjects("ServiceAccount").map(
    (each) => `${textAt(each, "namespace")}/${textAt(each, "name")}`,
  );
  const role = `${textAt(object, "roleRef", "kind")}/${textAt(object, "roleRef", "name")}`;
  return [nameOf(object), role, age(object), names("User"), names("Group"), accounts.join(", ")];
}

/** Name, Age, SignerName, Requestor, RequestedDuration, Condition. */
export function certificateSigningRequest(object: unknown): readonly Cell[] {
  const seconds = wholeAt(object, "spec", "expirationSeconds");
  return [
    nameOf(object),
    age(object),
    textOr("<none>", object, "spec", "signerName"),
    textAt(object, "spec", "username"),
    seconds === undefined ? "<none>" : humanDuration(seconds * 1000),
    requestStatus(object),
  ];
}

function requestStatus(object: unknown): string {
  const types = new Set(listAt(object, "status", "conditions").map((each) => textAt(each, "type")));
  const decision = ["Denied", "Approved"].find((type) => types.has(type)) ?? "Pending";
  const failed = types.has("Failed") ? ",Failed" : "";
  const isIssued = textAt(object, "status", "certificate") !== "";
  return `${decision}${failed}${isIssued ? ",Issued" : ""}`;
}

/** Name, SignerName. */
export function clusterTrustBundle(object: unknown): readonly Cell[] {
  return [nameOf(object), textOr("<none>", object, "spec", "signerName")];
}

/** Name, PodName, ServiceAccountName, NodeName, SignerName, State, UnverifiedUserAnnotations. */
export function podCertificateRequest(object: unknown): readonly Cell[] {
  const spec = (key: string): string => textAt(object, "spec", key);
  const states = ["Issued", "Denied", "Failed"];
  const found = listAt(object, "status", "conditions").findLast((each) =>
    states.includes(textAt(each, "type")),
  );
  return [
    nameOf(object),
    ...[spec("podName"), spec("serviceAccountName"), spec("nodeName"), spec("signerName")],
    textAt(found, "type") || "Pending",
    labelTexts(mapAt(object, "spec", "unverifiedUserAnnotations")),
  ];
}

/** Name, Webhooks, Age. */
export function webhooks(object: unknown): readonly Cell[] {
  return [nameOf(object), listAt(object, "webhooks").length, age(object)];
}

/** Name, Validations, ParamKind, Age. */
export function validatingAdmissionPolicy(object: unknown): readonly Cell[] {
  return [
    nameOf(object),
    listAt(object, "spec", "validations").length,
    paramKind(object),
    age(object),
  ];
}

/** Name, Mutations, ParamKind, Age. */
export function mutatingAdmissionPolicy(object: unknown): readonly Cell[] {
  return [
    nameOf(object),
    listAt(object, "spec", "mutations").length,
    paramKind(object),
    age(object),
  ];
}

function paramKind(object: unknown): string {
  const kind = at(object, "spec", "paramKind");
  return kind === undefined ? "<unset>" : `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}`;
}

/** Name, PolicyName, ParamRef, Age; of bindings of both kinds. */
export function admissionPolicyBinding(object: unknown): readonly Cell[] {
  const policy = textAt(object, "spec", "policyName");
  return [nameOf(object), policy, paramRef(at(object, "spec", "paramRef")), age(object)];
}

function paramRef(ref: unknown): string {
  const name = textAt(ref, "name");
  if (name !== "") return `${textAt(ref, "namespace") || "*"}/${name}`;
  const selector = at(ref, "selector");
  return selector === undefined ? "<unset>" : goText(selector);
}

/** A selector as Go prints the struct, which is what the table shows. */
function goText(selector: unknown): string {
  const labels = mapAt(selector, "matchLabels") ?? {};
  const pairs = Object.keys(labels)
    .toSorted()
    .map((key) => `${key}: ${textAt(labels, key)},`);
  const expressions = listAt(selector, "matchExpressions").map((each) => {
    const values = listAt(each, "values").map(String).join(" ");
    return `LabelSelectorRequirement{Key:${textAt(each, "key")},Operator:${textAt(each, "operator")},Values:[${values}],},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${pairs.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
