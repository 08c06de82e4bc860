/** What the creator of a cluster gets: once, so that what people take away later stays away. */

import {
  annotations,
  type Cluster,
  ClusterRoleTemplateBinding,
  creatorBindingName,
  creatorRolesOf,
  creatorSubject,
  RoleTemplate,
  User,
} from "@drover/crds";
import { findNamed, isTrue } from "@drover/platform";
import { type Context, isAlreadyExists } from "kopf-ts";
import { creatorBinding, creatorTemplates, isAvailable } from "./desired.ts";
import { conditions, reasons } from "./names.ts";
import type { Templates } from "./projects.ts";
import { fails, holds, type Step } from "./step.ts";

/** What became of the creator's bindings: both conditions, and the cluster as it now is. */
export interface Enrolled {
  readonly cluster: Cluster;
  readonly steps: readonly Step[];
}

/** Whether the creator has got everything, or never will. */
export function isSettled(cluster: Cluster): boolean {
  return isTrue(cluster, conditions.creator) && isTrue(cluster, conditions.roles);
}

/** Templates that the creator still lacks; none once all were given. */
export function lackingTemplates(cluster: Cluster): readonly string[] {
  if (cluster.metadata.deletionTimestamp !== undefined || isSettled(cluster)) return [];
  const { required, created } = creatorRolesOf(cluster) ?? { required: [], created: [] };
  return required.filter((name) => !created.includes(name));
}

/** Writes down, once, which templates the creator is to get. */
export async function requireTemplates(
  cluster: Cluster,
  templates: Templates,
  { client }: Context,
): Promise<Cluster> {
  if (isSettled(cluster) || creatorRolesOf(cluster) !== undefined) return cluster;
  const required = creatorTemplates(await templates(), "clusterCreatorDefault");
  return note(cluster, { created: [], required }, client);
}

/** Binds the creator to the templates that it lacks. A creator who is nobody here, or wants nothing, settles it at once. */
export async function bindCreator(cluster: Cluster, context: Context): Promise<Enrolled> {
  if (isSettled(cluster)) return { cluster, steps: [] };
  const roles = creatorRolesOf(cluster);
  if (roles === null) return { cluster, steps: bothFail(unreadable) };
  const nobody = await whyNobody(cluster, context);
  if (nobody !== undefined) return { cluster, steps: both((type) => holds(type, nobody)) };

  const outcomes: Bound[] = [];
  for (const name of lackingTemplates(cluster)) outcomes.push(await bind(name, cluster, context));
  const given = outcomes.flatMap(({ given: name }) => name ?? []);
  const problems = outcomes.flatMap(({ problem }) => problem ?? []);
  const after =
    given.length === 0 || roles === undefined
      ? cluster
      : await note(
          cluster,
          { created: [...roles.created, ...given].toSorted(), required: roles.required },
          context.client,
        );
  const [first] = problems;
  if (first === undefined) return { cluster: after, steps: both((type) => holds(type)) };
  const message = problems.map((problem) => problem.message).join("; ");
  return { cluster: after, steps: bothFail({ ...first, message }) };
}

interface Note {
  readonly reason: string;
  readonly message: string;
}

const unreadable: Note = {
  reason: reasons.invalidAnnotation,
  message: `annotation ${annotations.creatorRoleBindings} is no JSON of the form {"created":[],"required":[]}: correct it, or remove it to begin anew`,
};

/** Undefined where there is a creator to be made owner. */
async function whyNobody(cluster: Cluster, { client, signal }: Context): Promise<Note | undefined> {
  const { [annotations.noCreatorRbac]: unwanted, [annotations.creatorId]: user } =
    cluster.metadata.annotations ?? {};
  const because = (message: string): Note => ({ reason: reasons.noCreator, message });
  if (unwanted !== undefined) {
    return because(`annotation ${annotations.noCreatorRbac} asks for no bindings`);
  }
  if (!user) return because(`no annotation ${annotations.creatorId} says who made the cluster`);
  const found = await findNamed(client, User, user, { signal });
  if (found !== undefined && found.metadata.deletionTimestamp === undefined) return undefined;
  return because(`there is no User ${user}, whom annotation ${annotations.creatorId} names`);
}

/** One template: given, or why not; neither where it is not for creators: who writes the annotation must not thereby choose what to get. */
interface Bound {
  readonly given?: string;
  readonly problem?: Note;
}

async function bind(name: string, cluster: Cluster, context: Context): Promise<Bound> {
  const { client, log, signal } = context;
  const template = await findNamed(client, RoleTemplate, name, { signal });
  const subject = creatorSubject(cluster);
  if (template === undefined || !isAvailable(template) || subject === undefined) {
    return { problem: unavailable(name, template) };
  }
  if (template.clusterCreatorDefault !== true) {
    log.warn("a template that creators of clusters do not get was asked for", { template: name });
    return {};
  }
  try {
    await client.create(creatorBinding(cluster, name, subject));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return isThere(name, cluster, context);
  }
  return { given: name };
}

/** The binding's name follows from the template, so it is ours, from a run that was cut off; unless it gives something else. */
async function isThere(
  template: string,
  { metadata: { name: namespace } }: Cluster,
  { client }: Context,
): Promise<Bound> {
  const name = creatorBindingName(template);
  const live = await client.find(ClusterRoleTemplateBinding, name, { namespace });
  if (live === undefined || live.roleTemplateName === template) return { given: template };
  const message = `ClusterRoleTemplateBinding ${namespace}/${name} gives another role template: rename or delete it`;
  return { problem: { reason: reasons.nameTaken, message } };
}

function unavailable(name: string, template: RoleTemplate | undefined): Note {
  const message =
    template === undefined
      ? `RoleTemplate ${name}, which the creator is to get, does not exist`
      : `RoleTemplate ${name}, which the creator is to get, is locked`;
  return { reason: reasons.roleTemplate, message };
}

async function note(
  cluster: Cluster,
  roles: { readonly created: readonly string[]; readonly required: readonly string[] },
  client: Context["client"],
): Promise<Cluster> {
  const { uid, resourceVersion } = cluster.metadata;
  const noted = { [annotations.creatorRoleBindings]: JSON.stringify(roles) };
  return client.patch<Cluster>(cluster, {
    merge: { metadata: { uid, resourceVersion, annotations: noted } },
  });
}

function both(make: (type: string) => Step): readonly Step[] {
  return [conditions.creator, conditions.roles].map(make);
}

function bothFail(note: Note): readonly Step[] {
  return both((type) => fails(type, note));
}
