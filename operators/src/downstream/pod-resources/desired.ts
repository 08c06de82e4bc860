/** What the Pods of a node ask for and may use, as Kubernetes counts it (kubernetes: component-helpers resource). Pure. */

import { formatQuantity, nodeNames, parseQuantity } from "@drover/crds";
import type { Container, Node, Pod, PodSpec } from "kopf-ts/kinds";

/** Billionths of a resource by its name. */
type Amounts = ReadonlyMap<string, bigint>;

/** Which of the two lists of a container. */
type Side = "requests" | "limits";

/** The node on which a Pod takes room; none for one that waits or has ended. */
export function nodesOf({ spec, status }: Pod): readonly string[] {
  const hasEnded = status?.phase === "Succeeded" || status?.phase === "Failed";
  return spec?.nodeName && !hasEnded ? [spec.nodeName] : [];
}

/** What makes a Pod ask for other amounts or elsewhere; its state changes far more often. */
export function concerning(pod: Pod): unknown {
  const { containers = [], initContainers = [], overhead, resources } = pod.spec ?? {};
  const asked = [...containers, ...initContainers].map((each) => [
    each.resources,
    each.restartPolicy,
  ]);
  return [nodesOf(pod), asked, overhead, resources];
}

/** The annotations of a node that tell the sums over its Pods: amounts by resource as JSON, in one order, with the number of Pods among the requests. */
export function annotationsFor(pods: readonly Pod[]): Readonly<Record<string, string>> {
  const specs = pods.flatMap(({ spec }) => (spec === undefined ? [] : [spec]));
  const sum = (side: Side): Amounts => specs.map((spec) => ofPod(spec, side)).reduce(plus, none);
  const requests = new Map([...sum("requests"), ["pods", BigInt(pods.length) * one]]);
  return {
    [nodeNames.podRequests]: written(requests),
    [nodeNames.podLimits]: written(sum("limits")),
  };
}

/** The merge patch that gives a node the annotations; undefined where it tells the same amounts already, however they are written. */
export function nodePatch(
  { metadata }: Node,
  wanted: Readonly<Record<string, string>>,
): object | undefined {
  const differs = Object.entries(wanted).some(
    ([key, text]) => !isSame(metadata.annotations?.[key], text),
  );
  return differs ? { metadata: { uid: metadata.uid, annotations: wanted } } : undefined;
}

const none: Amounts = new Map();
const one = 1_000_000_000n;

/** Containers run side by side, init containers one after the other; those that go on running add up with all that come after them. */
function ofPod(spec: PodSpec, side: Side): Amounts {
  let running = none;
  let peak = none;
  for (const container of spec.initContainers ?? []) {
    const own = ofContainer(container, side);
    const isSidecar = container.restartPolicy === "Always";
    peak = most(peak, plus(running, own));
    if (isSidecar) running = plus(running, own);
  }
  const together = (spec.containers ?? [])
    .map((each) => ofContainer(each, side))
    .reduce(plus, running);
  const asked = new Map([...most(peak, together), ...parsed(spec.resources?.[side])]);
  return withOverhead(asked, parsed(spec.overhead), side);
}

/** What surrounds the containers is always asked for, and limited only where they are. */
function withOverhead(asked: Amounts, overhead: Amounts, side: Side): Amounts {
  const counted =
    side === "requests" ? overhead : new Map([...overhead].filter(([name]) => asked.has(name)));
  return plus(asked, counted);
}

function ofContainer({ resources }: Container, side: Side): Amounts {
  return parsed(resources?.[side]);
}

function parsed(list: Readonly<Record<string, unknown>> | undefined): Amounts {
  const entries = Object.entries(list ?? {}).flatMap(([name, text]) => {
    const amount = parseQuantity(String(text));
    return amount === undefined ? [] : [[name, amount] as const];
  });
  return new Map(entries);
}

function plus(a: Amounts, b: Amounts): Amounts {
  return merged(a, b, (x, y) => x + y);
}

function most(a: Amounts, b: Amounts): Amounts {
  return merged(a, b, larger);
}

/** Math.max takes no bigint. */
function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

function merged(a: Amounts, b: Amounts, choose: (a: bigint, b: bigint) => bigint): Amounts {
  if (b.size === 0) return a;
  const result = new Map(a);
  for (const [name, amount] of b) result.set(name, choose(a.get(name) ?? 0n, amount));
  return result;
}

/** Resources that are counted in bytes. */
const bytes = /^(memory|storage|ephemeral-storage|hugepages-.*)$/;

function written(amounts: Amounts): string {
  const entries = [...amounts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => [
      name,
      formatQuantity(amount, bytes.test(name) ? "binary" : "decimal"),
    ]);
  return JSON.stringify(Object.fromEntries(entries));
}

function isSame(stored: string | undefined, wanted: string): boolean {
  if (stored === undefined || stored === wanted) return stored === wanted;
  const [found, asked] = [stored, wanted].map(readAmounts);
  if (found === undefined || asked === undefined || found.size !== asked.size) return false;
  return [...asked].every(([name, amount]) => found.get(name) === amount);
}

function readAmounts(text: string): Amounts | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? parsed({ ...value }) : undefined;
  } catch {
    return undefined;
  }
}
