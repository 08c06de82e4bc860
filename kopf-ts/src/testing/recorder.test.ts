import { freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, defineKind, loadConfig } from "../kube/index.ts";
import { recordTransport } from "./recorder.ts";

const Secrets = defineKind({
  group: "",
  version: "v1",
  plural: "secrets",
  kind: "Secret",
  scope: "Namespaced",
});

describe("recordTransport", function () {
  this.timeout(60_000);
  let client: Client;
  let namespace: string;

  before(async () => {
    const controlPlane = await testEnv();
    namespace = await freshNamespace(controlPlane);
    client = connect(await loadConfig({ kubeconfig: controlPlane.kubeconfigPath }));
  });

  after(() => client[Symbol.asyncDispose]());

  const secret = (
    data: Record<string, string> = {},
  ): Parameters<Client["create"]>[0] & { data: object } => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "a", namespace },
    data,
  });

  it("keeps every call with its path and what was sent", async () => {
    const recording = recordTransport(client);
    const recorded = recording.client;
    const place = `/api/v1/namespaces/${namespace}/secrets`;

    await recorded.create(secret());
    await recorded.find(Secrets, "b", { namespace });
    await recorded.list(Secrets, { namespace });
    await recorded.patch(secret(), { merge: { data: null } });
    await recorded.apply(secret(), { fieldManager: "x" });
    await recorded.request({ method: "GET", path: "/version" });
    await recorded.delete(secret());
    await recorded.deleteCollection(Secrets, { namespace });

    expect(
      recording.calls.map(({ verb, method, path }) => `${verb} ${method} ${path}`),
    ).to.deep.equal([
      `create POST ${place}`,
      `get GET ${place}/b`,
      `list GET ${place}`,
      `patch PATCH ${place}/a`,
      `apply PATCH ${place}/a`,
      "request GET /version",
      `delete DELETE ${place}/a`,
      `deletecollection DELETE ${place}`,
    ]);
    expect(recording.writes.map(({ verb }) => verb)).to.deep.equal([
      ...["create", "patch", "apply", "delete", "deletecollection"],
    ]);
    expect(recording.calls[3]?.body).to.deep.equal({ data: null });
  });

  it("has one digest for the same body and another for another", async () => {
    const recording = recordTransport(client, [Secrets]);
    const apply = (data: Record<string, string>): Promise<unknown> =>
      recording.client.apply(secret(data), { fieldManager: "x" });

    await apply({});
    await apply({});
    await apply({ a: "eA==" });

    const [one, same, other] = recording.calls.map(({ digest }) => digest);
    expect(one)
      .to.equal(same)
      .and.to.match(/^[0-9a-f]{64}$/);
    expect(other).to.not.equal(one);
  });

  it("keeps a call that failed, and what was sent as it was then", async () => {
    const recording = recordTransport(client);
    const data: Record<string, string> = { a: "not base64" };
    const created = recording.client.create(secret(data)).catch((error) => error.code);

    expect(await created).to.equal(400);
    data.a = "changed";
    expect(recording.calls[0]?.body).to.have.nested.property("data.a", "not base64");
    recording.clear();
    expect(recording.calls).to.deep.equal([]);
  });

  it("records clients that act for somebody else", async () => {
    const recording = recordTransport(client);
    await recording.client
      .as({ user: "nobody" })
      .find(Secrets, "a", { namespace })
      .catch(() => undefined);
    expect(recording.calls.length).to.equal(1);
  });
});
