/** Messages of any kind: well-formed ones, nearly well-formed ones, and noise. */

import type { Random } from "kopf-ts/testing";

const types = [
  "configmap",
  "pods",
  "node",
  "nothing",
  "",
  "counts",
  "Secret",
  "apps.deployments",
] as const;
const values = [
  null,
  true,
  0,
  -1,
  2 ** 60,
  "",
  "x",
  "-1",
  "0",
  "1",
  [],
  {},
  "\ud800",
  "a/b/c",
] as const;
const selectors = ["", "a=b", "a in (b,c)", "!a", "a>1", "a=(", ",,", "a==b,", "é=ü"] as const;
const clusters = ["", "all", "local", "local,c-none", "A", ",", "local:1"] as const;
const fields = [
  ...(["resourceType", "resourceVersion", "namespace", "id", "selector", "mode"] as const),
  ...(["debounceMs", "stop", "clusters", "__proto__", "constructor"] as const),
] as const;

/** A message for a session; most of them start or stop something. */
export function randomMessage(random: Random, namespace: string): string {
  const text = JSON.stringify(random.chance(0.7) ? sensible(random, namespace) : odd(random));
  if (random.chance(0.85)) return text;
  return random.chance(0.5) ? text.slice(0, random.below(text.length)) : noise(random);
}

function sensible(random: Random, namespace: string): object {
  return {
    resourceType: random.pick(types),
    stop: random.chance(0.45),
    ...(random.chance(0.4) && { namespace: random.pick([namespace, "", "other"]) }),
    ...(random.chance(0.3) && { id: random.pick(["one", `${namespace}/one`, ""]) }),
    ...(random.chance(0.3) && { selector: random.pick(selectors) }),
    ...(random.chance(0.3) && { mode: random.pick(["", "resource.changes", "x"]) }),
    ...(random.chance(0.1) && { clusters: random.pick(clusters) }),
    ...(random.chance(0.3) && { debounceMs: random.pick([0, 1, 50, 5_000]) }),
    ...(random.chance(0.3) && {
      resourceVersion: random.pick(["", "0", "1", "-1", "12x", "local:1"]),
    }),
  };
}

function odd(random: Random): unknown {
  if (random.chance(0.2)) return random.pick(values);
  const some = Array.from({ length: random.below(6) }, () => [
    random.pick(fields),
    random.pick(values),
  ]);
  return Object.fromEntries(some);
}

function noise(random: Random): string {
  return String.fromCharCode(
    ...Array.from({ length: random.below(40) }, () => random.below(0x2f_ff)),
  );
}
