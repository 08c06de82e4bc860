import {
  type AdmissionContext,
  type AdmissionRequest,
  allow,
  deny,
  type Validator,
  type Verdict,
} from "kopf-ts/admission";
import { Role, RoleBinding, Secret } from "kopf-ts/kinds";
import { anyOf, sets } from "../cel.ts";
import { unless } from "../verdicts.ts";
import { machinePlanType } from "./names.ts";
import { ownedBy } from "./owned.ts";
import { planProblem } from "./plan.ts";

const orphans = [
  'request.options.?propagationPolicy.orValue("") == "Orphan"',
  "request.options.?orphanDependents.orValue(false)",
];

/** Refuses to leave roles behind that a Secret owns, and plans that no machine could read. */
export const secrets: Validator<Secret> = {
  kind: Secret,
  rules: [
    {
      operations: ["DELETE"],
      suffix: "delete",
      timeoutSeconds: 15,
      matchConditions: anyOf("orphans-dependents", ...orphans),
    },
    {
      operations: ["CREATE", "UPDATE"],
      suffix: "machine-plan",
      timeoutSeconds: 15,
      matchConditions: [
        ...anyOf("machine-plan", `object.?type.orValue("") == "${machinePlanType}"`),
        ...anyOf("plan-changes", sets(".?data.?plan")),
      ],
    },
  ],
  validate: (request, context) => {
    if (request.operation === "DELETE") return judgeDeletion(request, context);
    const { type, data } = request.object;
    return type === machinePlanType ? unless(planProblem(data?.plan), 400) : allow();
  },
};

async function judgeDeletion(
  { oldObject, options }: AdmissionRequest<Secret> & { readonly operation: "DELETE" },
  { client, signal }: AdmissionContext,
): Promise<Verdict> {
  const orphaned = options.propagationPolicy === "Orphan" || options.orphanDependents === true;
  if (!orphaned) return allow();
  // Live, for this is rare, and such roles may be as young as their Secret.
  const { namespace } = oldObject.metadata;
  const [roles, bindings] = await Promise.all([
    client.list(Role, { namespace, signal }),
    client.list(RoleBinding, { namespace, signal }),
  ]);
  const left = [...roles.items, ...bindings.items].find(ownedBy(oldObject));
  if (left === undefined) return allow();
  const { kind, metadata } = left;
  return deny(
    400,
    `propagationPolicy must not be Orphan: ${kind} ${metadata.name} belongs to the Secret and would stay without it`,
  );
}
