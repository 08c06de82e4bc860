/** ConfigMaps of 10 KiB, as many as dartboard's measurements of pages have. */

import type { Client, KubeObject } from "kopf-ts";
import { inParallel } from "../drover.ts";

/** How many there are in each of the namespaces. */
export const amounts = [100, 400, 1600, 6400] as const;

/** The namespace that holds so many. */
export function namespaceWith(amount: number): string {
  return `bench-mix-${amount}`;
}

const value = "x".repeat(10 * 1024);

/** Makes all of them exist; nobody else makes ConfigMaps in their namespaces while no controller manager runs. */
export async function createConfigMaps(client: Client): Promise<void> {
  for (const amount of amounts) {
    const namespace = namespaceWith(amount);
    await client.create<KubeObject>({
      ...{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    });
    await inParallel(amount, (index) => {
      const metadata = { name: `mix-${index}`, namespace };
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { value } };
      return client.create<KubeObject & object>(object);
    });
  }
}
