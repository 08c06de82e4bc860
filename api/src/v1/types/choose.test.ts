import { expect } from "chai";
import type { ServedKind } from "kopf-ts";
import { chooseKinds } from "./choose.ts";

const everything = ["create", "delete", "get", "list", "patch", "update", "watch"];

/** `group/version Kind`, in a version that its group prefers when a star is in front. */
function served(text: string, verbs: readonly string[] = everything, plural?: string): ServedKind {
  const [apiVersion = "", kind = ""] = text.replace("*", "").split(" ");
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  return {
    ...{ group, version, kind, verbs, preferred: text.startsWith("*"), scope: "Namespaced" },
    ...{ plural: plural ?? `${kind.toLowerCase()}s`, singular: "", shortNames: [] },
    ...{ categories: [], subresources: [] },
  };
}

/** As `id apiVersion/plural`, with what is preferred. */
function chosen(...kinds: readonly ServedKind[]): readonly string[] {
  return [...chooseKinds(kinds)].map(([id, { served, preferredVersion, preferredGroup }]) => {
    const { group, version, plural } = served;
    const place = `${group === "" ? "" : `${group}/`}${version}/${plural}`;
    return [id, place, preferredVersion, preferredGroup].filter(Boolean).join(" ");
  });
}

describe("chooseKinds", () => {
  for (const { name, kinds, expected } of [
    {
      name: "names the core group's kinds alone",
      kinds: [served("*v1 Pod")],
      expected: ["pod v1/pods"],
    },
    {
      name: "names others behind their group, in lower case",
      kinds: [served("*apps/v1 Deployment"), served("*Management.cattle.io/v3 GlobalRole")],
      expected: [
        "apps.deployment apps/v1/deployments",
        "management.cattle.io.globalrole Management.cattle.io/v3/globalroles",
      ],
    },
    {
      name: "takes the preferred version",
      kinds: [served("*batch/v1 Job"), served("batch/v1beta1 Job")],
      expected: ["batch.job batch/v1/jobs"],
    },
    {
      name: "takes the preferred version wherever it stands",
      kinds: [served("batch/v1beta1 Job"), served("*batch/v1 Job")],
      expected: ["batch.job batch/v1/jobs"],
    },
    {
      name: "takes another version of what the preferred one lacks",
      kinds: [
        served("*batch/v1 Job"),
        served("batch/v1beta1 CronJob"),
        served("batch/v1alpha1 CronJob"),
      ],
      expected: ["batch.job batch/v1/jobs", "batch.cronjob batch/v1beta1/cronjobs v1"],
    },
    {
      name: "lets extensions lose to apps",
      kinds: [
        served("*extensions/v1beta1 Deployment"),
        served("*extensions/v1beta1 Other"),
        served("*apps/v1 Deployment"),
        served("apps/v1beta1 Deployment"),
      ],
      expected: [
        "extensions.other extensions/v1beta1/others apps",
        "apps.deployment apps/v1/deployments",
      ],
    },
    {
      name: "keeps extensions where apps has not the kind in that version",
      kinds: [served("*extensions/v1beta1 Deployment"), served("*apps/v1 Deployment")],
      expected: [
        "extensions.deployment extensions/v1beta1/deployments apps",
        "apps.deployment apps/v1/deployments",
      ],
    },
    {
      name: "takes autoscaling/v2beta2 for v1 where it is served",
      kinds: [served("*autoscaling/v1 Scaler"), served("autoscaling/v2beta2 Scaler")],
      expected: ["autoscaling.scaler autoscaling/v2beta2/scalers"],
    },
    {
      name: "keeps autoscaling/v1 where v2beta2 is not",
      kinds: [served("*autoscaling/v1 Scaler"), served("autoscaling/v2beta1 Scaler")],
      expected: ["autoscaling.scaler autoscaling/v1/scalers"],
    },
    {
      name: "leaves a preferred autoscaling/v2 alone",
      kinds: [served("*autoscaling/v2 Scaler"), served("autoscaling/v2beta2 Scaler")],
      expected: ["autoscaling.scaler autoscaling/v2/scalers"],
    },
    {
      name: "lets Ingress go to networking.k8s.io",
      kinds: [served("*extensions/v1beta1 Ingress"), served("*networking.k8s.io/v1beta1 Ingress")],
      expected: ["networking.k8s.io.ingress networking.k8s.io/v1beta1/ingresss"],
    },
    {
      name: "does not leave out by version what cannot be listed and watched, and takes the preferred",
      kinds: [
        served("authorization.k8s.io/v1beta1 SubjectAccessReview", ["create"]),
        served("*authorization.k8s.io/v1 SubjectAccessReview", ["create"]),
        served("authorization.k8s.io/v1beta1 Other", ["create"]),
      ],
      expected: [
        "authorization.k8s.io.subjectaccessreview authorization.k8s.io/v1/subjectaccessreviews",
        "authorization.k8s.io.other authorization.k8s.io/v1beta1/others v1",
      ],
    },
    {
      name: "takes the resource that can be kept, of two with one kind",
      kinds: [
        served("*example.com/v1 Thing", ["get"], "views"),
        served("*example.com/v1 Thing", everything, "things"),
      ],
      expected: ["example.com.thing example.com/v1/things"],
    },
  ]) {
    it(name, () => {
      expect(chosen(...kinds)).to.deep.equal(expected);
    });
  }
});
