import {
  covers,
  flatten,
  installCrds,
  MissingRoleTemplateError,
  type PolicyRule,
} from "@drover/crds";
import { aRoleTemplate } from "@drover/crds/testing";
import { testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import {
  ApiError,
  type CacheAccess,
  type Client,
  connect,
  type Informer,
  Informers,
  type Kind,
  type KubeObject,
  loadConfig,
  silentLogger,
} from "kopf-ts";
import { ClusterRole, Namespace } from "kopf-ts/kinds";
import { eventually, seededRandom } from "kopf-ts/testing";
import { complete } from "./complete.ts";
import { mayDo } from "./may-do.ts";
import {
  aClusterRole,
  aRole,
  bindEverywhere,
  bindIn,
  may,
  memory,
  user,
} from "./memory.test.support.ts";
import { narrowed, randomRules } from "./random-rules.test.support.ts";
import { rightsOf } from "./rights.ts";
import { type AccessSources, accessReads, accessSources } from "./sources.ts";

const seed = Number(process.env.ACCESS_SEED ?? 1);
const cases = Number(process.env.ACCESS_CASES ?? 120);
const { signal } = new AbortController();

/** May write roles, so that only the check for escalation decides. */
const writeRoles: PolicyRule = {
  verbs: ["create"],
  apiGroups: ["rbac.authorization.k8s.io"],
  resources: ["roles", "clusterroles"],
};

interface Case {
  readonly username: string;
  /** The namespace that holds the rules; undefined for the whole cluster. */
  readonly namespace: string | undefined;
  readonly wanted: readonly PolicyRule[];
}

/** Whether the API server lets somebody write a role with these rules; undefined while it does not know yet that they may write roles. */
async function serverAllows(client: Client, { username, namespace, wanted }: Case) {
  const name = uniqueName("wanted");
  const role =
    namespace === undefined ? aClusterRole(name, ...wanted) : aRole(namespace, name, ...wanted);
  try {
    await client.as({ user: username }).create(role, { dryRun: true });
    return true;
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.code !== 403) throw thrown;
    return thrown.message.includes("attempting to grant RBAC permissions") ? false : undefined;
  }
}

describe("access, on an API server", function () {
  this.timeout(60_000);

  let client: Client;
  let informers: Informers;
  let cacheOf: CacheAccess;
  let sources: AccessSources;

  before(async () => {
    const { kubeconfigPath } = await testEnv();
    client = connect(await loadConfig({ kubeconfig: kubeconfigPath }));
    await installCrds(client, { log: silentLogger, signal });
    informers = new Informers(client, { logger: silentLogger });
    cacheOf = await caches(informers);
    sources = accessSources(cacheOf);
  });

  after(async () => {
    await informers.dispose();
    await client[Symbol.asyncDispose]();
  });

  /** A person who holds random rules, in a namespace or everywhere, and what they want to hand out. */
  async function aCase(number: number, namespace: string): Promise<Case> {
    const random = seededRandom(seed * 1_000 + number);
    const username = uniqueName("person");
    const held = randomRules(random, { withUrls: number % 2 === 0 });
    const part = narrowed(random, held);
    const wanted = random.chance(0.6) ? part : [...part, ...randomRules(random)];
    if (number % 2 === 0) {
      await client.create(aClusterRole(username, ...held, writeRoles));
      await client.create(bindEverywhere(username, user(username)));
      return { username, namespace: undefined, wanted };
    }
    await client.create(aRole(namespace, username, ...held, writeRoles));
    await client.create(bindIn(namespace, "Role", username, user(username)));
    return { username, namespace, wanted };
  }

  function isCached({ username, namespace }: Case): boolean {
    const key = `user:${username}`;
    return namespace === undefined
      ? sources.clusterRole(username) !== undefined && sources.clusterRoleBindings(key).length === 1
      : sources.role(namespace, username) !== undefined &&
          sources.roleBindings(key, namespace).length === 1;
  }

  it(`agrees with the API server about who may hand out what (${cases} random cases, seed ${seed})`, async () => {
    const namespace = uniqueName("access");
    await client.create({ apiVersion: "v1", kind: Namespace.kind, metadata: { name: namespace } });
    const numbers = Array.from({ length: cases }, (_, index) => index);
    const all = await Promise.all(numbers.map((number) => aCase(number, namespace)));
    await eventually(() => all.every(isCached), { within: 20_000 });

    const answers = await Promise.all(
      all.map(async (each) => {
        const { username, namespace: where, wanted } = each;
        const rights = rightsOf({ username, groups: ["system:authenticated"] }, sources);
        const held = where === undefined ? rights.everywhere() : rights.inNamespace(where);
        const theirs = await eventually(
          async () => {
            const answer = await serverAllows(client, each);
            return answer === undefined ? undefined : { answer };
          },
          { within: 20_000 },
        );
        return { ours: covers(held, wanted).length === 0, theirs: theirs.answer, held, wanted };
      }),
    );

    for (const { ours, theirs, held, wanted } of answers) {
      expect(ours, JSON.stringify({ held, wanted })).to.equal(theirs);
    }
    expect(new Set(answers.map(({ theirs }) => theirs)).size, "both answers occur").to.equal(2);
  });

  it("reads caches by name and by index alone, however much others hold", () => {
    const asked: string[] = [];
    const watched: CacheAccess = (kind) =>
      new Proxy(cacheOf(kind), {
        get: (cache, name) => {
          asked.push(String(name));
          return Reflect.get(cache, name).bind(cache);
        },
      });
    const rights = rightsOf({ username: "somebody", groups: ["a", "b"] }, accessSources(watched));

    rights.inCluster("c-abcde");
    rights.inProject("c-abcde:p-abcde", "ns");
    rights.inManagedNamespace("ns");
    rights.inWorkspaces();

    expect(new Set(asked)).to.deep.equal(new Set(["byIndex"]));
    expect(asked).to.have.length(3 * (4 + 3 + 2 + 2));
  });

  it("finds a role template that caches do not have yet, and what it inherits", async () => {
    const [parent, child] = [uniqueName("parent"), uniqueName("child")];
    await client.create(aRoleTemplate({ metadata: { name: parent }, rules: [may("get", "pods")] }));
    const template = aRoleTemplate({
      metadata: { name: child },
      rules: [],
      roleTemplateNames: [parent],
    });

    const rules = await complete(memory([]), { client, signal }, (all) => flatten(template, all));

    expect(rules).to.deep.equal([may("get", "pods")]);
  });

  it("finds the ClusterRole of an external template that caches do not have yet", async () => {
    const name = uniqueName("external");
    await client.create(aClusterRole(name, may("get", "pods")));
    const template = aRoleTemplate({ metadata: { name }, rules: [], external: true });

    const rules = await complete(memory([]), { client, signal }, (all) => flatten(template, all));

    expect(rules).to.deep.equal([may("get", "pods")]);
  });

  it("says what is missing on the server as well", async () => {
    const template = aRoleTemplate({ roleTemplateNames: [uniqueName("nowhere")] });
    let thrown: unknown;

    await complete(memory([]), { client, signal }, (all) => flatten(template, all)).catch(
      (error: unknown) => {
        thrown = error;
      },
    );

    expect(thrown).to.be.instanceOf(MissingRoleTemplateError);
  });

  it("asks the API server for somebody with their groups and extra", async () => {
    const group = uniqueName("group");
    await client.create(aClusterRole(group, may("get", "pods")));
    await client.create(
      bindEverywhere(group, { kind: "Group", apiGroup: ClusterRole.group, name: group }),
    );
    const ask = (groups: readonly string[], verb: string) =>
      mayDo(
        client,
        { username: "somebody", uid: "1", groups, extra: { scope: ["a"] } },
        { verb, group: "", resource: "pods" },
      );
    await eventually(() => ask([group], "get"), { within: 10_000 });

    expect(await ask([group], "delete")).to.equal(false);
    expect(await ask([], "get")).to.equal(false);
    expect(await ask(["system:masters"], "delete")).to.equal(true);
  });
});

/** The caches that accessReads declares, filled. */
async function caches(informers: Informers): Promise<CacheAccess> {
  const held = new Map<string, Informer<KubeObject>>();
  for (const { kind, indexes = {} } of accessReads) {
    const informer = informers.acquire(kind);
    for (const [name, index] of Object.entries(indexes)) await informer.addIndex(name, index);
    held.set(kind.plural, informer);
  }
  await Promise.all([...held.values()].map((informer) => informer.whenSynced()));
  return <T extends KubeObject>(kind: Kind<T>) => {
    const informer = held.get(kind.plural);
    if (informer === undefined) throw new Error(`${kind.kind} is not declared`);
    return informer.cache as unknown as Informer<T>["cache"]; // found by its kind
  };
}
