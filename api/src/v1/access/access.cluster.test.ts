import type { PolicyRule } from "@drover/crds";
import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { type Caller, reviewAccess } from "@drover/platform";
import { expect } from "chai";
import {
  apiVersionOf,
  type Client,
  connect,
  Informers,
  type KubeObject,
  loadConfig,
  refTo,
  silentLogger,
} from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  type Subject,
  SubjectAccessReview,
} from "kopf-ts/kinds";
import { eventually, leftBehind, type Random, seededRandom } from "kopf-ts/testing";
import { RbacAccess } from "./rbac-access.ts";

const seed = Number(process.env.ACCESS_SEED ?? Date.now() % 100_000);
const rounds = Number(process.env.ACCESS_CASES ?? 25);
const within = { within: 30_000 };

const verbs = ["get", "list", "create", "delete"] as const;
const groups = ["", "apps"] as const;
const plurals = ["pods", "pods/log", "namespaces", "namespaces/finalize", "deployments"] as const;
const objects = ["x", "y"] as const;
const paths = ["/healthz", "/healthz/etcd", "/metrics", "/"] as const;
const urls = ["/healthz", "/healthz/*", "/met*", "*"] as const;

/** A question about a resource, in all words of a SubjectAccessReview. */
interface Question {
  readonly verb: string;
  readonly group: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
}

function some<T>(random: Random, from: readonly [T, ...T[]]): readonly T[] {
  return [...new Set(Array.from({ length: 1 + random.below(2) }, () => random.pick(from)))];
}

/** Rules of few words, so that questions often meet them. */
function aRule(random: Random, names: readonly string[]): PolicyRule {
  return {
    verbs: random.chance(0.15) ? ["*"] : some(random, verbs),
    apiGroups: random.chance(0.15) ? ["*"] : some(random, groups),
    resources: random.chance(0.1)
      ? ["*"]
      : some(random, [...plurals, "*/log", "pods/*"] as [string, ...string[]]),
    ...(random.chance(0.4) && {
      resourceNames: some(random, [...objects, ...names] as [string, ...string[]]),
    }),
  };
}

describe("access sets, beside the API server's own authorizer", function () {
  this.timeout(90_000);

  const stop = new AbortController();
  let client: Client;
  let informers: Informers;
  let access: RbacAccess;
  let namespaces: readonly [string, string];

  before(async () => {
    const plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    informers = new Informers(client, { managedFields: "cold" });
    access = new RbacAccess({ informers, log: silentLogger });
    access.start(stop.signal);
    namespaces = [await freshNamespace(plane), await freshNamespace(plane)];
    await access.ready(stop.signal);
  });
  after(async () => {
    stop.abort();
    await informers?.dispose();
    await client?.[Symbol.asyncDispose]();
  });

  async function role(rules: readonly PolicyRule[], namespace?: string): Promise<string> {
    const name = uniqueName("access");
    const kind = namespace === undefined ? ClusterRole : Role;
    const metadata = { name, ...(namespace !== undefined && { namespace }) };
    await client.create({
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata,
      rules,
    } as Role);
    return name;
  }

  async function bind(
    subjects: readonly Subject[],
    { kind = "ClusterRole", name = "", namespace = "" },
    finalizers: readonly string[] = [],
  ): Promise<KubeObject> {
    const binding = namespace === "" ? ClusterRoleBinding : RoleBinding;
    const made = {
      apiVersion: apiVersionOf(binding),
      kind: binding.kind,
      metadata: { name: uniqueName("access"), finalizers, ...(namespace !== "" && { namespace }) },
      roleRef: { apiGroup: ClusterRole.group, kind, name },
      subjects,
    };
    return client.create(made as ClusterRoleBinding);
  }

  const user = (name: string): Subject => ({ kind: "User", apiGroup: ClusterRole.group, name });
  const group = (name: string): Subject => ({ kind: "Group", apiGroup: ClusterRole.group, name });
  const list = (plural: string): PolicyRule => ({
    verbs: ["list"],
    apiGroups: [""],
    resources: [plural],
  });

  /** A caller with one to three random bindings: as a user, by a group or as a service account. */
  async function aCaller(random: Random): Promise<Caller> {
    const [name, team] = [uniqueName("caller"), uniqueName("team")];
    const home = random.pick(namespaces);
    const isAccount = random.chance(0.3);
    const account: Subject = { kind: "ServiceAccount", namespace: home, name };
    for (let count = 1 + random.below(3); count > 0; count--) {
      const own = isAccount ? account : user(name);
      await bindRandomly(random, random.chance(0.3) ? group(team) : own);
    }
    const username = isAccount ? `system:serviceaccount:${home}:${name}` : name;
    return { username, groups: [team, "system:authenticated"] };
  }

  async function bindRandomly(random: Random, subject: Subject): Promise<void> {
    const namespace = random.chance(0.4) ? "" : random.pick(namespaces);
    const isRole = namespace !== "" && random.chance(0.5);
    const rules: PolicyRule[] = [aRule(random, namespaces), aRule(random, namespaces)];
    if (!isRole) rules.push({ verbs: some(random, verbs), nonResourceURLs: some(random, urls) });
    const name = await role(rules, isRole ? namespace : undefined);
    await bind([subject], { kind: isRole ? "Role" : "ClusterRole", name, namespace });
  }

  function aQuestion(random: Random): Question {
    const plural = random.pick(plurals);
    const namespace = random.chance(0.3) ? "" : random.pick(namespaces);
    if (plural.startsWith("namespaces")) {
      // The request for a namespace is one within it.
      return { verb: random.pick(verbs), group: "", plural, namespace, name: namespace };
    }
    const name = random.chance(0.5) ? random.pick(objects) : "";
    return { verb: random.pick(verbs), group: random.pick(groups), plural, namespace, name };
  }

  const ours = (caller: Caller, { verb, namespace, name, ...resource }: Question): boolean =>
    access.of(caller).may(verb, resource, namespace || undefined, name || undefined);

  async function theirs(caller: Caller, question: Question): Promise<boolean> {
    const { verb, group, plural, namespace, name } = question;
    const [resource = "", subresource] = plural.split("/");
    const asked = { verb, group, resource, namespace, name, ...(subresource && { subresource }) };
    return (await reviewAccess(client, caller, asked)).allowed;
  }

  it(`agrees with it about random rights (${rounds} callers, seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const callers: Caller[] = [];
    for (let round = 0; round < rounds; round++) callers.push(await aCaller(random));
    const answers: boolean[] = [];

    for (const caller of callers) {
      for (const question of Array.from({ length: 12 }, () => aQuestion(random))) {
        const what = `${JSON.stringify({ caller, question })} with seed ${seed}`;
        await eventually(async () => (await theirs(caller, question)) === ours(caller, question), {
          ...within,
          what,
        });
        answers.push(ours(caller, question));
      }
    }

    expect(answers).to.include(true);
    expect(answers).to.include(false);
  });

  it(`agrees with it about random paths (seed ${seed})`, async () => {
    const random = seededRandom(seed + 1);
    for (let round = 0; round < 5; round++) {
      const caller = await aCaller(random);
      for (const path of paths) {
        const verb = random.pick(verbs);
        const ask = async (): Promise<boolean | undefined> => {
          const { username, groups } = caller;
          const review = await client.create<SubjectAccessReview>({
            apiVersion: apiVersionOf(SubjectAccessReview),
            kind: SubjectAccessReview.kind,
            metadata: { name: "" },
            spec: { user: username, groups, nonResourceAttributes: { path, verb } },
          });
          return review.status?.allowed;
        };
        // Everybody who is authenticated may visit some paths, by ClusterRoles that every cluster has.
        await eventually(async () => (await ask()) === access.of(caller).mayVisit(verb, path), {
          ...within,
          what: `${JSON.stringify({ caller, path, verb })} with seed ${seed}`,
        });
      }
    }
  });

  it("follows bindings and roles as they come, change and go, and tells who watches", async () => {
    const name = uniqueName("caller");
    const caller: Caller = { username: name, groups: [uniqueName("team")] };
    const may = (): boolean =>
      access.of(caller).may("list", { group: "", plural: "pods" }, namespaces[0]);
    let told = 0;
    using _watched = access.onChange(caller, () => told++);
    const stranger = access.of({ username: uniqueName("stranger"), groups: [] });

    const granted = await role([list("pods")]);
    const binding = await bind([user(name)], { name: granted, namespace: namespaces[0] });
    await eventually(may, within);
    await eventually(() => told === 1, within);

    const kind = apiVersionOf(ClusterRole);
    await client.update({
      ...(await client.get(ClusterRole, granted)),
      ...{ apiVersion: kind, kind: "ClusterRole", rules: [list("secrets")] },
    });
    await eventually(() => !may(), within);
    await eventually(() => told === 2, within);

    await client.delete(binding);
    await eventually(() => told === 3, within);
    expect(access.of(caller)).to.equal(stranger);
  });

  it("counts what roles aggregate, also what comes later", async () => {
    const [name, label] = [uniqueName("caller"), uniqueName("team")];
    const part = (plural: string): Promise<unknown> =>
      client.create({
        ...{ apiVersion: apiVersionOf(ClusterRole), kind: ClusterRole.kind },
        metadata: { name: uniqueName("part"), labels: { [label]: "yes" } },
        rules: [list(plural)],
      } as ClusterRole);
    const whole = uniqueName("whole");
    await client.create({
      ...{ apiVersion: apiVersionOf(ClusterRole), kind: ClusterRole.kind },
      metadata: { name: whole },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: "yes" } }] },
    } as ClusterRole);
    await bind([user(name)], { name: whole });
    const may = (plural: string): boolean =>
      access.of({ username: name, groups: [] }).may("list", { group: "", plural });

    await part("pods");
    await eventually(() => may("pods"), within);
    expect(may("secrets")).to.equal(false);
    await part("secrets");
    await eventually(() => may("secrets"), within);
  });

  it("lets a binding that is being deleted count, and nothing of a role that is gone", async () => {
    const name = uniqueName("caller");
    const caller: Caller = { username: name, groups: [] };
    const may = (): boolean => access.of(caller).may("list", { group: "", plural: "pods" });
    const granted = await role([list("pods")]);
    const binding = await bind([user(name)], { name: granted }, ["example.com/wait"]);
    await eventually(may, within);

    await client.delete(binding);
    const { cache } = informers.acquire(ClusterRoleBinding);
    await eventually(
      () => cache.get(binding.metadata.name)?.metadata.deletionTimestamp !== undefined,
      within,
    );
    expect(may()).to.equal(true);

    await client.delete(refTo(ClusterRole, granted));
    await eventually(() => !may(), within);
  });

  it("knows roles that others kept without their bytes before", async () => {
    const name = uniqueName("caller");
    await bind([user(name)], { name: await role([list("pods")]) });
    const end = new AbortController();
    const own = new Informers(client);
    const late = new RbacAccess({ informers: own, log: silentLogger });
    try {
      for (const kind of [ClusterRole, ClusterRoleBinding]) {
        const columns = own.acquire<KubeObject>(kind, { keep: "columns" });
        await columns.whenSynced(stop.signal);
      }

      late.start(end.signal);
      await late.ready(stop.signal);

      expect(late.of({ username: name, groups: [] }).may("list", pods)).to.equal(true);
    } finally {
      end.abort();
      await own.dispose();
    }
  });

  it("keeps nothing of those who gave up waiting", async () => {
    const silent = new RbacAccess({ informers, log: silentLogger });

    expect(await leftBehind((signal) => silent.ready(signal))).to.be.lessThan(200);
  });

  it("gives callers with equal rights one access, and others none of it", async () => {
    const [one, other, third] = [uniqueName("a"), uniqueName("b"), uniqueName("c")];
    const [first, second] = [await role([list("pods")]), await role([list("pods")])];
    await bind([user(one), user(third)], { name: first, namespace: namespaces[0] });
    await bind([user(other)], { name: second, namespace: namespaces[0] });
    await bind([user(third)], { name: second, namespace: namespaces[1] });
    const of = (username: string) => access.of({ username, groups: [] });

    await eventually(() => of(third).may("list", pods, namespaces[1]), within);

    expect(of(one).may("list", pods, namespaces[0])).to.equal(true);
    expect(of(one)).to.equal(of(other));
    expect(of(third).fingerprint).to.not.equal(of(one).fingerprint);
  });
});

const pods = { group: "", plural: "pods" };
