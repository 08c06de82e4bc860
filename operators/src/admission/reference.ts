/** Makes docs/reference/admission.md of the webhooks and of their folders' READMEs. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseFeatures } from "@drover/platform";
import { type Kind, resourceName } from "kopf-ts";
import type { AnyWebhook, WebhookRule } from "kopf-ts/admission";
import { admission } from "./index.ts";

const root = join(import.meta.dirname, "..", "..", "..");

/** The file that is generated. */
export const admissionFile: string = join(root, "docs", "reference", "admission.md");

const introduction = `# Admission

What the server refuses before it is stored, and what it fills in. People read the message behind the name of the webhook:
\`admission webhook "rancher.cattle.io.<resource>.<group>[.<suffix>]" denied the request: <message>\`. Dry runs are judged like all others. The
server's own writes are not judged. A webhook that fails, or that nobody serves, makes requests fail, or lets them pass where the table says so.

The tables of requests name each entry of the two configurations \`rancher.cattle.io\`: what it is asked for, and the condition under which it is
asked at all.

<!-- Generated from operators/src/admission by operators/src/admission/reference.ts; run \`node operators/dist/reference.js\` to write it anew. -->
`;

/** Kinds that share a folder. */
const shared: Readonly<Record<string, string>> = {
  Role: "rbac-objects",
  ClusterRole: "rbac-objects",
  RoleBinding: "rbac-objects",
  ClusterRoleBinding: "rbac-objects",
};

/** The whole page. */
export async function admissionPage(): Promise<string> {
  const webhooks = admission({ env: {}, features: parseFeatures("") });
  const folders = [...new Set(webhooks.map(({ kind }) => folderOf(kind)))].sort();
  const sections = folders.map((folder) =>
    section(
      folder,
      webhooks.filter(({ kind }) => folderOf(kind) === folder),
    ),
  );
  return [introduction, ...(await Promise.all(sections))].join("\n");
}

/** The folder of a kind's webhooks: \`user-attributes\` for UserAttribute. */
function folderOf({ kind }: Kind): string {
  return shared[kind] ?? `${kind.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase()}s`;
}

async function section(folder: string, webhooks: readonly AnyWebhook[]): Promise<string> {
  const readme = await readFile(
    join(root, "operators", "src", "admission", folder, "README.md"),
    "utf8",
  );
  const [title = "", ...text] = readme.split("\n\n");
  const heading = title.replace(/^# Admission of /, "## ");
  return [heading, table(webhooks), ...text]
    .join("\n\n")
    .replaceAll("../../../../docs/reference/", "")
    .replaceAll("../../../../", "../../");
}

function table(webhooks: readonly AnyWebhook[]): string {
  const rows = webhooks.flatMap((webhook) => webhook.rules.map((rule) => row(webhook, rule)));
  const lines = [
    ["Entry", "Asked for", "Where", "If nobody answers"],
    ["---", "---", "---", "---"],
    ...rows,
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function row(webhook: AnyWebhook, rule: WebhookRule): readonly string[] {
  const name = [resourceName(webhook.kind), rule.suffix].filter((part) => part !== undefined);
  const phase = "mutate" in webhook ? "mutation" : "validation";
  const conditions = (rule.matchConditions ?? []).map((condition) => condition.name);
  return [
    `${phase} \`${name.join(".")}\``,
    rule.operations.join(", "),
    conditions.join(", "),
    rule.failurePolicy === "Ignore" ? "passes" : "fails",
  ];
}
