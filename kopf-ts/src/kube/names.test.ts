import { type ControlPlane, freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import type { Client } from "./client.ts";
import { loadConfig } from "./config/load.ts";
import { connect } from "./connect.ts";
import { RestMapper } from "./discovery/mapper.ts";
import { defineKind, refTo } from "./kind.ts";
import { aConfigMap, ConfigMap, rejection } from "./loopback.test.support.ts";

const Namespace = defineKind({
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  scope: "Cluster",
});

describe("names that lead elsewhere, at a real API server,", function () {
  this.timeout(20_000);
  let plane: ControlPlane;
  let client: Client;
  let namespace: string;
  before(async function () {
    this.timeout(90_000);
    plane = await testEnv();
    const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
    client = connect(config, { kinds: [Namespace] });
  });
  after(() => client[Symbol.asyncDispose]());
  beforeEach(async () => {
    namespace = await freshNamespace(plane);
    await client.create(aConfigMap("a", namespace));
  });

  it("do not delete a whole collection", async () => {
    const error = await rejection(client.delete(refTo(Namespace, `${namespace}/configmaps`)));

    expect(error).to.include({ code: 0, reason: "BadRequest" });
    expect(await client.find(ConfigMap, "a", { namespace })).to.have.property("metadata");
  });

  it("do not read or change objects of another kind", async () => {
    const name = `${namespace}/configmaps/a`;
    const errors = [
      await rejection(client.get(Namespace, name)),
      await rejection(client.find(Namespace, name)),
      await rejection(client.patch(refTo(Namespace, name), { merge: { data: { x: "1" } } })),
      await rejection(client.list(ConfigMap, { namespace: `${namespace}/secrets` })),
    ];

    for (const error of errors) expect(error).to.include({ code: 0, reason: "BadRequest" });
    expect((await client.get(ConfigMap, "a", { namespace })).data).to.equal(undefined);
  });

  it("do not ask for other paths when an apiVersion holds them", async () => {
    const lookup = new RestMapper(client).kindFor(`v1/../../api/v1/namespaces`, "X");

    expect(await rejection(lookup)).to.include({ code: 0, reason: "BadRequest" });
  });
});
