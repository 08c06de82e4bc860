export { type KubeProxyParts, kubeProxy } from "./proxy.ts";
