/** Reads AdmissionReviews of admission.k8s.io/v1 and v1beta1 (api: admission/v1/types.go). */

import {
  apiVersionOf,
  type Kind,
  type KubeObject,
  parseJson,
  resourceName,
} from "../../kube/index.ts";
import type { AdmissionRequest, UserInfo } from "../request.ts";
import type { Operation } from "../webhook.ts";
import { ReviewError } from "./review-error.ts";

/** Versions that are answered; in the form of `admissionReviewVersions`. */
export const reviewVersions = ["v1", "v1beta1"] as const;

/** A question, and the version in which it is to be answered. */
export interface Review {
  readonly apiVersion: string;
  readonly request: AdmissionRequest;
}

/** What a handler can be asked about. */
export interface Scope {
  readonly kind: Kind;
  readonly subresources: ReadonlySet<string>;
}

type Fields = Readonly<Record<string, unknown>>;

const operations: ReadonlySet<unknown> = new Set<Operation>(["CREATE", "UPDATE", "DELETE"]);

/** Throws a ReviewError (400) that says what is wrong and quotes nothing of the object. */
export function parseReview(body: Uint8Array, scope: Scope): Review {
  const { apiVersion, kind, request } = fields(json(body), "the body");
  if (kind !== "AdmissionReview") throw malformed("kind must be AdmissionReview");
  const versions = reviewVersions.map((version) => `admission.k8s.io/${version}`);
  if (typeof apiVersion !== "string" || !versions.includes(apiVersion)) {
    throw malformed(`apiVersion must be ${versions.join(" or ")}`);
  }
  return { apiVersion, request: parseRequest(fields(request, "request"), scope) };
}

function parseRequest(request: Fields, scope: Scope): AdmissionRequest {
  checkScope(request, scope);
  const asked = {
    uid: text(request.uid, "request.uid"),
    name: optionalText(request.name, "request.name") ?? "",
    namespace: optionalText(request.namespace, "request.namespace"),
    subresource: subresourceOf(request),
    dryRun: request.dryRun === true,
    user: parseUser(fields(request.userInfo, "request.userInfo")),
    options: request.options == null ? {} : fields(request.options, "request.options"),
  };
  return { ...asked, ...parseSubject(request) };
}

type Subject =
  | { readonly operation: "CREATE"; readonly object: KubeObject }
  | { readonly operation: "UPDATE"; readonly object: KubeObject; readonly oldObject: KubeObject }
  | { readonly operation: "DELETE"; readonly oldObject: KubeObject };

function parseSubject({ operation, object, oldObject }: Fields): Subject {
  switch (operation) {
    case "CREATE":
      return { operation, object: parseObject(object, "request.object") };
    case "UPDATE":
      return {
        operation,
        object: parseObject(object, "request.object"),
        oldObject: parseObject(oldObject, "request.oldObject"),
      };
    case "DELETE":
      return { operation, oldObject: parseObject(oldObject, "request.oldObject") };
    default:
      throw malformed(`request.operation must be ${[...operations].join(", ")}`);
  }
}

/** A configuration that somebody wrote by hand may lead a request to the wrong handler, which knows only objects of its own. */
function checkScope(request: Fields, { kind, subresources }: Scope): void {
  const { group, version, resource } = fields(request.resource, "request.resource");
  if (group !== kind.group || version !== kind.version || resource !== kind.plural) {
    throw malformed(
      `request.resource must be ${resourceName(kind)} of ${apiVersionOf(kind)}, which this path is for`,
    );
  }
  const subresource = subresourceOf(request);
  if (subresource !== undefined && !subresources.has(subresource)) {
    throw malformed(
      `request.subResource is none that the webhook for ${resourceName(kind)} judges`,
    );
  }
}

function subresourceOf({ subResource }: Fields): string | undefined {
  return optionalText(subResource, "request.subResource");
}

function parseUser({ username, uid, groups, extra }: Fields): UserInfo {
  const id = optionalText(uid, "request.userInfo.uid");
  return {
    username: optionalText(username, "request.userInfo.username") ?? "",
    groups: groups == null ? [] : texts(groups, "request.userInfo.groups"),
    extra: extra == null ? {} : parseExtra(fields(extra, "request.userInfo.extra")),
    ...(id !== undefined && { uid: id }),
  };
}

function parseExtra(extra: Fields): Readonly<Record<string, readonly string[]>> {
  const entries = Object.entries(extra).map(
    ([name, values]) => [name, texts(values, "request.userInfo.extra")] as const,
  );
  return Object.fromEntries(entries);
}

function parseObject(value: unknown, path: string): KubeObject {
  const object = fields(value, path);
  text(object.apiVersion, `${path}.apiVersion`);
  text(object.kind, `${path}.kind`);
  fields(object.metadata, `${path}.metadata`);
  return object as unknown as KubeObject; // checked above; the API server has checked the rest against its schema
}

function json(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (thrown) {
    const reason = thrown instanceof SyntaxError ? thrown.message : "the text is no valid UTF-8";
    throw malformed(reason);
  }
}

function fields(value: unknown, path: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw malformed(`${path} must be an object`);
}

function text(value: unknown, path: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw malformed(`${path} must be a text that is not empty`);
}

/** Go leaves out empty texts, so that empty and absent mean the same. */
function optionalText(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  return text(value, path);
}

function texts(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw malformed(`${path} must be a list of texts`);
}

function malformed(reason: string): ReviewError {
  return new ReviewError(`malformed AdmissionReview: ${reason}`, { status: 400 });
}
