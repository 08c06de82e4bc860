import { annotations } from "@drover/crds";
import { uniqueName } from "@drover/env";
import { expect } from "chai";
import type { Client } from "kopf-ts";
import type { Validator } from "kopf-ts/admission";
import type { Namespace } from "kopf-ts/kinds";
import { RunningAdmission } from "../../testing/admission.ts";
import { give } from "../../testing/give.ts";
import { refusal } from "../../testing/refusal.ts";
import { containerLimitAnnotation } from "../names.ts";
import { namespaces } from "./index.ts";

const enforce = "pod-security.kubernetes.io/enforce";
const cluster = uniqueName("c");
const mine = `${cluster}:p-mine`;
const theirs = `${cluster}:p-theirs`;

const namespace = (marks: object = {}, name = uniqueName("shop")): Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, ...marks },
});
const inProject = (id: string): object => ({ annotations: { [annotations.projectId]: id } });

/** What the webhook was asked. */
const asked: string[] = [];
const watched: Validator<Namespace> = {
  ...namespaces,
  validate: (request, context) => {
    asked.push(`${request.operation} ${request.name}`);
    return namespaces.validate(request, context);
  },
};

describe("admission of namespaces", function () {
  this.timeout(60_000);

  let running: RunningAdmission;
  /** Has the verbs on project p-mine alone. */
  let ada: Client;
  /** Has verb updatepsa on all projects, and manage-namespaces on none. */
  let bob: Client;

  before(async () => {
    running = await RunningAdmission.open({ webhooks: [watched] });
    await running.own.create(namespace({}, cluster));
    const [adaName, bobName] = [uniqueName("ada"), uniqueName("bob")];
    const writes = {
      verbs: ["*"],
      apiGroups: [""],
      resources: ["namespaces", "namespaces/status"],
    };
    const projects = { apiGroups: ["management.cattle.io"], resources: ["projects"] };
    await give(running.own, adaName, [writes]);
    await give(running.own, bobName, [writes, { ...projects, verbs: ["updatepsa"] }]);
    const rule = { ...projects, resourceNames: ["p-mine"] };
    await give(
      running.own,
      adaName,
      [
        { ...rule, verbs: ["manage-namespaces"] },
        { ...rule, verbs: ["updatepsa"] },
      ],
      cluster,
    );
    [ada, bob] = [running.as(adaName), running.as(bobName)];
  });
  after(() => running[Symbol.asyncDispose]());

  const create = (client: Client, marks: object): Promise<string> =>
    refusal(client.create(namespace(marks)));
  const patch = (client: Client, object: Namespace, metadata: object): Promise<string> =>
    refusal(client.patch(object, { merge: { metadata } }));

  const needs = (id: string): string =>
    `403 annotation ${annotations.projectId} must not become ${id}: it takes verb manage-namespaces on that project`;

  it("case 38: lets only those move a namespace who may manage the target project's", async () => {
    const object = await ada.create(namespace(inProject(mine)));

    expect(await patch(ada, object, inProject(theirs))).to.equal(needs(theirs));
    expect(await patch(bob, object, inProject(theirs))).to.equal(needs(theirs));
    expect(await patch(bob, object, { labels: { team: "b" } })).to.equal("accepted");
    expect(await patch(running.client, object, inProject(theirs))).to.equal("accepted");
    expect(await patch(bob, object, inProject(mine))).to.equal(needs(mine));
    expect(await patch(ada, object, inProject(mine))).to.equal("accepted");
  });

  it("asks the same of who makes a namespace in a project", async () => {
    expect(await create(ada, inProject(mine))).to.equal("accepted");
    expect(await create(ada, inProject(theirs))).to.equal(needs(theirs));
    expect(await create(ada, {})).to.equal("accepted");
  });

  it("refuses a project that is none", async () => {
    expect(await create(running.client, inProject("p-mine"))).to.equal(
      `400 annotation ${annotations.projectId} must be of the form <cluster>:<project>`,
    );
  });

  it("lets only those change Pod security who may on the namespace's project", async () => {
    const labels = { [enforce]: "privileged" };
    const told = (where: string): string =>
      `403 labels pod-security.kubernetes.io/* must not be changed: it takes verb updatepsa ${where}`;
    const everywhere = told("on projects of all clusters");

    expect(await create(ada, { ...inProject(mine), labels })).to.equal("accepted");
    expect(await create(ada, { labels })).to.equal(everywhere);
    expect(await create(bob, { labels })).to.equal("accepted");

    const object = await running.own.create(namespace({ ...inProject(theirs), labels }));
    const without = { labels: { [enforce]: null } };
    expect(await patch(ada, object, without)).to.equal(told(`on project ${theirs}`));
    expect(await patch(bob, object, without)).to.equal("accepted");
  });

  it("asks the same of who goes by way of a subresource", async () => {
    const object = await running.own.create(namespace());
    const by = (client: Client, metadata: object): Promise<string> =>
      refusal(client.patch(object, { merge: { metadata } }, { subresource: "status" }));

    expect(await by(ada, inProject(theirs))).to.equal(needs(theirs));
    expect(await by(ada, { labels: { [enforce]: "privileged" } })).to.match(/^403 labels pod/);
    expect(await by(ada, inProject(mine))).to.equal("accepted");
    const ways = namespaces.rules.filter(({ operations }) => operations.includes("UPDATE"));
    expect(ways.map(({ subresources }) => subresources)).to.deep.equal([["status", "finalize"]]);
  });

  it("refuses limits of containers below their requests", async () => {
    const limits = (text: string) => ({ annotations: { [containerLimitAnnotation]: text } });

    expect(await create(ada, limits('{"requestsCpu":"2","limitsCpu":"1"}'))).to.equal(
      `400 requestsCpu in annotation ${containerLimitAnnotation} must not be above limitsCpu`,
    );
    expect(await create(ada, limits('{"requestsCpu":"1","limitsCpu":"1"}'))).to.equal("accepted");
  });

  for (const name of ["local", "fleet-local"]) {
    it(`keeps namespace ${name}`, async () => {
      const object = namespace({}, name);
      await refusal(running.own.create(object));

      for (const dryRun of [true, false]) {
        expect(await refusal(running.client.delete(object, { dryRun }))).to.equal(
          `400 namespace ${name} cannot be deleted: the server needs it`,
        );
      }
    });
  }

  it("judges kube-system, but lets it be changed while nobody answers", async () => {
    const rules = namespaces.rules.filter(({ operations }) => operations.includes("CREATE"));

    expect(rules.map(({ suffix, failurePolicy }) => [suffix, failurePolicy])).to.deep.equal([
      ["create-non-kubesystem", undefined],
      ["create-kubesystem-only", "Ignore"],
    ]);
  });

  it("is not asked about what concerns no project", async () => {
    asked.length = 0;

    const object = await ada.create(namespace({ labels: { team: "a" } }));
    await patch(ada, object, { labels: { team: "b" }, annotations: { note: "x" } });
    const held = await ada.create(namespace({ ...inProject(mine), finalizers: ["drover.test/x"] }));
    await patch(ada, held, { labels: { team: "b" } });
    await refusal(ada.delete(object));

    expect(asked.length).to.equal(1);
    expect(asked[0]).to.equal(`CREATE ${held.metadata.name}`);
    await patch(ada, held, { finalizers: [] });
  });
});
