import type { Client } from "kopf-ts";

/** One call of a client: `find` of `features.management.cattle.io`, for example. */
export interface Call {
  readonly verb: string;
  readonly name: string;
}

/** Passes calls on to a client and writes down which there were, in order. */
export function recorder(client: Client): { readonly client: Client; readonly calls: Call[] } {
  const calls: Call[] = [];
  const recording = new Proxy(client, {
    get: (target, verb) => {
      const method: unknown = Reflect.get(target, verb);
      if (typeof method !== "function") return method;
      return (...args: readonly unknown[]): unknown => {
        calls.push({ verb: String(verb), name: nameOf(args) });
        return method.apply(target, args);
      };
    },
  });
  return { client: recording, calls };
}

/** The object's name (find, apply) or the kind's plural (list). */
function nameOf([first, second]: readonly unknown[]): string {
  if (typeof second === "string") return second;
  const { metadata, plural } = first as { metadata?: { name: string }; plural?: string };
  return metadata?.name ?? plural ?? "";
}
