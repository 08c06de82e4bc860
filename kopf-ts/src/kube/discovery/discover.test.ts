import { type ControlPlane, testEnv } from "@drover/env";
import { expect } from "chai";
import type { Client } from "../client.ts";
import { loadConfig } from "../config/load.ts";
import { connect } from "../connect.ts";
import {
  clientOf,
  fail,
  json,
  loopback,
  rejection,
  type Script,
} from "../loopback.test.support.ts";
import { discover, discoverAgain, kindsOfVersion, type ServedKind } from "./discover.ts";

/** A server from before aggregated discovery, with one group that does not answer. */
const old: Script = (response, { path }) => {
  const resources = [{ name: "pods", kind: "Pod", namespaced: true, verbs: ["get"] }];
  const groups = ["good/v1", "bad/v1"].map((groupVersion) => ({
    versions: [{ groupVersion }],
    preferredVersion: { groupVersion },
  }));
  if (path === "/api") return json(response, { kind: "APIVersions", versions: ["v1"] });
  if (path === "/apis") return json(response, { kind: "APIGroupList", groups });
  if (path === "/apis/bad/v1") return fail(response, 501, "NotImplemented");
  return json(response, { kind: "APIResourceList", resources });
};

describe("discover", function () {
  this.timeout(20_000);
  let plane: ControlPlane;
  let client: Client;
  before(async function () {
    this.timeout(90_000);
    plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
  });
  after(() => client[Symbol.asyncDispose]());

  it("finds every kind of a real API server", async () => {
    const { kinds, failures } = await discover(client);

    const find = (group: string, plural: string): ServedKind | undefined =>
      kinds.find((kind) => kind.group === group && kind.plural === plural);
    expect(failures).to.deep.equal([]);
    expect(find("", "pods")).to.deep.include({
      kind: "Pod",
      scope: "Namespaced",
      shortNames: ["po"],
    });
    expect(find("", "pods")?.subresources).to.include.members(["log", "status", "eviction"]);
    expect(find("apps", "deployments")?.verbs).to.include.members(["list", "watch", "patch"]);
    expect(find("", "nodes")?.scope).to.equal("Cluster");
  });

  it("finds the same in the older form", async () => {
    const aggregated = (await discover(client)).kinds;
    const apps = aggregated.filter(({ group, version }) => group === "apps" && version === "v1");

    const listed = (await kindsOfVersion(client, "apps/v1")) ?? [];

    const strip = (kinds: readonly ServedKind[]): unknown =>
      kinds
        .map(({ preferred: _, ...kind }) => ({
          ...kind,
          verbs: kind.verbs.toSorted(),
          subresources: kind.subresources.toSorted(),
        }))
        .toSorted((a, b) => (a.plural < b.plural ? -1 : 1));
    expect(strip(listed)).to.deep.equal(strip(apps));
    expect(await kindsOfVersion(client, "nope.example.com/v1")).to.equal(undefined);
  });

  it("asks again only for what has changed", async () => {
    const first = await discoverAgain(client, undefined);

    expect(await discoverAgain(client, first)).to.equal(first);
  });

  it("asks version by version where nothing is aggregated; one that fails is told, the rest found", async () => {
    await using server = await loopback(old);
    await using older = clientOf(server);

    const { kinds, failures } = await discover(older);

    expect(
      kinds.map(({ group, version, plural }) => `${group}/${version}/${plural}`),
    ).to.deep.equal(["/v1/pods", "good/v1/pods"]);
    expect(kinds.every(({ preferred }) => preferred)).to.equal(true);
    expect(failures.map(({ apiVersion }) => apiVersion)).to.deep.equal(["bad/v1"]);
    expect(failures[0]?.message).to.equal("GET /apis/bad/v1: said NotImplemented");
  });

  it("prefers the newest form", async () => {
    await using server = await loopback(old);
    await using older = clientOf(server);

    await discover(older);

    expect(server.seen[0]?.headers.accept).to.equal(
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
    );
  });

  it("fails where the roots do", async () => {
    await using server = await loopback((response) => fail(response, 403, "Forbidden"));
    await using barred = clientOf(server);

    expect(await rejection(discover(barred))).to.include({ code: 403 });
  });

  it("fails on what is no API server", async () => {
    await using server = await loopback((response) => void response.end("<html>"));
    await using wrong = clientOf(server);

    expect(await rejection(discover(wrong))).to.include({ code: 0, reason: "BadAnswer" });
  });
});
