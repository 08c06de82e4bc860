/** What conditions of any kind say of something that goes on (wrangler: pkg/summary/summarizers.go, checkGenericTransitioning). */

import { type Condition, type Draft, failed, goesOn, type Step } from "./draft.ts";

/** Stands for the reason of the condition. */
const reason = "%REASON%";

/** The state while a condition is Unknown; False is an error. */
const untilTrue: Readonly<Record<string, string>> = {
  ...named("activating", "Active", "InitialRolesPopulated"),
  ...named("provisioning", "AddonDeploy", "AgentDeployed", "CertsGenerated", "DockerProvisioned"),
  ...named("provisioning", "etcd", "NodesCreated", "Provisioned"),
  ...named("configuring", "BackingNamespaceCreated", "ConfigOK", "CreatorMadeOwner"),
  ...named("configuring", "DefaultNamespaceAssigned", "DefaultNetworkPolicyCreated"),
  ...named("configuring", "DefaultProjectCreated"),
  ...named("building", "Built"),
  ...named("creating", "Created"),
  ...named("deploying", "Deployed"),
  ...named("draining", "Drained"),
  ...named("downloading", "Downloaded"),
  ...named("deactivating", "Inactive"),
  ...named("initializing", "Initialized"),
  ...named("installing", "Installed"),
  ...named("pending", "Pending", "ScalingActive", "AbleToScale"),
  ...named("scheduling", "PodScheduled"),
  ...named("reconciling", "Reconciled"),
  ...named("refreshed", "Refreshed"),
  ...named("registering", "Registered"),
  ...named("removing", "Removed"),
  ...named("saving", "Saved"),
  ...named("updating", "Updated", "Updating"),
  ...named("upgrading", "Upgraded"),
  ...named("waiting", "Waiting"),
  ...named("running", "RunCompleted"),
  ...named("processed", "Processed"),
  ...named(reason, "NodeHealthy", "NodeReady"),
};

/** The state while a condition is True. */
const whileTrue: Readonly<Record<string, string>> = {
  ...named("reconciling", "Reconciling"),
  ...named(reason, "ScalingUp", "ScalingDown", "Deleting", "Paused"),
};

/** The state while a condition is False; Unknown is an error. */
const whileFalse: Readonly<Record<string, string>> = {
  ...named("activating", "Completed"),
  ...named("unavailable", "Ready"),
  ...named("updating", "Available", "MachinesReady"),
  ...named(reason, "BootstrapConfigReady", "InfrastructureReady"),
};

function named(state: string, ...types: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(types.map((type) => [type, state]));
}

/** How far infrastructure providers have come, which tells people nothing. */
export const stepCounter: RegExp = /^\d+ of \d+ completed$/;

/** Three passes over the conditions; only the errors of the first take the place of a state that was there. */
export const transitioning: Step = ({ conditions }, draft) => {
  for (const condition of conditions) notTrue(condition, draft);
  for (const condition of conditions) if (draft.state === "") stillTrue(condition, draft);
  for (const condition of conditions) if (draft.state === "") stillFalse(condition, draft);
  if (draft.state === "") unready(conditions, draft);
};

function notTrue(condition: Condition, draft: Draft): void {
  const state = stateIn(untilTrue, condition);
  if (state === undefined) return;
  if (condition.status === "False") failed(draft, state, condition.message);
  else if (condition.status === "Unknown" && draft.state === "") {
    goesOn(draft, state, condition.message);
  }
}

function stillTrue(condition: Condition, draft: Draft): void {
  const state = stateIn(whileTrue, condition);
  if (state !== undefined && condition.status === "True") goesOn(draft, state, condition.message);
}

/** Ready=False is left for the end: any other condition says more. */
function stillFalse(condition: Condition, draft: Draft): void {
  const state = stateIn(whileFalse, condition);
  const { type, status, message } = condition;
  if (state === undefined || (type === "Ready" && status === "False")) return;
  if (status === "False") goesOn(draft, state, message);
  else if (status === "Unknown") failed(draft, state, message);
}

function unready(conditions: readonly Condition[], draft: Draft): void {
  const last = conditions.findLast(({ type, status }) => type === "Ready" && status === "False");
  if (last === undefined) return;
  goesOn(draft, "unavailable", stepCounter.test(last.message) ? "" : last.message);
}

function stateIn(
  states: Readonly<Record<string, string>>,
  { type, reason: why }: Condition,
): string | undefined {
  const state = Object.hasOwn(states, type) ? states[type] : undefined;
  return state === reason ? why : state;
}
