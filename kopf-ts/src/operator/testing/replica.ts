/**
 * A process with an Operator whose controller writes each of its objects as fast as it can, several at once and without preconditions: the
 * lease is the only thing that keeps two replicas apart. Takes and tells what election/testing/candidate.ts does.
 */

import { readFileSync } from "node:fs";
import { type Controller, done } from "../../control/index.ts";
import type { CandidateEvent, CandidateOptions } from "../../election/testing/candidate.ts";
import { machineTime } from "../../election/testing/candidates.ts";
import { connect, defineKind, type KubeObject, loadConfig } from "../../kube/index.ts";
import { createLogger } from "../../observe/index.ts";
import { Operator } from "../operator.ts";
import { runOperator } from "../signals.ts";

const ConfigMap = defineKind<KubeObject>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

/** What a replica is told. */
export interface ReplicaOptions extends CandidateOptions {
  readonly concurrency: number;
}

const options: ReplicaOptions = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const tell = (event: CandidateEvent): void =>
  void process.stdout.write(`${JSON.stringify(event)}\n`);
let count = 0;

const writer: Controller = {
  name: "writer",
  watches: ConfigMap,
  select: { namespace: options.namespace, labelSelector: options.name },
  concurrency: options.concurrency,
  reconcile: async ({ apiVersion, kind, metadata }, { client }) => {
    const from = machineTime();
    const token = operator.leadership?.token ?? -1;
    const ref = {
      apiVersion,
      kind,
      metadata: { name: metadata.name, namespace: options.namespace },
    };
    const data = { writer: options.identity, count: String(++count) };
    const written = await client.patch<KubeObject>(ref, { merge: { data } });
    const version = written.metadata.resourceVersion ?? "";
    tell({ event: "write", from, token, version });
    return done; // its own change brings the object back
  },
};

process.stdin
  .on("end", () => process.exit(1))
  .resume()
  .unref();
const logger = createLogger();
const client = connect(await loadConfig({ kubeconfig: options.kubeconfig }));
const { kubeconfig: _kubeconfig, concurrency: _concurrency, ...election } = options;
const operator = new Operator({
  name: "replica",
  client,
  logger,
  controllers: [writer],
  election,
  tasks: [
    {
      name: "tell",
      run: async () =>
        tell({ event: "leading", at: machineTime(), token: operator.leadership?.token ?? -1 }),
    },
    { name: "tell-standing", on: "everywhere", run: async () => tell({ event: "standing" }) },
  ],
});
await runOperator(operator, { logger });
await client[Symbol.asyncDispose]();
