import { freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import {
  apiVersionOf,
  type Client,
  connect,
  intercept,
  loadConfig,
  refTo,
  TemporaryError,
} from "kopf-ts";
import { Secret, ServiceAccount } from "kopf-ts/kinds";
import { eventually } from "kopf-ts/testing";
import { ensureServiceAccountToken } from "./ensure.ts";
import { secretRefAnnotation, tokenSecret } from "./names.ts";

const kinds = [Secret, ServiceAccount];

describe("ensureServiceAccountToken on an API server", function () {
  this.timeout(60_000);

  const clients: Client[] = [];
  let client: Client;
  let namespace: string;

  const open = async (): Promise<Client> => {
    const { kubeconfigPath } = await testEnv();
    const opened = connect(await loadConfig({ kubeconfig: kubeconfigPath }), { kinds });
    clients.push(opened);
    return opened;
  };
  const anAccount = (annotations: Record<string, string> = {}): Promise<ServiceAccount> =>
    client.create<ServiceAccount>({
      apiVersion: apiVersionOf(ServiceAccount),
      kind: ServiceAccount.kind,
      metadata: { name: `agent-${Math.random().toString(36).slice(2, 8)}`, namespace, annotations },
    });
  const secretsOf = async ({ metadata }: ServiceAccount): Promise<readonly Secret[]> => {
    const { items } = await client.list(Secret, { namespace });
    const owner = "kubernetes.io/service-account.name";
    return items.filter((each) => each.metadata.annotations?.[owner] === metadata.name);
  };
  const referenceOf = async ({ metadata: { name } }: ServiceAccount) =>
    (await client.get(ServiceAccount, name, { namespace })).metadata.annotations?.[
      secretRefAnnotation
    ];

  before(async () => {
    client = await open();
    namespace = await freshNamespace(await testEnv());
  });
  after(async () => {
    for (const each of clients) await each[Symbol.asyncDispose]();
  });

  it("makes a Secret, waits for its token and refers to it", async () => {
    const account = await anAccount();

    const secret = await ensureServiceAccountToken(client, account);

    expect(secret.data?.token).to.be.a("string");
    expect(secret.data?.["ca.crt"]).to.be.a("string");
    expect(await referenceOf(account)).to.equal(`${namespace}/${secret.metadata.name}`);
  });

  it("case 92: ten callers at once, through two clients, end with one Secret", async () => {
    const account = await anAccount();
    const other = await open();

    const secrets = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        ensureServiceAccountToken(at % 2 === 0 ? client : other, account),
      ),
    );

    expect(new Set(secrets.map(({ metadata }) => metadata.uid)).size).to.equal(1);
    expect(secrets.every(({ data }) => Boolean(data?.token))).to.equal(true);
    expect(await secretsOf(account)).to.have.length(1);
    expect(await referenceOf(account)).to.equal(`${namespace}/${secrets[0]?.metadata.name}`);
  });

  it("uses what is there, and writes nothing", async () => {
    const account = await anAccount();
    const first = await ensureServiceAccountToken(client, account);
    const refuse = () => {
      throw new Error("a write");
    };

    const again = await ensureServiceAccountToken(
      intercept(client, { beforeWrite: refuse }),
      account,
    );

    expect(again.metadata.uid).to.equal(first.metadata.uid);
  });

  for (const { name, reference } of [
    { name: "is gone", reference: (ns: string) => `${ns}/gone` },
    { name: "is elsewhere", reference: () => "kube-system/x" },
    { name: "nobody can read", reference: () => "x" },
  ]) {
    it(`repairs a reference to a Secret that ${name}`, async () => {
      const account = await anAccount({ [secretRefAnnotation]: reference(namespace) });

      const secret = await ensureServiceAccountToken(client, account);

      expect(await referenceOf(account)).to.equal(`${namespace}/${secret.metadata.name}`);
    });
  }

  it("makes the Secret anew when somebody deleted it", async () => {
    const account = await anAccount();
    const first = await ensureServiceAccountToken(client, account);
    await client.delete(refTo(Secret, first.metadata.name, namespace));

    const second = await ensureServiceAccountToken(client, account);

    expect(second.metadata.uid).not.to.equal(first.metadata.uid);
    expect(await secretsOf(account)).to.have.length(1);
  });

  it("refers to the Secret that a crash, or an older Rancher, left without reference", async () => {
    const account = await anAccount();
    const { metadata, ...rest } = tokenSecret(account);
    const left = await client.create({
      ...rest,
      metadata: { ...metadata, name: `${account.metadata.name}-token-x7k2p` },
    } as Secret);

    const secret = await ensureServiceAccountToken(client, account);

    expect(secret.metadata.uid).to.equal(left.metadata.uid);
    expect(await referenceOf(account)).to.equal(`${namespace}/${left.metadata.name}`);
  });

  it("takes its own Secret back when another process was faster with another", async () => {
    const account = await anAccount();
    const { metadata, ...rest } = tokenSecret(account);
    const theirs = { ...metadata, name: `${account.metadata.name}-token-rival`, labels: {} };
    const rival = async (verb: string): Promise<void> => {
      if (verb !== "patch") return;
      await client.create({ ...rest, metadata: theirs } as Secret).catch(() => undefined);
      const annotations = { [secretRefAnnotation]: `${namespace}/${theirs.name}` };
      await client.patch(account, { merge: { metadata: { annotations } } });
    };

    const secret = await ensureServiceAccountToken(
      intercept(client, { beforeWrite: rival }),
      account,
    );

    expect(secret.metadata.name).to.equal(theirs.name);
    await eventually(async () => (await secretsOf(account)).length === 1);
  });

  it("gives an account that was made anew a token of its own", async () => {
    const account = await anAccount();
    const first = await ensureServiceAccountToken(client, account);
    await client.delete(refTo(ServiceAccount, account.metadata.name, namespace));
    const { name } = account.metadata;
    const annotations = { [secretRefAnnotation]: `${namespace}/${first.metadata.name}` };
    const anew = await client.create({ ...account, metadata: { name, namespace, annotations } });

    const second = await ensureServiceAccountToken(client, anew);

    expect(second.metadata.name).not.to.equal(first.metadata.name);
    expect(second.data?.token).to.be.a("string");
  });

  it("says what is in the way", async () => {
    const account = await anAccount();
    const { name } = tokenSecret(account).metadata;
    await client.create({ ...refTo(Secret, name, namespace), type: "Opaque" });

    const thrown = await ensureServiceAccountToken(client, account).catch((error) => error);

    expect(thrown).to.be.instanceOf(TemporaryError);
    expect(thrown.message).to.equal(
      `Secret ${namespace}/${name} is in the way of a token: delete it`,
    );
  });

  it("tells that there is no such account", async () => {
    const thrown = await ensureServiceAccountToken(
      client,
      refTo(ServiceAccount, "nobody", namespace),
    ).catch((error) => error);

    expect(thrown).to.include({ code: 404 });
  });

  it("ends with its signal", async () => {
    const account = await anAccount();
    const signal = AbortSignal.abort(new Error("enough"));

    const thrown = await ensureServiceAccountToken(client, account, { signal }).catch((e) => e);

    expect(thrown.message).to.equal("enough");
    expect(await secretsOf(account)).to.deep.equal([]);
  });
});
