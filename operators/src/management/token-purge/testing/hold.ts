import { Token } from "@drover/crds";
import { aToken } from "@drover/crds/testing";
import { uniqueName } from "@drover/env";
import { type Client, defineKind, refTo } from "kopf-ts";
import { eventually } from "kopf-ts/testing";

const group = { group: "admissionregistration.k8s.io", version: "v1", scope: "Cluster" } as const;
const Policy = defineKind({
  ...group,
  plural: "validatingadmissionpolicies",
  kind: "ValidatingAdmissionPolicy",
});
const Binding = defineKind({
  ...group,
  plural: "validatingadmissionpolicybindings",
  kind: "ValidatingAdmissionPolicyBinding",
});

/** An admission policy takes effect some time after it was written, and also ends some time after. */
const within = 20_000;

/** Keeps the API server from deleting one token; resolves when it does so. Disposing it ends that. */
export async function holdToken(client: Client, token: string): Promise<AsyncDisposable> {
  const name = uniqueName("hold");
  const probe = { ...aToken({ ttl: 0 }), metadata: { name: `${name}-probe` } };
  const isHeld = (): Promise<boolean> =>
    client.delete(refTo(Token, probe.metadata.name), { dryRun: true }).then(
      () => false,
      () => true,
    );
  await client.create(policy(name, [token, probe.metadata.name]));
  await client.create({
    ...refTo(Binding, name),
    spec: { policyName: name, validationActions: ["Deny"] },
  });
  await client.create(probe);
  await eventually(isHeld, { within, what: "the policy takes effect" });

  return {
    [Symbol.asyncDispose]: async () => {
      await client.delete(refTo(Binding, name));
      await client.delete(refTo(Policy, name));
      await eventually(async () => !(await isHeld()), { within, what: "the policy has ended" });
      await client.delete(refTo(Token, probe.metadata.name));
    },
  };
}

function policy(name: string, tokens: readonly string[]) {
  const rule = {
    apiGroups: [Token.group],
    apiVersions: ["*"],
    resources: [Token.plural],
    operations: ["DELETE"],
  };
  const expression = `!(oldObject.metadata.name in ${JSON.stringify(tokens)})`;
  return {
    ...refTo(Policy, name),
    spec: {
      failurePolicy: "Fail",
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression, message: "this token may not be deleted" }],
    },
  };
}
