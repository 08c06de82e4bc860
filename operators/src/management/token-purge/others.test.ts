import { SamlToken, Token } from "@drover/crds";
import { aSamlToken, aToken } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { createExtToken, type NewToken } from "@drover/platform";
import { expect } from "chai";
import { type Client, isAlreadyExists, refTo } from "kopf-ts";
import { ConfigMap, Namespace, Secret } from "kopf-ts/kinds";
import { eventually, fakeClock } from "kopf-ts/testing";
import { cluster, RunningConcern } from "../../testing/concern.ts";
import { extTokenPurge, samlTokenPurge, tokenPurge } from "./index.ts";
import { holdToken } from "./testing/hold.ts";

const second = 1_000;
const minute = 60 * second;
const namespace = "cattle-tokens";

async function ensureNamespace(client: Client, name: string): Promise<void> {
  await client.create(refTo(Namespace, name)).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** An ext token made as the API does; the setting's standard is its time to live. */
async function anExtToken(
  { client, label }: RunningConcern,
  ttl: number,
  userId = "user-ada",
): Promise<NewToken & { readonly secret: Secret }> {
  const settings = { milliseconds: () => ttl };
  const principal = { metadata: { name: "local://user-ada" } };
  const request = { userId, kind: "kubeconfig", principal, provider: "local" };
  const metadata = { labels: { test: label } };
  const made = await createExtToken(
    { ...request, metadata },
    { client, settings, now: Date.now() },
  );
  const secret = await client.get(Secret, made.token.name, { namespace });
  return { ...made, secret };
}

const deletes = ({ sent }: RunningConcern) => sent.filter(({ verb }) => verb === "delete");
const writes = ({ sent }: RunningConcern) =>
  sent.filter(
    ({ verb, resource }) => resource === "secrets" && !["get", "list", "watch"].includes(verb),
  );

async function runs(concern: RunningConcern, controller: string, count: number): Promise<boolean> {
  const series = `controller_runtime_reconcile_total{controller="${controller}"`;
  const again = await concern.metric(`${series},result="requeue_after"}`);
  return again + (await concern.metric(`${series},result="success"}`)) >= count;
}

describe("ext-token-purge on an API server", function () {
  this.timeout(60_000);

  before(async () => {
    await cluster();
    await using concern = await RunningConcern.open();
    await ensureNamespace(concern.client, namespace);
    await ensureNamespace(concern.client, "cattle-global-data");
  });

  it("case 84: deletes the expired ext token at its end, and not the valid one", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(extTokenPurge({ metrics: concern.metrics }));

    const valid = await anExtToken(concern, 60 * minute);
    const endless = await anExtToken(concern, 0);
    const { secret } = await anExtToken(concern, 3 * second);
    await eventually(async () => (await concern.find(Secret, secret)) === undefined, {
      within: 10 * second,
    });

    const end = Date.parse(secret.metadata.creationTimestamp ?? "") + 3 * second;
    expect(Date.now() - end).to.be.within(0, 2 * second);
    expect(await concern.find(Secret, valid.secret)).to.not.equal(undefined);
    expect(await concern.find(Secret, endless.secret)).to.not.equal(undefined);
    await eventually(() => writes(concern).length === 1);
    await eventually(
      async () => (await concern.metric('drover_tokens_purged_total{store="ext"}')) === 1,
    );
  });

  it("watches nothing but Secrets of ext tokens", () => {
    expect(extTokenPurge().select).to.deep.equal({
      namespace: "cattle-tokens",
      labelSelector: "cattle.io/kind=token",
    });
  });

  it("leaves other Secrets alone, whatever they say", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(extTokenPurge());
    const { secret } = await anExtToken(concern, 60 * minute);
    const { data, type } = secret;
    const metadata = { name: uniqueName("other"), namespace, labels: { test: concern.label } };
    const other = { ...secret, metadata, ...(type && { type }), data: { ...data, ttl: "MA==" } };
    await concern.client.create(other);

    const expired = await anExtToken(concern, 1);
    await eventually(async () => (await concern.find(Secret, expired.secret)) === undefined);

    expect(await concern.find(Secret, other)).to.not.equal(undefined);
    await eventually(() => deletes(concern).length === 1);
  });

  it("takes the kubeconfig of a token along, by its ownerReferences", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(extTokenPurge());
    const { secret } = await anExtToken(concern, 3 * second);
    const { name, uid = "" } = secret.metadata;
    const owner = { apiVersion: "v1", kind: "Secret", name, uid };
    const metadata = { name: uniqueName("kubeconfig"), namespace, ownerReferences: [owner] };
    const kubeconfig = await concern.client.create({
      ...refTo(ConfigMap, metadata.name),
      metadata,
    });

    await eventually(async () => (await concern.find(ConfigMap, kubeconfig)) === undefined, {
      within: 40 * second,
    });

    expect(await concern.find(Secret, secret)).to.equal(undefined);
    await eventually(() => deletes(concern).length === 1);
  });

  it("tells of one whose end cannot be told, and shows no value and no hash", async () => {
    await using concern = await RunningConcern.open();
    await concern.run(extTokenPurge({ metrics: concern.metrics }));
    const { secret, value } = await anExtToken(concern, 60 * minute);
    const ttl = Buffer.from("s3cr3t").toString("base64");
    await concern.client.patch(secret, { merge: { data: { ttl } } });
    await anExtToken(concern, 1);

    await eventually(
      async () => (await concern.metric('drover_tokens_purged_total{store="ext"}')) === 1,
    );
    await eventually(() => concern.lines.some((line) => line.includes("not whole milliseconds")));
    await concern.flush();

    const hash = Buffer.from(secret.data?.hash ?? "", "base64").toString();
    const told = JSON.stringify([...concern.lines, await concern.metrics.text()]);
    for (const text of ["s3cr3t", ttl, hash, value.reveal().slice(-54)]) {
      expect(told).to.not.contain(text);
    }
    expect(await concern.find(Secret, secret)).to.not.equal(undefined);
  });

  it("spares a token that was changed at the last moment", async () => {
    const clock = fakeClock(Date.now());
    await using concern = await RunningConcern.open({ clock });
    await concern.run(extTokenPurge());
    const { secret } = await anExtToken(concern, 60 * minute);
    await eventually(() => runs(concern, "ext-token-purge", 1));

    const ttl = Buffer.from(String(600 * minute)).toString("base64");
    await concern.client.patch(secret, { merge: { data: { ttl } } });
    await eventually(() => runs(concern, "ext-token-purge", 2));
    clock.setNow(clock.now() + 61 * minute);
    await clock.advance(10 * second);

    expect(await concern.find(Secret, secret)).to.not.equal(undefined);
    expect(deletes(concern)).to.deep.equal([]);
  });
});

describe("saml-token-purge on an API server", function () {
  this.timeout(60_000);

  before(async () => {
    await cluster();
    await using concern = await RunningConcern.open();
    await ensureNamespace(concern.client, "cattle-global-data");
  });

  it("case 84: deletes a SAML token after fifteen minutes, and not before", async () => {
    const clock = fakeClock(Date.now());
    await using concern = await RunningConcern.open({ clock });
    await concern.run(samlTokenPurge({ metrics: concern.metrics }));
    const token = await concern.create(aSamlToken());
    await eventually(() => runs(concern, "saml-token-purge", 1));

    await clock.advance(14 * minute);
    const kept = await concern.find(SamlToken, token);
    await clock.advance(2 * minute);

    expect(kept).to.not.equal(undefined);
    await eventually(async () => (await concern.find(SamlToken, token)) === undefined);
    await eventually(
      async () => (await concern.metric('drover_tokens_purged_total{store="saml"}')) === 1,
    );
    expect(JSON.stringify(concern.lines)).to.not.contain("encrypted");
  });

  it("leaves those of other namespaces alone", () => {
    expect(samlTokenPurge().select).to.deep.equal({ namespace: "cattle-global-data" });
  });
});

describe("all purges together", function () {
  this.timeout(60_000);

  it("case 84: go on with the other stores and tokens when one token cannot be deleted", async () => {
    await using concern = await RunningConcern.open();
    await using ext = await RunningConcern.open();
    await ensureNamespace(concern.client, namespace);
    const held = await concern.create(aToken({ ttl: 1 }));
    await using _ = await holdToken(concern.client, held.metadata.name);
    await concern.run(tokenPurge({ metrics: concern.metrics }));
    await ext.run(extTokenPurge({ metrics: ext.metrics }));

    const [valid, expired] = await Promise.all([
      concern.create(aToken({ ttl: 60 * minute })),
      concern.create(aToken({ ttl: 1 })),
    ]);
    const { secret } = await anExtToken(ext, 1);

    await eventually(async () => (await concern.find(Token, expired)) === undefined);
    await eventually(async () => (await concern.find(Secret, secret)) === undefined);
    await eventually(() => concern.lines.some((line) => line.includes("may not be deleted")));
    expect(await concern.find(Token, held)).to.not.equal(undefined);
    expect(await concern.find(Token, valid)).to.not.equal(undefined);
  });
});
