/** What a login says. Pure. */

import { isObjectName } from "@drover/crds";
import { problem } from "../v1/problem.ts";

/** What the client wants in return: the token in JSON, as a cookie, or one for kubeconfigs (of one cluster, or of all). */
export type ResponseType =
  | { readonly kind: "json" | "cookie" }
  | { readonly kind: "kubeconfig"; readonly cluster: string };

/** A login; a `ttl` is not looked at, for settings say how long sessions last. */
export interface LoginInput {
  /** The type of the authentication provider, such as `localProvider`; empty where the path says it. */
  readonly type: string;
  readonly username: string;
  readonly password: string;
  readonly description: string;
  readonly responseType: ResponseType;
}

/** Reads the body of a login, as JSON gave it; throws a Problem that names the field. */
export function parseLogin(value: unknown): LoginInput {
  const body = fieldsOf(value);
  return {
    type: textIn(body, "type"),
    username: required(body, "username"),
    password: required(body, "password"),
    description: textIn(body, "description"),
    responseType: parseResponseType(textIn(body, "responseType")),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw problem("InvalidBodyContent", "the body is no JSON object", "body");
}

function textIn(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = Object.hasOwn(body, name) ? (body[name] ?? "") : "";
  if (typeof value === "string") return value;
  throw problem("InvalidFormat", `${name} must be a string`, name);
}

function required(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = textIn(body, name);
  if (value === "") throw problem("MissingRequired", `${name} is missing`, name);
  return value;
}

const kubeconfigOf = "kubeconfig_";

function parseResponseType(text: string): ResponseType {
  if (text === "" || text === "json") return { kind: "json" };
  if (text === "cookie") return { kind: "cookie" };
  if (text === "kubeconfig") return { kind: "kubeconfig", cluster: "" };
  const cluster = text.startsWith(kubeconfigOf) ? text.slice(kubeconfigOf.length) : "";
  if (isObjectName(cluster)) return { kind: "kubeconfig", cluster };
  throw problem(
    "InvalidOption",
    "responseType must be json, cookie, kubeconfig or kubeconfig_<cluster>",
    "responseType",
  );
}
