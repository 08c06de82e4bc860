import { randomBytes } from "node:crypto";
import { annotations, Project, projectNames, RoleTemplate } from "@drover/crds";
import { type CacheAccess, readable } from "kopf-ts";
import { type AdmissionContext, type Denied, deny, type Mutator } from "kopf-ts/admission";
import { Namespace } from "kopf-ts/kinds";
import { anyOf } from "../cel.ts";
import { annotated } from "../creator.ts";
import { withBackingNamespace } from "./rules.ts";

/** Index of role templates that whoever makes a project gets. */
const creatorIndex = "admission/project-creator";

const lacks = (object: string): string => `${object}.?status.?backingNamespace.orValue("") == ""`;

/** Settles the name of a project and of its namespace, and which roles its creator gets. */
export const projectDefaults: Mutator<Project> = {
  kind: Project,
  rules: [
    { operations: ["CREATE"] },
    {
      operations: ["UPDATE"],
      suffix: "update",
      matchConditions: anyOf("lacks-backing-namespace", lacks("object"), lacks("oldObject")),
    },
  ],
  reads: [readable(RoleTemplate, { indexes: { [creatorIndex]: creatorRole } })],
  mutate: (request, context) => {
    if (request.operation === "DELETE") return undefined;
    if (request.operation === "UPDATE") return settled(request.object, request.oldObject);
    return request.dryRun ? undefined : complete(request.object, request.namespace, context);
  },
};

function creatorRole({ projectCreatorDefault, locked }: RoleTemplate): readonly string[] {
  return projectCreatorDefault === true && locked !== true ? ["unlocked"] : [];
}

/** One that was made before there were such namespaces has its own name's; one that was left out of the request comes back. */
function settled(project: Project, before: Project): Project {
  const namespace = before.status?.backingNamespace || project.metadata.name;
  if (before.status?.backingNamespace && project.status?.backingNamespace) return project;
  return withBackingNamespace(project, namespace);
}

async function complete(
  project: Project,
  namespace: string | undefined,
  context: AdmissionContext,
): Promise<Project | Denied> {
  const named = await withName(project, namespace, context);
  if (!named.metadata.name) return project; // the API server says so
  const cluster = named.spec?.clusterName ?? "";
  const backing = projectNames.backingNamespace(cluster, named.metadata.name);
  const { client, cache, signal } = context;
  if ((await client.find(Namespace, backing, { signal })) !== undefined) {
    return deny(
      400,
      `status.backingNamespace would be ${backing}, and that namespace exists already`,
    );
  }
  const required = JSON.stringify({ required: creatorRoles(cache) });
  return withBackingNamespace(annotated(named, annotations.creatorRoleBindings, required), backing);
}

function creatorRoles(cache: CacheAccess): readonly string[] {
  return [...cache(RoleTemplate).keysByIndex(creatorIndex, "unlocked")].sort();
}

/** The name that the API server would make later, when it is too late for what follows from it. */
async function withName(
  project: Project,
  namespace: string | undefined,
  { client, signal }: AdmissionContext,
): Promise<Project> {
  const { name, generateName = "" } = project.metadata;
  if (name || generateName === "") return project;
  for (;;) {
    const made = `${generateName.slice(0, longestPrefix)}${suffix()}`;
    if ((await client.find(Project, made, { namespace, signal })) !== undefined) continue;
    return { ...project, metadata: { ...project.metadata, name: made } };
  }
}

/** Kubernetes' own: 63 characters less five (apiserver: pkg/storage/names/generate.go). */
const longestPrefix = 58;
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

function suffix(): string {
  return [...randomBytes(5)].map((byte) => alphabet.charAt(byte % alphabet.length)).join("");
}
