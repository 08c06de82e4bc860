import { installCrds, kinds } from "@drover/crds";
import { testEnv } from "@drover/env";
import { type Client, connect, isAlreadyExists, loadConfig, refTo, silentLogger } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";

/** A client of the test run's API server, which knows our kinds and has the namespace of ext tokens. */
export async function connected(): Promise<Client> {
  const { kubeconfigPath } = await testEnv();
  const client = connect(await loadConfig({ kubeconfig: kubeconfigPath }), { kinds });
  await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
  await client.create(refTo(Namespace, "cattle-tokens")).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  return client;
}
