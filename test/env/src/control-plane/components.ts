// The command lines of the three processes: pure functions of where things lie and what was asked for.
import { join } from "node:path";

/** Folders and addresses the processes share. */
export interface Layout {
  readonly etcdData: string;
  /** PEM files, see pki.ts. */
  readonly pki: string;
  /** Sockets; a short path, as those may have only about 100 bytes. */
  readonly run: string;
  readonly port: number;
  /** Kubeconfig of the controller manager. */
  readonly controllerManagerKubeconfig: string;
}

/** What a caller may change. */
export interface Tuning {
  /** Whether etcd waits for the disk. Without, a crash of the machine (not of a process) can lose data. */
  readonly fsync?: boolean;
  /** Kubernetes feature gates, for the kube-apiserver and the controller manager alike. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** More flags, appended last so that they win, such as `--audit-policy-file=...`. */
  readonly flags?: {
    readonly etcd?: readonly string[];
    readonly apiServer?: readonly string[];
    readonly controllerManager?: readonly string[];
  };
}

/**
 * Etcd listens on Unix sockets in a folder only its owner can enter: no port to collide on, and nobody else
 * on the machine reads the Secrets in it. The addresses it advertises are never dialled.
 */
export function etcdArguments(
  { etcdData, run }: Layout,
  { fsync = false, flags }: Tuning,
): string[] {
  return [
    "--name=drover",
    `--data-dir=${etcdData}`,
    `--listen-client-urls=${etcdAddress(run)}`,
    "--advertise-client-urls=http://localhost:0",
    "--listen-peer-urls=unix://peer:0", // relative to the working directory, `run`
    "--initial-advertise-peer-urls=http://localhost:0",
    "--initial-cluster=drover=http://localhost:0",
    "--quota-backend-bytes=8589934592",
    "--log-level=warn",
    ...(fsync ? [] : ["--unsafe-no-fsync"]),
    ...(flags?.etcd ?? []),
  ];
}

/**
 * As kubeadm would start it, but for addresses on loopback only, RBAC without the Node authorizer, and limits
 * high enough that a test suite is not throttled.
 */
export function apiServerArguments(
  layout: Layout,
  tokenFile: string | undefined,
  tuning: Tuning,
): string[] {
  const { pki, run, port } = layout;
  return [
    `--etcd-servers=${etcdAddress(run)}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    // Endpoints may not hold a loopback address, so the `kubernetes` Service has none.
    "--advertise-address=127.0.0.1",
    "--endpoint-reconciler-type=none",
    "--service-cluster-ip-range=10.0.0.0/16",
    "--authorization-mode=RBAC",
    "--allow-privileged=true",
    "--profiling=false",
    // Without it a graceful end waits up to a minute for open watches.
    "--shutdown-watch-termination-grace-period=1s",
    "--max-requests-inflight=3000",
    "--max-mutating-requests-inflight=1000",
    `--tls-cert-file=${join(pki, "apiserver.crt")}`,
    `--tls-private-key-file=${join(pki, "apiserver.key")}`,
    `--client-ca-file=${join(pki, "ca.crt")}`,
    ...(tokenFile === undefined ? [] : [`--token-auth-file=${tokenFile}`]),
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${join(pki, "sa.pub")}`,
    `--service-account-signing-key-file=${join(pki, "sa.key")}`,
    `--requestheader-client-ca-file=${join(pki, "front-proxy-ca.crt")}`,
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${join(pki, "front-proxy-client.crt")}`,
    `--proxy-client-key-file=${join(pki, "front-proxy-client.key")}`,
    ...featureGates(tuning),
    ...(tuning.flags?.apiServer ?? []),
  ];
}

/** These would delete Pods and taint Nodes that have no kubelet behind them. */
const WITHOUT_KUBELET = [
  "node-lifecycle-controller",
  "taint-eviction-controller",
  "pod-garbage-collector-controller",
];

/** All default controllers but those that need kubelets; it serves nothing itself, so needs no port. */
export function controllerManagerArguments(layout: Layout, tuning: Tuning): string[] {
  const { pki, controllerManagerKubeconfig: kubeconfig } = layout;
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--secure-port=0",
    "--leader-elect=false",
    "--profiling=false",
    `--controllers=*,${WITHOUT_KUBELET.map((name) => `-${name}`).join(",")}`,
    "--use-service-account-credentials=true",
    "--kube-api-qps=200",
    "--kube-api-burst=400",
    `--root-ca-file=${join(pki, "ca.crt")}`,
    `--service-account-private-key-file=${join(pki, "sa.key")}`,
    `--cluster-signing-cert-file=${join(pki, "ca.crt")}`,
    `--cluster-signing-key-file=${join(pki, "ca.key")}`,
    ...featureGates(tuning),
    ...(tuning.flags?.controllerManager ?? []),
  ];
}

function etcdAddress(run: string): string {
  return `unix://${join(run, "etcd.sock")}`;
}

function featureGates({ featureGates: gates = {} }: Tuning): string[] {
  const set = Object.entries(gates).map(([name, on]) => `${name}=${on}`);
  return set.length === 0 ? [] : [`--feature-gates=${set.join(",")}`];
}
