import {
  type Client,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type RequestOptions,
} from "../kube/index.ts";
import { Lease, type LeaseObject } from "./lease.ts";

/** Reads and writes the one Lease of an election. Every write carries a precondition: that nobody wrote since the last read. */
export class LeaseClient {
  readonly namespace: string;
  readonly name: string;
  readonly #client: Client;

  constructor(client: Client, { namespace, name }: { namespace: string; name: string }) {
    this.#client = client;
    this.namespace = namespace;
    this.name = name;
  }

  /** The stored lease; undefined when there is none. */
  read(options: RequestOptions): Promise<LeaseObject | undefined> {
    return this.#client.find(Lease, this.name, { ...options, namespace: this.namespace });
  }

  /** Creates the lease, or replaces the one whose resourceVersion it carries; undefined when somebody was faster. */
  async write(lease: LeaseObject, options: RequestOptions): Promise<LeaseObject | undefined> {
    const isNew = lease.metadata.resourceVersion === undefined;
    try {
      return isNew
        ? await this.#client.create(lease, options)
        : await this.#client.update(lease, options);
    } catch (thrown) {
      if (isConflict(thrown) || isAlreadyExists(thrown)) return undefined;
      if (!isNew && isNotFound(thrown)) return undefined; // deleted since
      throw thrown;
    }
  }
}
