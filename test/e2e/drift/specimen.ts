/** One object of each group, what is done to it, and what has to become of it. */

import { labels, Project, projectSecretAnnotations, roleTemplateLabels } from "@drover/crds";
import { expect } from "chai";
import { type Client, isNotFound, type KubeObject, keyOf } from "kopf-ts";
import { eventually } from "../drover.ts";
import type { Side } from "../pair.ts";
import { collect, type Found, type Group } from "./collect.ts";
import { change, content, twin, unlabel } from "./damage.ts";

/** Milliseconds within which everything is as it was. */
const patience = 15_000;

/** An object as it was when nobody had touched it. */
export interface Specimen extends Found {
  readonly group: string;
  readonly side: Side;
  readonly client: Client;
}

/**
 * What bears one of these and no mark is a Rancher's, which we succeed: it goes when nothing asks for it. On the hub that are the labels that name owners, in
 * other clusters they prove nothing.
 */
const signs: Readonly<Record<Side, readonly string[]>> = {
  hub: [
    ...[labels.globalRoleOwner, labels.globalRoleBindingOwner],
    roleTemplateLabels.clusterRoleOwner,
  ],
  cluster: [projectSecretAnnotations.copy],
};

/** One of each group, the tenant's rather than what every server has. */
export async function specimensOf(side: Side, client: Client): Promise<readonly Specimen[]> {
  return (await collect(client)).map(({ name, members }: Group) => {
    const [first, ...others] = members;
    if (first === undefined) throw new Error(`group ${name} is empty`);
    const tenants = [first, ...others].find(({ object }) => /drift|u-jane/.test(keyOf(object)));
    return { group: name, side, client, ...(tenants ?? first) };
  });
}

/** Makes something beside each one that looks like it and is nobody's; none for bindings and such, which are as good when people make them. */
export async function plantTwins(specimens: readonly Specimen[]): Promise<readonly Specimen[]> {
  const ones = specimens.filter(({ kind }) => kind.group !== Project.group);
  return Promise.all(
    ones.map(async (one) => {
      const object = await one.client.create(twin(one.object, signs[one.side]));
      return { ...one, object };
    }),
  );
}

/** A paragraph for each one that a check fails for, all of them checked at once. */
export async function failures(
  specimens: readonly Specimen[],
  check: (specimen: Specimen) => Promise<void>,
): Promise<string> {
  const ended = await Promise.allSettled(specimens.map(check));
  const found = ended.flatMap((each, at) => {
    const { side, group, object } = specimens[at] ?? {};
    const what = `${side}: ${group}: ${object && keyOf(object)}`;
    return each.status === "fulfilled" ? [] : [`${what}: ${each.reason.message}`];
  });
  return found.join("\n");
}

/** What it is for comes back when somebody takes it away. */
export async function changed(specimen: Specimen): Promise<void> {
  await patched(specimen, change(specimen.object));
}

/** Its labels come back when somebody takes them away. */
export async function relabelled(specimen: Specimen): Promise<void> {
  const { labels } = specimen.object.metadata;
  if (labels === undefined) return;
  await patched(specimen, unlabel(specimen.object));
}

/** What it stands on may be damaged at the same time, so that it is gone for a moment. */
async function patched(specimen: Specimen, merge: object): Promise<void> {
  const { client, object } = specimen;
  const patch = async (): Promise<KubeObject | undefined> => {
    try {
      return await client.patch(object, { merge });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const after = await eventually("object to patch", patch, patience);
  expect(content(after), "the patch changes nothing").to.not.equal(content(object));
  await restored(specimen, () => true);
}

/** Another one takes its place when somebody deletes it. */
export async function deleted(specimen: Specimen): Promise<void> {
  const { client, object } = specimen;
  const before = await current(specimen);
  await client.delete(object, { preconditions: "none" });
  await restored(specimen, ({ metadata }) => metadata.uid !== before?.metadata.uid);
}

/** It is the same, with all that it said. */
export async function untouched(specimen: Specimen): Promise<void> {
  const now = await current(specimen);
  expect(now?.metadata.uid).to.equal(specimen.object.metadata.uid);
  expect(now && content(now)).to.equal(content(specimen.object));
}

async function restored(specimen: Specimen, counts: (now: KubeObject) => boolean): Promise<void> {
  const wanted = content(specimen.object);
  let last: KubeObject | undefined;
  const look = async (): Promise<true | undefined> => {
    last = await current(specimen);
    return last !== undefined && counts(last) && content(last) === wanted ? true : undefined;
  };
  const difference = (): string => `wanted ${wanted}\nfound  ${last && content(last)}`;
  await eventually("repair", look, patience, difference);
}

async function current({ client, kind, object }: Specimen): Promise<KubeObject | undefined> {
  const { name, namespace } = object.metadata;
  return client.find(kind, name, { namespace });
}
