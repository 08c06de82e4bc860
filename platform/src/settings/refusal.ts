/** Which changes of a Setting are refused, and why (webhook: pkg/resources/management.cattle.io/v3/setting). */

import type { Setting } from "@drover/crds";
import { parseDuration } from "kopf-ts";
import { defaultOf, type Environment, environmentValue } from "./read.ts";
import { isSettingName, type SettingName, settings } from "./settings.ts";
import { complaintOf, parseNumber } from "./value.ts";

/** A change of one Setting: a creation has no before, a deletion no after. */
export interface SettingChange {
  readonly before?: Setting | undefined;
  readonly after?: Setting | undefined;
}

/** What rules look at beside the change itself. */
export interface SettingSurroundings {
  readonly env: Environment;
  /** The value in force of another setting. */
  current(name: SettingName): string;
  /** Names of clusters other than local whose condition AgentTlsStrictCheck is not True. */
  looseClusters(): readonly string[];
}

/** Why a change is refused: one sentence that names the field. */
export interface SettingRefusal {
  readonly reason: "ReadOnly" | "Invalid" | "Forbidden";
  readonly message: string;
}

const forceAnnotation = "cattle.io/force";

/** Retention deletes nobody sooner (webhook: MinDeleteInactiveUserAfter). */
const leastDeletion = 336 * 3_600_000;

/**
 * Why a change is refused; undefined if it is allowed. Changes of metadata alone always are. A name the server does not
 * know may hold anything: it is removed at the next start.
 */
export function settingRefusal(
  { before, after }: SettingChange,
  around: SettingSurroundings,
): SettingRefusal | undefined {
  const name = (after ?? before)?.metadata.name ?? "";
  if (!isSettingName(name) || (after !== undefined && sameContent(before, after))) return undefined;
  const locked = lockOf(name, before, around.env);
  if (locked !== undefined) return refusal("ReadOnly", name, locked);
  if (after === undefined) return undefined;
  return (
    defaultRefusal(name, before, after, around.env) ??
    valueRefusal(name, before, after.value ?? "", around) ??
    tlsRefusal(before, after, around)
  );
}

/** What is wrong with a value on its own, as one sentence; undefined if nothing is. Empty stands for the default. */
export function valueProblem(name: SettingName, value: string): string | undefined {
  const complaint = value === "" ? undefined : complaintOf(value, settings[name].kind);
  return complaint === undefined ? undefined : sentence(name, complaint);
}

function sameContent(before: Setting | undefined, after: Setting): boolean {
  if (before === undefined) return false;
  const of = ({ value = "", default: fallback = "", source = "" }: Setting): readonly string[] => [
    value,
    fallback,
    source,
  ];
  const old = of(before);
  return of(after).every((field, i) => field === old[i]);
}

function lockOf(
  name: SettingName,
  before: Setting | undefined,
  env: Environment,
): string | undefined {
  if (settings[name].readOnly === true) return "is readOnly";
  const fromEnvironment = before?.source === "env" || environmentValue(name, env) !== undefined;
  return fromEnvironment ? "is readOnly because an environment variable sets it" : undefined;
}

/** The default counts where there is no value, so another than the server's would be a value that nobody judges. */
function defaultRefusal(
  name: SettingName,
  before: Setting | undefined,
  { default: wanted = "" }: Setting,
  env: Environment,
): SettingRefusal | undefined {
  if (["", before?.default, defaultOf(name, env)].includes(wanted)) return undefined;
  return { reason: "Invalid", message: `default of setting ${name} must not be changed` };
}

function valueRefusal(
  name: SettingName,
  before: Setting | undefined,
  value: string,
  around: SettingSurroundings,
): SettingRefusal | undefined {
  const old = before?.value ?? "";
  if (value === old) return undefined;
  if (value === "") {
    // Where the default is empty, empty is how a person switches something off again.
    return settings[name].default === ""
      ? undefined
      : refusal("Invalid", name, "must not be empty; give the default to go back to it");
  }
  const complaint = complaintOf(value, settings[name].kind);
  if (complaint !== undefined) return refusal("Invalid", name, complaint);
  const conflict = conflicts[name]?.(value, around);
  return conflict === undefined ? undefined : refusal("Forbidden", name, conflict);
}

type Conflict = (value: string, around: SettingSurroundings) => string | undefined;

/** Rules between two settings. Another setting that is empty, 0 or unreadable forbids nothing. */
const conflicts: Readonly<Partial<Record<SettingName, Conflict>>> = {
  "disable-inactive-user-after": sessionFits,
  "delete-inactive-user-after": (value, around) => {
    const wanted = parseDuration(value) ?? 0;
    if (wanted > 0 && wanted < leastDeletion) return "must be at least 336h";
    return sessionFits(value, around);
  },
  "auth-user-session-ttl-minutes": (value, around) => {
    const limits = ["disable-inactive-user-after", "delete-inactive-user-after"] as const;
    const broken = limits.find((limit) => {
      const longest = parseDuration(around.current(limit)) ?? 0;
      return longest > 0 && Number(value) * 60_000 > longest;
    });
    return broken === undefined ? undefined : `must not be greater than ${broken}`;
  },
  "auth-user-session-idle-ttl-minutes": (value, around) => {
    const longest = numberIn("auth-user-session-ttl-minutes", around);
    const fits = longest === undefined || Number(value) <= longest;
    return fits ? undefined : "must not be greater than auth-user-session-ttl-minutes";
  },
  "crt-default-ttl-minutes": (value, around) => {
    const grace = numberIn("crt-default-grace-period-minutes", around);
    const fits = grace === undefined || Number(value) > grace;
    return fits ? undefined : "must be greater than crt-default-grace-period-minutes";
  },
  "crt-default-grace-period-minutes": (value, around) => {
    const ttl = numberIn("crt-default-ttl-minutes", around);
    const fits = ttl === undefined || Number(value) < ttl;
    return fits ? undefined : "must be less than crt-default-ttl-minutes";
  },
};

function sessionFits(value: string, around: SettingSurroundings): string | undefined {
  const wanted = parseDuration(value) ?? 0;
  const session = (numberIn("auth-user-session-ttl-minutes", around) ?? 0) * 60_000;
  const fits = wanted === 0 || wanted >= session;
  return fits ? undefined : "must not be less than auth-user-session-ttl-minutes";
}

function numberIn(name: SettingName, around: SettingSurroundings): number | undefined {
  const { kind } = settings[name];
  return kind.type === "number" ? parseNumber(around.current(name), kind) : undefined;
}

/** From system-store to strict only when no cluster's agent would lose the server by it. */
function tlsRefusal(
  before: Setting | undefined,
  after: Setting,
  around: SettingSurroundings,
): SettingRefusal | undefined {
  const name = "agent-tls-mode";
  if (after.metadata.name !== name || before === undefined) return undefined;
  const tightened = inForce(before) === "system-store" && inForce(after) === "strict";
  if (!tightened || after.metadata.annotations?.[forceAnnotation] === "true") return undefined;
  const [loose] = around.looseClusters();
  if (loose === undefined) return undefined;
  const why = `condition AgentTlsStrictCheck of cluster ${loose} is not True`;
  return refusal("Forbidden", name, `must not become strict: ${why}`);
}

function inForce({ value, default: fallback = "" }: Setting): string {
  return value || fallback;
}

function refusal(
  reason: SettingRefusal["reason"],
  name: SettingName,
  complaint: string,
): SettingRefusal {
  return { reason, message: sentence(name, complaint) };
}

function sentence(name: SettingName, complaint: string): string {
  return `value of setting ${name} ${complaint}`;
}
