/** A hub, a second cluster that is imported by its kubeconfig, and a server that manages both. */

import {
  annotations as annotationKeys,
  Cluster,
  dataNamespace,
  kinds,
  Project,
} from "@drover/crds";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { type Client, connect, defineKind, loadConfig, refTo, systemClock } from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import { type Audited, AuditLog } from "../bench/audit-log.ts";
import { anyPorts, eventually, type Program, startDrover, Workplace } from "./drover.ts";

const Lease = defineKind({
  ...{ group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases" },
  scope: "Namespaced",
});

/** The second cluster, as the hub calls it. */
export const second = "c-second";

const ports = [...anyPorts, ...["--metrics-listen-addr", "0"]];

/** Webhooks never ask about this one: it may do what they would refuse people, also while no server runs. */
const unquestioned = {
  user: "system:serviceaccount:cattle-system:rancher-webhook-sudo",
  groups: ["system:masters"],
};

/** The two control planes. */
export const sides = ["hub", "cluster"] as const;
export type Side = (typeof sides)[number];

/** Milliseconds without a write after which the work counts as done. */
const silence = 4_000;

/** One of the two control planes. */
export interface Plane {
  readonly plane: ControlPlane;
  readonly log: AuditLog;
  /** A person who may do everything, and whom webhooks ask. */
  readonly person: Client;
  /** The same, unasked. */
  readonly client: Client;
}

/** Both, and the server; everything ends with the pair. */
export class Pair implements AsyncDisposable {
  readonly hub: Plane;
  readonly cluster: Plane;
  readonly #place = new Workplace();
  #server: Program;

  private constructor(hub: Plane, cluster: Plane) {
    this.hub = hub;
    this.cluster = cluster;
    this.#server = this.#run();
  }

  /** Resolves when the server leads. The second cluster is not imported yet. */
  static async start(): Promise<Pair> {
    const [hub, cluster] = await Promise.all([startPlane("hub"), startPlane("second")]);
    const pair = new Pair(hub, cluster);
    await pair.leads();
    const { client } = hub;
    const isThere = () => client.find(Namespace, dataNamespace);
    await eventually("first data", isThere, 60_000, () => pair.output);
    return pair;
  }

  /** What the server that runs now has printed. */
  get output(): string {
    return this.#server.output;
  }

  /** Waits until the server that runs now leads. */
  async leads(): Promise<void> {
    await this.#server.prints(/became leader/, 120_000);
  }

  /** Starts the server again. */
  start(): void {
    this.#server = this.#run();
  }

  /** Ends it as by power failure; and as if its leases had run out since. */
  async kill(): Promise<void> {
    this.#server.kill("SIGKILL");
    await this.#server.ended();
    const { client } = this.hub;
    await client.delete(refTo(Lease, "cattle-controllers", "kube-system"), {
      preconditions: "none",
    });
    const members = { namespace: "kube-system", labelSelector: "kopf-ts.dev/members=drover" };
    await client.deleteCollection(Lease, members);
  }

  /** Imports the second cluster, with more of a spec where told; resolves when it is ready. */
  async importSecond(spec: object = {}): Promise<void> {
    const { person } = this.hub;
    const value = this.cluster.plane.kubeconfig;
    await person.create({ ...refTo(Secret, second, dataNamespace), stringData: { value } });
    const annotations = { [annotationKeys.kubeconfigSecret]: second };
    await person.create({
      ...{ ...refTo(Cluster, second), metadata: { name: second, annotations } },
      spec: { displayName: "second", ...spec },
    });
    const look = async () => isReady(await person.get(Cluster, second)) || undefined;
    await eventually("ready cluster", look, 60_000, () => this.output.slice(-3_000));
  }

  /** The namespace on the hub in which the members of a project of the second cluster are; resolves when it is there. */
  async backingNamespace(project: string): Promise<string> {
    const { person } = this.hub;
    const look = async () => {
      const { status } = await person.get(Project, project, { namespace: second });
      const { backingNamespace = "" } = status ?? {};
      const found = backingNamespace === "" || (await person.find(Namespace, backingNamespace));
      return found === true || found === undefined ? undefined : backingNamespace;
    };
    return eventually("backing namespace", look, 30_000, () => this.output.slice(-3_000));
  }

  /** Waits until nobody has written anything to either for a while. */
  async rests(within = 60_000): Promise<void> {
    const end = systemClock.now() + within;
    let last = systemClock.now();
    let late: readonly Audited[] = [];
    while (systemClock.now() - last < silence) {
      if (systemClock.now() > end) throw new Error(`no rest:\n${late.map(said).join("\n")}`);
      await systemClock.sleep(250);
      const logs = await Promise.all(sides.map((side) => this[side].log.read()));
      late = [...late, ...logs.flat().filter(isWrite)].slice(-20);
      last = Math.max(last, ...late.map(({ time }) => time));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await Promise.all([this.hub, this.cluster].map(stopPlane));
    this.#place[Symbol.dispose]();
  }

  #run(): Program {
    const { kubeconfigPath } = this.hub.plane;
    return startDrover(["server", "--kubeconfig", kubeconfigPath, ...ports], {
      cwd: this.#place.dir,
    });
  }
}

/** Whether somebody changed something but who leads, what happened, or who may do what. */
export function isWrite({ verb, resource }: Audited): boolean {
  if (!["create", "update", "patch", "delete"].includes(verb)) return false;
  return !["leases", "events"].includes(resource) && !resource.endsWith("reviews");
}

function said({ userAgent, verb, uri }: Audited): string {
  return `${userAgent} ${verb} ${uri}`;
}

function isReady({ status }: Cluster): boolean {
  return (
    status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true
  );
}

async function startPlane(name: string): Promise<Plane> {
  const log = new AuditLog();
  const plane = await startControlPlane({ name, flags: { apiServer: log.flags } });
  const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
  const person = connect(config, { kinds, userAgent: "people" });
  return { plane, log, person, client: person.as(unquestioned) };
}

async function stopPlane({ plane, log, person }: Plane): Promise<void> {
  await person[Symbol.asyncDispose]();
  await plane.stop();
  log[Symbol.dispose]();
}
