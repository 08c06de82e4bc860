// What a caller says when starting a control plane, and what it is told about it.
import type { Output } from "../binaries/progress.ts";
import type { Tuning } from "./components.ts";

/** How to start a control plane. Everything has a default; times are milliseconds. */
export interface ControlPlaneOptions extends Tuning {
  /** Folder of its state; default: a temporary one. Two control planes cannot share one. */
  readonly dir?: string;
  /** Whether the state outlives the control plane; default: yes if `dir` is given. */
  readonly persist?: boolean;
  /** Cluster, user and context in the kubeconfig; default "drover". */
  readonly name?: string;
  /** Port of the kube-apiserver if it is free; default: that of the last run in `dir`, else any. */
  readonly port?: number;
  /** Folder with etcd, kube-apiserver and kube-controller-manager; default: see `findBinaries`. */
  readonly binaries?: string | undefined;
  /** False leaves out the controller manager, and with it all built-in controllers. */
  readonly controllerManager?: boolean;
  /** Users that present a bearer token. */
  readonly tokens?: readonly TokenUser[];
  /** How long it may take to be ready; default 60,000. */
  readonly timeout?: number;
  /** Receives what happens: a port that was taken, a process that ended. */
  readonly log?: (line: string) => void;
  /** Receives the progress of a build; default: standard error. */
  readonly output?: Output;
  /** Aborts the start, and stops the control plane once it runs. */
  readonly signal?: AbortSignal;
}

/** A user whom the kube-apiserver knows by a bearer token. */
export interface TokenUser {
  readonly token: string;
  readonly name: string;
  readonly groups?: readonly string[];
}

/** The processes of a control plane, by their own names. */
export type ProcessName = "etcd" | "kube-apiserver" | "kube-controller-manager";

/** A user's kubeconfig, as text and as a file that lives as long as the control plane's state. */
export interface UserKubeconfig {
  readonly path: string;
  readonly yaml: string;
}
