/** Objects of all kinds on a real API server, and how lists of /v1 show them, for tests of states and relationships. */

import { type ControlPlane, uniqueName } from "@drover/env";
import { expect } from "chai";
import { eventually } from "kopf-ts/testing";
import type { Summary } from "../../summary/summary.ts";
import { at, listAt, textAt } from "../../tree.ts";
import {
  crdOf,
  install,
  send,
  type TestKind,
  type TestVersion,
  uninstall,
} from "../../types/testing.test.support.ts";
import { ListServer } from "../harness.test.support.ts";

/** An object, or a part of one. */
export type Tree = Readonly<Record<string, unknown>>;

const within = { within: 30_000 };

/** Makes objects, and lists them as /v1 does. */
export class StateBed implements AsyncDisposable {
  readonly #server: ListServer;
  readonly namespace: string;

  private constructor(server: ListServer, namespace: string) {
    this.#server = server;
    this.namespace = namespace;
  }

  /** Starts a server that knows of relationships, with a namespace of its own. */
  static async start(plane?: ControlPlane): Promise<StateBed> {
    const server = await ListServer.start(plane);
    server.followOwners();
    const bed = new StateBed(server, uniqueName("states"));
    await bed.make("/api/v1/namespaces", { metadata: { name: bed.namespace } });
    return bed;
  }

  /** Installs a kind with one version, and waits until /v1 knows its type. */
  async install(kind: TestKind, version: TestVersion): Promise<void> {
    await install(this.#server.client, crdOf(kind, version));
    await this.knows(`${kind.group}.${kind.kind.toLowerCase()}`);
  }

  /** Removes a kind and its objects. */
  async uninstall(kind: TestKind): Promise<void> {
    await uninstall(this.#server.client, kind);
  }

  /** Waits for a type. */
  async knows(typeId: string): Promise<void> {
    await eventually(() => this.#server.type(typeId) !== undefined, within);
  }

  /** Creates an object, then writes its status as a controller would. */
  async make(path: string, object: Tree, status?: unknown): Promise<Tree> {
    const made = await this.send("POST", path, object);
    if (status === undefined) return made;
    return this.send("PATCH", `${path}/${textAt(made, "metadata", "name")}/status`, { status });
  }

  /** A request that has to succeed. */
  async send(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<Tree> {
    const answer = await send(this.#server.client, method, path, body);
    expect(at(answer, "code"), `${method} ${path}: ${JSON.stringify(answer)}`).to.equal(undefined);
    return answer as Tree;
  }

  /** The collection that a list is, for somebody or for `system:masters`. */
  async collection(list: string, user?: string): Promise<Tree> {
    const answer = await this.#server.get(list, user === undefined ? {} : { "X-User": user });
    expect(answer.status, `${list}: ${answer.text.slice(0, 300)}`).to.equal(200);
    return JSON.parse(answer.text);
  }

  /** The items of a list by the name of their object. */
  async items(list: string, user?: string): Promise<ReadonlyMap<string, unknown>> {
    const items = listAt(await this.collection(list, user), "data");
    return new Map(items.map((item) => [textAt(item, "metadata", "name"), item]));
  }

  /** The item of an object once it is as a test wants it; after 30 s as it is. */
  async itemWhere(list: string, name: string, test: (item: unknown) => boolean): Promise<unknown> {
    const find = async () => (await this.items(list)).get(name);
    await eventually(async () => test(await find()), within).catch(() => undefined);
    return find();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

/** What an item has as its state, as a summary says it. */
export function stateOf(item: unknown): Tree {
  return at(item, "metadata", "state") as Tree;
}

/** The part of a state that a summary expects. */
export function stateLike({ state, messages, ...flags }: Partial<Summary>): Tree {
  const name = state === undefined ? {} : { name: state };
  return { ...flags, ...name, ...(messages === undefined ? {} : { message: messages.join(":") }) };
}
