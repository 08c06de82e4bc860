/** What of a URL may stand in a log. */

/** Parameters whose values say what was asked for, and nothing that opens a door. */
const harmless: ReadonlySet<string> = new Set(
  `action clusters continue debounceMs dryRun exclude excludeValues fieldManager fieldSelector filter follow force include labelSelector limit
  link mode namespace page pagesize pretty projectsornamespaces propagationPolicy q resourceVersion resourceVersionMatch revision sendInitialEvents
  sort summary tailLines timeout timeoutSeconds truncate watch _method _format`.split(/\s+/),
);
/** Other values are shown as dots; there are clients that put tokens there. */
const hidden = "...";
const mostParameters = 32;
const longestValue = 256;

/** The path, without the token that an import URL holds (`/v3/import/<token>_<cluster>.yaml`). */
export function shownPath(path: string): string {
  return path.replace(/^(\/v3\/import\/)[^/]+?(_[^_/]*)?$/, `$1${hidden}$2`).slice(0, 1024);
}

/** The query, decoded, with the values of harmless parameters. */
export function shownQuery(query: URLSearchParams): string {
  const pairs = [...query].map(([name, value]) => {
    const shown = harmless.has(name) ? value.slice(0, longestValue) : hidden;
    return `${name.slice(0, longestValue)}=${shown}`;
  });
  const rest = pairs.length > mostParameters ? [hidden] : [];
  return [...pairs.slice(0, mostParameters), ...rest].join("&");
}
