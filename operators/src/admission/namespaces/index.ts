import {
  annotations,
  localClusterName,
  localWorkspaceName,
  Project,
  parseProjectId,
} from "@drover/crds";
import { mayDo } from "@drover/platform";
import {
  type AdmissionContext,
  type AdmissionRequest,
  allow,
  deny,
  type Validator,
  type Verdict,
} from "kopf-ts/admission";
import { Namespace, type ResourceAttributes } from "kopf-ts/kinds";
import { annotation, anyOf, deletes, label, sets } from "../cel.ts";
import { containerLimitAnnotation } from "../names.ts";
import { isTerminating } from "../terminating.ts";
import { firstRefusal, unless } from "../verdicts.ts";
import {
  changesPodSecurity,
  containerLimitProblem,
  newProjectId,
  podSecurityLabels,
} from "./rules.ts";

type Changed = Exclude<AdmissionRequest<Namespace>, { readonly operation: "DELETE" }>;

/** Other changes, above all those of controllers, are never asked about. */
const relevant = anyOf(
  "project-security-or-limits-change",
  sets(annotation(annotations.projectId)),
  sets(annotation(containerLimitAnnotation)),
  ...podSecurityLabels.map((key) => sets(label(key))),
);

const nameLabel = "kubernetes.io/metadata.name";
const systemNames = ["kube-system"];

/** They belong to the cluster that the server runs in. */
const undeletable: readonly string[] = [localClusterName, localWorkspaceName];

/** Asks for rights on a project before a namespace joins it or loosens its Pod security, and keeps namespaces that must stay. */
export const namespaces: Validator<Namespace> = {
  kind: Namespace,
  rules: [
    // Labels and annotations can be changed by way of both subresources too.
    { operations: ["UPDATE"], subresources: ["status", "finalize"], matchConditions: relevant },
    {
      operations: ["CREATE"],
      suffix: "create-non-kubesystem",
      matchConditions: relevant,
      namespaceSelector: {
        matchExpressions: [{ key: nameLabel, operator: "NotIn", values: systemNames }],
      },
    },
    {
      operations: ["CREATE"],
      suffix: "create-kubesystem-only",
      failurePolicy: "Ignore",
      matchConditions: relevant,
      namespaceSelector: {
        matchExpressions: [{ key: nameLabel, operator: "In", values: systemNames }],
      },
    },
    {
      operations: ["DELETE"],
      suffix: "delete",
      matchConditions: anyOf("must-stay", deletes(...undeletable)),
    },
  ],
  validate: (request, context) => {
    if (request.operation === "DELETE") return judgeDeletion(request.oldObject);
    if (isTerminating(request.object)) return allow();
    const { object: after, oldObject: before } = request;
    return firstRefusal(
      () => unless(containerLimitProblem(after, before), 400),
      () => judgeProject(request, context),
      () => judgePodSecurity(request, context),
    );
  },
};

function judgeDeletion({ metadata }: Namespace): Verdict {
  if (!undeletable.includes(metadata.name)) return allow();
  return deny(400, `namespace ${metadata.name} cannot be deleted: the server needs it`);
}

async function judgeProject(request: Changed, context: AdmissionContext): Promise<Verdict> {
  const wanted = newProjectId(request.object, request.oldObject);
  if (wanted === undefined) return allow();
  const id = parseProjectId(wanted);
  if (id === undefined) {
    return deny(400, `annotation ${annotations.projectId} must be of the form <cluster>:<project>`);
  }
  const { cluster: namespace, project: name } = id;
  if (await may(request, context, { ...onProjects("manage-namespaces"), namespace, name })) {
    return allow();
  }
  return deny(
    403,
    `annotation ${annotations.projectId} must not become ${namespace}:${name}: it takes verb manage-namespaces on that project`,
  );
}

/** A namespace outside of projects takes the right for all of them. */
async function judgePodSecurity(request: Changed, context: AdmissionContext): Promise<Verdict> {
  if (!changesPodSecurity(request.object, request.oldObject)) return allow();
  const id = parseProjectId(request.object.metadata.annotations?.[annotations.projectId] ?? "");
  const { cluster: namespace = "", project: name = "" } = id ?? {};
  if (await may(request, context, { ...onProjects("updatepsa"), namespace, name })) return allow();
  const where =
    id === undefined ? "on projects of all clusters" : `on project ${namespace}:${name}`;
  return deny(
    403,
    `labels pod-security.kubernetes.io/* must not be changed: it takes verb updatepsa ${where}`,
  );
}

function onProjects(verb: string): ResourceAttributes {
  return { verb, group: Project.group, resource: Project.plural };
}

function may(
  { user }: Changed,
  { client, signal }: AdmissionContext,
  attributes: ResourceAttributes,
): Promise<boolean> {
  return mayDo(client, user, attributes, { signal });
}
