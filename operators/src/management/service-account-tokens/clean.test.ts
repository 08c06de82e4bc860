import { Feature } from "@drover/crds";
import { freshNamespace } from "@drover/env";
import { ensureServiceAccountToken, parseFeatures, tokenSecret } from "@drover/platform";
import { expect } from "chai";
import {
  apiVersionOf,
  type Client,
  connect,
  type KubeObject,
  loadConfig,
  refTo,
  silentLogger,
  type TaskContext,
} from "kopf-ts";
import { Secret, ServiceAccount } from "kopf-ts/kinds";
import { eventually, fakeClock } from "kopf-ts/testing";
import { cluster, collect } from "../../testing/concern.ts";
import { tokenCleaner } from "./index.ts";

const minute = 60_000;
const defaults = parseFeatures("");

describe("service-account-token-cleaner on an API server", function () {
  this.timeout(60_000);

  let client: Client;
  let namespace: string;
  const verbs: string[] = [];

  before(async () => {
    const { kubeconfigPath } = await cluster();
    const observe = (verb: string, _: number, resource: string) =>
      void verbs.push(`${verb} ${resource}`);
    client = connect(await loadConfig({ kubeconfig: kubeconfigPath }), {
      kinds: [Secret, ServiceAccount, Feature],
      metrics: { observe },
    });
  });
  beforeEach(async () => {
    namespace = await freshNamespace(await cluster());
    verbs.length = 0;
  });
  after(() => client[Symbol.asyncDispose]());

  const create = <T extends KubeObject>(object: T): Promise<T> => client.create(object);
  const anAccount = (name: string): Promise<ServiceAccount> =>
    create<ServiceAccount>({
      apiVersion: apiVersionOf(ServiceAccount),
      kind: ServiceAccount.kind,
      metadata: { name, namespace },
    });
  /** Token Secrets of the account that it does not refer to, once the control plane has written their tokens. */
  const leave = async (account: ServiceAccount, count: number): Promise<void> => {
    const { metadata, ...rest } = tokenSecret(account);
    for (let at = 0; at < count; at += 1) {
      const name = `${account.metadata.name}-token-left${at}`;
      await create({ ...rest, metadata: { ...metadata, name } } as Secret);
    }
    await eventually(
      async () => {
        const { items } = await client.list(Secret, { namespace });
        const left = items.filter(({ metadata: { name } }) => name.includes("-token-left"));
        return left.length === count && left.every(({ data }) => data?.token !== undefined);
      },
      { within: 10_000, what: "a token in each Secret" },
    );
  };
  const names = async (): Promise<readonly string[]> =>
    (await client.list(Secret, { namespace })).items.map(({ metadata }) => metadata.name);
  /** The client, with which the Secret of that name changes once, between the lists of a pass. */
  const changing = (name: string): Client => {
    let changed = false;
    const list: Client["list"] = async (kind, options) => {
      if (kind.kind === ServiceAccount.kind && !changed) {
        changed = true;
        const merge = { metadata: { annotations: { changed: "yes" } } };
        await client.patch(refTo(Secret, name, namespace), { merge });
      }
      return client.list(kind, options);
    };
    return {
      list,
      find: client.find.bind(client),
      pages: client.pages.bind(client),
      delete: client.delete.bind(client),
    } as Partial<Client> as Client;
  };
  /** The task on a clock that is an hour ahead, so that everything here is old. */
  const start = (
    fields: { readonly batch?: number; readonly on?: boolean; ahead?: number } & Partial<
      Pick<TaskContext, "client" | "log">
    > = {},
  ) => {
    const { ahead = 60 * minute, on = true, batch } = fields;
    const clock = fakeClock(Date.now() + ahead);
    const task = tokenCleaner({
      defaults: { ...defaults, "clean-stale-secrets": on },
      namespace,
      ...(batch !== undefined && { batch }),
    });
    const context: TaskContext = {
      client: fields.client ?? client,
      clock,
      log: fields.log ?? silentLogger,
      signal: new AbortController().signal,
    };
    let ended = false;
    const running = task.run(context).then(() => {
      ended = true;
    });
    /** Lets time pass until the next sleep, or the end. */
    const next = async (): Promise<void> => {
      await eventually(() => ended || clock.pending > 0);
      await clock.advance(minute);
      await eventually(() => ended || clock.pending > 0, { within: 10_000 });
    };
    return { running, next, clock, ended: () => ended };
  };

  it("case 93: deletes what no ServiceAccount refers to, keeps the rest, and stops for good", async () => {
    const account = await anAccount("agent");
    await leave(account, 2);
    const used = await ensureServiceAccountToken(client, await anAccount("other"));
    await create({ ...refTo(Secret, "opaque", namespace), type: "Opaque" });
    const { next, ended } = start();

    await next();
    const left = await names();
    const endedEarly = ended();
    await next();

    expect(left).to.have.members([used.metadata.name, "opaque"]);
    expect(endedEarly).to.equal(false);
    expect(ended()).to.equal(true);
  });

  it("case 93: does nothing while the feature is off", async () => {
    await leave(await anAccount("agent"), 1);
    verbs.length = 0;

    await start({ on: false }).running;

    expect(verbs).to.deep.equal(["get features.management.cattle.io"]);
    expect(await names()).to.have.length(1);
  });

  it("begins after 5 s, and not before", async () => {
    const { clock, next, ended } = start();
    await eventually(() => clock.pending > 0);
    verbs.length = 0;

    await clock.advance(4_999);
    const early = [...verbs];
    await next();

    expect(early).to.deep.equal([]);
    expect(ended()).to.equal(true);
  });

  it("deletes no more than a batch in a pass", async () => {
    await leave(await anAccount("agent"), 5);
    const { next, ended } = start({ batch: 2 });

    const counts: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      await next();
      counts.push((await names()).length);
    }
    await next();

    expect(counts).to.deep.equal([3, 1, 0]);
    expect(ended()).to.equal(true);
  });

  it("counts a Secret that changed after it was listed as left, and deletes it in the next pass", async () => {
    await leave(await anAccount("agent"), 2);
    const lines: string[] = [];
    const { next, ended } = start({
      log: collect(lines),
      client: changing("agent-token-left0"),
    });

    await next();
    const left = await names();
    await next();
    await next();

    expect(left).to.deep.equal(["agent-token-left0"]);
    expect(lines.join("\n")).to.include('"deleted":1,"left":1').and.include('"deleted":1,"left":0');
    expect(await names()).to.deep.equal([]);
    expect(ended()).to.equal(true);
  });

  it("lets a Secret that was made just now become old first", async () => {
    await leave(await anAccount("agent"), 1);
    const { next, ended } = start({ ahead: -10 * minute });

    await next();
    const [young, going] = [await names(), ended()];
    for (let at = 0; at < 12 && !ended(); at += 1) await next();

    expect(young).to.have.length(1);
    expect(going).to.equal(false);
    expect(await names()).to.deep.equal([]);
  });
});
