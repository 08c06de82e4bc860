import { join, relative } from "node:path";

/** Where everything is. */
export interface Places {
  readonly url: string;
  readonly kubeconfig: string;
  /** The folder of the state. */
  readonly dir: string;
}

/** What a person can try now, as lines to paste. */
export function nextSteps({ url, kubeconfig, dir }: Places): string {
  const samples = relative(process.cwd(), join(import.meta.dirname, "../../../config/samples"));
  return `
drover is ready: ${url}/readyz

  export KUBECONFIG=${kubeconfig}
  export PATH=${join(dir, "bin")}:$PATH   # kubectl, if you have none
  kubectl apply -f ${samples}
  kubectl get tokens.management.cattle.io --watch   # token-ten-seconds goes after 10 s
  kubectl get events --field-selector reason=TokenExpired

Logs of the control plane are in ${join(dir, "logs")}. Ctrl-C ends everything and keeps the data.

`;
}
