import {
  annotations,
  Cluster,
  dataNamespace,
  Feature,
  FleetWorkspace,
  localClusterName,
} from "@drover/crds";
import { type FeatureDefaults, liveFeatures, mayDo } from "@drover/platform";
import {
  type AdmissionContext,
  type AdmissionRequest,
  allow,
  deny,
  type Mutator,
  type Validator,
  type Verdict,
} from "kopf-ts/admission";
import { Secret } from "kopf-ts/kinds";
import { annotation, anyOf, deletes, sets } from "../cel.ts";
import { annotated, creatorProblemOf, withMaker } from "../creator.ts";
import { versionManagementAnnotation } from "../names.ts";
import { isTerminating } from "../terminating.ts";
import { firstRefusal, unless } from "../verdicts.ts";
import {
  customizationProblem,
  isImported,
  newKubeconfig,
  newWorkspace,
  versionManagementProblem,
  workspaceProblem,
} from "./rules.ts";
import { schedulingFeature, schedulingProblem } from "./scheduling.ts";

/** What clusters need besides the context. */
export interface ClusterOptions {
  readonly features: FeatureDefaults;
}

type Changed = Exclude<AdmissionRequest<Cluster>, { readonly operation: "DELETE" }>;

/** Protects the local cluster, and refuses what a cluster must not say. */
export function clusters({ features }: ClusterOptions): Validator<Cluster> {
  return {
    kind: Cluster,
    rules: [
      { operations: ["CREATE"], failurePolicy: "Ignore" },
      {
        operations: ["UPDATE"],
        suffix: "update",
        failurePolicy: "Ignore",
        matchConditions: anyOf(
          "spec-or-annotations-change",
          sets(".?spec", "{}"),
          annotationsChange,
        ),
      },
      {
        operations: ["CREATE", "UPDATE"],
        suffix: "kubeconfig",
        // The server would use a Secret for somebody who may not read it.
        failurePolicy: "Fail",
        matchConditions: anyOf("kubeconfig-changes", kubeconfigChange),
      },
      {
        operations: ["DELETE"],
        suffix: "delete",
        failurePolicy: "Ignore",
        matchConditions: anyOf("local", deletes(localClusterName)),
      },
    ],
    reads: [Feature],
    validate: (request, context) => {
      if (request.operation === "DELETE") return judgeDeletion(request.oldObject);
      if (isTerminating(request.object)) return allow();
      return judge(request, context, features);
    },
  };
}

const kubeconfigChange = sets(annotation(annotations.kubeconfigSecret));
const annotationsChange = sets(".?metadata.?annotations", "{}");

function judgeDeletion({ metadata }: Cluster): Verdict {
  if (metadata.name !== localClusterName) return allow();
  return deny(400, "cluster local cannot be deleted: it is the one that the server runs in");
}

function judge(
  request: Changed,
  context: AdmissionContext,
  defaults: FeatureDefaults,
): Promise<Verdict> {
  const { object: after, oldObject: before } = request;
  const isOn = liveFeatures(context.cache(Feature), defaults);
  return firstRefusal(
    () =>
      unless(
        workspaceProblem(after, before) ??
          versionManagementProblem(after, before) ??
          schedulingProblem(after, before, isOn(schedulingFeature)) ??
          customizationProblem(after, before),
        400,
      ),
    async () => unless(await creatorProblemOf(request, context), 400),
    () => judgeWorkspace(request, context),
    () => judgeKubeconfig(request, context),
  );
}

/** Who has the server use a kubeconfig must be allowed to read it. Whether it exists is told to nobody else. */
async function judgeKubeconfig(request: Changed, context: AdmissionContext): Promise<Verdict> {
  const name = newKubeconfig(request.object, request.oldObject);
  if (name === undefined) return allow();
  const { client, signal } = context;
  const attributes = { verb: "get", resource: Secret.plural, namespace: dataNamespace, name };
  if (await mayDo(client, request.user, attributes, { signal })) return allow();
  return deny(
    403,
    `annotation ${annotations.kubeconfigSecret} must not become ${name}: it takes verb get on this secret in ${dataNamespace}`,
  );
}

/** Who puts a cluster into a workspace needs a verb of its own there. Rancher's code for it is 401. */
async function judgeWorkspace(request: Changed, context: AdmissionContext): Promise<Verdict> {
  const workspace = newWorkspace(request.object, request.oldObject);
  if (workspace === undefined) return allow();
  const { group, plural: resource } = FleetWorkspace;
  const attributes = { verb: "fleetaddcluster", group, resource, name: workspace };
  const { client, signal } = context;
  if (await mayDo(client, request.user, attributes, { signal })) return allow();
  return deny(
    401,
    `spec.fleetWorkspaceName must not become ${workspace}: it takes verb fleetaddcluster on this fleetworkspace`,
  );
}

/** Fills in who made a cluster, and that the version of an imported one follows the setting. */
export const clusterDefaults: Mutator<Cluster> = {
  kind: Cluster,
  rules: [
    {
      operations: ["CREATE"],
      failurePolicy: "Ignore",
      matchConditions: anyOf(
        "lacks-annotations",
        lacks(annotations.creatorId),
        lacks(versionManagementAnnotation),
      ),
    },
    {
      operations: ["UPDATE"],
      suffix: "update",
      failurePolicy: "Ignore",
      matchConditions: [
        ...anyOf("lacks-version-management", lacks(versionManagementAnnotation)),
        ...anyOf("imported", 'object.?status.?driver.orValue("") in ["k3s", "rke2"]'),
      ],
    },
  ],
  mutate: async ({ operation, object, oldObject, user }, context) => {
    if (object === undefined || (oldObject !== undefined && isTerminating(oldObject)))
      return undefined;
    if (operation !== "CREATE") return withVersionManagement(object);
    return withVersionManagement(await withMaker(object, user, context));
  },
};

function lacks(key: string): string {
  return `object${annotation(key)}.orValue("") == ""`;
}

function withVersionManagement(cluster: Cluster): Cluster {
  if (!isImported(cluster) || cluster.metadata.annotations?.[versionManagementAnnotation]) {
    return cluster;
  }
  return annotated(cluster, versionManagementAnnotation, "system-default");
}
