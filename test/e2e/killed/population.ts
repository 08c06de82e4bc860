/** Users, bindings and tokens that people create, change and delete; which ones, follows from a seed. */

import {
  Cluster,
  GlobalRole,
  GlobalRoleBinding,
  labels,
  RoleTemplate,
  Token,
  User,
} from "@drover/crds";
import { type Client, type Kind, type KubeObject, refTo } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, Secret } from "kopf-ts/kinds";
import { eventually, type Random, seededRandom } from "kopf-ts/testing";

const counts = { users: 50, bindings: 100, tokens: 200 };
const roles = ["crash-read", "crash-namespaces", "crash-clusters"] as const;
const clusterName = "crash-cluster";
const namespaces = ["crash-a", "crash-b", "crash-c", clusterName];
const finalizer = "controller.cattle.io/mgmt-auth-users-controller";
/** Requests at once. */
const breadth = 4;

/** What is no secret here, but would be one: nothing of it may show up in a log. */
export const secrets = {
  key: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
  hash: "$3:1:saltsaltsal:hashhashhashhashhashhashhash",
  password: "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
} as const;

const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"] }];

type Step = (client: Client) => Promise<unknown>;

/** What people do in one run: first everything is made, then some of it is changed and deleted, in an order of its own. */
export class Story {
  readonly #random: Random;
  readonly #doomed: ReadonlySet<string>;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#doomed = new Set(this.#some(userNames, 8));
  }

  /** Tells the story. What is done to one object is done in order. */
  async tell(client: Client): Promise<void> {
    await inTurn(this.#roles(), client, 1);
    await inTurn(this.#makings(), client, breadth);
    await inTurn(this.#shuffled(this.#changes()), client, breadth);
  }

  #roles(): readonly Step[] {
    return [
      // Nobody else gives these: a user that has a role already gets no second binding.
      make(GlobalRole, "crash-first", { rules, displayName: "first" }),
      make(GlobalRole, "crash-second", {
        inheritedClusterRoles: ["crash-one"],
        displayName: "second",
      }),
      make(GlobalRole, "crash-read", { rules, displayName: "read" }),
      make(GlobalRole, "crash-namespaces", {
        namespacedRules: { "crash-a": rules, "crash-b": rules, "crash-missing": rules },
        displayName: "namespaces",
      }),
      make(GlobalRole, "crash-clusters", {
        inheritedClusterRoles: ["crash-one"],
        displayName: "clusters",
      }),
    ];
  }

  #makings(): readonly Step[] {
    return [
      ...userNames.map((name) => this.#user(name)),
      ...range(counts.bindings).map((at) => this.#binding(at)),
      ...range(counts.tokens).map((at) => this.#token(at)),
    ];
  }

  #user(name: string): Step {
    const initial = JSON.stringify({ required: ["crash-first", "crash-second"] });
    const annotations = { "authz.management.cattle.io/creator-role-bindings": initial };
    const fields = {
      username: name,
      ...(this.#random.chance(0.1) ? { password: secrets.password } : {}),
      ...(this.#random.chance(0.1) ? { enabled: false } : {}),
    };
    return make(User, name, fields, this.#random.chance(0.3) ? { annotations } : {});
  }

  #binding(at: number): Step {
    const globalRoleName = this.#random.pick(roles);
    return make(GlobalRoleBinding, bindingName(at), { ...this.#subject(at), globalRoleName });
  }

  #subject(at: number): object {
    if (at % 20 === 0) return { userPrincipalName: `azure_user://${at}` };
    if (at % 20 === 1) return { groupPrincipalName: `azure_group://${at}` };
    return { userName: this.#anyone() };
  }

  #token(at: number): Step {
    const userId = this.#anyone();
    const ttl = [0, 1, 86_400_000][this.#random.below(3)] ?? 0;
    const name = `crash-token-${at}`;
    if (at % 5 !== 0) {
      return make(Token, name, { userId, ttl, token: secrets.key, authProvider: "local" });
    }
    const kind = this.#random.pick(["session", "kubeconfig"]);
    const stringData = {
      ...{ kind, ttl: String(ttl), enabled: "true", hash: secrets.hash },
      ...{ "user-id": userId, principal: "{}" },
    };
    const marks = { [labels.extKind]: "token", [labels.extUserId]: userId };
    return (client) =>
      client.create({
        ...refTo(Secret, name, "cattle-tokens"),
        stringData,
        ...labelled(marks, name),
      });
  }

  #changes(): readonly Step[] {
    const others = [{ verbs: ["list"], apiGroups: [""], resources: ["secrets"] }];
    const left = range(counts.bindings).filter((at) => at % 20 > 1);
    const [gone, other] = [this.#some(left, 15), this.#some(left, 15)];
    return [
      ...[...this.#doomed].map(deleteUser),
      ...this.#some(this.#survivors, 10).map((name) => change(User, name, { enabled: false })),
      ...gone.map((at) => remove(GlobalRoleBinding, bindingName(at))),
      ...other.filter((at) => !gone.includes(at)).map((at) => this.#remake(at)),
      ...this.#some(range(counts.tokens), 20).map(removeToken),
      ...this.#some(userNames, 3).map((name) => remove(ClusterRole, `${name}-view`)),
      ...this.#some(left, 5).map((at) =>
        remove(ClusterRoleBinding, `cattle-globalrolebinding-${bindingName(at)}`),
      ),
      change(GlobalRole, "crash-read", { rules: others }),
      change(GlobalRole, "crash-namespaces", {
        namespacedRules: { "crash-a": null, "crash-c": others },
      }),
      change(GlobalRole, "crash-clusters", { inheritedClusterRoles: ["crash-two"] }),
    ];
  }

  /** Another role and another user under the same name: nothing that the first one granted may be left. */
  #remake(at: number): Step {
    const name = bindingName(at);
    const [userName, globalRoleName] = [this.#survivor(), this.#random.pick(roles)];
    const again = make(GlobalRoleBinding, name, { userName, globalRoleName });
    return async (client) => {
      await remove(GlobalRoleBinding, name)(client);
      await again(client);
    };
  }

  get #survivors(): readonly string[] {
    return userNames.filter((name) => !this.#doomed.has(name));
  }

  #anyone(): string {
    return userNames[this.#random.below(counts.users)] ?? "";
  }

  #survivor(): string {
    return this.#survivors[this.#random.below(this.#survivors.length)] ?? "";
  }

  #some<T>(list: readonly T[], n: number): readonly T[] {
    return this.#shuffled(list).slice(0, n);
  }

  #shuffled<T>(list: readonly T[]): readonly T[] {
    const keyed = list.map((item) => ({ item, at: this.#random.next() }));
    return keyed.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
  }
}

const userNames: readonly string[] = range(counts.users).map((at) => `crash-user-${at}`);
function bindingName(at: number): string {
  return `crash-binding-${at}`;
}

function range(n: number): readonly number[] {
  return Array.from({ length: n }, (_, at) => at);
}

function labelled(marks: Readonly<Record<string, string>>, name: string) {
  return { metadata: { name, namespace: "cattle-tokens", labels: marks } };
}

function make(kind: Kind, name: string, fields: object = {}, metadata: object = {}): Step {
  const ref = refTo(kind, name);
  return (client) =>
    client.create({ ...ref, ...fields, metadata: { ...ref.metadata, ...metadata } });
}

function change(kind: Kind, name: string, merge: object): Step {
  return (client) => client.patch(refTo(kind, name), { merge });
}

/** What is not there (yet, any more) is as good as deleted. */
function remove(kind: Kind, name: string, namespace?: string): Step {
  return (client) => client.delete(refTo(kind, name, namespace), { preconditions: "none" });
}

function removeToken(at: number): Step {
  const name = `crash-token-${at}`;
  return at % 5 === 0 ? remove(Secret, name, "cattle-tokens") : remove(Token, name);
}

/** Only a user that the controller has seen takes along what belongs to it: before, nobody knows of it. */
function deleteUser(name: string): Step {
  return async (client) => {
    await eventually(
      async () => (await client.get(User, name)).metadata.finalizers?.includes(finalizer),
      { within: 180_000 },
    );
    await remove(User, name)(client);
  };
}

async function inTurn(steps: readonly Step[], client: Client, workers: number): Promise<void> {
  const queue = [...steps];
  const worker = async (): Promise<void> => {
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) await step(client);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** Makes what stories need and leave as it is. */
export async function prepare(client: Client): Promise<void> {
  const template = { displayName: "crash", context: "cluster", rules };
  const steps = [
    ...namespaces.map((name) => make(Namespace, name)),
    make(RoleTemplate, "crash-one", template),
    make(RoleTemplate, "crash-two", template),
    make(Cluster, clusterName, { spec: { displayName: "crash" } }),
  ];
  await inTurn(steps, client, 1);
}

/** Deletes what stories make, and nothing that controllers made of it: that has to go by itself. */
export async function cleanUp(client: Client): Promise<void> {
  for (const kind of [Token, GlobalRoleBinding, User, GlobalRole]) {
    for (const { metadata } of (await client.list<KubeObject>(kind)).items) {
      const { name } = metadata;
      if (/^(crash|u)-/.test(name)) await remove(kind, name)(client);
    }
  }
  const { items } = await client.list(Secret, { namespace: "cattle-tokens" });
  for (const { metadata } of items) await remove(Secret, metadata.name, "cattle-tokens")(client);
}
