/** The real kubectl, as people and GitOps repositories use it. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, run, type Workplace } from "./drover.ts";

/** An object as kubectl shows it. */
export interface Found {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** kubectl for one cluster, with a file of its own for each document. */
export class Kubectl {
  readonly #place: Workplace;
  readonly #kubectl: string;
  readonly #kubeconfig: string;
  #files = 0;

  constructor(place: Workplace, kubectl: string, kubeconfig: string) {
    this.#place = place;
    this.#kubectl = kubectl;
    this.#kubeconfig = kubeconfig;
  }

  /** Runs it to its end. */
  kubectl(...args: readonly string[]): Promise<Finished> {
    const { PATH = "" } = process.env; // diff runs a program
    const env = { PATH, KUBECONFIG: this.#kubeconfig, HOME: this.#place.dir };
    return run(this.#kubectl, args, { env });
  }

  /** Applies a document, with more arguments where there are any. */
  async apply(yaml: string, ...args: readonly string[]): Promise<Finished> {
    const folder = join(this.#place.dir, "applied");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${this.#files++}.yaml`);
    writeFileSync(file, yaml);
    return this.kubectl("apply", "-f", file, ...args);
  }

  /** The object; undefined when there is none. */
  async get(kind: string, name: string, ...args: readonly string[]): Promise<Found | undefined> {
    const { stdout } = await this.kubectl("get", kind, name, "-o", "json", ...args);
    return stdout === "" ? undefined : JSON.parse(stdout);
  }

  /** Names of all objects of a kind. */
  async names(kind: string): Promise<readonly string[]> {
    const jsonpath = "jsonpath={.items[*].metadata.name}";
    const { stdout } = await this.kubectl("get", kind, "-A", "-o", jsonpath);
    return stdout.split(" ");
  }

  /** `kind namespace name version` of everything of these kinds. */
  async versions(kinds: readonly string[]): Promise<readonly string[]> {
    const columns =
      "custom-columns=K:.kind,NS:.metadata.namespace,N:.metadata.name,V:.metadata.resourceVersion";
    const { stdout } = await this.kubectl(
      "get",
      kinds.join(","),
      "-A",
      "--no-headers",
      "-o",
      columns,
    );
    return stdout.trim().split("\n").sort();
  }
}
