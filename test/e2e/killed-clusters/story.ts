/** Projects, namespaces, role templates and bindings that people make, change, move and delete; in what order, follows from a seed. */

import {
  annotations as annotationKeys,
  ClusterRoleTemplateBinding,
  clusterLifecycleNames,
  localClusterName,
  Project,
  ProjectRoleTemplateBinding,
  RoleTemplate,
  User,
} from "@drover/crds";
import {
  isAlreadyExists,
  isNotFound,
  type Kind,
  type KubeObject,
  refTo,
  systemClock,
} from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { eventually, type Random, seededRandom } from "kopf-ts/testing";
import { type Pair, type Side, second } from "../pair.ts";

const users = ["crash-u-0", "crash-u-1", "crash-u-2", "crash-u-3"] as const;
/** Two that stay, one that is deleted, and one of the hub itself. */
const projects = { a: second, b: second, doomed: second, own: localClusterName } as const;
type ProjectName = keyof typeof projects;
const templates = ["crash-view", "crash-edit", "crash-vault", "crash-gone"] as const;
const namespaceCount = 8;
const bindingCount = 12;
/** The longest that people pause between two steps, in milliseconds. */
const pause = 150;

type Step = (pair: Pair) => Promise<unknown>;
type Fields = Readonly<Record<string, unknown>>;

/** What people do in one run. What is done to one object is done in order. */
export class Story {
  readonly #random: Random;
  /** Where each namespace is at first. */
  readonly #homes: readonly ProjectName[];

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    const names: readonly ProjectName[] = ["a", "b", "doomed", "own"];
    this.#homes = range(namespaceCount).map((at) => names[at % names.length] ?? "a");
  }

  /** Tells it; with pauses where somebody is to disturb it meanwhile. */
  async tell(pair: Pair, slowly = false): Promise<void> {
    const steps = [
      ...this.#roles(),
      ...this.#shuffled(this.#places()),
      ...this.#shuffled(this.#members()),
      ...this.#shuffled(this.#changes()),
    ];
    for (const step of steps) {
      if (slowly) await systemClock.sleep(this.#random.below(pause));
      await persist(() => step(pair));
    }
  }

  #roles(): readonly Step[] {
    return [
      make(RoleTemplate, "crash-view", template([allow("", "configmaps", "get")])),
      make(RoleTemplate, "crash-vault", template([allow("", "secrets", "get")])),
      make(RoleTemplate, "crash-gone", template([allow("", "pods", "get")])),
      make(RoleTemplate, "crash-edit", {
        ...template([allow("", "nodes", "get"), allow("", "namespaces", "create")]),
        roleTemplateNames: ["crash-view"],
      }),
      make(RoleTemplate, "crash-cluster", {
        ...template([allow("management.cattle.io", "projects", "get")]),
        context: "cluster",
      }),
    ];
  }

  #places(): readonly Step[] {
    const made = (Object.keys(projects) as ProjectName[]).map(makeProject);
    return [...made, ...this.#homes.map((home, at) => this.#namespace(home, at))];
  }

  #namespace(home: ProjectName, at: number): Step {
    const creator = this.#random.chance(0.5) ? { [annotationKeys.creatorId]: users[0] } : {};
    const annotations = { [annotationKeys.projectId]: idOf(home), ...creator };
    return make(Namespace, `crash-n-${at}`, {}, { annotations }, sideOf(home));
  }

  #members(): readonly Step[] {
    const clusters = [second, localClusterName].flatMap((cluster) =>
      users.slice(0, 3).map((user) => clusterMember(cluster, user)),
    );
    return [...clusters, ...range(bindingCount).map((at) => this.#projectMember(at))];
  }

  #projectMember(at: number): Step {
    const project = projectOf(at);
    return member(`crash-m-${at}`, project, this.#random.pick(users), this.#random.pick(templates));
  }

  #changes(): readonly Step[] {
    const [gone, other] = [
      [0, 1],
      [2, 6],
    ];
    return [
      removeProject("doomed"),
      change(Project, nameOf("a"), { spec: { resourceQuota: { limit: { pods: "60" } } } }, second),
      this.#move(0, "b"),
      this.#move(1, "a"),
      remove(Namespace, "crash-n-4", undefined, "cluster"),
      remove(Namespace, "crash-n-3"),
      change(RoleTemplate, "crash-view", { rules: [allow("", "events", "list")] }),
      change(RoleTemplate, "crash-edit", { roleTemplateNames: ["crash-vault"] }),
      remove(RoleTemplate, "crash-gone"),
      remove(ClusterRoleTemplateBinding, `crash-c-${users[0]}`, second),
      remove(ClusterRoleTemplateBinding, `crash-c-${users[1]}`, localClusterName),
      ...gone.map((at) =>
        remove(ProjectRoleTemplateBinding, `crash-m-${at}`, nameOf(projectOf(at))),
      ),
      ...other.map((at) => this.#remake(at)),
    ];
  }

  #move(at: number, to: ProjectName): Step {
    const annotations = { [annotationKeys.projectId]: idOf(to) };
    return change(Namespace, `crash-n-${at}`, { metadata: { annotations } }, undefined, "cluster");
  }

  /** Another role for another user under the same name: nothing that the first one granted may be left. */
  #remake(at: number): Step {
    const again = this.#projectMember(at);
    const first = remove(ProjectRoleTemplateBinding, `crash-m-${at}`, nameOf(projectOf(at)));
    return async (pair) => {
      await first(pair);
      await again(pair);
    };
  }

  #shuffled<T>(list: readonly T[]): readonly T[] {
    const keyed = list.map((item) => ({ item, at: this.#random.next() }));
    return keyed.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
  }
}

/** Who the stories are about; and one member whose binding stays, for whose sake the namespace of impersonators is there all the time. */
export async function prepare(pair: Pair): Promise<void> {
  for (const name of users) await make(User, name, { username: name })(pair);
  const fields = { userName: users[3], clusterName: second, roleTemplateName: "cluster-member" };
  await make(ClusterRoleTemplateBinding, "steady", fields, { namespace: second })(pair);
}

/** Deletes what people made in a story, and nothing that controllers made of it: that has to go by itself. */
export async function cleanUp(pair: Pair): Promise<void> {
  for (const kind of [ProjectRoleTemplateBinding, ClusterRoleTemplateBinding, RoleTemplate]) {
    await removeAll(pair, kind, "hub");
  }
  for (const side of ["hub", "cluster"] as const) {
    await removeAll(pair, Namespace, side, /^crash-n-/);
  }
  await removeAll(pair, Project, "hub");
}

async function removeAll(pair: Pair, kind: Kind, side: Side, pattern = /^crash-/): Promise<void> {
  const { items } = await pair[side].client.list<KubeObject>(kind);
  for (const { metadata } of items) {
    if (pattern.test(metadata.name))
      await remove(kind, metadata.name, metadata.namespace, side)(pair);
  }
}

function template(rules: readonly Fields[]): Fields {
  return { displayName: "crash", context: "project", rules };
}

function allow(apiGroup: string, resource: string, ...verbs: readonly string[]): Fields {
  return { apiGroups: [apiGroup], resources: [resource], verbs };
}

function nameOf(project: ProjectName): string {
  return `crash-p-${project}`;
}

function idOf(project: ProjectName): string {
  return `${projects[project]}:${nameOf(project)}`;
}

function sideOf(project: ProjectName): Side {
  return projects[project] === second ? "cluster" : "hub";
}

function projectOf(at: number): ProjectName {
  return (["a", "b", "doomed", "own"] as const)[(at >> 1) & 3] ?? "a";
}

function makeProject(project: ProjectName): Step {
  const quota = {
    resourceQuota: { limit: { pods: "100" } },
    namespaceDefaultResourceQuota: { limit: { pods: "5" } },
    containerDefaultResourceLimit: { requestsCpu: "50m", limitsCpu: "100m" },
  };
  const namespace = projects[project];
  const spec = { displayName: project, clusterName: namespace, ...(project === "a" ? quota : {}) };
  return make(Project, nameOf(project), { spec }, { namespace });
}

function clusterMember(cluster: string, userName: string): Step {
  const roleTemplateName = userName === users[2] ? "cluster-owner" : "crash-cluster";
  const fields = { userName, clusterName: cluster, roleTemplateName };
  return make(ClusterRoleTemplateBinding, `crash-c-${userName}`, fields, { namespace: cluster });
}

/** Only a project that its cluster has seen lets go of its namespaces there: before, nobody knows which they are. */
function removeProject(project: ProjectName): Step {
  const [name, cluster] = [nameOf(project), projects[project]];
  const { finalizer } = clusterLifecycleNames("project-namespace-auth", cluster);
  const gone = remove(Project, name, cluster);
  return async (pair) => {
    const isSeen = async () => {
      const found = await pair.hub.client.find(Project, name, { namespace: cluster });
      return found === undefined || found.metadata.finalizers?.includes(finalizer);
    };
    await eventually(isSeen, { within: 60_000, what: `${finalizer} on ${name}` });
    await gone(pair);
  };
}

/** The namespace of a project comes a moment after it. */
function member(
  name: string,
  project: ProjectName,
  userName: string,
  roleTemplateName: string,
): Step {
  const namespace = nameOf(project);
  const fields = { userName, projectName: idOf(project), roleTemplateName };
  const step = make(ProjectRoleTemplateBinding, name, fields, { namespace });
  return async (pair) => {
    const isThere = () => pair.hub.client.find(Namespace, namespace);
    await eventually(isThere, { within: 60_000, what: `namespace ${namespace}` });
    await step(pair);
  };
}

function make(
  kind: Kind,
  name: string,
  fields: Fields = {},
  metadata: Fields = {},
  side: Side = "hub",
): Step {
  const ref = refTo(kind, name);
  return ({ [side]: { client } }) =>
    client
      .create({ ...ref, ...fields, metadata: { ...ref.metadata, ...metadata } })
      .catch(unless(isAlreadyExists));
}

function change(
  kind: Kind,
  name: string,
  merge: object,
  namespace?: string,
  side: Side = "hub",
): Step {
  return ({ [side]: { client } }) => client.patch(refTo(kind, name, namespace), { merge });
}

function remove(kind: Kind, name: string, namespace?: string, side: Side = "hub"): Step {
  return ({ [side]: { client } }) =>
    client
      .delete(refTo(kind, name, namespace), { preconditions: "none" })
      .catch(unless(isNotFound));
}

/** People try again while an API server is away or a server starts, which takes long on a busy machine; what had been made or deleted already is fine then. */
async function persist(step: () => Promise<unknown>): Promise<void> {
  const attempt = async () => {
    await step();
    return true;
  };
  await eventually(attempt, { within: 180_000, what: "a step" });
}

function unless(isFine: (error: unknown) => boolean) {
  return (error: unknown): void => {
    if (!isFine(error)) throw error;
  };
}

function range(n: number): readonly number[] {
  return Array.from({ length: n }, (_, at) => at);
}
