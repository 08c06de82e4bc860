/** What everybody may read without a login. */

import {
  isSettingName,
  type LiveSettings,
  publicSettings,
  type SettingName,
  settings,
} from "@drover/platform";
import { baseUrl } from "../base-url.ts";
import { isRead } from "../methods/index.ts";
import { type Exchange, type Stage, send } from "../stage.ts";

/** What the answers are made of. */
export interface PublicOptions {
  readonly settings: LiveSettings;
  /** What the server calls itself. */
  readonly version: string;
}

/** Besides those that /v1 shows to everybody: old clients read them below /v3 (rancher: pkg/multiclustermanager/routes.go). */
export const oldSettings: readonly string[] = ["cacerts", "ui-issues", "ui-default-landing"];
const text = "text/plain; charset=utf-8";
const json = "application/json";

/** Answers /ping by `pong`, whatever else may be out of order. */
export const ping: Stage = (exchange, next) =>
  exchange.path === "/ping" ? answer(exchange, () => ["pong", text]) : next();

/** Serves /rancherversion, /cacerts and GET /v3/settings/{name} of public settings; of others the latter goes on. */
export function publicRoutes(options: PublicOptions): Stage {
  return (exchange, next) => {
    const known = answerTo(exchange, options);
    return known === undefined ? next() : answer(exchange, known);
  };
}

type Answer = () => readonly [body: string, type: string];

async function answer(exchange: Exchange, make: Answer): Promise<void> {
  if (isRead(exchange)) send(exchange.response, 200, ...make());
}

function answerTo(exchange: Exchange, options: PublicOptions): Answer | undefined {
  if (exchange.path === "/rancherversion") return () => [versionOf(options), json];
  if (exchange.path === "/cacerts") return () => [bundleOf(options), text];
  const [, name = ""] = /^\/v3\/settings\/([a-z-]+)$/.exec(exchange.path) ?? [];
  if (!isSettingName(name) || !isPublic(name)) return undefined;
  return () => [settingOf(name, baseUrl(exchange.request), options), json];
}

function isPublic(name: SettingName): boolean {
  return publicSettings.includes(name) || oldSettings.includes(name);
}

/** Values are texts, as upstream has them (rancher: pkg/version). */
function versionOf({ settings: live, version: Version }: PublicOptions): string {
  const RancherPrime = String(live.text("server-version-type") === "prime");
  return `${JSON.stringify({ Version, GitCommit: "", RancherPrime })}\n`;
}

/** Nothing where there is none; else with a line's end, which belongs to what agents compute their checksum of (rancher: pkg/cacerts/handler.go). */
function bundleOf({ settings: live }: PublicOptions): string {
  const bundle = live.text("cacerts");
  return bundle.trim() === "" || bundle.endsWith("\n") ? bundle.trimStart() : `${bundle}\n`;
}

/** As norman shows a Setting (rancher: pkg/api/norman/customization/setting). */
function settingOf(name: SettingName, base: string, { settings: live }: PublicOptions): string {
  const value = live.text(name);
  const { default: usual } = settings[name];
  const self = `${base}/v3/settings/${name}`;
  return `${JSON.stringify({
    ...{ id: name, type: "setting", baseType: "setting", links: { self }, name },
    ...{ value, default: usual, customized: value !== usual },
  })}\n`;
}
