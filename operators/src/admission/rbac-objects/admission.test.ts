import { labels } from "@drover/crds";
import { freshNamespace, uniqueName } from "@drover/env";
import { expect } from "chai";
import { apiVersionOf, type Kind, type KubeObject } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "kopf-ts/kinds";
import { RunningAdmission } from "../../testing/admission.ts";
import { cluster } from "../../testing/concern.ts";
import { anyVersion, refusal } from "../testing/people.ts";
import { rbacObjectValidators } from "./index.ts";

describe("roles and bindings of global roles, as the API server accepts them", function () {
  this.timeout(60_000);

  let running: RunningAdmission;
  let namespace: string;

  before(async () => {
    running = await RunningAdmission.open({ webhooks: rbacObjectValidators });
    namespace = await freshNamespace(await cluster());
  });
  after(() => running[Symbol.asyncDispose]());

  const object = (
    kind: Kind,
    given: Readonly<Record<string, string>>,
    finalizers: string[] = [],
  ) => ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      name: uniqueName("owned"),
      labels: given,
      finalizers,
      ...(kind.scope === "Namespaced" && { namespace }),
    },
    ...(kind.plural.endsWith("bindings") && {
      roleRef: { apiGroup: kind.group, kind: "ClusterRole", name: "view" },
    }),
  });
  const relabel = (made: KubeObject, label: string, value: string | null) =>
    running.client.patch(anyVersion(made), { merge: { metadata: { labels: { [label]: value } } } });

  for (const { kind, label } of [
    { kind: Role, label: labels.globalRoleOwner },
    { kind: ClusterRole, label: labels.globalRoleOwner },
    { kind: RoleBinding, label: labels.globalRoleBindingOwner },
    { kind: ClusterRoleBinding, label: labels.globalRoleBindingOwner },
  ]) {
    it(`keep the label of their owner: ${kind.kind}`, async () => {
      const made = await running.client.create(object(kind, { [label]: "ranger" }));

      const changed = await refusal(relabel(made, label, "other"));
      const removed = await refusal(relabel(made, label, null));
      await relabel(made, "color", "blue");

      expect([changed.code, removed.code]).to.deep.equal([400, 400]);
      expect(changed.message).to.contain(
        `label ${label} is immutable: it cannot be changed or removed`,
      );
    });

    it(`may get one, and lose it while being deleted: ${kind.kind}`, async () => {
      const made = await running.client.create(object(kind, {}, ["drover.test/hold"]));

      await relabel(made, label, "ranger");
      await running.client.delete(anyVersion(made));
      await relabel(made, label, null);
      await running.client.patch(anyVersion(made), { merge: { metadata: { finalizers: null } } });
    });
  }
});
