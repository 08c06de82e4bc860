import { annotations, Cluster, labels, Project } from "@drover/crds";
import { readable } from "kopf-ts";
import {
  type AdmissionContext,
  type AdmissionRequest,
  allow,
  deny,
  type Validator,
  type Verdict,
} from "kopf-ts/admission";
import { Namespace } from "kopf-ts/kinds";
import { creatorProblemOf } from "../creator.ts";
import { cachedOrLive } from "../live.ts";
import { isTerminating, notTerminating } from "../terminating.ts";
import { firstRefusal, type Problem, unless } from "../verdicts.ts";
import { quotaProblem } from "./quota.ts";
import { backingNamespaceProblem, containerProblem, placeProblem } from "./rules.ts";

/** Index of namespaces by their project. */
const projectIndex = "admission/project";

type Changed = Exclude<AdmissionRequest<Project>, { readonly operation: "DELETE" }>;

/** Refuses projects of clusters that do not exist, quotas that do not fit, and the deletion of a system project. */
export const projects: Validator<Project> = {
  kind: Project,
  rules: [{ operations: ["CREATE", "UPDATE", "DELETE"], matchConditions: [notTerminating] }],
  reads: [Cluster, readable(Namespace, { indexes: { [projectIndex]: projectOf } })],
  validate: (request, context) => {
    if (request.operation === "DELETE") return judgeDeletion(request.oldObject, context);
    if (isTerminating(request.object)) return allow();
    return judge(request, context);
  },
};

function projectOf({ metadata }: Namespace): readonly string[] {
  const id = metadata.annotations?.[annotations.projectId];
  return id === undefined ? [] : [id];
}

/** It goes with its cluster only, or with a namespace that is on its way out already: that would wait for it forever. */
async function judgeDeletion({ metadata }: Project, context: AdmissionContext): Promise<Verdict> {
  if (metadata.labels?.[labels.systemProject] !== "true") return allow();
  const { namespace: cluster = "" } = metadata;
  const home = [
    await cachedOrLive(context, Cluster, cluster),
    await cachedOrLive(context, Namespace, cluster),
  ];
  if (home.some((each) => each === undefined || isTerminating(each))) return allow();
  return deny(405, "System Project cannot be deleted");
}

async function judge(request: Changed, context: AdmissionContext): Promise<Verdict> {
  const { object: after, oldObject: before } = request;
  return firstRefusal(
    () => unless(placeProblem(after, before) ?? backingNamespaceProblem(after, before), 400),
    async () =>
      unless(before === undefined ? await clusterProblem(after, context) : undefined, 400),
    async () => unless(await creatorProblemOf(request, context), 400),
    () => unless(containerProblem(after, before), 422),
    () =>
      unless(
        quotaProblem(after, before, () => countNamespaces(after, context)),
        422,
      ),
  );
}

async function clusterProblem({ spec }: Project, context: AdmissionContext): Promise<Problem> {
  const cluster = await cachedOrLive(context, Cluster, spec?.clusterName ?? "");
  return cluster === undefined ? "spec.clusterName must be a cluster that exists" : undefined;
}

/** Of this server's own cluster: those of others are not at hand, and their controllers keep within what is left. */
function countNamespaces({ metadata, spec }: Project, { cache }: AdmissionContext): number {
  const id = `${spec?.clusterName}:${metadata.name}`;
  return cache(Namespace).keysByIndex(projectIndex, id).length;
}
