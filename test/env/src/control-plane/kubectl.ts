import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { environment } from "../environment.ts";

/** How a command ended. */
export interface Outcome {
  /** The exit code; 137 if it was killed, as a shell would say. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One call of kubectl. */
export interface KubectlCall {
  /** Sent to its standard input, for `-f -`. */
  readonly input?: string;
  /** Path of another kubeconfig than the administrator's. */
  readonly kubeconfig?: string;
  /** Milliseconds until it is killed; default 60,000. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs kubectl and resolves with its outcome, also for a non-zero exit code. It sees nothing of the shell's
 * KUBECONFIG, ~/.kube/cache (whose entries are keyed by address, which control planes reuse) or kuberc.
 */
export async function runKubectl(
  kubectl: string,
  args: readonly string[],
  {
    input = "",
    kubeconfig = "",
    timeout = 60_000,
    signal,
    cacheDir,
  }: KubectlCall & { cacheDir: string },
): Promise<Outcome> {
  const deadline = AbortSignal.timeout(timeout);
  const child = spawn(kubectl, args, {
    env: environment({
      KUBECONFIG: kubeconfig,
      KUBECACHEDIR: cacheDir,
      KUBERC: "off",
      DROVER_PARENT_PID: String(process.pid),
    }),
    signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    killSignal: "SIGKILL",
  });
  child.stdin.on("error", () => undefined); // it ended without reading; its exit code tells
  child.stdin.end(input);
  try {
    const closed = once(child, "close"); // rejects when it cannot be started, or is aborted
    const [[code], stdout, stderr] = await Promise.all([
      closed,
      text(child.stdout),
      text(child.stderr),
    ]);
    return { code: typeof code === "number" ? code : 137, stdout, stderr };
  } catch (cause) {
    signal?.throwIfAborted();
    if (!deadline.aborted) throw cause;
    throw new Error(`kubectl ${args.join(" ")} took longer than ${timeout / 1000} s`, { cause });
  }
}
