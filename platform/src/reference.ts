/** Writes docs/reference/settings.md and features.md: run `node platform/dist/reference.js` after changing a table. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FeatureSpec, featureNames, features } from "./features/table.ts";
import { environmentName } from "./settings/read.ts";
import { settingNames, settings } from "./settings/settings.ts";
import type { ValueKind } from "./settings/spec.ts";

const folder = join(import.meta.dirname, "..", "..", "docs", "reference");

/** The files that are generated, by path. */
export const pages: Readonly<Record<string, () => string>> = {
  [join(folder, "settings.md")]: settingsPage,
  [join(folder, "features.md")]: featuresPage,
};

const generated = (from: string): string =>
  `<!-- Generated from ${from} by platform/src/reference.ts; run \`node platform/dist/reference.js\` to write it anew. -->`;

function settingsPage(): string {
  const rows = settingNames.map((name) => [
    `\`${name}\``,
    defaultText(name),
    kindText(settings[name].kind),
    `${settings[name].about}.`,
    notes(name),
  ]);
  return `# Settings

A setting is an object of kind Setting. In force is its environment variable, else its \`value\`, else its \`default\`: \`server-url\` is
overridden by \`${environmentName("server-url")}\`, and so on for every name. What is empty is passed over. What the environment sets cannot be
changed and says \`source: env\`. Objects of other names are removed when the server starts. The server keeps and checks those "for clients", such as user interfaces, and goes by others; those with "no effect yet"
are kept and checked, too, until what goes by them is there.

${generated("platform/src/settings")}

${table(["Setting", "Default", "Value", "Purpose", "Notes"], rows)}`;
}

function defaultText(name: (typeof settingNames)[number]): string {
  const { default: text } = settings[name];
  if (text === "") return "";
  return `\`${text.startsWith("{") ? JSON.stringify(JSON.parse(text)) : text}\``;
}

function kindText(kind: ValueKind): string {
  switch (kind.type) {
    case "choice":
      return kind.choices.map((choice) => `\`${choice}\``).join(", ");
    case "number":
      return `${kind.fractions ? "number" : "whole number"}${kind.unit ? ` of ${kind.unit}` : ""}, at least ${kind.min}`;
    case "boolean":
      return "`true`, `false`";
    case "duration":
      return "duration (`720h`, `1h30m`)";
    case "cron":
      return "cron expression, five fields";
    case "time":
      return "time (RFC 3339)";
    case "list":
      return "list, by commas";
    case "size":
      return `bytes (\`1Mi\`), ${kind.min} to ${kind.max}`;
    case "priority-class":
      return "JSON: value, preemptionPolicy";
    case "pod-disruption-budget":
      return "JSON: minAvailable, maxUnavailable";
    default:
      return { text: "text", json: "JSON", url: "URL" }[kind.type];
  }
}

function notes(name: (typeof settingNames)[number]): string {
  const {
    upgradeDefault,
    defaultFrom,
    computed,
    readOnly,
    followedBy,
    public: open,
  } = settings[name];
  return [
    upgradeDefault === undefined ? "" : `\`${upgradeDefault}\` after an upgrade`,
    defaultFrom === undefined ? "" : `default from \`${defaultFrom}\``,
    computed ? "default found out at start" : "",
    readOnly ? "read-only" : "",
    open ? "readable before login" : "",
    followedBy === undefined ? "" : followedBy === "clients" ? "for clients" : "no effect yet",
  ]
    .filter((note) => note !== "")
    .join("; ");
}

function featuresPage(): string {
  const rows = featureNames.map((name) => {
    const { default: on, upstream = on, dynamic, description } = features[name];
    return [
      `\`${name}\``,
      onOff(on),
      onOff(upstream),
      dynamic ? "at once" : "after a restart",
      `${description}.${lockText(features[name])}`,
    ];
  });
  return `# Features

A feature is an object of kind Feature. In force is \`status.lockedValue\`, else \`spec.value\`, else the default, which
\`CATTLE_FEATURES\` or \`--features\` changes (\`fleet=true,legacy=false\`). A change that takes effect after a restart ends the process, for
its Pod to start anew. Where our default differs from upstream's, we do not have what the feature is about, or recommend it.

${generated("platform/src/features")}

${table(["Feature", "Default", "Upstream", "Takes effect", "Purpose"], rows)}`;
}

function lockText({ locksOn, alwaysOn }: FeatureSpec): string {
  if (alwaysOn) return " Locked on.";
  return locksOn ? " Locks when on." : "";
}

function onOff(on: boolean): string {
  return on ? "on" : "off";
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map(escaped).join(" | ")} |\n`).join("");
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|");
}

if (import.meta.main) {
  await Promise.all(Object.entries(pages).map(([file, page]) => writeFile(file, page())));
}
