import { connect } from "node:net";
import type { ControlPlane } from "@drover/env";
import type { Client } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { type Bench, interleave, type Outcome, type Scenario } from "../bench.ts";
import { clearMarker, markerLabel, passMarker } from "../marker.ts";
import { createPods } from "../pods.ts";
import { type Command, Subject } from "../process.ts";
import type { Figures } from "../stats.ts";
import { informers } from "./sync.ts";

/**
 * A synced informer loses its server: the API server restarts with an empty watch history, refuses the old resourceVersion with 410,
 * and everything is listed again. Wall time counts from the moment when the server's port accepts connections: every client's own back-off
 * is part of it, and so is the server's way from there to its first answer, which is the same for all.
 */
export const relist: Scenario = {
  name: "relist",
  about: "everything listed again after a restart of the API server",
  run: async (bench) => {
    const n = bench.n ?? 10_000;
    await createPods(bench.client, n, (done) => bench.say(`${done} of ${n} Pods exist`));
    const { drain: _, ...subjects } = informers(bench, n, markerLabel);
    const rounds = await interleave(
      bench,
      Object.fromEntries(
        Object.entries(subjects).map(([name, command]) => [
          name,
          () => measure(bench, name, command),
        ]),
      ),
    );
    return { n, rounds, targets, missing: bench.peers.missing } satisfies Outcome;
  },
};

/** Milliseconds within which the API server must be back. */
const restart = 60_000;

const targets: Outcome["targets"] = [
  { subject: "kopf-ts", peer: "client-node", figure: "cpu_s", limit: 0.334 },
  { subject: "kopf-ts", peer: "client-node", figure: "rss_peak_mb", limit: 0.334 },
  { subject: "kopf-ts", figure: "stall_max_ms", limit: 50 },
];

async function measure(bench: Bench, name: string, command: Command): Promise<Figures> {
  await using subject = new Subject(name, command);
  await subject.event("synced");
  subject.tell("reset");
  const before = subject.cost();

  const opened = await reopen(bench.plane);
  await untilItWrites(bench.client);
  await passMarker(bench.client, subject);
  // The first value may come in the middle of the list; the second comes only after its end.
  const { stallMs } = await passMarker(bench.client, subject);
  const caughtUp = performance.now();

  const after = subject.cost();
  await clearMarker(bench.client);
  await bench.plane.ready();
  return {
    wall_s: (caughtUp - opened) / 1000,
    cpu_s: after.cpu_s - before.cpu_s,
    rss_peak_mb: after.rss_peak_mb,
    ...(typeof stallMs === "number" ? { stall_max_ms: stallMs } : {}),
  };
}

/** Restarts the API server; resolves with the moment from which it accepts connections. */
async function reopen(plane: ControlPlane): Promise<number> {
  await plane.stopProcess("kube-apiserver");
  await plane.startProcess("kube-apiserver");
  await eventually(() => accepts(plane.port), { within: restart, what: "the API server" });
  return performance.now();
}

/** It accepts before it can do anything, and it writes before all of it is ready. */
async function untilItWrites(client: Client): Promise<void> {
  const writes = () => clearMarker(client).then(() => true);
  await eventually(writes, { within: restart, what: "an API server that writes" });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const told = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", told(true)).once("error", told(false));
  });
}
