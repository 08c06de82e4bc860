export { kubeProxy } from "./proxy.ts";
